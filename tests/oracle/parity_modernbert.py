# SPDX-License-Identifier: MIT
"""ModernBERT with every head in godwit and in transformers (eager attention), and folders of godwit's own: parity_oracle.py."""
import os

import numpy as np
import tokenizers
import torch
import transformers

from parity_compare import (EVEN, VOCABULARY, Model, check_gradients, check_layers, check_lengths, draw_batch, make,
                            report, request_of, their_outputs, their_values)
from parity_folders import check_return, draw_data, open_folder
from parity_godwit import godwit, run

LENGTHS = (1, 2, 64, 65, 128, 129, 200, 512, 1000, 2048)
HEADS = ("Model", "ForMaskedLM", "ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering",
         "ForMultipleChoice")
# Whatever is left at its default by the usual models: biases, windows, layers, bases, activations, pooling.
ODD = {"attention_bias": True, "mlp_bias": True, "norm_bias": True, "classifier_bias": True, "decoder_bias": False,
       "local_attention": 40, "global_attn_every_n_layers": 2, "global_rope_theta": 20000.0, "local_rope_theta": 500.0,
       "hidden_activation": "silu", "classifier_activation": "relu", "norm_eps": 1e-6, "classifier_pooling": "mean"}


def modernbert(name, kind, lengths, **options):
    config = transformers.ModernBertConfig(**{
        "vocab_size": VOCABULARY, "hidden_size": 128, "num_hidden_layers": 4, "num_attention_heads": 4,
        "intermediate_size": 192, "num_labels": 2 if "Question" in kind else 5, "pad_token_id": 3, "bos_token_id": 1,
        "eos_token_id": 2, "cls_token_id": 1, "sep_token_id": 2,
        "problem_type": "multi_label_classification" if "Sequence" in kind else None,
        "attn_implementation": "eager", **options})
    return Model(name, kind, config, lengths, usual="own")


def check_batch(model, lengths):
    """A batch that transformers pads and godwit packs, on its real tokens."""
    batch = draw_batch(model, lengths, max(lengths))
    model.torch.eval()
    with torch.no_grad():
        theirs = their_values(model, their_outputs(model, batch), batch)
    found = run(model.folder, masked_row=np.arange(sum(lengths)) if "mlm" in theirs else None,
                **request_of(model, batch, lengths))
    for name, value in theirs.items():
        report.compare("padded", (model.kind, "own", str(max(lengths))), "+".join(map(str, lengths)),
                       name, found.get(name, np.zeros(0)), value, 2e-5)


def check_models():
    for head in HEADS:
        model = make(modernbert("ModernBERT", f"ModernBert{head}", LENGTHS))
        check_lengths(model)
        if head == "Model":
            check_layers(model, None, 200)
        else:
            check_gradients(model, ([200, 200],) if head in EVEN else ([64], [300, 200]))
        if head in ("ForMaskedLM", "ForSequenceClassification"):
            check_batch(model, (300, 7, 129, 1))
    for head in ("ForMaskedLM", "ForSequenceClassification", "ForTokenClassification"):
        model = make(modernbert("ModernBERT, biases, other windows", f"ModernBert{head}", (1, 21, 64, 300), **ODD))
        check_lengths(model)
        check_gradients(model, ([64], [300, 200]))
    check_batch(make(modernbert("", "ModernBertForSequenceClassification", (), classifier_pooling="mean")), (300, 7, 129))
    check_lengths(make(modernbert("ModernBERT, 3 layers", "ModernBertForMaskedLM", (8192,), num_hidden_layers=3)))
    check_long_gradients()


def check_long_gradients():
    """Lengths to 8,192, that with one head: transformers keeps each layer's scores."""
    check_gradients(make(modernbert("ModernBERT", "ModernBertForMaskedLM", ())), ([2], [129], [1000], [2048]))
    check_gradients(make(modernbert("ModernBERT, 3 layers, a head", "ModernBertForMaskedLM", (), num_hidden_layers=3,
                                    num_attention_heads=1)), ([8192],))


def train_tokenizer(byte_level):
    """32,000 byte pairs of DNA as modernGENA has them: of bases, or of GPT-2's bytes."""
    kinds = tokenizers.pre_tokenizers, tokenizers.models.BPE(unk_token="[UNK]")
    made = tokenizers.Tokenizer(kinds[1])
    if byte_level:
        made.pre_tokenizer = kinds[0].ByteLevel(add_prefix_space=False)
        made.decoder = tokenizers.decoders.ByteLevel()
    special = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=32000, special_tokens=special, show_progress=False)
    draw = np.random.default_rng(7)
    made.train_from_iterator(("".join(draw.choice(list("ACGT"), 60)) for _ in range(30000)), trainer)
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)])
    names = zip(("unk_token", "cls_token", "sep_token", "pad_token", "mask_token"), special, strict=True)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, **dict(names))


def check_tokenizers():
    """`godwit embed` of a sequence, from its bases on, by tokenizers of the kind that DNA ModernBERTs have."""
    sequence = "".join(np.random.default_rng(8).choice(list("ACGT"), 4000))
    with open("modern.fa", "w", encoding="ascii") as out:
        print(">s", sequence, sep="\n", file=out)
    for byte_level in (False, True):
        tokenizer = train_tokenizer(byte_level)
        model = make(modernbert("ModernBERT, 32,000 byte pairs" + (" of bytes" if byte_level else ""),
                                "ModernBertForMaskedLM", (), vocab_size=len(tokenizer)))
        os.remove(f"{model.folder}/tokenizer.json")
        tokenizer.save_pretrained(model.folder)
        ids = tokenizer(sequence, return_tensors="pt")["input_ids"]
        model.torch.eval()
        with torch.no_grad():
            state = model.torch(ids, output_hidden_states=True).hidden_states[-1][0]
        godwit("embed", "-q", "-m", model.folder, "--pool", "none", "-o", "modern.npy", "modern.fa")
        row = (model.name, "godwit embed --pool none", "own")
        report.compare("values", row, ids.shape[1], "hidden", np.load("modern.npy"), state, 2e-5)


def check_own():
    """What godwit trains, opened in transformers."""
    draw_data()
    train = ("--steps", 3, "--lr", 0.02, "-@", 1, "-q")
    godwit("pretrain", "-d", "own", "--size", "modern-tiny", "-o", "modern", "--batch-tokens", 4096, *train)
    for pooling in ("first", "mean"):
        godwit("finetune", "-m", "modern", "--task", "profiles", "--pooling", pooling, "-d", "profiles.tsv", "-o",
               f"modern-{pooling}", *train)
    for name, folder, auto in (("godwit pretrain", "modern", transformers.AutoModelForMaskedLM),
                               ("godwit finetune", "modern-first", transformers.AutoModelForSequenceClassification),
                               ("godwit finetune, mean", "modern-mean",
                                transformers.AutoModelForSequenceClassification)):
        model = open_folder(name, folder, auto)
        model.modes, model.usual = (None,), "own"
        check_lengths(model)
        check_return(model, transformers.AutoTokenizer.from_pretrained(folder))
