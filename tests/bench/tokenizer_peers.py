#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Figures of bench_tokenizer.sh:   tokenizer_peers.py SCRATCH   (SCRATCH/documents.txt is the text)

Each measurement is a process of its own: encoding on one core, in bases per second of processor time, the best of three
(godwit with everything from reading the file to writing shards; the packages the encoding call alone); learning on all
cores, in seconds of wall time and peak memory.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

VOCABULARY = 32000
TIMES = 5  # the text is encoded so often in one run, as a corpus repeats its genome
GODWIT, SCRATCH = os.environ["GODWIT"], pathlib.Path(sys.argv[-1])
DOCUMENTS, TOKENIZER, FOREIGN = SCRATCH / "documents.txt", SCRATCH / "t.json", SCRATCH / "foreign.json"


def sentences(most):
    found, total = [], 0
    with open(DOCUMENTS, encoding="ascii") as lines:
        for line in lines:
            if len(line) > 1 and total < most:
                found.append(line[:-1])
                total += len(line) - 1
    return found


def run(*command, **variables):
    """Wall seconds, processor seconds, peak memory in GB, output."""
    start = time.perf_counter()
    child = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, env={**os.environ, **variables}, text=True)
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        raise SystemExit(f"{command} failed")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e6, output


def peer(action):
    return run(sys.executable, __file__, action, SCRATCH, RAYON_NUM_THREADS="1" if action != "learn" else str(os.cpu_count()),
               TOKENIZERS_PARALLELISM="true")


def measured_rate(encode, texts):
    def once():
        start = time.process_time()
        encode(texts)
        return time.process_time() - start
    return sum(map(len, texts)) / min(once() for _ in range(3)) / 1e6


def make_foreign():
    """The same merges in the pipeline of GENA-LM's files, which godwit runs as any tokenizer.json made elsewhere."""
    json_text = json.loads(TOKENIZER.read_text())
    json_text["normalizer"] = {"type": "Sequence", "normalizers": [
        {"type": "Strip", "strip_left": True, "strip_right": True},
        {"type": "Replace", "pattern": {"Regex": "N{10,}"}, "content": "-"}]}
    json_text["pre_tokenizer"] = {"type": "Split", "pattern": {"String": "-"}, "behavior": "Isolated", "invert": False}
    FOREIGN.write_text(json.dumps(json_text))


def encode_tokenizers(path=TOKENIZER):
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(str(path))
    print(measured_rate(lambda texts: tokenizer.encode_batch(texts, add_special_tokens=False), sentences(4_000_000)))


def encode_tiktoken():
    import tiktoken
    vocabulary = json.loads(TOKENIZER.read_text())["model"]["vocab"]
    ranks = {text.encode(): i for text, i in vocabulary.items() if text[0] != "["}
    encoding = tiktoken.Encoding("dna", pat_str="[ACGTN]+", mergeable_ranks=ranks, special_tokens={})
    print(measured_rate(lambda texts: [encoding.encode_ordinary(text) for text in texts], sentences(4_000_000)))


def learn():
    from tokenizers import Tokenizer, models, trainers
    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, min_frequency=2, initial_alphabet=list("ACGTN"),
                                  special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], show_progress=False)
    start = time.perf_counter()
    tokenizer.train_from_iterator((line.strip() for line in open(DOCUMENTS, encoding="ascii")), trainer)
    print(time.perf_counter() - start)


def has(package):
    return subprocess.run([sys.executable, "-c", f"import {package}"], capture_output=True).returncode == 0


def main():
    megabases = sum(len(s) for s in sentences(10**12)) / 1e6
    wall, _, memory, _ = run(GODWIT, "bpe", "-q", "-v", VOCABULARY, "-o", TOKENIZER, DOCUMENTS)
    print(f"learning {VOCABULARY} tokens, {megabases:.0f} Mb: godwit {wall:.1f} s, {memory:.2f} GB")
    if has("tokenizers"):
        _, _, peer_memory, seconds = peer("learn")
        print(f"  tokenizers {float(seconds):.1f} s, {peer_memory:.2f} GB: {float(seconds) / wall:.1f} times the time, "
              f"{peer_memory / memory:.1f} times the memory")
    def godwit_rate(tokenizer):
        encode = [GODWIT, "encode", "-q", "-@", "1", "-m", tokenizer, "-o", SCRATCH / "x", *[DOCUMENTS] * TIMES]
        return TIMES * megabases / min(run(*encode)[1] for _ in range(3))
    make_foreign()
    rate = godwit_rate(FOREIGN)
    print(f"encoding on one core with GENA-LM's pipeline: godwit {rate:.1f} MB/s")
    if has("tokenizers"):
        other = float(peer("foreign")[3])
        print(f"  tokenizers {other:.2f} MB/s: godwit is {rate / other:.1f} times as fast")
    rate = godwit_rate(TOKENIZER)
    print(f"encoding on one core: godwit {rate:.1f} MB/s")
    for package in ("tokenizers", "tiktoken"):
        if has(package):
            other = float(peer(package)[3])
            print(f"  {package} {other:.2f} MB/s: godwit is {rate / other:.1f} times as fast")
        else:
            print(f"  {package} is not installed")


if len(sys.argv) == 2:
    main()
else:
    {"learn": learn, "tokenizers": encode_tokenizers, "tiktoken": encode_tiktoken,
     "foreign": lambda: encode_tokenizers(FOREIGN)}[sys.argv[1]]()
