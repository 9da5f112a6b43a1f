#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Figures of bench_sentencepiece.sh:   sentencepiece_peers.py SCRATCH   (SCRATCH/dna.txt holds sentences of DNA)

Encoding on one core in MB of text per second of processor time, the best of three: godwit with everything from reading
the files to writing shards; the sentencepiece package the encoding call alone.
"""
import gzip
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

GODWIT, DATA, SCRATCH = os.environ["GODWIT"], pathlib.Path(os.environ["GODWIT_DATA"]), pathlib.Path(sys.argv[1])
TIMES = 5  # the text is encoded so often in one run of godwit, so that loading the model counts little


def write_english(path):
    articles = json.loads(gzip.open(DATA / "nlp/pubmedqa.json.gz", "rt", encoding="utf-8").read()).values()
    lines = [str(v) for article in articles for value in article.values()
             for v in (value if isinstance(value, list) else [value])]
    path.write_text("".join(" ".join(line.split()) + "\n" for line in lines if line.strip()), encoding="utf-8")


def processor_time_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def godwit_rate(model, text):
    def once():
        start = processor_time_of_children()
        subprocess.run([GODWIT, "encode", "-q", "--keep-case", "-@", "1", "-m", str(model), "-o", str(SCRATCH / "x"),
                        *[str(text)] * TIMES], check=True)
        return processor_time_of_children() - start
    return TIMES * text.stat().st_size / min(once() for _ in range(3)) / 1e6


def package_rate(model, text):
    import sentencepiece
    package = sentencepiece.SentencePieceProcessor(model_file=str(model))
    lines = text.read_text(encoding="utf-8").split("\n")

    def once():
        start = time.process_time()
        for line in lines:
            package.encode(line)
        return time.process_time() - start
    return text.stat().st_size / min(once() for _ in range(3)) / 1e6


def main():
    write_english(SCRATCH / "english.txt")
    for name in ("bigbird_gpt2", "pegasus"):
        for text in ("english", "dna"):
            model, path = DATA / f"tokenizer/{name}.model", SCRATCH / f"{text}.txt"
            ours = godwit_rate(model, path)
            try:
                theirs = package_rate(model, path)
                print(f"{name}, {text}: godwit {ours:.1f} MB/s, sentencepiece {theirs:.1f}: {ours / theirs:.1f} times as fast")
            except ImportError:
                print(f"{name}, {text}: godwit {ours:.1f} MB/s (the sentencepiece package is not installed)")


main()
