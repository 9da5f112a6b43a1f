#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `godwit score` is timed against: a plain script with transformers' BigBird.

    score_peer.py make TOKENIZER.json FOLDER                  a BigBird-base classifier with random weights, 4 labels
    score_peer.py score FOLDER FASTA VCF WINDOW DTYPE OUT     variants an hour; the differences of probabilities into OUT

REF and ALT windows of both strands, padded batches of 16 windows or BATCH, 2 threads or OMP_NUM_THREADS, on the CPU or
DEVICE (cuda; bf16 is then by autocast). The clock runs from the
first variant to the last: loading, imports and a first call are outside. With PASSES=N all variants are scored N times after
one that is not counted, and there is a line a time. Run it with a tuned allocator
(MALLOC_MMAP_THRESHOLD_, MALLOC_TRIM_THRESHOLD_, MALLOC_TOP_PAD_): page faults cost torch up to four times.
"""
import gzip
import os
import sys
import time

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
import torch
from transformers import BigBirdConfig, BigBirdForSequenceClassification, PreTrainedTokenizerFast

BATCH, DEVICE, PASSES = int(os.environ.get("BATCH", 16)), os.environ.get("DEVICE", "cpu"), int(os.environ.get("PASSES", 1))
FLIP = str.maketrans("ACGTN", "TGCAN")


def make(tokenizer_file, folder):
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=tokenizer_file, cls_token="[CLS]", sep_token="[SEP]",
                                        pad_token="[PAD]", unk_token="[UNK]", mask_token="[MASK]")
    torch.manual_seed(1)
    config = BigBirdConfig(vocab_size=len(tokenizer), num_labels=4, problem_type="multi_label_classification",
                           initializer_range=0.05, pad_token_id=tokenizer.pad_token_id,
                           sep_token_id=tokenizer.sep_token_id, bos_token_id=tokenizer.cls_token_id,
                           eos_token_id=tokenizer.sep_token_id)
    BigBirdForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def read_genome(path):
    contigs, name = {}, None
    for line in gzip.open(path, "rt"):
        if line[0] == ">":
            name = line[1:].split()[0]
            contigs[name] = []
        else:
            contigs[name].append(line.strip().upper())
    return {name: "".join(lines) for name, lines in contigs.items()}


def windows_of(genome, line, size):
    """REF and ALT with POS at offset (size - 1) / 2, filled to `size`, and their reverse complements."""
    contig, position, _, ref, alt = line.split("\t")[:5]
    bases, position = genome[contig], int(position) - 1
    begin = position - (size - 1) // 2
    left = bases[begin:position]
    found = [(left + allele + bases[position + len(ref):begin + size + len(ref)])[:size] for allele in (ref, alt)]
    return found + [window.translate(FLIP)[::-1] for window in found]


def score(folder, fasta, vcf, size, dtype, out):
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", 2)))
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    model = BigBirdForSequenceClassification.from_pretrained(folder, attn_implementation="eager").eval().to(DEVICE)
    if dtype == "bf16" and DEVICE == "cpu":
        model = model.bfloat16()
    genome = read_genome(fasta)
    lines = [line for line in open(vcf) if line[0] != "#"]

    def probabilities(texts):
        batch = tokenizer(texts, padding=True, return_tensors="pt").to(DEVICE)
        with torch.autocast(DEVICE, torch.bfloat16, enabled=dtype == "bf16" and DEVICE != "cpu"):
            logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits
        return torch.sigmoid(logits.float())

    def score_all():
        start, texts, found = time.perf_counter(), [], []
        for line in lines:
            texts += windows_of(genome, line, size)
        for first in range(0, len(texts), BATCH):
            found.append(probabilities(texts[first:first + BATCH]))
        p = torch.cat(found).cpu().reshape(len(lines), 2, 2, -1).mean(1)  # strands
        return p, time.perf_counter() - start

    with torch.inference_mode():
        probabilities(windows_of(genome, lines[0], size)[:1])
        if PASSES > 1:
            score_all()
        for _ in range(PASSES):
            p, seconds = score_all()
            print(f"{len(lines) / seconds * 3600:.1f}", flush=True)
    difference = p[:, 1] - p[:, 0]
    top = difference.abs().argmax(1, keepdim=True)
    with open(out, "w") as file:
        for value in difference.gather(1, top).flatten().tolist():
            print(f"{value:.7g}", file=file)


if sys.argv[1] == "make":
    make(sys.argv[2], sys.argv[3])
else:
    score(*sys.argv[2:5], int(sys.argv[5]), sys.argv[6], sys.argv[7])
