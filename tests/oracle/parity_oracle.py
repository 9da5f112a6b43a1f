#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Models of other packages in godwit, and godwit's in transformers: the same numbers, tensor by tensor.

Random models of every architecture, a few layers deep, are saved by transformers, read by godwit, and compared at
lengths on both sides of every rule that depends on the length: hidden states, logits of every head, gradients. What no
package computes (the modes `set` and `google`, GENA-LM's sparse models) is held to dense statements in double
precision (parity_dense.py). Folders that godwit writes are opened in transformers and compared likewise.

BUILD names the build folder with libgodwit.a and godwit. FULL=1 adds a model of BigBird's base size (many minutes);
WRITE=1 writes the tables of docs/parity.md and the golden vectors of tests/data.
"""
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field

import numpy as np
import torch
import transformers

import parity_dense as dense
import parity_golden as golden
from parity_godwit import ROOT, Report, compile_dump, godwit, run

LENGTHS = (64, 704, 705, 768, 1000, 1024, 1536, 2048, 3072, 4096)
VALUES, GRADIENTS = 2e-5, 1e-4  # bounds
FIRST, VOCABULARY = 100, 500  # tokens drawn: no special one
LAYERS, CHOICES = 2, 4
report = Report()


@dataclass
class Model:
    name: str
    kind: str  # the architecture's class
    config: object
    lengths: tuple
    modes: tuple = (None,)
    torch: object = None
    folder: str = ""
    rows: list = field(default_factory=list)

    @property
    def encoder(self):
        return getattr(self.torch, self.torch.base_model_prefix, self.torch)

    def set_mode(self, mode):
        """transformers as the mode says; it remembers the switch to full attention that a short input makes."""
        self.torch.train(mode == "seeded")
        if mode:
            self.encoder.set_attention_type("original_full")
            self.encoder.set_attention_type("original_full" if mode == "full" else "block_sparse")


def tokenizer_file():
    """A vocabulary of letters; the models' own have room for more tokens than it knows."""
    if not os.path.exists("tokenizer.json"):
        with open("corpus.txt", "w", encoding="ascii") as out:
            out.write("ACGTN\nACGT\n")
        godwit("bpe", "-q", "-v", 10, "-o", "tokenizer.json", "corpus.txt")
    return "tokenizer.json"


def draw_weights(model, deviation):
    """Matrices, biases and norms of a size at which a wrong one shows."""
    with torch.no_grad():
        for name, p in model.named_parameters():
            noise = torch.randn_like(p)
            if p.dim() > 1:
                p.copy_(noise * deviation)
            else:
                p.copy_(noise * 0.1 + (1 if name.endswith("norm.weight") or "LayerNorm.weight" in name else 0))


def make(model, deviation=0.15):
    model.torch = getattr(transformers, model.kind)(model.config)
    draw_weights(model.torch, deviation)
    model.folder = f"folder-{len(os.listdir('.'))}"
    model.torch.save_pretrained(model.folder)
    os.link(tokenizer_file(), f"{model.folder}/tokenizer.json")
    return model


def draw_batch(model, lengths, padded):
    """ids, mask and segments [sequences][padded], with the question of question answering in front."""
    ids = torch.full((len(lengths), padded), model.config.pad_token_id)
    mask, segments = torch.zeros_like(ids), torch.zeros_like(ids)
    for row, length in enumerate(lengths):
        ids[row, :length] = torch.randint(min(FIRST, model.config.vocab_size // 2), model.config.vocab_size, (length,))
        mask[row, :length] = 1
        if model.config.type_vocab_size > 1:
            segments[row, length // 2 : length] = 1
    if "QuestionAnswering" in model.kind and model.config.model_type == "big_bird":
        ids[:, 20] = model.config.sep_token_id
        segments = (torch.arange(padded) > 20).long() * mask
    return ids, mask, segments


def request_of(model, batch, lengths):
    ids, mask, segments = batch
    real = mask.bool()
    return {"start": np.cumsum([0, *lengths]), "token": ids[real], "segment": segments[real]}


def their_outputs(model, batch, **labels):
    ids, mask, segments = batch
    shape = (1, *ids.shape) if "MultipleChoice" in model.kind else ids.shape
    return model.torch(ids.view(shape), attention_mask=mask.view(shape), token_type_ids=segments.view(shape),
                       output_hidden_states=True, **labels)


def masked_rows(model, tokens):
    """Tokens whose logits are compared: all, but of a large vocabulary one in 61."""
    return np.arange(0, tokens, 61 if model.config.vocab_size > 10000 else 1)


def their_values(model, out, batch):
    """The logits of real tokens under the names of parity_dump.c."""
    real, values = batch[1].bool(), {}
    rows = masked_rows(model, int(real.sum()))
    values["hidden"] = out.hidden_states[-1][:, : real.shape[1]][real]
    if model.kind.endswith("Model"):
        values["pooled"] = out.pooler_output
    elif "PreTraining" in model.kind:
        values.update(mlm=out.prediction_logits[real][rows], pair=out.seq_relationship_logits)
    elif "MaskedLM" in model.kind:
        values["mlm"] = out.logits[real][rows]
    elif "Sequence" in model.kind:
        values["label"] = out.logits
    elif "Token" in model.kind:
        values["token"] = out.logits[real]
    elif "Question" in model.kind:
        values["token"] = torch.stack((out.start_logits[real], out.end_logits[real]), -1)
    elif "Choice" in model.kind:
        values["choice"] = out.logits
    return {name: value.detach().numpy().reshape(-1) for name, value in values.items()}


def compare_values(model, mode, length, found, expected):
    for name, value in expected.items():
        other = found.get(name, np.zeros(0))
        if name == "token" and "Question" in model.kind:
            masked = value < -1e5  # the question's tokens
            if not np.array_equal(other < -1e5, masked):
                report.fault(f"{model.name} {model.kind}: other tokens are masked")
                continue
            other, value = other[~masked], value[~masked]
        report.compare("values", (model.name, model.kind, mode or "full"), length, name, other, value, VALUES)


def check_lengths(model):
    for mode in model.modes:
        for length in model.lengths:
            lengths = [length] * (CHOICES if "Choice" in model.kind else 1)
            batch = draw_batch(model, lengths, length)
            model.set_mode(mode)
            with torch.no_grad():
                theirs = their_values(model, their_outputs(model, batch), batch)
            rows = masked_rows(model, sum(lengths)) if "mlm" in theirs else None
            found = run(model.folder, mode=mode, masked_row=rows, **request_of(model, batch, lengths))
            compare_values(model, mode, length, found, theirs)


def check_layers(model, mode, length):
    """Hidden states from the embeddings to the last layer, as `godwit embed --layer` gives them."""
    batch = draw_batch(model, [length], length)
    model.set_mode(mode)
    with torch.no_grad():
        states = their_outputs(model, batch).hidden_states
    for layer, state in enumerate(states):
        found = run(model.folder, mode=mode, layers=layer or -1, **request_of(model, batch, [length]))
        row = (model.name, f"{model.kind}, layer {layer}", mode or "full")
        report.compare("values", row, length, "hidden", found["hidden"], state[0, :length], VALUES)


def check_padded(model, lengths, padded):
    """A batch padded to `padded` tokens: on its real tokens."""
    for mode in ("seeded", "hf-eval", "full"):
        batch = draw_batch(model, lengths, padded)
        model.set_mode(mode)
        with torch.no_grad():
            theirs = their_values(model, their_outputs(model, batch), batch)
        rows = masked_rows(model, sum(lengths)) if "mlm" in theirs else None
        found = run(model.folder, mode=mode, pad_to=padded, masked_row=rows, **request_of(model, batch, lengths))
        for name, value in theirs.items():
            row = (model.kind, mode, str(padded))
            report.compare("padded", row, "+".join(map(str, lengths)), name, found.get(name, np.zeros(0)), value, VALUES)


def doubles(model):
    return {name: value.double() for name, value in model.torch.state_dict().items()}


def check_refused(model, mode, batch, length):
    try:
        run(model.folder, mode=mode, **request_of(model, batch, [length]))
        report.fault(f"{mode} at {length} tokens is computed, though its implementation fails")
    except subprocess.CalledProcessError as error:
        if "candidates" not in error.stderr:
            report.fault(f"{mode} at {length} tokens: {error.stderr}")


def check_dense(model, mode, lengths):
    """BigBird in a mode that no package computes, against the dense statement."""
    config = model.config
    encoder = dense.Encoder(config.num_attention_heads, config.num_hidden_layers, config.block_size,
                            config.num_random_blocks, config.max_position_embeddings)
    for length in lengths:
        batch = draw_batch(model, [length], length)
        try:
            counts = [dense.multiplicities(encoder, config, mode, length, i) for i in range(encoder.layers)]
        except ValueError:  # google's own code finds too few blocks for a row; so must godwit
            check_refused(model, mode, batch, length)
            continue
        hidden = dense.hidden_states(doubles(model), encoder, batch[0][0], batch[2][0], counts)[-1]
        mlm, pair = dense.pretraining_logits(doubles(model), encoder, hidden)
        found = run(model.folder, mode=mode, masked_row=np.arange(length), **request_of(model, batch, [length]))
        compare_values(model, mode, length, found, {"hidden": hidden, "mlm": mlm, "pair": pair})


def draw_labels(model, lengths, padded):
    """Labels as transformers takes them, and the fields of the request with the factors of the mean losses."""
    sequences, tokens = len(lengths), sum(lengths)
    if "PreTraining" in model.kind or "MaskedLM" in model.kind:
        chosen = torch.rand(sequences, padded) < 0.15
        chosen[:, 1] = True
        for row, length in enumerate(lengths):
            chosen[row, length:] = False
        labels = torch.where(chosen, torch.randint(FIRST, VOCABULARY, chosen.shape), -100)
        real = torch.cat([labels[row, :length] for row, length in enumerate(lengths)])
        rows = torch.nonzero(real >= 0)[:, 0]
        request = {"masked_row": rows, "masked_label": real[rows], "scale": [1 / len(rows), 1 / sequences, 0]}
        if "MaskedLM" in model.kind:
            return {"labels": labels}, request
        pairs = torch.arange(sequences) % 2
        return {"labels": labels, "next_sentence_label": pairs}, {**request, "pair_label": pairs}
    return draw_head_labels(model, lengths, padded)


def draw_head_labels(model, lengths, padded):
    sequences, tokens, classes = len(lengths), sum(lengths), model.config.num_labels
    if "Token" in model.kind:
        labels = torch.full((sequences, padded), -100)
        for row, length in enumerate(lengths):
            labels[row, 1:length:3] = torch.randint(0, classes, labels[row, 1:length:3].shape)
        real = torch.cat([labels[row, :length] for row, length in enumerate(lengths)])
        return {"labels": labels}, {"class_label": real, "scale": [0, 0, 1 / int((real >= 0).sum())]}
    if "Question" in model.kind:
        spans = torch.tensor([[length - 30, length - 3] for length in lengths])
        return ({"start_positions": spans[:, 0], "end_positions": spans[:, 1]},
                {"span_label": spans, "scale": [0, 0, 1 / sequences]})
    if "Choice" in model.kind:
        return {"labels": torch.tensor([1])}, {"class_label": [1], "choices": sequences, "scale": [0, 0, 1]}
    problem = model.config.problem_type
    if problem == "single_label_classification":
        labels = torch.randint(0, classes, (sequences,))
        return {"labels": labels}, {"class_label": labels, "scale": [0, 0, 1 / sequences]}
    labels = torch.randn(sequences, classes)
    labels = labels if problem == "regression" else (labels > 0).float()
    return {"labels": labels}, {"label": labels, "scale": [0, 0, 1 / labels.numel()]}


def gradients_of(named):
    return {name: np.zeros(p.numel()) if p.grad is None else p.grad.numpy().reshape(-1) for name, p in named}


def is_zero_in_theory(key, kind):
    """What shifts all scores of a softmax alike: those of a row's keys, of a question's choices, of an answer's tokens."""
    ends = ["key.bias"]
    if "Choice" in kind:
        ends.append("classifier.bias")
    if "Question" in kind:
        ends += ["qa_outputs.bias", "qa_classifier.output.LayerNorm.bias"]
        ends += [f"encoder.layer.{LAYERS - 1}.output.LayerNorm.bias"] if "BigBird" not in kind else []
    return key.endswith(tuple(ends))


def compare_gradients(name, mode, length, found, expected):
    """Each tensor by its own largest gradient; those that are zero in theory by the largest of all."""
    largest = max(np.abs(value).max() for value in expected.values())
    worst = 0.0
    for key, value in expected.items():
        other = found.get(key, np.zeros(0))
        if other.shape != value.shape:
            report.fault(f"{name}: no gradient of {key}")
            continue
        scale = largest if is_zero_in_theory(key, name) else max(np.abs(value).max(), 1e-30)
        worst = max(worst, np.abs(other - value).max() / scale)
        if not np.abs(other - value).max() <= GRADIENTS * scale:
            report.fault(f"{name} at {length}: the gradient of {key} differs by {np.abs(other - value).max() / scale:.1e}")
    report.add("gradients", (name, mode, str(len(expected))), length, "gradient", worst, GRADIENTS)


def check_gradients(model, cases, modes=("seeded", "full")):
    for mode in modes if model.modes[0] else (None,):
        for lengths in cases:
            padded = max(lengths)
            batch = draw_batch(model, lengths, padded)
            labels, request = draw_labels(model, lengths, padded)
            model.set_mode(mode)
            model.torch.train()
            model.torch.zero_grad()
            their_outputs(model, batch, **labels).loss.backward()
            expected = gradients_of(model.torch.named_parameters())
            pad_to = padded if len(lengths) > 1 and mode else None
            found = run(model.folder, mode=mode, pad_to=pad_to,
                        **request_of(model, batch, lengths), **request)
            compare_gradients(f"{model.name} | {model.kind}", mode or "full", "+".join(map(str, lengths)), found, expected)


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
    config = {"model_type": "bert", "architectures": ["BertForPreTraining"], "vocab_size": VOCABULARY, "hidden_size": 128,
              "num_hidden_layers": encoder.layers, "num_attention_heads": encoder.heads, "intermediate_size": 192,
              "max_position_embeddings": encoder.positions, "type_vocab_size": 2, "layer_norm_eps": 1e-12,
              "hidden_act": "gelu", "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0, "pad_token_id": 3,
              "pre_layer_norm": True, "last_layer_norm": encoder.last_norm, "position_embedding_type": "rotary",
              "rotary_dim": 32, "rotary_base": 10000, "sparse_config_cls": "deepspeed.ops.sparse_attention:BigBirdSparsityConfig",
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


def bigbird(name, kind, lengths=LENGTHS, modes=("seeded", "hf-eval", "full"), **options):
    config = transformers.BigBirdConfig(**{
        "vocab_size": VOCABULARY, "hidden_size": 128, "num_hidden_layers": LAYERS, "num_attention_heads": 4,
        "intermediate_size": 256, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0,
        "max_position_embeddings": 4096, "num_labels": 2 if "Question" in kind else 5,
        "problem_type": "multi_label_classification" if "Sequence" in kind else None, **options})
    return Model(name, kind, config, lengths, modes)


def check_pretraining():
    model = make(bigbird("BigBird", "BigBirdForPreTraining"))
    check_lengths(model)
    check_dense(model, "set", LENGTHS)
    check_dense(model, "google", (512, 640, *LENGTHS))
    for lengths, padded in (((800, 896), 896), ((500,), 1024), ((500, 64, 1024), 1024), ((1500, 2048), 2048)):
        check_padded(model, lengths, padded)
    check_gradients(model, ([64], [705], [1000], [1024], [800, 896]))
    check_layers(model, "seeded", 1000)


SOME = (64, 705, 1000, 1024)
HEADS = ("Model", "ForPreTraining", "ForMaskedLM", "ForSequenceClassification", "ForTokenClassification",
         "ForQuestionAnswering", "ForMultipleChoice")


EVEN = ("ForQuestionAnswering", "ForMultipleChoice")


def check_heads():
    """BigBird with every other head, and with what the usual models leave at its default."""
    for head, lengths in (("Model", SOME), ("ForMaskedLM", SOME), ("ForSequenceClassification", LENGTHS),
                          ("ForTokenClassification", SOME), ("ForQuestionAnswering", LENGTHS),
                          ("ForMultipleChoice", SOME)):
        model = make(bigbird("BigBird", f"BigBird{head}", lengths))
        check_lengths(model)
        if head != "Model":
            # transformers' loss of answers counts padding too, and choices are of one length.
            check_gradients(model, ([64, 64], [1000, 1000]) if head in EVEN else ([64], [800, 896]))
    for problem in ("single_label_classification", "regression"):
        model = make(bigbird(f"BigBird, {problem}", "BigBirdForSequenceClassification", (64,), problem_type=problem))
        check_gradients(model, ([64, 50],), ("full",))
    odd = {"hidden_act": "relu", "use_bias": False, "rescale_embeddings": True, "block_size": 16, "num_random_blocks": 2,
           "layer_norm_eps": 1e-5, "max_position_embeddings": 1024, "type_vocab_size": 16}
    model = make(bigbird("BigBird, ReLU, no bias, rescaled, blocks of 16", "BigBirdForMaskedLM", (144, 145, 500, 1024),
                         **odd))
    check_lengths(model)
    check_gradients(model, ([145], [500]))
    gena = {"vocab_size": 32000 // 64, "pad_token_id": 3, "bos_token_id": 1, "eos_token_id": 2, "sep_token_id": 66}
    model = make(bigbird("GENA-LM bigbird", "BigBirdForPreTraining", SOME, **gena))
    check_lengths(model)


def bert_options(head):
    return {"vocab_size": VOCABULARY, "hidden_size": 128, "num_hidden_layers": LAYERS, "num_attention_heads": 4,
            "intermediate_size": 256, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0,
            "num_labels": 2 if "Question" in head else 5,
            "problem_type": "multi_label_classification" if "Sequence" in head else None}


def bert_config(head):
    return transformers.BertConfig(**bert_options(head), max_position_embeddings=512)


def roberta_config(head):
    return transformers.RobertaConfig(**bert_options(head), max_position_embeddings=514, type_vocab_size=1,
                                      layer_norm_eps=1e-5)


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


def draw_data():
    """A genome, token shards and labelled tables for models of godwit's own."""
    draw = np.random.default_rng(5)

    def bases(length):
        return "".join(draw.choice(list("ACGT"), length))

    with open("genome.fa", "w", encoding="ascii") as out:
        for contig in ("a", "b"):
            print(f">{contig}", bases(6000), sep="\n", file=out)
    for name, labels in (("promoter", ["label"]), ("profiles", ["first", "second", "third"])):
        with open(f"{name}.tsv", "w", encoding="ascii") as out:
            print("sequence", *labels, sep="\t", file=out)
            for _ in range(8):
                print(bases(100), *draw.integers(0, 2, len(labels)), sep="\t", file=out)
    godwit("corpus", "-f", "genome.fa", "-n", 1, "-o", "own.txt")
    godwit("bpe", "-v", 40, "-o", "own.json", "own.txt")
    godwit("encode", "-m", "own.json", "-o", "own", "own.txt")
    config = {"architectures": ["BigBirdForPreTraining"], "model_type": "big_bird", "hidden_size": 64,
              "num_hidden_layers": LAYERS, "num_attention_heads": 2, "intermediate_size": 96,
              "max_position_embeddings": 4096, "attention_type": "block_sparse", "block_size": 64, "num_random_blocks": 3}
    with open("own-config.json", "w", encoding="ascii") as out:
        json.dump(config, out)


def open_folder(name, folder, auto, modes=("seeded", "hf-eval", "full")):
    """A folder as a user of transformers opens it; nothing may be missing, surplus or of another shape."""
    loaded, info = auto.from_pretrained(folder, output_loading_info=True)
    for key, value in info.items():
        if value:
            report.fault(f"{folder} in {auto.__name__}: {key}: {sorted(value)}")
    for module in loaded.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    return Model(name, type(loaded).__name__, loaded.config, (64, 1000, 1024), modes, loaded, folder)


def check_tokenizer(folder):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    text = tokenizer.decode(tokenizer("acgtNNrAAUU")["input_ids"], skip_special_tokens=True)
    names = (tokenizer.pad_token, tokenizer.unk_token, tokenizer.cls_token, tokenizer.sep_token, tokenizer.mask_token)
    pair = set(tokenizer("ACGT", "TTGA").get("token_type_ids", []))
    found = (text, names, pair, tokenizer.model_max_length)
    if found != ("ACGTNNNAATT", ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"), {0, 1}, 4096):
        report.fault(f"{folder}: the tokenizer gives {found}")
    return tokenizer


def check_embedding(model, tokenizer):
    """`godwit embed` of a whole sequence against transformers with its own tokenizer."""
    text = open("genome.fa", encoding="ascii").read().split()[1][:1500]
    with open("sequence.fa", "w", encoding="ascii") as out:
        print(">s", text.lower(), sep="\n", file=out)
    model.set_mode("seeded")
    with torch.no_grad():
        ids = tokenizer(text, return_tensors="pt")
        states = model.torch(**ids, output_hidden_states=True).hidden_states
    length = ids["input_ids"].shape[1]
    for layer, expected in ((0, states[0]), (1, states[1]), (-1, states[-1])):
        for pool, value in (("none", expected[0, :length]), ("cls", expected[0, :1]),
                            ("mean", expected[0, 1 : length - 1].mean(0)), ("max", expected[0, 1 : length - 1].amax(0))):
            godwit("embed", "-m", model.folder, "--pool", pool, "--layer", layer, "-o", "e.npy", "sequence.fa")
            row = (model.name, f"godwit embed --pool {pool}", "seeded")
            report.compare("values", row, length, "hidden", np.load("e.npy"), value, VALUES)


def check_return(model, tokenizer):
    """What transformers saves of it is read again, to the same bits of output."""
    folder = f"{model.folder}-back"
    model.torch.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    request = request_of(model, draw_batch(model, [1000], 1000), [1000])
    found, expected = run(folder, **request), run(model.folder, **request)
    if not all(np.array_equal(found[name], value) for name, value in expected.items()):
        report.fault(f"{folder}: other outputs than those of {model.folder}")


def check_folders():
    """What godwit trains, opened in transformers."""
    draw_data()
    train = ("--steps", 3, "--lr", 0.02, "-@", 1, "-q")
    godwit("pretrain", "-d", "own", "-c", "own-config.json", "-o", "pretrained", "--tokens-per-batch", 4096, *train)
    for task in ("promoter", "profiles"):
        godwit("finetune", "-m", "pretrained", "--task", task, "-d", f"{task}.tsv", "-o", task, *train)
    for name, folder, auto in (("godwit pretrain", "pretrained", transformers.AutoModelForPreTraining),
                               ("godwit finetune", "promoter", transformers.AutoModelForSequenceClassification),
                               ("godwit finetune", "profiles", transformers.AutoModelForSequenceClassification)):
        model = open_folder(name, folder, auto)
        tokenizer = check_tokenizer(folder)
        check_lengths(model)
        check_return(model, tokenizer)
        if folder == "pretrained":
            check_embedding(model, tokenizer)
        if folder == "profiles" and (model.config.num_labels, model.config.id2label[1], model.config.problem_type) != (
                3, "second", "multi_label_classification"):
            report.fault(f"profiles: labels {model.config.id2label}, {model.config.problem_type}")


def check_converted():
    """`godwit convert`: other files and types of the same weights, and a BigBird that begins as RoBERTa or BERT."""
    source = make(bigbird("BigBird", "BigBirdForPreTraining", (64, 1000)))
    for options in (("--format", "bin"), ("--dtype", "f16"), ("--dtype", "bf16", "--format", "bin")):
        folder = "convert" + "".join(options)
        godwit("convert", "-q", "-m", source.folder, "-o", folder, *options)
        model = open_folder(f"godwit convert {' '.join(options)}", folder, transformers.AutoModelForPreTraining)
        model.torch.float()
        check_lengths(model)
    for name, config, auto in (("RobertaForMaskedLM", roberta_config("ForMaskedLM"), transformers.AutoModelForMaskedLM),
                               ("BertForPreTraining", bert_config("ForPreTraining"), transformers.AutoModelForPreTraining)):
        source, folder = make(Model(name, name, config, ())), f"convert{name}"
        godwit("convert", "-q", "-m", source.folder, "-o", folder, "--to", "big_bird")
        model = open_folder(f"godwit convert --to big_bird of {name}", folder, auto)
        check_lengths(model)
        batch = draw_batch(source, [500], 500)
        with torch.no_grad():
            source.set_mode(None)
            theirs = their_values(source, their_outputs(source, batch), batch)
        found = run(folder, mode="full", masked_row=np.arange(500), **request_of(source, batch, [500]))
        compare_values(source, "as BigBird, full", 500, found, theirs)


def check_base():
    """A model of BigBird's base size."""
    base = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
            "vocab_size": 50358}
    model = make(bigbird("BigBird base, 12 x 768 x 12", "BigBirdForPreTraining", (64, 705, 1024, 4096), **base), 0.04)
    check_lengths(model)
    check_gradients(model, ([64], [1024]), ("seeded",))


def check_layouts():
    for last_norm in (False, True):
        check_gena(last_norm)


def write_golden():
    if os.environ.get("WRITE"):
        golden.write(ROOT / "tests/data/parity")


PARTS = {"pretraining": check_pretraining, "heads": check_heads, "bert": check_bert, "gena": check_layouts,
         "folders": check_folders, "converted": check_converted,
         "golden": write_golden, "base": check_base}


def write_document():
    """The tables of docs/parity.md."""
    versions = ", ".join(f"{package.__name__} {package.__version__}" for package in (torch, transformers, np))
    worst = {"hidden states": "hidden states", "logits": "logits", "NSP or pooled": "NSP, pooled"}
    parts = (
        ("Values", ("model", "architecture", "attention"), "values", worst,
         "logits: of masked tokens, labels, answers or choices, whichever the head gives."),
        ("Padded batches", ("architecture", "attention", "padded to"), "padded", worst,
         "A batch padded to a common length, which changes transformers' own numbers, against `pad_to`, on real tokens."),
        ("Gradients", ("model", "architecture", "attention", "tensors"), "gradients", {"logits": "worst tensor"},
         "Of the mean losses, without dropout; lengths joined by + are one batch."))
    text = f"\nMeasured with {versions}.\n"
    for title, heads, table, columns, note in parts:
        text += f"\n## {title}\n\n{note}\n\n{report.markdown(table, heads, columns)}"
    path = ROOT / "docs/parity.md"
    before, rest = path.read_text().split("<!-- tables", 1)
    marker, after = rest.split("\n", 1)[0], rest.split("<!-- end of tables", 1)[1]
    path.write_text(f"{before}<!-- tables{marker}\n{text}\n<!-- end of tables{after}")


def main(parts):
    """The parts named, or all of them."""
    os.nice(10)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    compile_dump()
    for name, check in PARTS.items():
        if name in parts or not (parts or (name == "base" and not os.environ.get("FULL"))):
            report.begin(name)
            check()
            report.end()
    if os.environ.get("WRITE"):
        write_document()
    print("\n".join(report.faults) or "no difference beyond the bounds")
    return bool(report.faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
