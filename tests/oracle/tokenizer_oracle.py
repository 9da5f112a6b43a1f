#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""godwit's tokenizer against Hugging Face's `tokenizers` package (and transformers, where it is installed).

- the golden text (made here from a seed) and its ids as the package gives them: tests/data/tokenizer_golden.*;
  --write makes them anew
- vocabularies of 10, 4,096 and 32,000 tokens, learnt on real documents: the merges that the package learns, and the ids
  that it gives for at least 10,000 sentences, must be godwit's
- a byte-level vocabulary learnt on this project's pages: the package's merges and ids
- a file that the package wrote anew must be read, and text with lower case, IUPAC and other letters encode the same
"""
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

GODWIT, ROOT = os.environ["GODWIT"], pathlib.Path(os.environ["ROOT"])
GOLDEN = ROOT / "tests/data/tokenizer_golden.txt"
SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def godwit(*arguments, stdin=None):
    return subprocess.run([GODWIT, *map(str, arguments)], input=stdin, check=True, capture_output=True, text=True).stdout


def sentences_of(path):
    return [line for line in pathlib.Path(path).read_text().split("\n") if line]


def godwit_ids(tokenizer, path):
    lines = godwit("encode", "-q", "-m", tokenizer, path).split("\n")
    return [[int(word) for word in line.split()] for line in lines if line]


def package_ids(tokenizer, sentences):
    return [e.ids for e in Tokenizer.from_file(str(tokenizer)).encode_batch(sentences, add_special_tokens=False)]


def merges_of(text):
    return [tuple(m.split()) if isinstance(m, str) else tuple(m) for m in json.loads(text)["model"]["merges"]]


def learn_with_package(sentences, size):
    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
    tokenizer.train_from_iterator(sentences, trainers.BpeTrainer(
        vocab_size=size, min_frequency=2, special_tokens=SPECIALS, initial_alphabet=list("ACGTN"), show_progress=False))
    return tokenizer


def golden_text():
    """Sentences of a made-up genome: words that return with changes, a bias in its letters, runs and some N."""
    draw = random.Random(20)
    words = ["".join(draw.choices("ACGT", [3, 2, 2, 3], k=draw.randint(4, 14))) for _ in range(120)]
    lines = []
    for i in range(48):
        text = "".join(w if draw.random() < 0.8 else w[::-1] for w in draw.choices(words, k=40))
        text = text[:draw.randint(1, 300)]
        if i % 12 == 5:
            text = text[:40] + draw.choice("ACGTN") * draw.randint(1, 30) + text[40:]
        lines.append(text + ("\n" if i % 8 == 7 and i < 47 else ""))
    return "\n".join(lines) + "\n"


def documents(path, most):
    """Sentences of 500-1000 bp of a genome, in documents, until `most` bases."""
    draw, written = random.Random(1), 0
    contigs = gzip.open(path, "rt").read().split(">")[1:]
    with open("documents.txt", "w", encoding="ascii") as out:
        for contig in contigs:
            bases = "".join(b if b in "ACGT" else "N" for b in "".join(contig.split("\n")[1:]).upper())
            at, sentence = 0, 0
            while at < len(bases) and written < most:
                length = draw.randint(500, 1000)
                out.write(bases[at:at + length] + ("\n\n" if sentence % 75 == 74 else "\n"))
                at, sentence, written = at + length, sentence + 1, written + length
    return "documents.txt"


def compare(path, size, learn):
    sentences = sentences_of(path)
    godwit("bpe", "-q", "-v", size, "-o", "t.json", path)
    differ = sum(a != b for a, b in zip(godwit_ids("t.json", path), package_ids("t.json", sentences), strict=True))
    print(f"{size} tokens: {len(sentences)} sentences, {differ} encoded otherwise")
    assert differ == 0
    if learn:
        theirs = merges_of(learn_with_package(sentences, size).to_str())
        ours = merges_of(pathlib.Path("t.json").read_text())
        print(f"{size} tokens: {len(ours)} merges, {sum(a != b for a, b in zip(ours, theirs))} learnt otherwise")
        assert ours == theirs


def check_bytes():
    lines = [line for page in sorted(ROOT.glob("docs/**/*.md")) for line in page.read_text().split("\n") if line]
    pathlib.Path("lines.txt").write_text("\n".join(lines) + "\n")
    godwit("bpe", "-q", "--byte-level", "-v", 4000, "-o", "bytes.json", "lines.txt")
    package = Tokenizer(models.BPE())
    package.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    package.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=4000, min_frequency=2, special_tokens=SPECIALS, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False))
    ours = pathlib.Path("bytes.json").read_text()
    assert merges_of(ours) == merges_of(package.to_str())
    assert json.loads(ours)["model"]["vocab"] == package.get_vocab()
    assert godwit_ids("bytes.json", "lines.txt") == package_ids("bytes.json", lines)
    read = Tokenizer.from_file("bytes.json")
    back = [read.decode(read.encode(line, add_special_tokens=False).ids, skip_special_tokens=False) for line in lines]
    assert back == lines
    print(f"bytes: {len(merges_of(ours))} merges of {len(lines)} lines, none learnt otherwise")


def check_odd_letters():
    text = "acgtunNRYSWKMBDHVryswkmbdhvuU-x*AC é\tGT"
    tokenizer = Tokenizer.from_file("t.json")
    expected = "".join("T" if c in "uU" else c.upper() if c in "acgtnACGTN" else "N" if c.upper() in "BDHKMRSVWY" else "?"
                       for c in text)
    letters = tokenizer.decode(tokenizer.encode(text).ids)
    assert letters == expected.replace("?", ""), letters
    pair = tokenizer.encode("ACGT", "ttga")
    assert pair.tokens[0] == "[CLS]" and pair.tokens[-1] == "[SEP]" and set(pair.type_ids) == {0, 1}, pair.tokens
    tokenizer.save("anew.json")
    plain = text.translate({ord(c): None for c in "-x* é\t"})
    pathlib.Path("odd.txt").write_text(plain + "\n")
    ids = tokenizer.encode(plain, add_special_tokens=False).ids
    assert godwit_ids("t.json", "odd.txt") == [ids] == godwit_ids("anew.json", "odd.txt")


def check_transformers():
    try:
        from transformers import PreTrainedTokenizerFast
    except ImportError:
        print("transformers is not installed")
        return
    tokenizer = PreTrainedTokenizerFast(tokenizer_file="t.json", unk_token="[UNK]", pad_token="[PAD]", mask_token="[MASK]",
                                        cls_token="[CLS]", sep_token="[SEP]")
    assert tokenizer.decode(tokenizer("acgtNNrAAUU")["input_ids"], skip_special_tokens=True) == "ACGTNNNAATT"


def check_golden(write):
    if write:
        GOLDEN.write_text(golden_text())
    assert GOLDEN.read_text() == golden_text()
    godwit("bpe", "-q", "-v", 300, "-o", "t.json", GOLDEN)
    sentences = sentences_of(GOLDEN)
    ids = iter(package_ids("t.json", sentences))
    lines = GOLDEN.read_text().split("\n")[:-1]
    text = "".join((" ".join(map(str, next(ids))) if line else "") + "\n" for line in lines)
    if write:
        GOLDEN.with_suffix(".ids").write_text(text)
    assert GOLDEN.with_suffix(".ids").read_text() == text
    compare(GOLDEN, 300, True)


def main():
    check_golden("--write" in sys.argv)
    check_odd_letters()
    check_transformers()
    check_bytes()
    genome = pathlib.Path(os.environ.get("GODWIT_DATA") or "/nonexistent") / "yeast/R64-1-1.fa.gz"
    if not genome.exists():
        print(f"no {genome}: only the golden text was compared")
        return
    path = documents(genome, 9_000_000)
    assert len(sentences_of(path)) >= 10_000
    for size, learn in ((10, False), (4096, False), (32000, True)):
        compare(path, size, learn)


main()
