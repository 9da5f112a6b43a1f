#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""vocab.txt of letters and k-mers: ids as transformers' EsmTokenizer has them, and its BertTokenizer of k-mers."""
import itertools
import json
import os
import random
import subprocess
import sys

from compiled import compile_program
from transformers import AutoTokenizer, BertTokenizer, EsmTokenizer
from transformers.models.esm.configuration_esm import get_default_vocab_list

NAMES = {"cls_token": "<cls>", "eos_token": None, "mask_token": "<mask>", "pad_token": "<pad>", "unk_token": "<unk>"}
SPECIALS = ["<unk>", "<pad>", "<mask>", "<cls>", "<eos>", "<bos>"]


def kmers(letters, k):
    return ["".join(kmer) for kmer in itertools.product(letters, repeat=k)]


def make_folder(name, tokens, settings):
    os.mkdir(name)
    with open(f"{name}/vocab.txt", "w", encoding="ascii") as out:
        out.write("\n".join(tokens))
    with open(f"{name}/tokenizer_config.json", "w", encoding="ascii") as out:
        json.dump(settings, out)
    return name


def draw_texts(draw, letters, count):
    texts = ["".join(draw.choice(letters) for _ in range(draw.randint(1, 100))).strip() for _ in range(count)]
    return [text for text in texts if text]


def ids_here(folder, texts):
    given = "".join(json.dumps(text) + "\n" for text in texts)
    lines = subprocess.run(["./encode_lines", folder, "ids"], input=given, capture_output=True, text=True, check=True)
    return [[int(i) for i in line.split("|")[0].split()] for line in lines.stdout.splitlines()]


def check(name, folder, texts, expected):
    found = ids_here(folder, texts)
    faults = [(t, f, e) for t, f, e in zip(texts, found, expected, strict=True) if f != e]
    print(f"{name}: {len(texts)} texts, {len(faults)} with other ids")
    for fault in faults[:3]:
        print("FAULT", *fault, sep="\n  ")
    return bool(faults)


def check_esm(draw, name, tokens, settings, alphabets, pairs):
    folder = make_folder(name, tokens, {"tokenizer_class": "EsmTokenizer", **settings})
    theirs = EsmTokenizer.from_pretrained(folder)
    failed = False
    for letters in alphabets:
        texts = draw_texts(draw, letters, 1000)
        failed |= check(f"{name} of {letters}", folder, texts, [theirs(t, add_special_tokens=False)["input_ids"] for t in texts])
        failed |= check(f"{name} of {letters}, whole", folder, [[t] for t in texts], [theirs(t)["input_ids"] for t in texts])
        if pairs:
            both = [[a, b] for a, b in zip(texts, texts[1:], strict=False)]
            failed |= check(f"{name} of {letters}, pairs", folder, both, [theirs(*p)["input_ids"] for p in both])
    return failed


def check_overlapping(draw, k):
    folder = make_folder(f"DNABERT of {k}", ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *kmers("ATCG", k)],
                         {"tokenizer_class": "BertTokenizer", "do_lower_case": False})
    theirs = BertTokenizer.from_pretrained(folder, do_lower_case=False)
    texts = [t for t in draw_texts(draw, "ACGT" * 20 + "N", 1000) if len(t) >= k]
    parted = [" ".join(t[i : i + k] for i in range(len(t) - k + 1)) for t in texts]
    failed = check(f"DNABERT of {k}, bases", folder, texts, [theirs(t, add_special_tokens=False)["input_ids"] for t in parted])
    failed |= check(f"DNABERT of {k}, words", folder, [[t] for t in parted], [theirs(t)["input_ids"] for t in parted])
    return failed


def main():
    draw = random.Random(1)
    compile_program("encode_lines.c", "encode_lines")
    nucleotides = [*SPECIALS, *kmers("ATCG", 6), *"ATCGN"]
    failed = check_esm(draw, "Nucleotide Transformer", nucleotides, NAMES,
                       ("ACGT", "ACGT" * 8 + "N", "ACGTNR-", "ACGT" * 4 + " "), False)
    failed |= check_esm(draw, "ESM-2", get_default_vocab_list(), {},
                        ("LAGVSERTIDPKQNFYMHWCXBUZO.-", "LAGVSERTIDPKQNFYMHWCXBUZO.-J# "), True)
    for k in (3, 6):
        failed |= check_overlapping(draw, k)
    return failed


if __name__ == "__main__":
    sys.exit(main())
