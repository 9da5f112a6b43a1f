#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`embed` of folders that sentence-transformers writes against its encode(): poolings, prompts, lengths, lower case."""
import json
import os
import subprocess
import sys

os.environ["HF_HUB_OFFLINE"] = "1"
try:
    from sentence_transformers import SentenceTransformer, models
except ImportError:
    print("needs sentence-transformers")
    sys.exit(77)
import numpy as np
import torch
from tokenizers import Tokenizer, pre_tokenizers, processors
from tokenizers.models import WordPiece
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

WIDTH = 32
TEXTS = ["the cat sat.", "Hello World: ABC def", "a", "the quick brown fox jumps over the lazy dog. the quick brown fox",
         "\u0130stanbul \u00c0\u00c9 \u03a3 the"]
ALL = ["lasttoken", "cls", "max", "mean_sqrt_len_tokens", "weightedmean", "mean"]
OLD_KEYS = {"cls": "cls_token", "max": "max_tokens", "mean": "mean_tokens", "lasttoken": "lasttoken",
            "mean_sqrt_len_tokens": "mean_sqrt_len_tokens", "weightedmean": "weightedmean_tokens"}


def write_bert():
    letters = [chr(c) for c in [*range(65, 91), *range(97, 123)]]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ":", "the", *letters, *("##" + c for c in letters)]
    tokenizer = Tokenizer(WordPiece({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    torch.manual_seed(1)
    BertModel(BertConfig(vocab_size=len(words), hidden_size=WIDTH, num_hidden_layers=2, num_attention_heads=2,
                         intermediate_size=64, max_position_embeddings=32, initializer_range=0.4)).save_pretrained("bert")
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]",
                            sep_token="[SEP]", mask_token="[MASK]").save_pretrained("bert")


def make(name, modes, norm=False, prompt=None, include=True, lengths=None, old=False):
    """A folder; old: with the keys and types of version 2."""
    parts = [models.Transformer("bert"), models.Pooling(WIDTH, pooling_mode=modes, include_prompt=include)]
    named = {"prompts": {"p": prompt}, "default_prompt_name": "p"} if prompt else {}
    SentenceTransformer(modules=parts + [models.Normalize()] * norm, device="cpu", **named).save(
        name, create_model_card=False)
    if old:
        keys = {"pooling_mode_" + key: mode in modes for mode, key in OLD_KEYS.items()}
        with open(f"{name}/1_Pooling/config.json", "w", encoding="ascii") as out:
            json.dump({"word_embedding_dimension": WIDTH, **keys}, out)
        with open(f"{name}/modules.json", encoding="ascii") as file:
            modules = json.load(file)
        for module in modules:
            module["type"] = "sentence_transformers.models." + module["type"].split(".")[-1]
        with open(f"{name}/modules.json", "w", encoding="ascii") as out:
            json.dump(modules, out)
    if lengths:
        with open(f"{name}/sentence_bert_config.json", "w", encoding="ascii") as out:
            json.dump(lengths, out)


write_bert()
with open("texts.jsonl", "w", encoding="utf-8") as texts:
    texts.writelines(json.dumps({"text": text}) + "\n" for text in TEXTS)
worst = 0
for number, options in enumerate([
        {"modes": "mean", "norm": True}, {"modes": "cls"}, {"modes": ALL, "norm": True},
        {"modes": ["lasttoken"], "old": True},
        {"modes": ["max", "mean"], "old": True, "lengths": {"max_seq_length": 9, "do_lower_case": True}},
        {"modes": ALL, "prompt": "the: ", "include": False},
        {"modes": ALL, "norm": True, "prompt": "query: ", "lengths": {"max_seq_length": 12, "do_lower_case": False}}]):
    folder = f"folder{number}"
    make(folder, **options)
    expected = SentenceTransformer(folder, device="cpu").encode(TEXTS)
    subprocess.run([os.environ["GODWIT"], "embed", "-q", "-m", folder, "-d", "texts.jsonl", "-o", "found.npy"], check=True)
    found = np.load("found.npy")
    assert found.shape == expected.shape, (options, found.shape, expected.shape)
    worst = max(worst, np.abs(found - expected).max())
print(f"largest difference {worst:.1e}")
sys.exit(not worst < 1e-5)
