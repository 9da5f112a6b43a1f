#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""GPN's models in godwit and in their authors' package: hidden states, logits, gradients, scores, folders of godwit's.

The package (PyPI gpn, checked with 0.9.0) holds transformers to one version and wants a Python of its own:
GPN_PYTHON names one that has gpn, torch and biopython, pandas, pyarrow, datasets, accelerate; without it the oracle is
skipped. WRITE=1 writes golden vectors for tests/model/test_parity.c. The tables are kept with those of parity_oracle.py.
"""
import importlib.util
import json
import os
import sys

if importlib.util.find_spec("gpn") is None:
    other = os.environ.get("GPN_PYTHON")
    if other and other != sys.executable:
        os.execv(other, [other, *sys.argv])
    print("GPN_PYTHON names no Python with the package gpn")
    sys.exit(77)

import numpy as np
import tokenizers
import torch
import transformers
from gpn import register_auto_classes
from gpn.ss import model as theirs
from gpn.ss.data import Genome
from gpn.ss.inference import MLMforVEPModel, ModelCenterEmbedding, _tokenize_variant_batch

import parity_golden as golden
from compiled import ROOT
from parity_compare import GRADIENTS, VALUES, Model, compare_gradients, draw_labels, draw_weights, gradients_of, report
from parity_godwit import compile_dump, godwit, run

LENGTHS = (1, 2, 9, 64, 65, 300, 512)
LETTERS = ["[PAD]", "[MASK]", "[UNK]", "a", "c", "g", "t"]
GPN = {"hidden_size": 64, "intermediate_size": 192, "num_hidden_layers": 10, "num_labels": 5}
CONVNET = {"hidden_size": 64, "n_layers": 8, "hidden_dropout_prob": 0.0, "num_labels": 5}
MODELS = (  # name, class, options
    ("GPN", "GPNModel", GPN),
    ("GPN", "GPNForMaskedLM", GPN),
    ("GPN", "GPNForSequenceClassification", GPN),
    ("GPN", "GPNForTokenClassification", GPN),
    ("GPN, biases, other dilations, a table", "GPNForMaskedLM",
     {**GPN, "bias": True, "embedding": "embedding", "dilation_base": 3, "dilation_cycle": 4, "dilation_double_every": 2,
      "first_kernel_size": 5, "rest_kernel_size": 7}),
    ("GPN, biases", "GPNForSequenceClassification", {**GPN, "bias": True, "dilation_max": 8}),
    ("ConvNet", "ConvNetModel", CONVNET),
    ("ConvNet", "ConvNetForMaskedLM", CONVNET),
    ("ConvNet, other dilations", "ConvNetForMaskedLM",
     {**CONVNET, "kernel_size": 5, "dilation_cycle": 3, "dilation_max": 3, "dilation_double_every": 2}),
    ("ConvNet", "ConvNetForSequenceClassification", CONVNET),
)
TINY = {"vocab_size": 12, "hidden_size": 16, "num_labels": 3}
GOLDEN = (  # name, class, options, lengths, whether gradients are kept
    ("gpn_masked", "GPNForMaskedLM", {**TINY, "num_hidden_layers": 4, "intermediate_size": 40}, (5, 100), True),
    ("gpn_biases", "GPNForMaskedLM",
     {**TINY, "num_hidden_layers": 3, "intermediate_size": 40, "bias": True, "embedding": "embedding",
      "rest_kernel_size": 3}, (100,), True),
    ("gpn_sequence", "GPNForSequenceClassification",
     {**TINY, "num_hidden_layers": 3, "intermediate_size": 64, "problem_type": "multi_label_classification"}, (100,), True),
    ("gpn_token", "GPNForTokenClassification", {**TINY, "num_hidden_layers": 2, "intermediate_size": 64}, (50,), False),
    ("convnet_masked", "ConvNetForMaskedLM", {**TINY, "n_layers": 8}, (5, 100), True),
    ("convnet_sequence", "ConvNetForSequenceClassification",
     {**TINY, "n_layers": 3, "hidden_dropout_prob": 0.0, "problem_type": "multi_label_classification"}, (100,), True),
)


def new_model(kind, options):
    config = theirs.GPNConfig if kind.startswith("GPN") else theirs.ConvNetConfig
    return getattr(theirs, kind)(config(**options))


def write_tokenizer(folder):
    """Their tokenizer of seven letters, as their scripts train it."""
    letters = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="[UNK]"))
    letters.normalizer = tokenizers.normalizers.Lowercase()
    letters.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=7, special_tokens=LETTERS[:3], initial_alphabet=list("acgt"),
                                             show_progress=False)
    letters.train_from_iterator(["acgt"], trainer=trainer)
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=letters, pad_token="[PAD]", mask_token="[MASK]",
                                                unk_token="[UNK]")
    assert fast.convert_ids_to_tokens(range(7)) == LETTERS
    fast.save_pretrained(folder)
    return fast


def make(name, kind, options):
    model = Model(name, kind, None, LENGTHS, usual="none")
    if "Sequence" in kind:
        options = {**options, "problem_type": "multi_label_classification"}
    model.torch = new_model(kind, options).eval()
    model.config = model.torch.config
    draw_weights(model.torch, 0.1)
    model.folder = f"folder-{len(os.listdir('.'))}"
    model.torch.save_pretrained(model.folder)
    write_tokenizer(model.folder)
    return model


def draw_ids(length):
    return torch.tensor(np.random.default_rng(length).integers(1, 7, length))[None]


def their_outputs(model, ids):
    """Hidden states, and logits under their names in parity_dump.c."""
    bare = model.torch if model.kind.endswith("Model") else model.torch.model
    hidden = bare(input_ids=ids).last_hidden_state
    if bare is model.torch:
        return {"hidden": hidden}
    name = "mlm" if "Masked" in model.kind else "label" if "Sequence" in model.kind else "token"
    return {"hidden": hidden, name: model.torch(input_ids=ids).logits}


def request_of(sequences):
    return {"start": np.cumsum([0, *(ids.shape[1] for ids in sequences)]), "token": torch.cat(sequences, 1)[0]}


def check_values(model):
    """Each length by itself, and all in one batch, which both sides compute without padding."""
    for sequences in ([[draw_ids(n)] for n in LENGTHS] + [[draw_ids(n) for n in LENGTHS]]):
        tokens = sum(ids.shape[1] for ids in sequences)
        found = run(model.folder, masked_row=np.arange(tokens) if "Masked" in model.kind else None, **request_of(sequences))
        with torch.no_grad():
            each = [their_outputs(model, ids) for ids in sequences]
        for name in each[0]:
            expected = np.concatenate([values[name].numpy().reshape(-1) for values in each])
            length = "+".join(str(ids.shape[1]) for ids in sequences)
            report.compare("values", (model.name, model.kind, model.usual), length, name, found[name], expected, VALUES)


def loss_of(model, sequences, labels):
    """Mean over the batch, whose sequences are computed one by one."""
    logits = [model.torch(input_ids=ids).logits for ids in sequences]
    if "Sequence" in model.kind:
        return torch.nn.functional.binary_cross_entropy_with_logits(torch.cat(logits), labels["labels"])
    real = torch.cat([labels["labels"][row, : ids.shape[1]] for row, ids in enumerate(sequences)])
    return torch.nn.functional.cross_entropy(torch.cat(logits, 1)[0], real, ignore_index=-100)


def check_gradients(model):
    if model.kind.endswith("Model"):
        return
    for lengths in ([64], [300, 200]):
        sequences = [draw_ids(n) for n in lengths]
        labels, request = draw_labels(model, lengths, max(lengths))
        if "Masked" in model.kind:  # letters, which the classes of draw_labels() are not
            letters = torch.where(labels["labels"] >= 0, 3 + labels["labels"] % 4, -100)
            labels["labels"] = letters
            real = torch.cat([letters[row, :n] for row, n in enumerate(lengths)])
            request["masked_label"] = real[request["masked_row"]]
        model.torch.zero_grad()
        loss_of(model, sequences, labels).backward()
        found = run(model.folder, **request_of(sequences), **request)
        compare_gradients(f"{model.name} | {model.kind}", model.usual, "+".join(map(str, lengths)), found,
                          gradients_of(model.torch.named_parameters()))


def draw_genome():
    draw = np.random.default_rng(3)
    contig = "".join(draw.choice(list("ACGT"), 20000))
    contig = contig[:7000] + "N" * 20 + contig[7020:]
    with open("genome.fa", "w", encoding="ascii") as out:
        print(">a", contig, sep="\n", file=out)
    return contig


def draw_variants(contig, count):
    draw = np.random.default_rng(9)
    at = [int(i) for i in sorted(draw.choice(np.arange(600, len(contig) - 600), count + 40, replace=False)) if contig[i] != "N"]
    rows = [(i, contig[i], str(draw.choice([b for b in "ACGT" if b != contig[i]]))) for i in at[:count]]
    with open("gpn.vcf", "w", encoding="ascii") as out:
        print("##fileformat=VCFv4.2", "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO", sep="\n", file=out)
        for i, reference, alternative in rows:
            print("a", i + 1, ".", reference, alternative, ".", ".", ".", sep="\t", file=out)
    return rows


def their_scores(model, rows, window):
    batch = {"chrom": ["a"] * len(rows), "pos": [i + 1 for i, _, _ in rows], "ref": [r for _, r, _ in rows],
             "alt": [a for _, _, a in rows]}
    tokenizer = transformers.AutoTokenizer.from_pretrained(model.folder)
    inputs = _tokenize_variant_batch(batch, Genome("genome.fa"), window, tokenizer)
    scorer, scores = MLMforVEPModel(model.folder), []
    for first in range(0, len(rows), 50):
        part = {key: torch.tensor(np.array(value[first : first + 50])) for key, value in inputs.items()}
        with torch.no_grad():
            scores.append(scorer(**part).numpy())
    return np.concatenate(scores)


def our_scores(model, window):
    godwit("score", "-q", "-m", model.folder, "-f", "genome.fa", "--window", window, "-o", "gpn.out.vcf", "gpn.vcf")
    with open("gpn.out.vcf", encoding="ascii") as lines:
        return [float(line.split("GW_LLR=")[1].split(";")[0].split()[0]) for line in lines if line[0] != "#"]


def check_scores(model, contig, windows, count):
    """`godwit score` in bits against vep's natural logarithms: windows of both parities, N in some of them."""
    rows = draw_variants(contig, count)
    for window in windows:
        expected = their_scores(model, rows, window) / np.log(2)
        report.compare("values", (model.name, f"godwit score, {count} single bases", model.usual), window, "llr",
                       our_scores(model, window), expected, VALUES)


def check_embeddings(model, contig, length=400):
    """`godwit embed` of both strands against their mean over the middle of a window, here all of it."""
    text = contig[1000 : 1000 + length]
    turned = text.translate(str.maketrans("ACGT", "TGCA"))[::-1]
    with open("gpn.fa", "w", encoding="ascii") as out:
        print(">s", text, ">r", turned, sep="\n", file=out)
    tokenizer = transformers.AutoTokenizer.from_pretrained(model.folder)
    forward, reverse = (torch.tensor(tokenizer(bases)["input_ids"])[None] for bases in (text, turned))
    with torch.no_grad():
        whole = ModelCenterEmbedding(model.folder, length)(forward, reverse)[0].numpy()
        states = model.torch.model(input_ids=forward).last_hidden_state[0].numpy()
    godwit("embed", "-q", "-m", model.folder, "--pool", "mean", "-o", "gpn.npy", "gpn.fa")
    row = (model.name, "godwit embed --pool mean, both strands", model.usual)
    report.compare("values", row, length, "hidden", np.load("gpn.npy").mean(0), whole, VALUES)
    godwit("embed", "-q", "-m", model.folder, "--pool", "none", "-o", "gpn.npy", "gpn.fa")
    report.compare("values", (model.name, "godwit embed --pool none", model.usual), length, "hidden",
                   np.load("gpn.npy")[:length], states, VALUES)


def open_folder(name, folder, auto):
    """What godwit wrote, as a user of their package opens it: nothing missing, surplus or of another shape."""
    loaded, info = auto.from_pretrained(folder, output_loading_info=True)
    for key, value in info.items():
        if value:
            report.fault(f"{folder}: {key}: {sorted(value)}")
    return Model(name, type(loaded).__name__, loaded.config, LENGTHS, (None,), loaded.eval(), folder, "none")


def check_folders(model, name):
    """A folder that is converted, trained further on a genome, and fine-tuned."""
    draw = np.random.default_rng(5)
    with open("profiles.tsv", "w", encoding="ascii") as out:
        print("sequence", "first", "second", "third", sep="\t", file=out)
        for _ in range(8):
            print("".join(draw.choice(list("ACGT"), 100)), *draw.integers(0, 2, 3), sep="\t", file=out)
    masked, labels = transformers.AutoModelForMaskedLM, transformers.AutoModelForSequenceClassification
    godwit("convert", "-m", model.folder, "-o", f"{name}-again")
    godwit("pretrain", "-q", "-m", model.folder, "-f", "genome.fa", "-o", f"{name}-on", "--steps", 3, "--length", 128,
           "--batch-tokens", 512, "--lr", 0.01, "--checkpoints", "no")
    godwit("finetune", "-q", "-m", model.folder, "--task", "profiles", "-d", "profiles.tsv", "-o", f"{name}-tuned",
           "--steps", 3, "--lr", 0.02)
    for what, folder, auto in (("convert", f"{name}-again", masked), ("pretrain -m", f"{name}-on", masked),
                               ("finetune", f"{name}-tuned", labels)):
        opened = open_folder(f"godwit {what}, {model.name}", folder, auto)
        check_values(opened)
    again = transformers.AutoTokenizer.from_pretrained(f"{name}-on")
    if again("acgtNNACGT")["input_ids"] != transformers.AutoTokenizer.from_pretrained(model.folder)("acgtNNACGT")["input_ids"]:
        report.fault(f"{name}-on: its tokenizer gives other ids")


def golden_lines():
    lines = {}
    for name, kind, options, lengths, keeps_gradients in GOLDEN:
        model = Model(name, kind, None, lengths, torch=new_model(kind, options).eval())
        config = model.config = model.torch.config
        golden.fill(model.torch.named_parameters())
        config.architectures = [kind]
        text = json.dumps(config.to_diff_dict(), indent=1, sort_keys=True) + "\n"
        (ROOT / f"tests/data/parity/{name}.json").write_text(text)
        lines[name] = ""
        for length in lengths:
            ids = golden.draw_tokens(length, config)
            values = {key: v.reshape(-1, v.shape[-1]).detach().numpy() for key, v in their_outputs(model, ids).items()}
            gradients = {}
            if keeps_gradients and length == lengths[-1]:
                model.torch.zero_grad()
                loss_of(model, [ids], golden.labels_of(kind, ids, config)).backward()
                gradients = {key: p.grad.numpy() for key, p in model.torch.named_parameters()}
            lines[name] += golden.lines_of(name, None, length, values, gradients)
    return lines


def main():
    os.nice(5)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    register_auto_classes("ss")
    if os.environ.get("WRITE"):
        golden.replace(ROOT / "tests/data/parity", golden_lines())
    compile_dump()
    report.begin("gpn")
    contig = draw_genome()
    for name, kind, options in MODELS:
        model = make(name, kind, options)
        check_values(model)
        check_gradients(model)
        if kind in ("GPNForMaskedLM", "ConvNetForMaskedLM") and "," not in name:
            check_scores(model, contig, (512, 127), 1000)
            check_embeddings(model, contig)
            check_folders(model, name.lower())
    report.end()
    print("\n".join(report.faults) or "no difference beyond the bounds")
    return bool(report.faults)


if __name__ == "__main__":
    sys.exit(main())
