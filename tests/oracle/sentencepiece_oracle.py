#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""godwit's reading of SentencePiece models against the sentencepiece package.

- small models, trained here on a made-up text from a seed (tests/data/spm_*.model), and what the package makes of lines
  that hold everything that is odd in Unicode and some bytes that are not (tests/data/spm_golden.*); --write makes all anew
- the same lines through transformers' BigBirdTokenizer on a folder with such a model (spm_bigbird.ids)
- with real data: models of every kind trained on it, and the two real models, must give the package's ids for more than
  20,000 lines of English, 20,000 odd ones and 100,000 of DNA; folders of BigBird, and the tokenizer.json that
  transformers writes for them, those of BigBirdTokenizer
"""
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys

try:
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2 as proto
except ImportError:
    print("the packages sentencepiece and protobuf are not installed")
    sys.exit(77)

GODWIT, ROOT = os.environ["GODWIT"], pathlib.Path(os.environ["ROOT"])
GOLDEN = ROOT / "tests/data"
DATA = pathlib.Path(os.environ.get("GODWIT_DATA") or "/nonexistent")
RULES = {"\uff21": "A", "\uff22": "B", "\ufb01": "fi", "e\u0301": "\u00e9", "\u00a0": " ", "\u200b": "", "\t": " ", "\u2026": "..."}
ODD = ["é", "e\u0301", "ﬁ", "Å", "ＡＢＣ", "ｱｲｳ", "①", "㍿", "½", "日本語", "中文，。", "한국어", "שלום", "مرحبا", "😀",
       "👨\u200d👩\u200d👧", "🇩🇪", "\u00a0", "\u200b", "\u200d", "\ufeff", "\u2028", "\t", "\x01", "\x7f", "\x85", "  ",
       "   ", "▁", "▁▁", " ", "[CLS]", "[MASK]", " [MASK] ", "<s>", "</s>", "<unk>", "<pad>", "<n>", "<sep_0>", "[SEP] ",
       "…", "—", "“q”", "ǆ", "ß", "İ", "\u0300\u0301", "가", "\u1100\u1161", "\U0001d400", "\ufffd", "𠮷", "<0x41>",
       "\u00ad", "\u2126", "ſ", "㎏", "\u3000", "foo", "Bar", "1234", "3.14", " the ", " of", "abc", "ab"]


# --- texts -----------------------------------------------------------------------------------------------------------

def odd_lines(count, seed):
    draw = random.Random(seed)
    lines = [" ", "  ", "▁", " ▁ ", "a ", "a  ", " a", "  a b  c   "]
    while len(lines) < count:
        parts = draw.randint(1, 12)
        if draw.random() < 0.2:
            ranges = [(0x20, 0x2ff), (0x300, 0x3000), (0x3000, 0xd7ff), (0xe000, 0x1ffff)]
            lines.append("".join(chr(draw.randint(*draw.choice(ranges))) for _ in range(parts)))
        else:
            lines.append("".join(draw.choice(ODD) if draw.random() < 0.6 else draw.choice("abc xyz ABC 019.,-")
                                 for _ in range(parts)))
    return lines


def english_lines():
    lines = []
    for name in sorted((DATA / "nlp").glob("*.gz")):
        text = gzip.open(name, "rt", encoding="utf-8").read()
        if name.suffixes[-2] == ".json":
            for article in json.loads(text).values():
                for value in article.values():
                    lines += [value] if isinstance(value, str) else [str(v) for v in value] if isinstance(value, list) else []
        else:
            lines += [field for line in text.split("\n") for field in line.split("\t") if len(field) > 8]
    return lines


def dna_lines(count):
    draw, lines = random.Random(2), []
    for name in ("yeast/R64-1-1.fa.gz", "worm/ce10.fa.gz"):
        with gzip.open(DATA / name, "rt") as genome:
            bases = "".join(line.strip() for line, _ in zip(genome, range(200_000)) if line[0] != ">")
        for _ in range(count // 2):
            at = draw.randrange(len(bases) - 300)
            lines.append(bases[at:at + draw.randint(1, 300)])
    return lines


def made_up_text():
    """Sentences of made-up words, so that no text of others stands in the fixtures."""
    draw = random.Random(11)
    words = ["".join(draw.choice(["ka", "lo", "mi", "tur", "en", "ab", "abc", "sha", "the", "rin", "o", "qu"])
                     for _ in range(draw.randint(1, 4))) for _ in range(400)]
    lines = []
    for _ in range(1500):
        picked = [words[min(int(draw.expovariate(0.02)), 399)] for _ in range(draw.randint(3, 14))]
        lines.append(" ".join(picked).capitalize() + draw.choice([".", "!", ", 12.", " 2026?", " naïve é."]))
    return lines


# --- small models ----------------------------------------------------------------------------------------------------

def train(prefix, lines, **options):
    with open("train.txt", "w", encoding="utf-8") as out:
        out.write("\n".join(line.replace("\n", " ").replace("\r", " ").replace("\x00", "") for line in lines) + "\n")
    sentencepiece.SentencePieceTrainer.train(input="train.txt", model_prefix=prefix, minloglevel=2, num_threads=2,
                                             max_sentence_length=20000, **options)


def change(path, edit):
    model = proto.ModelProto()
    model.ParseFromString(pathlib.Path(path).read_bytes())
    edit(model)
    pathlib.Path(path).write_bytes(model.SerializeToString())


def forget_training(model):
    """What the trainer was told stays out of the fixture but for what reading needs."""
    for name in ("input", "model_prefix", "user_defined_symbols", "control_symbols", "accept_language"):
        model.trainer_spec.ClearField(name)
    model.normalizer_spec.normalization_rule_tsv = ""


def leave_some_unused(model):
    draw = random.Random(5)
    for piece in model.pieces:
        if piece.type == 1 and draw.random() < 0.2:
            piece.type = 5
    forget_training(model)


def level_scores(model):
    for piece in model.pieces:
        piece.score = 0
    forget_training(model)


def make_fixtures():
    with open("rules.tsv", "w", encoding="utf-8") as out:
        for text, becomes in RULES.items():
            out.write(" ".join(f"{ord(c):X}" for c in text) + "\t" + " ".join(f"{ord(c):X}" for c in becomes) + "\n")
    symbols = ["[CLS]", "[SEP]", "[MASK]", "<n>", "ab", "abc", "日本"]
    text = made_up_text()
    train("spm_unigram", text, model_type="unigram", vocab_size=420, byte_fallback=True, split_digits=True,
          normalization_rule_tsv="rules.tsv", user_defined_symbols=symbols)
    change("spm_unigram.model", forget_training)
    train("spm_bpe", text, model_type="bpe", vocab_size=260, normalization_rule_name="identity", pad_id=3,
          treat_whitespace_as_suffix=True, user_defined_symbols=symbols[:4], unk_surface="?")
    change("spm_bpe.model", leave_some_unused)
    train("spm_level", text, model_type="unigram", vocab_size=200, normalization_rule_name="identity", pad_id=0,
          eos_id=1, bos_id=2, unk_id=10, user_defined_symbols=symbols, remove_extra_whitespaces=False)
    change("spm_level.model", level_scores)
    for name in FIXTURES:
        (GOLDEN / f"{name}.model").write_bytes(pathlib.Path(f"{name}.model").read_bytes())


FIXTURES = ["spm_unigram", "spm_bpe", "spm_level"]


def golden_lines():
    draw = random.Random(3)
    lines = [line.encode() for line in made_up_text()[:30] + [line for line in odd_lines(130, 9) if "\n" not in line]]
    for _ in range(30):
        lines.append(bytes(draw.choice([draw.randint(128, 255), draw.randint(97, 122), 0xe2, 0x96, 0x81, 0xf0, 32])
                           for _ in range(draw.randint(1, 16))))
    return [line for line in lines if b"\n" not in line and b"\r" not in line]


def as_file(lines):
    return b"".join(line + b"\n" for line in lines)


def expect_file(name, content, write):
    if write:
        (GOLDEN / name).write_bytes(content)
    assert (GOLDEN / name).read_bytes() == content, name


def check_golden(write):
    if write:
        make_fixtures()
    lines = golden_lines()
    expect_file("spm_golden.txt", as_file(lines), write)
    for name in FIXTURES:
        package = sentencepiece.SentencePieceProcessor(model_file=str(GOLDEN / f"{name}.model"))
        ids = [package.encode(line) for line in lines]
        expect_file(f"{name}.ids", as_file(" ".join(map(str, i)).encode() for i in ids), write)
        expect_file(f"{name}.decoded", as_file(package.decode(i).encode() for i in ids), write)


# --- BigBird's folders -----------------------------------------------------------------------------------------------

MASK_TAKES_SPACE = {"added_tokens_decoder": {"67": {"content": "[MASK]", "lstrip": True, "rstrip": False,
                                                    "single_word": False, "normalized": False, "special": True}}}


def big_bird(folder, model, settings=None):
    from transformers import BigBirdTokenizer
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    (folder / "spiece.model").write_bytes(pathlib.Path(model).read_bytes())
    (folder / "config.json").write_text('{"model_type": "big_bird"}')
    if settings:
        (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return BigBirdTokenizer.from_pretrained(folder)


def is_text(line):
    try:
        return bool(line.decode())
    except UnicodeDecodeError:
        return False


def check_golden_folder(write):
    lines = [line for line in golden_lines() if is_text(line)]
    tokenizer = big_bird("golden", GOLDEN / "spm_level.model")
    ids = tokenizer([line.decode() for line in lines])["input_ids"]
    expect_file("spm_bigbird.ids", as_file(" ".join(map(str, i)).encode() for i in ids), write)


def compare_folder(folder, tokenizer, lines):
    theirs, ours = tokenizer(lines, add_special_tokens=False)["input_ids"], godwit_ids(folder, lines)
    assert len(ours) == len(lines), (len(ours), len(lines))
    differ = [i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b]
    print(f"folder {folder}: {len(lines)} lines, {len(differ)} encoded otherwise")
    assert not differ, [(lines[i], theirs[i], ours[i]) for i in differ[:3]]


def check_folders(lines):
    for name in ("bigbird_gpt2", "pegasus"):
        tokenizer = big_bird(name, DATA / f"tokenizer/{name}.model")
        compare_folder(name, tokenizer, lines)
        tokenizer.save_pretrained(f"{name}_json")
        compare_folder(f"{name}_json", tokenizer, lines[::7])
    compare_folder("mask", big_bird("mask", DATA / "tokenizer/bigbird_gpt2.model", MASK_TAKES_SPACE), lines[::7])


# --- real data -------------------------------------------------------------------------------------------------------

def godwit_ids(model, lines):
    # One document: lines that are empty or end in \r are not what a file of sentences can hold.
    out = subprocess.run([GODWIT, "encode", "-q", "--keep-case", "-m", str(model)], input="".join(l + "\n" for l in lines),
                         check=True, capture_output=True, encoding="utf-8").stdout
    return [[int(word) for word in line.split()] for line in out.split("\n")[:-1]]


def sentences(lines):
    return [line for line in lines if line and "\n" not in line and "\r" not in line and "\x00" not in line]


def compare(model, lines):
    package = sentencepiece.SentencePieceProcessor(model_file=str(model))
    theirs, ours = [package.encode(line) for line in lines], godwit_ids(model, lines)
    assert len(ours) == len(lines), (len(ours), len(lines))
    differ = [i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b]
    print(f"{pathlib.Path(model).name}: {len(lines)} lines, {len(differ)} encoded otherwise")
    assert not differ, [(lines[i], theirs[i], ours[i]) for i in differ[:3]]


SYMBOLS = ["<n>", "foo", "the ", "ab", "abc", "[MASK]", "日本"]
TRAINED = {
    "unigram_nfkc": dict(model_type="unigram", normalization_rule_name="nfkc"),
    "unigram_bytes": dict(model_type="unigram", normalization_rule_name="nmt_nfkc", byte_fallback=True, split_digits=True),
    "unigram_suffix": dict(model_type="unigram", normalization_rule_name="identity", treat_whitespace_as_suffix=True,
                           user_defined_symbols=SYMBOLS + ["  "]),
    "unigram_spaces": dict(model_type="unigram", normalization_rule_name="nmt_nfkc_cf", remove_extra_whitespaces=False,
                           add_dummy_prefix=False, user_defined_symbols=SYMBOLS, control_symbols=["<ctl>"]),
    "unigram_inside": dict(model_type="unigram", normalization_rule_name="nmt_nfkc", split_by_whitespace=False),
    "bpe_nfkc_cf": dict(model_type="bpe", normalization_rule_name="nfkc_cf"),
    "bpe_bytes": dict(model_type="bpe", normalization_rule_name="identity", byte_fallback=True, split_digits=True,
                      allow_whitespace_only_pieces=True, remove_extra_whitespaces=False, user_defined_symbols=SYMBOLS),
    "bpe_suffix": dict(model_type="bpe", normalization_rule_name="nmt_nfkc", treat_whitespace_as_suffix=True),
    "bpe_inside": dict(model_type="bpe", normalization_rule_name="nmt_nfkc", split_by_whitespace=False,
                       control_symbols=["the"]),
}


def check_trained(english, odd, dna):
    text = english[:12000] + odd[:1500] + dna[:1500]
    lines = sentences(english[12000:24000] + odd[1500:6000] + dna[1500:3500])
    for name, options in TRAINED.items():
        train(name, text, vocab_size=3000, character_coverage=0.98, **options)
        compare(f"{name}.model", lines)
        if name in ("unigram_nfkc", "bpe_nfkc_cf", "bpe_inside"):
            change(f"{name}.model", leave_some_unused)
            compare(f"{name}.model", lines)


def main():
    check_golden("--write" in sys.argv)
    try:
        import transformers
        check_golden_folder("--write" in sys.argv)
    except ImportError:
        transformers = None
        print("transformers is not installed: no folder of BigBird is compared")
    if not (DATA / "nlp").exists():
        print(f"no {DATA}/nlp: only the golden lines were compared")
        return
    english, odd, dna = english_lines(), odd_lines(20_000, 1), dna_lines(100_000)
    check_trained(english, odd, dna)
    lines = sentences(english + odd + dna)
    for name in ("bigbird_gpt2", "pegasus"):
        compare(DATA / f"tokenizer/{name}.model", lines)
    if transformers:
        check_folders(lines)


main()
