#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What tests/bench/bench_generate.sh times godwit against: transformers' BigBirdPegasus.

    generate_peer.py make FOLDER                           a model with random weights, which never ends a text, and a source
    generate_peer.py write FOLDER BEAMS LENGTH THREADS     transformers' tokens into FOLDER/theirs, and their rate
    generate_peer.py compare FOLDER                        how many tokens of FOLDER/ours are those
"""
import os
import sys
import time

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
import torch
from transformers import BigBirdPegasusConfig, BigBirdPegasusForConditionalGeneration

LAYERS, WIDTH = int(os.environ.get("LAYERS", 12)), int(os.environ.get("WIDTH", 768))
HEADS, SOURCE = int(os.environ.get("HEADS", 12)), int(os.environ.get("SOURCE", 3072))
VOCABULARY, END = int(os.environ.get("VOCABULARY", 32000)), 1


def make(folder):
    torch.manual_seed(1)
    config = BigBirdPegasusConfig(vocab_size=VOCABULARY, d_model=WIDTH, encoder_layers=LAYERS, decoder_layers=LAYERS,
                                  encoder_attention_heads=HEADS, decoder_attention_heads=HEADS, encoder_ffn_dim=4 * WIDTH,
                                  decoder_ffn_dim=4 * WIDTH, init_std=0.05)
    model = BigBirdPegasusForConditionalGeneration(config)
    model.final_logits_bias[0, END] = -1e4
    model.save_pretrained(folder)
    with open(f"{folder}/source.txt", "w", encoding="ascii") as out:
        print(*torch.randint(3, VOCABULARY, (SOURCE,)).tolist(), file=out)


def write(folder, beams, length, threads):
    torch.set_num_threads(threads)
    model = BigBirdPegasusForConditionalGeneration.from_pretrained(folder).eval()
    source = torch.tensor([[int(word) for word in open(f"{folder}/source.txt", encoding="ascii").read().split()]])
    with torch.no_grad():
        model.generate(source[:, :64], num_beams=beams, max_length=4)
        began = time.perf_counter()
        tokens = model.generate(source, num_beams=beams, max_length=length, length_penalty=1.0)[0, 1:].tolist()
        seconds = time.perf_counter() - began
    print(f"transformers: {len(tokens)} tokens, {len(tokens) / seconds:.3g} tokens a second")
    with open(f"{folder}/theirs", "w", encoding="ascii") as out:
        print(*tokens, file=out)


def compare(folder):
    ours, theirs = (open(f"{folder}/{name}", encoding="ascii").read().split() for name in ("ours", "theirs"))
    same = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
    print(f"the first {same} of {len(theirs)} tokens are the same")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2])
    elif sys.argv[1] == "write":
        write(sys.argv[2], *map(int, sys.argv[3:6]))
    else:
        compare(sys.argv[2])
