#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Models of other packages in godwit, and godwit's in transformers: the same numbers, tensor by tensor.

Random models of every architecture, a few layers deep, are saved by transformers, read by godwit, and compared at
lengths on both sides of every rule that depends on the length: hidden states, logits of every head, gradients. What no
package computes (the modes `set` and `google`, GENA-LM's sparse models) is held to dense statements in double
precision (parity_dense.py). Folders that godwit writes are opened in transformers and compared likewise.

BUILD names the build folder with libgodwit.a and godwit. FULL=1 adds a model of BigBird's base size (many minutes);
WRITE=1 writes the tables of docs/background/parity.md and the golden vectors of tests/data.
"""
import json
import os
import sys

import numpy as np
import torch
import transformers

import parity_dense as dense
import parity_golden as golden
from parity_compare import (EVEN, HEADS, LAYERS, LENGTHS, SOME, VOCABULARY, Model, bert_config, bigbird, check_dense,
                            check_gradients, check_half, check_layers, check_lengths, check_padded, compare_gradients,
                            compare_values, draw_batch, draw_labels, gradients_of, make, report, request_of,
                            roberta_config, tokenizer_file)
from parity_folders import check_converted, check_folders
from compiled import ROOT
from parity_godwit import compile_dump, run
import parity_esm
import parity_modernbert


def make_gena(last_norm):
    """A checkpoint of GENA-LM's sparse kind: random tensors under its names, DeepSpeed's layouts among them."""
    encoder = dense.Encoder(heads=2, layers=LAYERS, positions=4096, activation="none", pre_norm=True,
                            last_norm=last_norm, rotary=True)
    p = dense.gena_tensors(encoder, VOCABULARY, 128, 192)
    for name, value in p.items():
        centre = 1.0 if name.endswith("weight") and value.dim() == 1 else 0.0
        p[name] = torch.randn(value.shape) * (0.15 if value.dim() > 1 else 0.1) + centre
    layouts = dense.deepspeed_layout(encoder, 7)
    for i in range(encoder.layers):
        at = f"bert.encoder.layer.{i}.attention.self"
        p[f"{at}.rotary_emb.inv_freq"] = 1 / 10000 ** (torch.arange(0, 32, 2).float() / 32)
        p[f"{at}.sparse_self_attention.master_layout"] = torch.tensor(layouts[i])
    p["bert.embeddings.position_ids"] = torch.arange(encoder.positions)[None]
    p["cls.predictions.decoder.weight"] = p["bert.embeddings.word_embeddings.weight"]
    p["cls.predictions.decoder.bias"] = p["cls.predictions.bias"]
    return encoder, p, layouts


def save_gena(encoder, p):
    folder = f"folder-{len(os.listdir('.'))}"
    os.mkdir(folder)
    torch.save(p, f"{folder}/pytorch_model.bin")
    config = {"model_type": "bert", "architectures": ["BertForPreTraining"], "vocab_size": VOCABULARY,
              "hidden_size": 128, "num_hidden_layers": encoder.layers, "num_attention_heads": encoder.heads,
              "intermediate_size": 192,
              "max_position_embeddings": encoder.positions, "type_vocab_size": 2, "layer_norm_eps": 1e-12,
              "hidden_act": "gelu", "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0, "pad_token_id": 3,
              "pre_layer_norm": True, "last_layer_norm": encoder.last_norm, "position_embedding_type": "rotary",
              "rotary_dim": 32, "rotary_base": 10000,
              "sparse_config_cls": "deepspeed.ops.sparse_attention:BigBirdSparsityConfig",
              "sparse_attention": {"num_heads": encoder.heads, "block": 64, "different_layout_per_head": True,
                                   "num_sliding_window_blocks": 3, "num_global_blocks": 2, "num_random_blocks": 3}}
    with open(f"{folder}/config.json", "w", encoding="ascii") as out:
        json.dump(config, out)
    os.link(tokenizer_file(), f"{folder}/tokenizer.json")
    return folder


def check_gena(last_norm, lengths=(64, 500, 1000, 1024, 2048, 4096)):
    """GENA-LM's sparse models: no package that can be installed computes them."""
    encoder, p, layouts = make_gena(last_norm)
    config = transformers.BertConfig(vocab_size=VOCABULARY, pad_token_id=3)
    model = Model("GENA-LM sparse" + (", last norm" if last_norm else ""), "BertForPreTraining", config, lengths)
    model.folder = save_gena(encoder, p)
    p = {name: value.double().requires_grad_() for name, value in p.items() if value.is_floating_point()}
    p["cls.predictions.decoder.weight"] = p["cls.predictions.decoder.bias"] = None  # tied
    for length in lengths:
        n = -(-length // encoder.block)
        counts = [layout[:, :n, :n].astype(float) for layout in layouts]
        batch = draw_batch(model, [length], length)
        labels, request = draw_labels(model, [length], length)
        hidden = dense.hidden_states(p, encoder, batch[0][0], batch[2][0], counts)[-1]
        mlm, pair = dense.pretraining_logits(p, encoder, hidden)
        found = run(model.folder, masked_row=np.arange(length), **request_of(model, batch, [length]))
        values = {"hidden": hidden, "mlm": mlm, "pair": pair}
        compare_values(model, "layout", length, found, {k: v.detach() for k, v in values.items()})
        if length not in (64, 1000):
            continue
        entropy = torch.nn.functional.cross_entropy
        loss = entropy(mlm, labels["labels"][0]) + entropy(pair[None], labels["next_sentence_label"])
        loss.backward()
        learnt = {name: value for name, value in p.items() if value is not None and "inv_freq" not in name}
        found = run(model.folder, **request_of(model, batch, [length]), **request)
        compare_gradients(f"{model.name} | {model.kind}", "layout", str(length), found, gradients_of(learnt.items()))
        for value in learnt.values():
            value.grad = None


def check_pretraining():
    model = make(bigbird("BigBird", "BigBirdForPreTraining"))
    check_lengths(model)
    check_dense(model, "set", LENGTHS)
    check_dense(model, "google", (512, 640, *LENGTHS))
    for lengths, padded in (((800, 896), 896), ((500,), 1024), ((500, 64, 1024), 1024), ((1500, 2048), 2048)):
        check_padded(model, lengths, padded)
    check_gradients(model, ([64], [705], [1000], [1024], [800, 896]))
    check_layers(model, "seeded", 1000)


def check_heads():
    """BigBird with every other head, and with what the usual models leave at its default."""
    for head, lengths in (("Model", SOME), ("ForMaskedLM", SOME), ("ForSequenceClassification", LENGTHS),
                          ("ForTokenClassification", SOME), ("ForQuestionAnswering", LENGTHS),
                          ("ForMultipleChoice", SOME)):
        model = make(bigbird("BigBird", f"BigBird{head}", lengths))
        check_lengths(model)
        if head != "Model":
            check_gradients(model, ([64, 64], [1000, 1000]) if head in EVEN else ([64], [800, 896]))
    for problem in ("single_label_classification", "regression"):
        model = make(bigbird(f"BigBird, {problem}", "BigBirdForSequenceClassification", (64,), problem_type=problem))
        check_gradients(model, ([64, 50],), ("full",))
    odd = {"hidden_act": "relu", "use_bias": False, "rescale_embeddings": True, "block_size": 16,
           "num_random_blocks": 2,
           "layer_norm_eps": 1e-5, "max_position_embeddings": 1024, "type_vocab_size": 16}
    model = make(bigbird("BigBird, ReLU, no bias, rescaled, blocks of 16", "BigBirdForMaskedLM", (144, 145, 500, 1024),
                         **odd))
    check_lengths(model)
    check_gradients(model, ([145], [500]))
    gena = {"vocab_size": 32000 // 64, "pad_token_id": 3, "bos_token_id": 1, "eos_token_id": 2, "sep_token_id": 66}
    model = make(bigbird("GENA-LM bigbird", "BigBirdForPreTraining", SOME, **gena))
    check_lengths(model)


def check_bert():
    """BERT and RoBERTa, which has 512 tokens in 514 positions and no head for sentence pairs."""
    for name, prefix, make_config, heads in (("BERT", "Bert", bert_config, HEADS),
                                             ("RoBERTa", "Roberta", roberta_config, (HEADS[0], *HEADS[2:]))):
        for head in heads:
            model = make(Model(name, prefix + head, make_config(head), (1, 64, 300, 512)))
            check_lengths(model)
            if head == "Model":
                check_layers(model, None, 64)
            else:
                check_gradients(model, ([64, 64],) if head in EVEN else ([64], [300, 200]))


def base_model(name, lengths, deviation):
    base = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
            "vocab_size": 50358}
    return make(bigbird(f"BigBird base, {name}", "BigBirdForPreTraining", lengths, **base), deviation)


def check_base():
    """A model of BigBird's base size."""
    check_lengths(base_model("12 x 768 x 12", (64, 705, 1024, 4096), 0.04))


def check_base_gradients():
    """At BigBird's own range of fresh weights. Twice as large ones make the tokens of the last layers so alike that the
    gradients of their queries and keys lose their digits: transformers' own are 1e-3 off its double precision then."""
    model = base_model("weights of deviation 0.02", (), 0.02)
    check_gradients(model, ([64], [1024]), ("seeded",))


def check_layouts():
    for last_norm in (False, True):
        check_gena(last_norm)


def write_golden():
    if os.environ.get("WRITE"):
        golden.write(ROOT / "tests/data/parity")


def check_bf16():
    """How far bf16 moves the numbers here, beside how far it moves transformers' own: BigBird's base size."""
    model = base_model("weights of deviation 0.02", (), 0.02)
    for length in (705, 1024, 4096):
        check_half(model, "seeded", length)


PARTS = {"pretraining": check_pretraining, "heads": check_heads, "bert": check_bert, "gena": check_layouts,
         "modernbert": parity_modernbert.check_models, "modernbert_tokenizers": parity_modernbert.check_tokenizers,
         "modernbert_folders": parity_modernbert.check_own, "esm": parity_esm.check_models,
         "esm_tools": parity_esm.check_tools,
         "folders": check_folders, "converted": check_converted,
         "golden": write_golden, "base_gradients": check_base_gradients, "base": check_base,
         "base_bf16": check_bf16}


def write_document():
    """The tables of docs/background/parity.md."""
    report.parts = {name: report.parts[name] for name in PARTS if name in report.parts}
    versions = ", ".join(f"{package.__name__} {package.__version__}" for package in (torch, transformers, np))
    worst = {"hidden states": "hidden states", "logits": "logits", "NSP or pooled": "NSP, pooled"}
    parts = (
        ("Values", ("model", "architecture", "attention"), "model", "values", worst,
         "The logits are those of the head: masked tokens, labels, answers or choices."),
        ("Padded batches", ("architecture", "attention", "padded to"), "padded to", "padded", worst,
         "transformers pads a batch to a common length. `pad_to` gives the same numbers for real tokens."),
        ("Gradients", ("model", "architecture", "attention", "tensors"), "model", "gradients",
         {"logits": "worst tensor"}, "Gradients of the mean losses, without dropout."),
        ("bf16", ("model", "attention", "output"), "output", "bf16", {"theirs": "transformers", "ours": "godwit"},
         "Root mean square of the change by bf16, divided by that of the values, against transformers in f32."))
    text = f"\nMeasured with {versions}.\n"
    for title, heads, by, table, columns, note in parts:
        text += f"\n## {title}\n\n{note}\n\n{report.markdown(table, heads, by, columns)}"
    path = ROOT / "docs/background/parity.md"
    before, rest = path.read_text().split("<!-- tables", 1)
    marker, after = rest.split("\n", 1)[0], rest.split("<!-- end of tables", 1)[1]
    path.write_text(f"{before}<!-- tables{marker}\n{text}\n<!-- end of tables{after}")


def main(parts):
    """The parts named, or all of them."""
    os.nice(5)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    compile_dump()
    for name, check in PARTS.items():
        if name in parts or not (parts or (name.startswith("base") and not os.environ.get("FULL"))):
            report.begin(name)
            check()
            report.end()
    if os.environ.get("WRITE"):
        write_document()
    print("\n".join(report.faults) or "no difference beyond the bounds")
    return bool(report.faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
