#!/usr/bin/env python3
"""A model folder written by godwit, opened in transformers: the same function, and nothing missing or surplus.

Compares hidden states and logits with BigBirdForPreTraining and BigBirdForSequenceClassification in training mode
(seeded random blocks) without dropout, at lengths on both sides of every rule that depends on the length.
BUILD names the build folder with libgodwit.a; needs torch, transformers and a C compiler.
"""
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import torch
import transformers

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
LENGTHS = (1, 64, 65, 704, 705, 768, 1000, 1024, 2048, 3072, 4096)
LABELS = 5
BOUND = 2e-5  # largest difference by largest value
faults = []


def compile_dump(folder):
    flags = subprocess.check_output(["pkg-config", "--cflags", "--libs", "htslib", "jansson", "zlib"], text=True).split()
    program = os.path.join(folder, "model_dump")
    subprocess.check_call([os.environ.get("CC", "cc"), "-D_GNU_SOURCE", "-I", ROOT, "-I", os.path.join(ROOT, "lib"),
                           os.path.join(ROOT, "tests/oracle/model_dump.c"), os.path.join(BUILD, "libgodwit.a"),
                           "-o", program, *flags, "-ldnnl", "-lgomp", "-lpthread", "-lm"])
    return program


def check_loading(folder, kind):
    model, report = kind.from_pretrained(folder, output_loading_info=True)
    faults.extend(f"{kind.__name__}: {key}: {sorted(value)}" for key, value in report.items() if value)
    return model.train()


def check_tokenizer(folder):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    ids = tokenizer("acgtNNrAAUU")["input_ids"]
    text = tokenizer.decode(ids, skip_special_tokens=True)
    if text != "ACGTNNNAATT":
        faults.append(f"decoded to {text!r}")
    names = (tokenizer.pad_token, tokenizer.unk_token, tokenizer.cls_token, tokenizer.sep_token, tokenizer.mask_token)
    if names != ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"):
        faults.append(f"special tokens {names}")
    if tokenizer.model_max_length != 4096:
        faults.append(f"model_max_length {tokenizer.model_max_length}")
    if set(tokenizer("ACGT", "TTGA").get("token_type_ids", [])) != {0, 1}:
        faults.append("no token types for a pair")


def compare(what, length, found, expected):
    expected = expected.detach().numpy().reshape(-1)
    worst = np.abs(found - expected).max() / np.abs(expected).max()
    print(f"{what:13s} {length:5d} tokens: largest relative difference {worst:.1e}", flush=True)
    if not worst < BOUND:
        faults.append(f"{what} at {length} tokens differs by {worst:.1e}")


def godwit_outputs(program, folder, ids):
    tokens, out = os.path.join(folder, "tokens"), os.path.join(folder, "out")
    ids.numpy().astype("<i4").tofile(tokens)
    subprocess.check_call([program, "run", folder, tokens, out])
    return np.fromfile(out, "<f4")


def check_lengths(program, folder, model, lengths):
    width, vocabulary = model.config.hidden_size, model.config.vocab_size
    for length in lengths:
        ids = torch.randint(5, vocabulary, (1, length))
        kinds = (2 * torch.arange(length) >= length).long()[None]
        model.bert.set_attention_type("original_full")
        model.bert.set_attention_type("block_sparse")  # undoes the switch to full that a short input makes for good
        with torch.no_grad():
            theirs = model(ids, attention_mask=torch.ones_like(ids), token_type_ids=kinds, output_hidden_states=True)
        ours = godwit_outputs(program, folder, ids)
        hidden = ours[: length * width]
        compare("hidden states", length, hidden, theirs.hidden_states[-1][:, :length])
        if hasattr(theirs, "prediction_logits"):
            compare("MLM logits", length, ours[length * width : -2], theirs.prediction_logits[:, :length])
            compare("pair logits", length, ours[-2:], theirs.seq_relationship_logits)
        else:
            compare("label logits", length, ours[length * width :], theirs.logits)


def check_return(program, folder, model, tokenizer_from):
    """What transformers saves is read here, to the same bits of output."""
    model.save_pretrained(folder)
    shutil.copy(os.path.join(tokenizer_from, "tokenizer.json"), folder)
    ids = torch.randint(5, model.config.vocab_size, (1, 1000))
    if not np.array_equal(godwit_outputs(program, folder, ids), godwit_outputs(program, tokenizer_from, ids)):
        faults.append("a folder saved by transformers gives other outputs")


def main():
    torch.manual_seed(0)
    transformers.logging.set_verbosity_error()
    with tempfile.TemporaryDirectory() as scratch:
        program = compile_dump(scratch)
        for labels, kind, lengths in ((0, transformers.AutoModelForPreTraining, LENGTHS),
                                      (LABELS, transformers.AutoModelForSequenceClassification, (64, 1000))):
            folder = os.path.join(scratch, f"labels{labels}")
            subprocess.check_call([program, "new", folder, str(labels)])
            model = check_loading(folder, kind)
            check_tokenizer(folder)
            check_lengths(program, folder, model, lengths)
            check_return(program, os.path.join(scratch, f"back{labels}"), model, folder)
            if labels and (model.config.num_labels, model.config.id2label[1]) != (LABELS, "LABEL_1"):
                faults.append(f"labels {model.config.id2label}")
            if labels and model.config.problem_type != "multi_label_classification":
                faults.append(f"problem_type {model.config.problem_type}")
    print("\n".join(faults) or "opens without a fault")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
