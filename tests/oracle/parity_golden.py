# SPDX-License-Identifier: MIT
"""Golden vectors for tests/model/test_parity.c: what transformers computes with weights and tokens that C can make too.

tests/data/parity/NAME.json is a config.json of transformers; tests/data/parity/values.txt has lines
    NAME MODE TOKENS OUTPUT LARGEST FIRST VALUES...
OUTPUT: hidden, mlm, pair, label, token, choice, pooled, or the name of a tensor, whose gradient it is; LARGEST: the
largest absolute value of the whole output; VALUES: those from index FIRST on.

Numbers come from x <- 1664525 x + 1013904223 mod 2^32, seeded for a tensor with the FNV-1a hash of its name, for an
input with its length (a target's: 1 more): u = floor(x / 256) / 2^24 - 1/2. Weights: u for matrices, u / 4 for biases, 1 + u / 4 for norms;
what is not trained is left as it is.

bigbird_shared: two BigBirds that share tensors, with one correction. BigBirdLayer of transformers 5.23 hands the source to
its self-attention too, which then reads the source in place of the decoder's own text; here it reads its own text, as in
the paper. Nor may there be a cache: attention to the source would take keys and values of self-attention out of it.
"""
import json

import numpy as np
import torch
import transformers

import parity_dense as dense

TINY = {"vocab_size": 40, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24,
        "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
BIGBIRD = {**TINY, "max_position_embeddings": 128, "block_size": 8, "sep_token_id": 3}
MULTI = {"num_labels": 3, "problem_type": "multi_label_classification"}
PEGASUS = {"vocab_size": 40, "d_model": 16, "encoder_layers": 2, "decoder_layers": 3, "encoder_attention_heads": 2,
           "decoder_attention_heads": 4, "encoder_ffn_dim": 24, "decoder_ffn_dim": 32, "dropout": 0.0,
           "max_position_embeddings": 128}
MODERN = {"vocab_size": 40, "hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 24,
          "max_position_embeddings": 128, "local_attention": 16, "global_attn_every_n_layers": 2, "pad_token_id": 0,
          "bos_token_id": 1, "cls_token_id": 1, "eos_token_id": 2, "sep_token_id": 2, "attn_implementation": "eager"}
ESM = {**TINY, "max_position_embeddings": 128, "pad_token_id": 1, "mask_token_id": 9, "token_dropout": True,
       "layer_norm_eps": 1e-5}
MODES = ("seeded", "hf-eval", "full")
CASES = (  # name, class, config, modes, lengths, whether gradients are kept
    ("bigbird_pretraining", "BigBirdForPreTraining", BIGBIRD, MODES, (88, 89, 128), True),
    ("bigbird_fixed", "BigBirdModel", {**BIGBIRD, "max_position_embeddings": 1024, "block_size": 64}, MODES[:2],
     (1024,), False),
    ("bigbird_masked", "BigBirdForMaskedLM", {**BIGBIRD, "hidden_act": "relu", "use_bias": False,
                                              "rescale_embeddings": True}, MODES[:1], (100,), False),
    ("bigbird_sequence", "BigBirdForSequenceClassification", {**BIGBIRD, **MULTI}, MODES[:1], (100,), True),
    ("bigbird_token", "BigBirdForTokenClassification", {**BIGBIRD, "num_labels": 3}, MODES[:1], (100,), False),
    ("bigbird_question", "BigBirdForQuestionAnswering", BIGBIRD, MODES[:1], (100,), False),
    ("bigbird_choice", "BigBirdForMultipleChoice", BIGBIRD, MODES[:1], (100,), False),
    ("bert_pretraining", "BertForPreTraining", {**TINY, "max_position_embeddings": 64}, (None,), (50,), True),
    ("bert_sequence", "BertForSequenceClassification", {**TINY, **MULTI, "max_position_embeddings": 64}, (None,), (50,),
     False),
    ("roberta_masked", "RobertaForMaskedLM",
     {**TINY, "max_position_embeddings": 66, "type_vocab_size": 1, "layer_norm_eps": 1e-5}, (None,), (50,), True),
    ("roberta_sequence", "RobertaForSequenceClassification",
     {**TINY, **MULTI, "max_position_embeddings": 66, "type_vocab_size": 1}, (None,), (50,), False),
    ("bigbird_pegasus", "BigBirdPegasusForConditionalGeneration", {**PEGASUS, "block_size": 8}, MODES, (88, 100), True),
    ("pegasus", "PegasusForConditionalGeneration", {**PEGASUS, "activation_function": "relu", "scale_embedding": True},
     (None,), (50, 100), True),
    ("modernbert_masked", "ModernBertForMaskedLM", MODERN, (None,), (5, 100), True),
    ("modernbert_sequence", "ModernBertForSequenceClassification",
     {**MODERN, **MULTI, "classifier_pooling": "mean", "norm_bias": True, "attention_bias": True, "mlp_bias": True,
      "classifier_bias": True, "hidden_activation": "silu", "global_rope_theta": 1000.0, "local_rope_theta": 50.0},
     (None,), (100,), True),
    ("modernbert_token", "ModernBertForTokenClassification", {**MODERN, "num_labels": 3}, (None,), (50,), False),
    ("modernbert_question", "ModernBertForQuestionAnswering", MODERN, (None,), (50,), False),
    ("modernbert_choice", "ModernBertForMultipleChoice", {**MODERN, "classifier_pooling": "mean"}, (None,), (50,), False),
    ("esm_masked", "EsmForMaskedLM", {**ESM, "position_embedding_type": "rotary"}, (None,), (5, 100), True),
    ("esm_untied", "EsmForMaskedLM", {**ESM, "tie_word_embeddings": False, "emb_layer_norm_before": True}, (None,), (100,), True),
    ("esm_sequence", "EsmForSequenceClassification", {**ESM, **MULTI, "rope_theta": 100.0, "position_embedding_type": "rotary"},
     (None,), (100,), True),
    ("esm_token", "EsmForTokenClassification", {**ESM, "num_labels": 3, "token_dropout": False}, (None,), (50,), False),
    ("bigbird_shared", "EncoderDecoderModel", BIGBIRD, MODES, (88, 100), True),
)
ROW, GRADIENT = 6, 3  # values kept of a row, of a gradient


def uniform(seed, count):
    """[count] in [-1/2, 1/2), exact in single precision; and the last states."""
    states, x = [], seed
    for _ in range(count):
        x = (1664525 * x + 1013904223) % 2**32
        states.append(x)
    states = np.array(states, np.int64)
    return ((states >> 8) / 2.0**24 - 0.5).astype(np.float32), states


def fnv(text):
    h = 2166136261
    for byte in text.encode():
        h = (h ^ byte) * 16777619 % 2**32
    return h


def fill(named):
    with torch.no_grad():
        for name, p in named:
            u = torch.tensor(uniform(fnv(name), p.numel())[0]).view(p.shape)
            if p.dim() == 1:
                u = u / 4 + (1 if name.endswith("weight") else 0)
            p.copy_(u)


def vocabulary_of(config):
    return (config.encoder if config.model_type == "encoder-decoder" else config).vocab_size


def draw_tokens(length, config):
    ids = 5 + (uniform(length, length)[1] >> 16) % (vocabulary_of(config) - 5)
    if config.model_type == "big_bird":
        ids[10] = config.sep_token_id
    return torch.tensor(ids)[None]


def target_of(length, config):
    """A quarter as many tokens, behind the start; labels of three in four."""
    ids = 5 + (uniform(length + 1, length // 4)[1] >> 16) % (vocabulary_of(config) - 5)
    given = np.concatenate(([config.decoder_start_token_id], ids[:-1]))
    labels = np.where(np.arange(len(ids)) % 4 == 3, -100, ids)
    return {"decoder_input_ids": torch.tensor(given)[None], "labels": torch.tensor(labels)[None]}


def labels_of(kind, ids, config):
    if "Sequence" in kind:
        return {"labels": (torch.arange(config.num_labels) % 2).float()[None]}
    labels = torch.where(torch.arange(ids.shape[1]) % 5 == 0, ids, -100)
    return {"labels": labels, **({"next_sentence_label": torch.tensor([1])} if "PreTraining" in kind else {})}


def outputs_of(kind, out):
    """Arrays [rows][width] by name."""
    if "Generation" in kind or kind == "EncoderDecoderModel":
        return {"hidden": out.encoder_last_hidden_state[0].detach().numpy(), "target": out.logits[0].detach().numpy()}
    values = {"hidden": out.hidden_states[-1][0]}
    if kind.endswith("Model"):
        values["pooled"] = out.pooler_output
    elif "PreTraining" in kind:
        values.update(mlm=out.prediction_logits[0], pair=out.seq_relationship_logits)
    elif "MaskedLM" in kind:
        values["mlm"] = out.logits[0]
    elif "Question" in kind:
        values["token"] = torch.stack((out.start_logits[0], out.end_logits[0]), -1)
    elif "Token" in kind:
        values["token"] = out.logits[0]
    else:
        values["choice" if "Choice" in kind else "label"] = out.logits
    return {name: value.detach().numpy() for name, value in values.items()}


def line(name, mode, length, output, values, first, count):
    values = values.reshape(-1)
    real = np.abs(values[values > -1e5])  # tokens of a question are masked
    kept = " ".join(f"{v:.9g}" for v in values[first : first + count])
    return f"{name} {mode or 'own'} {length} {output} {real.max():.9g} {first} {kept}\n"


def lines_of(name, mode, length, values, gradients):
    text = ""
    for output, value in values.items():
        rows, width = value.shape
        for row in sorted({0, rows // 2, rows - 1}):
            text += line(name, mode, length, output, value, row * width, min(ROW, width))
    for output, value in gradients.items():
        text += line(name, mode, length, output, value, value.size // 2, min(GRADIENT, value.size - value.size // 2))
    return text


def read_own_text(attention):
    """Self-attention without the source."""
    forward = attention.forward
    attention.forward = lambda states, encoder_hidden_states=None, encoder_attention_mask=None, **kept: forward(states, **kept)


def make_shared(options):
    """An encoder and a decoder of the same tensors, but for the attention to the source."""
    encoder = transformers.BigBirdConfig(**options)
    decoder = transformers.BigBirdConfig(**options, is_decoder=True, add_cross_attention=True)
    config = transformers.EncoderDecoderConfig.from_encoder_decoder_configs(
        encoder, decoder, decoder_start_token_id=2, eos_token_id=3, pad_token_id=0)
    model = transformers.EncoderDecoderModel(config)
    model.decoder.bert.set_attention_type("original_full")
    model.decoder.bert.embeddings, model.decoder.bert.pooler = model.encoder.embeddings, model.encoder.pooler
    model.decoder.cls.predictions.decoder.weight = model.encoder.embeddings.word_embeddings.weight
    for mine, theirs in zip(model.decoder.bert.encoder.layer, model.encoder.encoder.layer, strict=True):
        for name in ("query", "key", "value"):
            setattr(mine.attention.self, name, getattr(theirs.attention.self, name))
        mine.attention.output, mine.intermediate, mine.output = theirs.attention.output, theirs.intermediate, theirs.output
        read_own_text(mine.attention)
    return model, model.encoder


def make(kind, options):
    """A model and its encoder."""
    if kind == "EncoderDecoderModel":
        return make_shared(options)
    config = getattr(transformers, kind.split("For")[0].removesuffix("Model") + "Config")(**options)
    model = getattr(transformers, kind)(config)
    return model, model.model.encoder if config.is_encoder_decoder else getattr(model, model.base_model_prefix, model)


def compute(name, kind, options, modes, lengths, keeps_gradients, folder):
    model, encoder = make(kind, options)
    config = model.config
    fill((*(named for named in model.named_parameters() if named[1].requires_grad),
          *(named for named in model.named_buffers() if named[1].is_floating_point() and "inv_freq" not in named[0])))
    config.architectures = [kind]
    text = json.dumps(config.to_diff_dict(), indent=1, sort_keys=True) + "\n"
    (folder / f"{name}.json").write_text(text)
    lines = ""
    for mode in modes:
        for length in lengths:
            ids = draw_tokens(length, config)
            model.train(mode == "seeded")
            if mode:
                encoder.set_attention_type("original_full")
                encoder.set_attention_type("original_full" if mode == "full" else "block_sparse")
            model.zero_grad()
            labels = labels_of(kind, ids, config) if keeps_gradients else {}
            if config.is_encoder_decoder:
                labels = target_of(length, config)
            given = ids[None] if "Choice" in kind else ids
            if config.is_encoder_decoder:
                labels["use_cache"] = False
            out = model(given, attention_mask=torch.ones_like(given), output_hidden_states=True, **labels)
            gradients = {}
            if keeps_gradients and length == lengths[-1] and mode in (None, "seeded"):
                out.loss.backward()
                gradients = {key: p.grad.numpy() for key, p in model.named_parameters()
                             if p.grad is not None and not key.endswith(("key.bias", "k_proj.bias"))}
            values = {key: value[:length] for key, value in outputs_of(kind, out).items()}
            lines += lines_of(name, mode, length, values, gradients)
    return lines


def compute_gena(folder):
    """GENA-LM's sparse attention by its dense statement; cell (i, j) of the layout is read where i = j or j = 0 or
    (i + 2 j + head + layer) mod 3 = 0."""
    name, length = "gena_pretraining", 100
    encoder = dense.Encoder(heads=2, layers=2, block=8, positions=128, activation="none", pre_norm=True, last_norm=True,
                            rotary=True)
    config = {**TINY, "architectures": ["BertForPreTraining"], "model_type": "bert", "hidden_act": "gelu",
              "max_position_embeddings": 128, "type_vocab_size": 2, "layer_norm_eps": 1e-12, "pad_token_id": 3,
              "pre_layer_norm": True, "last_layer_norm": True, "position_embedding_type": "rotary", "rotary_dim": 4,
              "rotary_base": 10000, "sparse_config_cls": "deepspeed.ops.sparse_attention:BigBirdSparsityConfig",
              "sparse_attention": {"num_heads": 2, "block": 8, "different_layout_per_head": True}}
    (folder / f"{name}.json").write_text(json.dumps(config, indent=1, sort_keys=True) + "\n")
    p = dense.gena_tensors(encoder, TINY["vocab_size"], TINY["hidden_size"], TINY["intermediate_size"])
    fill(p.items())
    p = {key: value.double() for key, value in p.items()}
    blocks = -(-length // encoder.block)
    i, j = np.indices((blocks, blocks))
    counts = []
    for layer in range(encoder.layers):
        frequencies = 1 / 10000 ** (torch.arange(0, 4, 2).float() / 4)
        p[f"bert.encoder.layer.{layer}.attention.self.rotary_emb.inv_freq"] = frequencies
        heads = [(i == j) | (j == 0) | ((i + 2 * j + head + layer) % 3 == 0) for head in range(2)]
        counts.append(np.stack(heads) * 1.0)
    ids = draw_tokens(length, transformers.BertConfig(**TINY))[0]
    hidden = dense.hidden_states(p, encoder, ids, torch.zeros_like(ids), counts)[-1]
    mlm, pair = dense.pretraining_logits(p, encoder, hidden)
    values = {"hidden": hidden, "mlm": mlm, "pair": pair[None]}
    return lines_of(name, None, length, {key: value.numpy() for key, value in values.items()}, {})


def replace(folder, lines_by_name):
    """Writes these names' lines anew, and keeps the others (those of gpn_oracle.py, which another package computes)."""
    path = folder / "values.txt"
    kept = [text for text in path.read_text().splitlines(keepends=True) if text.split()[0] not in lines_by_name]
    path.write_text("".join(kept) + "".join(lines_by_name.values()))


def write(folder):
    lines = {case[0]: compute(*case, folder) for case in CASES}
    replace(folder, {**lines, "gena_pretraining": compute_gena(folder)})
