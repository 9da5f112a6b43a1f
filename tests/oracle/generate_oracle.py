#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`godwit generate` and transformers' generate(): the same tokens for random models and random texts, of BigBirdPegasus,
Pegasus and two BigBirds with shared tensors (with the correction of parity_golden.py, and without a cache).

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
import safetensors.torch
import torch
import transformers

import parity_golden

GODWIT = os.environ["GODWIT"]
TEXTS, LONGEST = int(os.environ.get("TEXTS", "200")), 300
CLOSE = 1e-4
SETTINGS = (  # beams, penalty, longest, shortest, n-gram, forced end
    (1, 1.0, 40, 0, 0, False),
    (5, 0.8, 40, 0, 0, False),
    (4, 2.0, 30, 12, 3, False),
    (3, 0.0, 24, 5, 2, True),
)
TINY = {"vocab_size": 40, "d_model": 8, "encoder_layers": 1, "decoder_layers": 2, "encoder_attention_heads": 2,
        "decoder_attention_heads": 1, "encoder_ffn_dim": 12, "decoder_ffn_dim": 16, "max_position_embeddings": 96,
        "dropout": 0.0}
SMALL = {"vocab_size": 300, "d_model": 64, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
         "decoder_attention_heads": 4, "encoder_ffn_dim": 96, "decoder_ffn_dim": 96, "max_position_embeddings": 512,
         "init_std": 0.3, "dropout": 0.0}


class Family:
    """A model class, its start and end tokens, the end's bias in a small model (so that texts end, but not at once), and
    how it is made."""

    def __init__(self, name, start, end, bias, sparse, make):
        self.name, self.start, self.end, self.bias, self.sparse, self.make = name, start, end, bias, sparse, make

    def encoder(self, model):
        return model.encoder if self.name == "shared" else model.model.encoder

    def reset(self, model):
        if self.sparse:  # after a short text it stays full
            self.encoder(model).set_attention_type("block_sparse")


def draw_weights(model, bias, end_token, end):
    with torch.no_grad():
        for name, p in model.named_parameters():
            if not p.requires_grad:
                continue
            spread = 2.0 if "position" in name else 0.2 if p.dim() > 1 else 0.1
            p.copy_(torch.randn(p.shape) * spread + (p.dim() == 1 and name.endswith("weight")))
        bias.normal_()
        bias.view(-1)[end_token] = end


def make_bigbird_pegasus(sizes, block, end, folder):
    torch.manual_seed(7)
    config = transformers.BigBirdPegasusConfig(**sizes, block_size=block)
    model = transformers.BigBirdPegasusForConditionalGeneration(config).eval()
    draw_weights(model, model.final_logits_bias, 1, end)
    model.save_pretrained(folder)
    return model


def make_pegasus(sizes, _, end, folder):
    torch.manual_seed(7)
    config = transformers.PegasusConfig(**sizes, scale_embedding=True, decoder_start_token_id=0)
    model = transformers.PegasusForConditionalGeneration(config).eval()
    draw_weights(model, model.final_logits_bias, 1, end)
    model.generation_config.forced_eos_token_id = None
    model.save_pretrained(folder)
    return model


def make_shared(sizes, block, end, folder):
    torch.manual_seed(7)
    model, _ = parity_golden.make_shared({
        "vocab_size": sizes["vocab_size"], "hidden_size": sizes["d_model"], "num_hidden_layers": sizes["encoder_layers"],
        "num_attention_heads": sizes["encoder_attention_heads"], "intermediate_size": sizes["encoder_ffn_dim"],
        "max_position_embeddings": sizes["max_position_embeddings"], "block_size": block, "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0, "sep_token_id": 3})
    model.eval()
    draw_weights(model, model.decoder.cls.predictions.bias, 3, end)
    model.config.architectures = ["EncoderDecoderModel"]
    model.config.save_pretrained(folder)
    safetensors.torch.save_file({key: value.clone() for key, value in model.state_dict().items()},
                                f"{folder}/model.safetensors")
    return model


FAMILIES = (
    Family("bigbird_pegasus", 2, 1, 4.0, True, make_bigbird_pegasus),
    Family("pegasus", 0, 1, 2.5, False, make_pegasus),
    Family("shared", 2, 3, 2.5, True, make_shared),
)


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


def theirs(family, model, text, setting):
    beams, penalty, longest, shortest, ngram, forced = setting
    family.reset(model)
    with torch.no_grad():
        out = model.generate(torch.tensor([text]), attention_mask=torch.ones(1, len(text), dtype=torch.long), num_beams=beams,
                             length_penalty=penalty, max_length=longest, min_length=shortest, no_repeat_ngram_size=ngram,
                             forced_eos_token_id=family.end if forced else None, do_sample=False,
                             decoder_start_token_id=family.start, eos_token_id=family.end,
                             use_cache=family.name != "shared")
    tokens = out[0, 1:].tolist()
    return tokens[: tokens.index(family.end)] if family.end in tokens else tokens


def score(family, model, text, tokens, setting):
    """The sum of log p of a target by the length's penalty; where its end is forced it costs nothing."""
    _, penalty, longest, _, _, forced = setting
    full = len(tokens) + 1 == longest
    target = tokens if full else [*tokens, family.end]
    given = torch.tensor([[family.start, *target[:-1]]])
    family.reset(model)
    with torch.no_grad():
        logits = model(torch.tensor([text]), decoder_input_ids=given, use_cache=False).logits[0]
    log_p = torch.log_softmax(logits, -1)[torch.arange(len(target)), torch.tensor(target)]
    if forced and len(target) + 1 == longest:
        log_p[-1] = 0
    return float(log_p.sum()) / len(target) ** penalty


def ours(family, texts, setting, batch):
    fields = {"decoder_start_token_id": family.start, "eos_token_id": family.end,
              "forced_eos_token_id": family.end if setting[-1] else None}
    with open(f"{family.name}/generation_config.json", "w", encoding="ascii") as out:
        json.dump(fields, out)
    put_texts("texts.txt", texts)
    mode = ["--attention", "hf-eval"] if family.sparse else []
    done = subprocess.run([GODWIT, "generate", "-m", family.name, "--ids", *mode, "--batch", str(batch),
                           *options_of(setting), "texts.txt"], check=True, capture_output=True, text=True)
    print(done.stderr.strip().splitlines()[-1])
    return [[int(word) for word in line.split()] for line in done.stdout.splitlines()]


def write_golden():
    family = FAMILIES[0]
    folder = os.path.join(os.environ["ROOT"], "tests/data/generate")
    model, texts = family.make(TINY, 8, 1.0, folder), draw_texts(10, 96, TINY["vocab_size"])
    put_texts(f"{folder}/texts.txt", texts)
    with open(f"{folder}/expected.txt", "w", encoding="ascii") as out:
        for setting in SETTINGS[:3]:
            print("options", *options_of(setting), file=out)
            for text in texts:
                print(*theirs(family, model, text, setting), file=out)


def compare(family, model, texts, setting):
    """How many texts differ by more than rounding explains."""
    found, failed = ours(family, texts, setting, 8), 0
    if ours(family, texts, setting, 3) != found:
        failed += 1
        print("another batch, other texts", setting)
    same = close = ended = 0
    for text, tokens in zip(texts, found, strict=True):
        expected = theirs(family, model, text, setting)
        same += expected == tokens
        ended += len(expected) + 1 < setting[2]
        if expected == tokens:
            continue
        gap = score(family, model, text, expected, setting) - score(family, model, text, tokens, setting)
        if abs(gap) < CLOSE:
            close += 1
        else:
            failed += 1
            print(f"{setting}: {len(text)} tokens: {tokens}, expected {expected}, better by {gap:.3g}")
    print(f"{family.name}: beams, penalty, longest, shortest, n-gram, forced end {setting}: {same} of {len(texts)} equal, "
          f"{close} others within {CLOSE}; {ended} ended by themselves")
    return failed


def main():
    if os.environ.get("WRITE"):
        write_golden()
    failed = 0
    for family in FAMILIES:
        model, texts = family.make(SMALL, 16, family.bias, family.name), draw_texts(TEXTS, LONGEST, SMALL["vocab_size"])
        failed += sum(compare(family, model, texts, setting) for setting in SETTINGS)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
