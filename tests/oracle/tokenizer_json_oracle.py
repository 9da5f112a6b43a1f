#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tokenizer.json files made elsewhere, against Hugging Face's `tokenizers` package.

Tokenizers of many kinds are made with the package (learnt on real DNA and English, which GODWIT_DATA has), and read by
godwit: the ids of every text, of pairs with special tokens, and the text that ids decode to must be the package's; so
must the ids of folders that hold vocab.json and merges.txt, as transformers reads them.
  --write makes tests/data/tokenizer_json/ anew: small tokenizers, learnt on text made here, with texts and their ids
"""
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import unicodedata

from compiled import compile_program
from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors,
                        trainers)

ROOT, BUILD = pathlib.Path(os.environ["ROOT"]), pathlib.Path(os.environ["BUILD"])
DATA = pathlib.Path(os.environ.get("GODWIT_DATA") or "/nonexistent")
GOLDEN = ROOT / "tests/data/tokenizer_json"
N, P, D, T = normalizers, pre_tokenizers, decoders, processors
BERT_SPECIALS = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
ROBERTA_SPECIALS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
MANY_DNA, MANY_ENGLISH = 100_000, 20_000


# --- texts ---------------------------------------------------------------------------------------------------------

def genome(most):
    with gzip.open(DATA / "worm/ce10.fa.gz", "rt") as lines:
        bases = []
        for line in lines:
            if not line.startswith(">"):
                bases.append(line.strip())
                if len(bases) * 50 > most:
                    break
    return "".join(bases)


def dna_texts(count, draw, source):
    """Stretches of the genome, most short and some long, with runs of N, lower case, IUPAC letters, spaces and gaps."""
    texts = ["", " ", "N", "-", "NNNNNNNNN", "NNNNNNNNNN", "acgt", "[CLS]", "AC[MASK]GT", "A" * 70, "ACGT\n", "\nACGT"]
    while len(texts) < count:
        length = draw.choice([draw.randint(1, 60), draw.randint(1, 200), draw.randint(200, 900)])
        at = draw.randrange(len(source) - length)
        text = source[at:at + length].upper()
        kind = draw.random()
        if kind < 0.1:
            cut = draw.randrange(length + 1)
            text = text[:cut] + "N" * draw.choice([1, 9, 10, 11, 40]) + text[cut:]
        elif kind < 0.2:
            text = "".join(draw.choice("RYSWKMBDHVUN-") if draw.random() < 0.05 else c for c in text)
        elif kind < 0.3:
            cut = draw.randrange(length + 1)
            text = text[:cut].lower() + text[cut:]
        elif kind < 0.33:
            text = draw.choice([" ", "\t", "", "\u00a0"]) + text + draw.choice([" ", "  ", "\n"])
        elif kind < 0.36:
            cut = draw.randrange(length + 1)
            text = text[:cut] + draw.choice(["[SEP]", " ", "*", "é", "[UNK]", " [MASK] ", "<mask>"]) + text[cut:]
        elif kind < 0.37:
            text = "".join(draw.choices("AC", k=2)) * draw.randint(1, 400)
        texts.append(text)
    return texts


ODD = ["e\u0301", "n\u0303\u0323", "\u1e9b\u0323", "\ufb01", "\u00bd", "\u2460", "\u00b2", "\U0001f469\u200d\U0001f680", "\U0001f1e9\U0001f1ea",
       "\U0001f600", "\u05d0\u05d1\u05d2", "\u202e\u0645\u0631\u062d\u0628\u0627\u202c", "\u65e5\u672c\u8a9e", "\uac00\u1100\u1161\u11a8", "\u00a0", "\u2003", "\u200b", "\u0085", "\x01", "\x7f",
       "\x1b[0m", "\ufeff", "\u0130", "\u1e9e", "\u03a3\u03c2", "\u0e33", "\u0931\u093c", "\u0344", "\u212b", "\uff21\uff11", "'s", "\u2019s", "''", "  ", "   ",
       " \t ", "\r\n", "\u2028", "\u2581", "\u2581\u2581", "<s>", "</s>", "<mask>", " <mask> ", "[MASK]", "[CLS]", "<unk>", "\ufffd", "\u00ad",
       "\U00010348", "\u4dbf", "\u3000", "x_y", "3.14", "\u0663\u0664", "$", "\u20ac", "\u00a9", "\u2014", "\u3001", "can't", "I'LL", "we've'd", "#@!"]


def english_lines():
    texts = []
    for article in json.load(gzip.open(DATA / "nlp/pubmedqa.json.gz")).values():
        texts += article["CONTEXTS"] + [article["QUESTION"], article["LONG_ANSWER"]]
    for name in ("MRPC_msr_paraphrase_train.txt.gz", "RTE_train.tsv.gz", "STS-B_original_sts-dev.tsv.gz"):
        texts += gzip.open(DATA / "nlp" / name, "rt", encoding="utf-8-sig", errors="replace").read().split("\n")
    return [t for text in texts for t in text.split(". ")]


def english_texts(count, draw, source):
    texts = ["", " ", "  a", "a  ", "\n", "Hello World", "don't", "a" * 300] + ODD + [a + b for a in ODD[:30] for b in ODD[:30]]
    while len(texts) < count:
        text = draw.choice(source)[:400]
        kind = draw.random()
        if kind < 0.5:
            for _ in range(draw.randint(1, 4)):
                cut = draw.randrange(len(text) + 1)
                text = text[:cut] + draw.choice(ODD) + text[cut:]
        elif kind < 0.6:
            text = "".join(chr(draw.choice([draw.randrange(32, 0x250), draw.randrange(0x250, 0x2000), draw.randrange(0x2000, 0xd800)]))
                           if draw.random() < 0.3 else c for c in text[:80])
            text = "".join(c for c in text if is_old(c))
        elif kind < 0.65:
            text = text.upper()
        texts.append(text)
    return texts


def is_old(c):
    """Characters that are of one kind to every library of the package: some of its tables are of Unicode 8."""
    return unicodedata.ucd_3_2_0.category(c) not in ("Cn", "Cs") and unicodedata.ucd_3_2_0.category(c) == unicodedata.category(c)


# --- tokenizers ----------------------------------------------------------------------------------------------------

def learnt(model, texts, size, specials, normalizer=None, pre_tokenizer=None, **trainer):
    tokenizer = Tokenizer(model)
    if normalizer:
        tokenizer.normalizer = normalizer
    if pre_tokenizer:
        tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=size, special_tokens=specials, show_progress=False,
                                                             **trainer))
    return tokenizer


def gena(texts, size):
    t = learnt(models.BPE(unk_token="[UNK]"), texts, size, BERT_SPECIALS, initial_alphabet=list("-ABCGKMNRSTWY"))
    t.normalizer = N.Sequence([N.Strip(), N.Replace(Regex("N{10,}"), "-")])
    t.pre_tokenizer = P.Split("-", "isolated")
    t.post_processor = T.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    t.decoder = D.BPEDecoder(suffix=" ")
    return t


def dnabert2(texts, size):
    t = learnt(models.BPE(unk_token="[UNK]"), texts, size, BERT_SPECIALS, pre_tokenizer=P.Whitespace())
    t.post_processor = T.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
                                            special_tokens=[("[CLS]", 1), ("[SEP]", 2)])
    return t


def roberta(texts, size, **model):
    byte_level = P.ByteLevel(add_prefix_space=False)
    t = learnt(models.BPE(**model), texts, size, ROBERTA_SPECIALS, pre_tokenizer=byte_level, initial_alphabet=P.ByteLevel.alphabet())
    t.add_special_tokens([AddedToken("<mask>", lstrip=True, special=True)])
    t.post_processor = T.RobertaProcessing(("</s>", 2), ("<s>", 0))
    t.decoder = D.ByteLevel()
    return t


def gpt2(texts, size):
    t = roberta(texts, size)
    t.pre_tokenizer = P.ByteLevel(add_prefix_space=True)
    t.post_processor = T.ByteLevel(trim_offsets=False)
    return t


def llama(texts, size):
    t = learnt(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True), texts, size,
               ["<unk>", "<s>", "</s>"] + [f"<0x{i:02X}>" for i in range(256)], normalizer=N.Sequence([N.Prepend("▁"), N.Replace(" ", "▁")]),
               pre_tokenizer=P.Split("▁", "merged_with_next"), limit_alphabet=60)
    parts = json.loads(t.to_str())
    parts["added_tokens"] = [added for added in parts["added_tokens"] if not added["content"].startswith("<0x")]
    parts["pre_tokenizer"] = None
    t = Tokenizer.from_str(json.dumps(parts))
    t.decoder = D.Sequence([D.Replace("▁", " "), D.ByteFallback(), D.Fuse(), D.Strip(" ", 1, 0)])
    t.post_processor = T.TemplateProcessing(single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)])
    t.add_tokens([AddedToken("New York", normalized=True), AddedToken("cell", single_word=True, normalized=False)])
    return t


def suffixed(texts, size):
    t = learnt(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"), texts, size, ["<unk>"],
               normalizer=N.BertNormalizer(), pre_tokenizer=P.BertPreTokenizer(), end_of_word_suffix="</w>")
    t.decoder = D.BPEDecoder()
    return t


def prefixed(texts, size):
    t = learnt(models.BPE(unk_token="[UNK]", continuing_subword_prefix="##"), texts, size, BERT_SPECIALS,
               normalizer=N.Sequence([N.NFKC(), N.Lowercase()]), pre_tokenizer=P.Sequence([P.Whitespace(), P.Digits(True)]),
               continuing_subword_prefix="##")
    t.post_processor = T.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    return t


def wordpiece(texts, size):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100))
    t.normalizer, t.pre_tokenizer, t.decoder = N.BertNormalizer(), P.BertPreTokenizer(), D.WordPiece()
    t.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=size, special_tokens=BERT_SPECIALS, show_progress=False))
    t.post_processor = T.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    return t


def scrambled(texts, size):
    """Merges out of order, so that what a merge makes may merge earlier than it was made; several ways to a token."""
    t = json.loads(learnt(models.BPE(unk_token="[UNK]"), texts, size, BERT_SPECIALS).to_str())
    draw = random.Random(3)
    merges, vocabulary = t["model"]["merges"], t["model"]["vocab"]
    for text in list(vocabulary):
        for cut in range(1, len(text)):
            if text[:cut] in vocabulary and text[cut:] in vocabulary and draw.random() < 0.3:
                merges.append([text[:cut], text[cut:]])
    for _ in range(len(merges) // 4):
        i, j = draw.randrange(len(merges)), draw.randrange(len(merges))
        merges[i], merges[j] = merges[j], merges[i]
    t["model"]["merges"] = [list(m) for m in {tuple(m): None for m in merges}]
    return Tokenizer.from_str(json.dumps(t))


def with_parts(base, normalizer=None, pre_tokenizer=None, decoder=None):
    t = Tokenizer.from_str(base.to_str())
    if normalizer:
        t.normalizer = normalizer
    if pre_tokenizer:
        t.pre_tokenizer = pre_tokenizer
    if decoder:
        t.decoder = decoder
    return t


def english_variants(base):
    """Every component on one vocabulary of characters and words."""
    variants = {}
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        variants[form] = with_parts(base, getattr(N, form)())
    variants["lower"] = with_parts(base, N.Sequence([N.Lowercase(), N.Strip(right=False)]))
    variants["accents"] = with_parts(base, N.Sequence([N.NFD(), N.StripAccents(), N.Strip(left=False)]))
    variants["bert cased"] = with_parts(base, N.BertNormalizer(lowercase=False), P.BertPreTokenizer())
    variants["whitespace"] = with_parts(base, None, P.Whitespace())
    variants["whitespace split"] = with_parts(base, None, P.WhitespaceSplit())
    variants["punctuation"] = with_parts(base, None, P.Sequence([P.WhitespaceSplit(), P.Punctuation("merged_with_previous")]))
    variants["digits"] = with_parts(base, None, P.Sequence([P.Digits(False), P.Punctuation()]))
    for scheme in ("always", "first", "never"):
        for split in (True, False):
            variants[f"metaspace {scheme} {split}"] = with_parts(base, None, P.Metaspace(prepend_scheme=scheme, split=split),
                                                                 D.Metaspace(prepend_scheme=scheme, split=split))
    for behaviour in ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"):
        for invert in (False, True):
            variants[f"split {behaviour} {invert}"] = with_parts(base, None, P.Split(Regex(r"[aeiou]+|\d|\s{2,}"), behaviour, invert))
    variants["byte normalizer"] = with_parts(base, N.ByteLevel(), P.ByteLevel(use_regex=False, add_prefix_space=False))
    variants["no prefix"] = with_parts(base, None, P.Sequence([P.Digits(False), P.ByteLevel(add_prefix_space=False)]))
    patterns = [r" {2,}", r"\s+(?!\S)|\s+", r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
                r"\w+?s|(?:ab|a)(c|bcd)?", r"^\w+|\w+$", r"\A.|.\z", r"[^\W\d_]+|[\u0300-\u036F]", r"(a|e|i)*?o|x*", r".{3}", r"\P{L}\p{Lu}{,2}",
                r"e(?=r)|t(?![a-h])", r"\bx" if False else r"[.,;]|\p{^P}\x{65}\n?", r"a{2}|b{0}c|{x}|a{,3}n",
                r"[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+", r"\b\w|\Be", r"[^\S\n]+|[\W\d]+",
                r"(?<=e)r|(?<![a-m])t", r"(?>a+)b|th(?!e |is)|s(?=\w+ed)"]
    for pattern in patterns:
        variants["regex " + pattern] = with_parts(base, None, P.Split(Regex(pattern), "isolated"))
        variants["replace " + pattern] = with_parts(base, N.Replace(Regex(pattern), "_$1_"))
    return variants


# --- golden files --------------------------------------------------------------------------------------------------

ENGLISH = ["The cell divides, and the cells' fates differ.", "It's a small genome; we've read it twice.", "Genes aren't words!",
           "In 2024 there were 3.1 billion letters (about 6.4 with both copies).", "na\u00efve caf\u00e9 \u2014 r\u00e9sum\u00e9", "  two  spaces  ", "tabs\tand\nlines",
           "\u65e5\u672c\u8a9e \u05e9\u05dc\u05d5\u05dd \U0001f9ec\U0001f469\u200d\U0001f52c e\u0301", "the reads of the genes of the cells", "they'll say I'd gone"]


def golden_tokenizers():
    draw = random.Random(7)
    words = ["".join(draw.choices("ACGT", [3, 2, 2, 3], k=draw.randint(3, 12))) for _ in range(60)]
    dna = ["".join(draw.choices(words, k=30)) for _ in range(40)]
    texts = [t[:draw.randint(1, 260)] for t in dna[:10]] + ["", " ", "N", "ACGTN" * 3, "N" * 9, "N" * 10, "AC" + "N" * 25 + "GT", "A-C--G", "acgtACGT",
             "RYKMACBDHV", " ACGT\t", "AC GT", "[CLS]AC[MASK]GT [SEP]", "AC\u00e9GT", "A" * 100, "AT" * 60, "ACGT\u00a0"]
    english = ENGLISH + ["", " ", "<mask>", "a <mask> b</s>", "x<unk>y", "\u00a0\u2003z", "It'S CAN'T", "\x01\x7f", "a" * 60]
    return {"gena": (gena(dna, 60), texts), "dnabert2": (dnabert2(dna, 50), texts), "byte_level": (roberta(ENGLISH * 3, 300), english),
            "byte_fallback": (llama(ENGLISH * 3, 330), english),
            "wordpiece": (wordpiece(ENGLISH * 3, 150), english)}


def golden_lines(tokenizer, texts):
    """[text, ids] of each text, and [[a, b], ids, segments] of pairs with special tokens."""
    lines = [[t, tokenizer.encode(t, add_special_tokens=False).ids] for t in texts]
    for pair in [[texts[0]], [texts[1], texts[2]], ["", texts[3]], [texts[4], ""]]:
        encoding = tokenizer.encode(*pair)
        lines.append([pair, encoding.ids, encoding.type_ids])
    return "".join(json.dumps(line) + "\n" for line in lines)


def write_golden():
    GOLDEN.mkdir(exist_ok=True)
    for name, (tokenizer, texts) in golden_tokenizers().items():
        (GOLDEN / f"{name}.json").write_text(tokenizer.to_str() + "\n", encoding="utf-8")
        (GOLDEN / f"{name}.ids").write_text(golden_lines(tokenizer, texts), encoding="utf-8")


def check_golden():
    wrong = 0
    for path in sorted(GOLDEN.glob("*.json")):
        tokenizer = Tokenizer.from_file(str(path))
        lines = [json.loads(line) for line in path.with_suffix(".ids").read_text(encoding="utf-8").split("\n")[:-1]]
        for line in lines:
            texts = line[0] if isinstance(line[0], list) else [line[0]]
            encoding = tokenizer.encode(*texts, add_special_tokens=isinstance(line[0], list))
            wrong += [encoding.ids, encoding.type_ids][:len(line) - 1] != line[1:]
        print(f"{path.name}: {len(lines)} golden lines, {wrong} differ")
    return wrong


# --- comparison ----------------------------------------------------------------------------------------------------

def build_program():
    program = pathlib.Path("encode_lines").absolute()
    compile_program("encode_lines.c", program)
    return program


def godwit(program, path, mode, inputs):
    lines = "".join(json.dumps(i) + "\n" for i in inputs)
    run = subprocess.run([program, path, mode], input=lines, capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"{path}: {run.stderr}")
    return run.stdout.split("\n")[:-1]


def ids_text(encoding, segments=False):
    text = " ".join(map(str, encoding.ids))
    return text + " | " + " ".join(map(str, encoding.type_ids)) if segments else text


def compare(name, what, inputs, expected, found):
    assert len(expected) == len(found), (name, what, len(expected), len(found))
    wrong = [(i, e, f) for i, e, f in zip(inputs, expected, found) if e != f]
    for text, e, f in wrong[:3]:
        print(f"{name}: {what}: {text!r}:\n  package {e[:300]}\n  godwit  {f[:300]}")
    return len(wrong)


def check(program, name, tokenizer, texts, draw):
    """`tokenizer` may be a file."""
    path = tokenizer
    if isinstance(tokenizer, Tokenizer):
        path = pathlib.Path("checked.json")
        path.write_text(tokenizer.to_str(), encoding="utf-8")
    tokenizer = Tokenizer.from_file(str(path))
    wrong = compare(name, "ids", texts, [ids_text(e) for e in tokenizer.encode_batch(texts, add_special_tokens=False)],
                    godwit(program, path, "ids", texts))
    some = [draw.choice(texts)[:300] for _ in range(600)]
    pairs = [[a, b] for a, b in zip(some[:300], some[300:])] + [[t] for t in some[:100]]
    wrong += compare(name, "with specials", pairs,
                     [ids_text(tokenizer.encode(*p), True) for p in pairs], godwit(program, path, "ids", pairs))
    print(f"{name}: {len(texts)} texts, {len(pairs)} with special tokens, {wrong} differ", flush=True)
    return wrong


def check_decoding(program, name, tokenizer, texts):
    path = pathlib.Path("decoded.json")
    path.write_text(tokenizer.to_str(), encoding="utf-8")
    unknown = tokenizer.token_to_id(json.loads(tokenizer.to_str())["model"]["unk_token"] or "\0")
    kept = [t for t in texts if unknown not in tokenizer.encode(t, add_special_tokens=False).ids]
    expected = [json.dumps(tokenizer.decode(tokenizer.encode(t, add_special_tokens=False).ids)) for t in kept]
    found = [json.dumps(json.loads(line)) for line in godwit(program, path, "text", kept)]
    wrong = compare(name, "text", kept, expected, found)
    print(f"{name}: {len(kept)} texts decoded, {wrong} differ")
    return wrong


def check_folder(program, name, tokenizer, texts):
    """vocab.json and merges.txt, as transformers reads them."""
    import transformers
    folder = pathlib.Path(f"folder_{name}")
    folder.mkdir()
    model = json.loads(tokenizer.to_str())["model"]
    vocabulary = sorted(model["vocab"], key=model["vocab"].get)
    if name == "gpt2":
        vocabulary = [t for t in vocabulary if t not in ROBERTA_SPECIALS] + ["<|endoftext|>"]
    (folder / "vocab.json").write_text(json.dumps({t: i for i, t in enumerate(vocabulary)}))
    (folder / "merges.txt").write_text("#version: 0.2\n" + "".join(" ".join(m) + "\n" for m in model["merges"]), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps({"model_type": name, "vocab_size": len(vocabulary), "bos_token_id": 0, "eos_token_id": 0}))
    package = transformers.AutoTokenizer.from_pretrained(str(folder))
    wrong = compare(name, "folder", texts, [" ".join(map(str, ids)) for ids in package(texts)["input_ids"]],
                    [line.split(" |")[0] for line in godwit(program, folder, "ids", [[t] for t in texts])])
    print(f"{name}: {len(texts)} texts by vocab.json and merges.txt, {wrong} differ", flush=True)
    return wrong


def check_vocab_text(program, tokenizer, texts):
    """vocab.txt alone, as transformers reads it."""
    import transformers
    folder = pathlib.Path("folder_bert")
    folder.mkdir()
    vocabulary = json.loads(tokenizer.to_str())["model"]["vocab"]
    (folder / "vocab.txt").write_text("".join(t + "\n" for t in sorted(vocabulary, key=vocabulary.get)), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps({"model_type": "bert", "vocab_size": len(vocabulary)}))
    package = transformers.AutoTokenizer.from_pretrained(str(folder))
    wrong = compare("BERT", "folder", texts, [" ".join(map(str, ids)) for ids in package(texts)["input_ids"]],
                    [line.split(" |")[0] for line in godwit(program, folder, "ids", [[t] for t in texts])])
    print(f"BERT: {len(texts)} texts by vocab.txt, {wrong} differ", flush=True)
    return wrong


def main():
    if "--write" in sys.argv:
        return write_golden()
    wrong = check_golden()
    if not (DATA / "nlp/pubmedqa.json.gz").exists() or not (DATA / "worm/ce10.fa.gz").exists():
        print("no GODWIT_DATA")
        raise SystemExit(77)
    program, draw = build_program(), random.Random(11)
    bases = genome(6_000_000)
    dna, lines = dna_texts(MANY_DNA, draw, bases), english_lines()
    english = english_texts(MANY_ENGLISH, draw, lines)
    sample = [bases[i:i + 2000].upper() for i in range(0, 2_000_000, 2000)]
    for name, tokenizer in (("GENA-LM", gena(sample, 4000)), ("DNABERT-2", dnabert2(sample, 1000)),
                            ("scrambled merges", scrambled(sample[:100], 300))):
        wrong += check(program, name, tokenizer, dna, draw)
        if name == "GENA-LM":
            wrong += check_decoding(program, name, tokenizer, dna[:2000])
    wrong += check(program, "a published GENA-LM tokenizer", DATA / "tokenizer/gena_human_BPE_32k.tokenizer.json", dna, draw)
    words = lines[:8000]
    base = roberta(words, 3000)
    for name, tokenizer in (("RoBERTa", base), ("GPT-2", gpt2(words, 3000)), ("ignore merges", roberta(words, 3000, ignore_merges=True)),
                            ("byte fallback", llama(words, 2000)), ("suffix", suffixed(words, 2000)), ("prefix", prefixed(words, 2000)),
                            ("WordPiece", wordpiece(words, 3000))):
        wrong += check(program, name, tokenizer, english, draw)
        if name not in ("suffix", "prefix"):
            wrong += check_decoding(program, name, tokenizer, english[:3000])
    variety = learnt(models.BPE(unk_token="[UNK]"), words, 1500, BERT_SPECIALS, initial_alphabet=[c for c in "▁Ġ_"])
    for name, tokenizer in english_variants(variety).items():
        wrong += check(program, name, tokenizer, english[:4000], draw)
    for name in ("roberta", "gpt2"):
        wrong += check_folder(program, name, base, english[:5000])
    wrong += check_vocab_text(program, wordpiece(words, 3000), english[:5000])
    raise SystemExit(wrong > 0)


if __name__ == "__main__":
    main()
