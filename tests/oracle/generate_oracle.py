#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`godwit generate` and transformers' generate(): the same tokens for random models and random texts.

Where the two differ, their targets' scores decide: a difference counts only where transformers' score of its own
target is more than 1e-4 better than its score of godwit's, as closer beams may change places with the rounding.

WRITE=1 writes tests/data/generate: a small model as transformers saves it, and what its generate() makes of texts, for
tests/cli/test_generate.sh: a line of options, then a line of tokens for each line of texts.txt.
"""
import json
import os
import subprocess
import sys

import numpy as np
import torch
import transformers

GODWIT = os.environ["GODWIT"]
TEXTS, LONGEST = int(os.environ.get("TEXTS", "200")), 300
CLOSE = 1e-4
SETTINGS = (  # beams, penalty, longest, shortest, n-gram, forced end
    (1, 1.0, 40, 0, 0, None),
    (5, 0.8, 40, 0, 0, None),
    (4, 2.0, 30, 12, 3, None),
    (3, 0.0, 24, 5, 2, 1),
)
TINY = {"vocab_size": 40, "d_model": 8, "encoder_layers": 1, "decoder_layers": 2, "encoder_attention_heads": 2,
        "decoder_attention_heads": 1, "encoder_ffn_dim": 12, "decoder_ffn_dim": 16, "max_position_embeddings": 96,
        "dropout": 0.0}
SMALL = {"vocab_size": 300, "d_model": 64, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
         "decoder_attention_heads": 4, "encoder_ffn_dim": 96, "decoder_ffn_dim": 96, "max_position_embeddings": 512,
         "init_std": 0.3, "dropout": 0.0}


def make_model(sizes, block, end, folder):
    torch.manual_seed(7)
    config = transformers.BigBirdPegasusConfig(**sizes, block_size=block)
    model = transformers.BigBirdPegasusForConditionalGeneration(config).eval()
    with torch.no_grad():
        for name, p in model.named_parameters():
            spread = 2.0 if "positions" in name else 0.2 if p.dim() > 1 else 0.1
            p.copy_(torch.randn(p.shape) * spread + (p.dim() == 1 and name.endswith("weight")))
        model.final_logits_bias.normal_()
        model.final_logits_bias[0, 1] = end  # so that texts end
    model.save_pretrained(folder)
    return model


def draw_texts(count, longest, vocabulary):
    draw = np.random.default_rng(11)
    return [draw.integers(3, vocabulary, draw.integers(1, longest)).tolist() for _ in range(count)]


def put_texts(path, texts):
    with open(path, "w", encoding="ascii") as out:
        out.writelines(" ".join(map(str, text)) + "\n" for text in texts)


def options_of(setting):
    beams, penalty, longest, shortest, ngram, _ = setting
    return ["-b", str(beams), "--length-penalty", str(penalty), "--max-length", str(longest), "--min-length",
            str(shortest), "--no-repeat-ngram", str(ngram)]


def theirs(model, text, setting):
    beams, penalty, longest, shortest, ngram, forced = setting
    model.model.encoder.set_attention_type("block_sparse")  # after a short text it stays full
    with torch.no_grad():
        out = model.generate(torch.tensor([text]), num_beams=beams, length_penalty=penalty, max_length=longest,
                             min_length=shortest, no_repeat_ngram_size=ngram, forced_eos_token_id=forced,
                             do_sample=False)
    tokens = out[0, 1:].tolist()
    return tokens[: tokens.index(1)] if 1 in tokens else tokens


def score(model, text, tokens, setting):
    """The sum of log p of a target by the length's penalty; where its end is forced it costs nothing."""
    _, penalty, longest, _, _, forced = setting
    full = len(tokens) + 1 == longest
    target = tokens if full else [*tokens, 1]
    given = torch.tensor([[2, *target[:-1]]])
    model.model.encoder.set_attention_type("block_sparse")
    with torch.no_grad():
        logits = model(torch.tensor([text]), decoder_input_ids=given).logits[0]
    log_p = torch.log_softmax(logits, -1)[torch.arange(len(target)), torch.tensor(target)]
    if forced is not None and len(target) + 1 == longest:
        log_p[-1] = 0
    return float(log_p.sum()) / len(target) ** penalty


def ours(texts, setting, batch):
    fields = {"decoder_start_token_id": 2, "eos_token_id": 1, "forced_eos_token_id": setting[-1]}
    with open("model/generation_config.json", "w", encoding="ascii") as out:
        json.dump(fields, out)
    put_texts("texts.txt", texts)
    done = subprocess.run([GODWIT, "generate", "-m", "model", "--ids", "--attention", "hf-eval", "--batch", str(batch),
                           *options_of(setting), "texts.txt"], check=True, capture_output=True, text=True)
    print(done.stderr.strip().splitlines()[-1])
    return [[int(word) for word in line.split()] for line in done.stdout.splitlines()]


def write_golden():
    folder = os.path.join(os.environ["ROOT"], "tests/data/generate")
    model, texts = make_model(TINY, 8, 1.0, folder), draw_texts(10, 96, TINY["vocab_size"])
    put_texts(f"{folder}/texts.txt", texts)
    with open(f"{folder}/expected.txt", "w", encoding="ascii") as out:
        for setting in SETTINGS[:3]:
            print("options", *options_of(setting), file=out)
            for text in texts:
                print(*theirs(model, text, setting), file=out)


def main():
    if os.environ.get("WRITE"):
        write_golden()
    model, texts = make_model(SMALL, 16, 4.0, "model"), draw_texts(TEXTS, LONGEST, SMALL["vocab_size"])
    failed = 0
    for setting in SETTINGS:
        found = ours(texts, setting, 8)
        if ours(texts, setting, 3) != found:
            failed += 1
            print("another batch, other texts", setting)
        same = close = ended = 0
        for text, tokens in zip(texts, found, strict=True):
            expected = theirs(model, text, setting)
            same += expected == tokens
            ended += len(expected) + 1 < setting[2]
            if expected == tokens:
                continue
            gap = score(model, text, expected, setting) - score(model, text, tokens, setting)
            if abs(gap) < CLOSE:
                close += 1
            else:
                failed += 1
                print(f"{setting}: {len(text)} tokens: {tokens}, expected {expected}, better by {gap:.3g}")
        print(f"beams, penalty, longest, shortest, n-gram, forced end {setting}: {same} of {TEXTS} equal, {close} "
              f"others within {CLOSE}; {ended} ended by themselves")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
