# SPDX-License-Identifier: MIT
"""Random models, what transformers and godwit compute with them, and the comparison: parity_oracle.py."""
import os
import subprocess
from dataclasses import dataclass

import numpy as np
import torch
import transformers

import parity_dense as dense
from parity_godwit import Report, godwit, run

LENGTHS = (64, 704, 705, 768, 1000, 1024, 1536, 2048, 3072, 4096)
VALUES, GRADIENTS = 2e-5, 1e-4  # bounds
FIRST, VOCABULARY = 100, 500  # tokens drawn: no special one
LAYERS, CHOICES = 2, 4
SOME = (64, 705, 1000, 1024)
HEADS = ("Model", "ForPreTraining", "ForMaskedLM", "ForSequenceClassification", "ForTokenClassification",
         "ForQuestionAnswering", "ForMultipleChoice")
# Without padding in their gradients: transformers' loss of answers counts it, and choices are of one length.
EVEN = HEADS[-2:]
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
    usual: str = "full"  # attention without a mode

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
                p.copy_(noise * 0.1 + (1 if name.endswith("weight") else 0))  # of norms


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
        if getattr(model.config, "type_vocab_size", 1) > 1:
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
    if hasattr(model.config, "type_vocab_size"):
        labels["token_type_ids"] = segments.view(shape)
    return model.torch(ids.view(shape), attention_mask=mask.view(shape), output_hidden_states=True, **labels)


def masked_rows(model, tokens):
    """Tokens whose logits are compared: all, but of a large vocabulary one in 61."""
    return np.arange(0, tokens, 61 if model.config.vocab_size > 10000 else 1)


def their_values(model, out, batch):
    """The logits of real tokens under the names of parity_dump.c."""
    real, values = batch[1].bool(), {}
    rows = masked_rows(model, int(real.sum()))
    values["hidden"] = out.hidden_states[-1][:, : real.shape[1]][real]
    if model.kind.endswith("Model"):
        if "pooler_output" in out:
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
    return {name: value.detach().float().numpy().reshape(-1) for name, value in values.items()}


def compare_values(model, mode, length, found, expected):
    for name, value in expected.items():
        other = found.get(name, np.zeros(0))
        if name == "token" and "Question" in model.kind:
            masked = value < -1e5  # the question's tokens
            if not np.array_equal(other < -1e5, masked):
                report.fault(f"{model.name} {model.kind}: other tokens are masked")
                continue
            other, value = other[~masked], value[~masked]
        # The two logits of a pair may both be near 0 by chance: those of tokens say how large logits are.
        least_scale = np.abs(np.asarray(expected["mlm"])).max() if name == "pair" else 0.0
        row = (model.name, model.kind, mode or model.usual)
        report.compare("values", row, length, name, other, value, VALUES, least_scale)


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


def check_half(model, mode, length):
    """What bf16 changes here may be at most twice what it changes in transformers' own model in bf16."""
    batch = draw_batch(model, [length], length)
    model.set_mode(mode)
    with torch.no_grad():
        exact = their_values(model, their_outputs(model, batch), batch)
        model.torch.bfloat16()
        model.set_mode(mode)
        theirs = their_values(model, their_outputs(model, batch), batch)
    model.torch = getattr(transformers, model.kind).from_pretrained(model.folder)
    ours = run(model.folder, mode=mode, bf16=1, masked_row=masked_rows(model, length),
               **request_of(model, batch, [length]))
    for name, value in exact.items():
        def error(other):
            return np.sqrt(np.mean((other - value) ** 2) / np.mean(value**2))
        row = (model.name, mode, name)
        report.add("bf16", row, length, "theirs", error(theirs[name]), np.inf)
        report.add("bf16", row, length, "ours", error(ours[name]), 2 * error(theirs[name]))


def check_layers(model, mode, length):
    """Hidden states from the embeddings to the last layer, as `godwit embed --layer` gives them."""
    batch = draw_batch(model, [length], length)
    model.set_mode(mode)
    with torch.no_grad():
        states = their_outputs(model, batch).hidden_states
    for layer, state in enumerate(states):
        found = run(model.folder, mode=mode, layers=layer or -1, **request_of(model, batch, [length]))
        row = (model.name, f"{model.kind}, layer {layer}", mode or model.usual)
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
            least_scale = np.abs(theirs["mlm"]).max() if name == "pair" else 0.0
            report.compare("padded", row, "+".join(map(str, lengths)), name, found.get(name, np.zeros(0)), value,
                           VALUES, least_scale)


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
        return {"labels": labels, "next_sentence_label": pairs}, {**request, "nsp_label": pairs}
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
    """Without ESM's head of contacts, which nothing here trains."""
    named = ((name, p) for name, p in named if "contact_head" not in name)
    return {name: np.zeros(p.numel()) if p.grad is None else p.grad.numpy().reshape(-1) for name, p in named}


def is_zero_in_theory(key, kind):
    """What shifts all scores of a softmax alike: a row's keys, a question's choices, an answer's tokens."""
    ends = ["key.bias"]
    if "Choice" in kind:
        ends.append("classifier.bias")
    if "Question" in kind:
        ends += ["qa_outputs.bias", "classifier.bias", "qa_classifier.output.LayerNorm.bias"]
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
            report.fault(f"{name} at {length}: the gradient of {key}")
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
            name = f"{model.name} | {model.kind}"
            compare_gradients(name, mode or model.usual, "+".join(map(str, lengths)), found, expected)


def bigbird(name, kind, lengths=LENGTHS, modes=("seeded", "hf-eval", "full"), **options):
    config = transformers.BigBirdConfig(**{
        "vocab_size": VOCABULARY, "hidden_size": 128, "num_hidden_layers": LAYERS, "num_attention_heads": 4,
        "intermediate_size": 256, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0,
        "max_position_embeddings": 4096, "num_labels": 2 if "Question" in kind else 5,
        "problem_type": "multi_label_classification" if "Sequence" in kind else None, **options})
    return Model(name, kind, config, lengths, modes)


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
