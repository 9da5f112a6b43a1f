# SPDX-License-Identifier: MIT
"""Folders that godwit writes, opened in transformers: parity_oracle.py."""
import json

import numpy as np
import torch
import transformers

from parity_compare import (LAYERS, VALUES, Model, bert_config, bigbird, check_lengths, compare_values, draw_batch,
                            make, report, request_of, roberta_config, their_outputs, their_values)
from parity_godwit import godwit, run


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
              "max_position_embeddings": 4096, "attention_type": "block_sparse", "block_size": 64,
              "num_random_blocks": 3}
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
    text = open("genome.fa", encoding="ascii").read().split()[1][:4000]
    with open("sequence.fa", "w", encoding="ascii") as out:
        print(">s", text.lower(), sep="\n", file=out)
    model.set_mode("seeded")
    with torch.no_grad():
        ids = tokenizer(text, return_tensors="pt")
        states = model.torch(**ids, output_hidden_states=True).hidden_states
    length = ids["input_ids"].shape[1]
    for layer, expected in ((0, states[0]), (1, states[1]), (-1, states[-1])):
        own = expected[0, 1 : length - 1]
        for pool, value in (("none", expected[0, :length]), ("cls", expected[0, :1]), ("mean", own.mean(0)),
                            ("max", own.amax(0))):
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
    godwit("pretrain", "-d", "own", "-c", "own-config.json", "-o", "pretrained", "--batch-tokens", 4096, *train)
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
    """`godwit convert`: other types of the same weights, and a BigBird that begins as RoBERTa or BERT."""
    source = make(bigbird("BigBird", "BigBirdForPreTraining", (64, 1000)))
    for options in (("--dtype", "f16"), ("--dtype", "bf16")):
        folder = "convert" + "".join(options)
        godwit("convert", "-q", "-m", source.folder, "-o", folder, *options)
        model = open_folder(f"godwit convert {' '.join(options)}", folder, transformers.AutoModelForPreTraining)
        model.torch.float()
        check_lengths(model)
    roberta = ("RobertaForMaskedLM", roberta_config("ForMaskedLM"), transformers.AutoModelForMaskedLM)
    bert = ("BertForPreTraining", bert_config("ForPreTraining"), transformers.AutoModelForPreTraining)
    for name, config, auto in (roberta, bert):
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
