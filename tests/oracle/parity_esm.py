# SPDX-License-Identifier: MIT
"""ESM with every head in godwit and in transformers, its tokenizers, and folders of godwit's own: parity_oracle.py."""
import itertools
import os

import numpy as np
import torch
import transformers

from parity_compare import (VOCABULARY, Model, check_gradients, check_layers, check_lengths, draw_batch, make, report,
                            request_of, their_outputs, their_values)
from parity_folders import check_return, draw_data, open_folder
from parity_godwit import godwit, run

LENGTHS = (1, 2, 64, 65, 300, 1000, 1024)
HEADS = ("Model", "ForMaskedLM", "ForSequenceClassification", "ForTokenClassification")
MASK = 32  # below the tokens that are drawn (parity_compare.FIRST)
# As ESM-2 has it, as ESM-1b, and as the Nucleotide Transformer.
KINDS = {"ESM-2": {"position_embedding_type": "rotary", "token_dropout": True},
         "ESM-1b": {"position_embedding_type": "absolute", "token_dropout": True, "emb_layer_norm_before": True},
         "Nucleotide Transformer": {"position_embedding_type": "absolute", "token_dropout": True,
                                    "tie_word_embeddings": False, "layer_norm_eps": 1e-12}}


def esm(name, kind, lengths, **options):
    config = transformers.EsmConfig(**{
        "vocab_size": VOCABULARY, "hidden_size": 128, "num_hidden_layers": 3, "num_attention_heads": 4,
        "intermediate_size": 192, "num_labels": 5, "pad_token_id": 1, "mask_token_id": MASK, "layer_norm_eps": 1e-5,
        "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0,
        "problem_type": "multi_label_classification" if "Sequence" in kind else None, **options})
    return Model(name, kind, config, lengths)


def rounded(model):
    """Frequencies as a file has them whose model was trained in half precision."""
    if model.encoder.rotary_embeddings is None:
        return model
    with torch.no_grad():
        model.encoder.rotary_embeddings.inv_freq.copy_(model.encoder.rotary_embeddings.inv_freq.half())
    model.torch.save_pretrained(model.folder)
    return model


def check_masks(model, lengths):
    """Sequences with masked tokens, by whose share the others are scaled; transformers pads them, godwit packs them."""
    ids, mask, segments = draw_batch(model, lengths, max(lengths))
    for row, length in enumerate(lengths):
        ids[row, 1 : length : row + 2] = MASK
    batch = (ids, mask, segments)
    model.torch.eval()
    with torch.no_grad():
        theirs = their_values(model, their_outputs(model, batch), batch)
    found = run(model.folder, masked_row=np.arange(sum(lengths)) if "mlm" in theirs else None,
                **request_of(model, batch, lengths))
    for name, value in theirs.items():
        report.compare("padded", (f"{model.kind}, {model.name}, masked", "full", str(max(lengths))),
                       "+".join(map(str, lengths)), name, found.get(name, np.zeros(0)), value, 2e-5)


def check_models():
    for name, options in KINDS.items():
        for head in HEADS:
            model = rounded(make(esm(name, f"Esm{head}", LENGTHS, **options)))
            check_lengths(model)
            check_masks(model, (300, 7, 129))
            if head == "Model":
                check_layers(model, None, 200)
            else:
                check_gradients(model, ([64], [300, 200]))


def write_tokenizer(folder):
    """The Nucleotide Transformer's: 6-mers, letters and N, and nothing at the end of a text."""
    os.remove(f"{folder}/tokenizer.json")
    tokens = ["<unk>", "<pad>", "<mask>", "<cls>", "<eos>", "<bos>",
              *("".join(kmer) for kmer in itertools.product("ATCG", repeat=6)), *"ATCGN"]
    with open(f"{folder}/vocab.txt", "w", encoding="ascii") as out:
        out.write("\n".join(tokens))
    transformers.EsmTokenizer(f"{folder}/vocab.txt", eos_token=None).save_pretrained(folder)
    return transformers.AutoTokenizer.from_pretrained(folder)


def draw_variants(contig, count):
    """Single bases of the contig, at a distance of a window from its ends."""
    draw = np.random.default_rng(9)
    with open("esm.vcf", "w", encoding="ascii") as out:
        print("##fileformat=VCFv4.2", "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO", sep="\n", file=out)
        for at in sorted(draw.choice(np.arange(700, len(contig) - 700), count, replace=False)):
            alternative = draw.choice([base for base in "ACGT" if base != contig[at]])
            print("a", at + 1, ".", contig[at], alternative, ".", ".", ".", sep="\t", file=out)
    with open("esm.vcf", encoding="ascii") as lines:
        return [(int(f[1]) - 1, f[4]) for f in map(str.split, lines) if not f[0].startswith("#")]


def reverse_complement(bases):
    return bases.translate(str.maketrans("ACGT", "TGCA"))[::-1]


def their_ratio(model, tokenizer, reference, alternative):
    """log2 p(ALT's token) - log2 p(REF's) where the one token in which the windows differ is masked."""
    ids = [tokenizer(window, return_tensors="pt")["input_ids"] for window in (reference, alternative)]
    at = torch.nonzero(ids[0][0] != ids[1][0])[:, 0]
    assert len(at) == 1, at
    masked = ids[0].clone()
    masked[0, at] = tokenizer.mask_token_id
    with torch.no_grad():
        logits = model.torch(masked, attention_mask=torch.ones_like(masked)).logits[0, at[0]]
    return float(logits[ids[1][0, at[0]]] - logits[ids[0][0, at[0]]]) / np.log(2)


def check_score(model, tokenizer, window=600):
    """`godwit score` of single bases: the 6-mers that cover them, on both strands."""
    contig = open("genome.fa", encoding="ascii").read().split()[1]
    variants, expected = draw_variants(contig, 40), []
    for at, base in variants:
        begin = at - (window - 1) // 2
        windows = [contig[begin : begin + window], contig[begin:at] + base + contig[at + 1 : begin + window]]
        both = windows, [reverse_complement(bases) for bases in windows]
        expected.append(np.mean([their_ratio(model, tokenizer, *strand) for strand in both]))
    godwit("score", "-q", "-m", model.folder, "-f", "genome.fa", "--window", window, "-o", "esm.out.vcf", "esm.vcf")
    with open("esm.out.vcf", encoding="ascii") as lines:
        found = [float(line.split("GW_LLR=")[1].split(";")[0].split()[0]) for line in lines if "GW_LLR=" in line and line[0] != "#"]
    report.compare("values", (model.name, "godwit score, single bases", "full"), window, "llr", found, expected, 2e-5)


def check_tools():
    """A Nucleotide Transformer's folder in `embed`, `score` and `finetune`, and what that writes in transformers."""
    draw_data()
    options = KINDS["Nucleotide Transformer"] | {"mask_token_id": 2, "vocab_size": 4107, "max_position_embeddings": 1002}
    model = make(esm("Nucleotide Transformer, 6-mers", "EsmForMaskedLM", (64, 1000), **options))
    tokenizer = write_tokenizer(model.folder)
    model.torch.eval()
    check_score(model, tokenizer)
    text = open("genome.fa", encoding="ascii").read().split()[1][:4000]
    with open("esm.fa", "w", encoding="ascii") as out:
        print(">s", text, sep="\n", file=out)
    ids = tokenizer(text, return_tensors="pt")["input_ids"]
    with torch.no_grad():
        state = model.torch(ids, attention_mask=torch.ones_like(ids), output_hidden_states=True).hidden_states[-1][0]
    godwit("embed", "-q", "-m", model.folder, "--pool", "none", "-o", "esm.npy", "esm.fa")
    report.compare("values", (model.name, "godwit embed --pool none", "full"), ids.shape[1], "hidden", np.load("esm.npy"), state, 2e-5)
    godwit("finetune", "-m", model.folder, "--task", "profiles", "-d", "profiles.tsv", "-o", "esm-tuned", "--steps", 3, "--lr", 0.02, "-@", 1, "-q")
    tuned = open_folder("godwit finetune", "esm-tuned", transformers.AutoModelForSequenceClassification)
    tuned.modes, tuned.lengths = (None,), (64, 1000)
    check_lengths(tuned)
    again = transformers.AutoTokenizer.from_pretrained("esm-tuned")
    if again(text)["input_ids"] != tokenizer(text)["input_ids"]:
        report.fault("esm-tuned: its tokenizer gives other ids in transformers")
    check_return(tuned, again)
