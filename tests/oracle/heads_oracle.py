#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `predict --logits` says of texts, by every head, against transformers: small random models of BERT and RoBERTa with
their tokenizers, pairs of texts short and long, cut where they exceed the positions."""
import os
import json
import pathlib
import random
import shutil
import subprocess

import torch
import transformers as T

GODWIT, GOLDEN = os.environ["GODWIT"], pathlib.Path(os.environ["ROOT"]) / "tests/data/tokenizer_json"
BOUND = 1e-5
WORDS = "The cell divides, and genes aren't words! we've read it twice: about 6.4 naïve café genomes (small)".split()
MANY = {"num_labels": 3, "problem_type": "multi_label_classification"}
HEADS = [("SequenceClassification", {"num_labels": 3}), ("SequenceClassification", MANY), ("SequenceClassification", {"num_labels": 1}),
         ("TokenClassification", {"num_labels": 4}), ("QuestionAnswering", {}), ("MultipleChoice", {})]


def tokenizer(family):
    if family == "bert":
        return T.PreTrainedTokenizerFast(tokenizer_file=str(GOLDEN / "wordpiece.json"), unk_token="[UNK]", cls_token="[CLS]",
                                         sep_token="[SEP]", pad_token="[PAD]", mask_token="[MASK]",
                                         model_input_names=["input_ids", "token_type_ids", "attention_mask"])
    return T.PreTrainedTokenizerFast(tokenizer_file=str(GOLDEN / "byte_level.json"), unk_token="<unk>", cls_token="<s>",
                                     sep_token="</s>", pad_token="<pad>", mask_token="<mask>", bos_token="<s>", eos_token="</s>")


def config(family, size, **more):
    shared = dict(vocab_size=size, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
                  initializer_range=0.2, **more)
    if family == "bert":
        return T.BertConfig(max_position_embeddings=128, **shared)
    return T.RobertaConfig(max_position_embeddings=130, type_vocab_size=1, pad_token_id=1, bos_token_id=0, eos_token_id=2, **shared)


def expected(model, head, tokenize, row):
    kind = dict(return_tensors="pt", truncation=True, max_length=128)
    with torch.no_grad():
        if head == "MultipleChoice":
            inputs = tokenize([row[0], row[0]], row[1:], padding=True, **kind)
            return model(**{name: value[None] for name, value in inputs.items()}).logits.tolist()
        out = model(**tokenize(row[0], row[1], **kind))
    if head == "QuestionAnswering":
        return torch.stack([out.start_logits[0], out.end_logits[0]], 1).tolist()
    return out.logits[0].tolist() if head == "TokenClassification" else out.logits.tolist()


def check(family, head, more, rows):
    tokenize = tokenizer(family)
    folder = pathlib.Path("model")
    shutil.rmtree(folder, ignore_errors=True)
    model = getattr(T, {"bert": "Bert", "roberta": "Roberta"}[family] + "For" + head)(config(family, len(tokenize), **more)).eval()
    model.save_pretrained(folder)
    tokenize.save_pretrained(folder)
    columns = ["--choices", "b", "--choices", "c"] if head == "MultipleChoice" else ["--text2", "b"]
    run = subprocess.run([GODWIT, "predict", "-q", "-m", folder, "-d", "rows.tsv", "--logits", "--text", "a", *columns],
                         capture_output=True, text=True, check=True)
    found = [line.split("\t") for line in run.stdout.split("\n")[1:-1]]
    wanted = [line for row in rows for line in expected(model, head, tokenize, row)]
    width, largest = len(wanted[0]), max(abs(value) for line in wanted for value in line)
    worst = max(abs(float(f) - w) for line, want in zip(found, wanted) for f, w in zip(line[-width:], want)) / largest
    good = len(found) == len(wanted) and worst < BOUND
    if head == "QuestionAnswering":
        good = check_answers() and good
    print(f"{family} {head} {more}: {len(found)} lines, off by {worst:.1e}{'' if good else ', WRONG'}", flush=True)
    return good


def check_answers():
    """eval of a span head: every other row expects the answer that predict gives, the others what stands in no text."""
    pair = ["--text", "a", "--text2", "b"]
    run = [GODWIT, "predict", "-q", "-m", "model", "-d", "rows.tsv", *pair]
    answers = [line.split("\t")[-1] for line in subprocess.run(run, capture_output=True, text=True, check=True).stdout.split("\n")[1:-1]]
    lines = pathlib.Path("rows.tsv").read_text(encoding="utf-8").split("\n")[1:-1]
    rows = [dict(zip("abc", line.split("\t")), answers=["zzz", answer] if i % 2 else ["zzz"])
            for i, (line, answer) in enumerate(zip(lines, answers, strict=True))]
    pathlib.Path("answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    run = [GODWIT, "eval", "-q", "-m", "model", "-d", "answers.jsonl", *pair, "--label", "answers"]
    found = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    expected = sum(bool(answer.strip()) for answer in answers[1::2]) / len(rows)
    good = found == f"rows\texact\tf1\n{len(rows)}\t{expected:.6f}\t{expected:.6f}\n"
    print(f"answers: exact {expected}{'' if good else ', WRONG: ' + found}")
    return good


def main():
    draw = random.Random(5)
    torch.manual_seed(1)
    rows = [[" ".join(draw.choices(WORDS, k=draw.choice([3, 20, 60]))) for _ in range(3)] for _ in range(20)]
    pathlib.Path("rows.tsv").write_text("a\tb\tc\n" + "".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    results = [check(family, head, more, rows) for family in ("bert", "roberta") for head, more in HEADS]
    raise SystemExit(not all(results))


if __name__ == "__main__":
    main()
