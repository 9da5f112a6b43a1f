#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What tests/bench/bench_questions.sh times godwit against: transformers' BigBirdForQuestionAnswering.

    question_peer.py make ENCODER SET FOLDER           a model with a random head, and four questions that fill a window each
    question_peer.py answer FOLDER ATTENTION           transformers' scores of the answers, and its processor seconds a question
    question_peer.py compare GODWIT FOLDER ROUNDS      both in turn

The time of a question is that of the last three of four: of transformers by its process's clock, of godwit by the difference
between runs with four questions and with one. Memory is the largest resident set of a whole process.
"""
import csv
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import time

os.environ |= {"TRANSFORMERS_VERBOSITY": "error", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}

WINDOW, LONGEST, QUESTIONS = 4096, 30, 4


def windows(tokenizer, question, context):
    """The pair's tokens, cut to a window, and the context's part of it in characters."""
    tokenizer.enable_truncation(WINDOW, strategy="only_second")
    encoded = tokenizer.encode(question, context)
    last = max(i for i, sequence in enumerate(encoded.sequence_ids) if sequence == 1)
    return encoded, encoded.offsets[last][1]


def make(encoder, source, folder):
    import torch
    from tokenizers import Tokenizer
    from transformers import BigBirdForQuestionAnswering
    torch.manual_seed(1)
    model = BigBirdForQuestionAnswering.from_pretrained(encoder)
    torch.nn.init.normal_(model.qa_classifier.qa_outputs.weight, std=0.3)
    model.save_pretrained(f"{folder}/model")
    shutil.copy(f"{encoder}/tokenizer.json", f"{folder}/model")
    tokenizer = Tokenizer.from_file(f"{encoder}/tokenizer.json")
    tokenizer.no_padding()
    with (gzip.open if source.endswith(".gz") else open)(source, "rt", encoding="utf-8") as text:
        articles = json.load(text)["data"]
    chosen = []
    for paragraph in (p for article in articles for p in article["paragraphs"]):
        question = paragraph["qas"][0]["question"]
        encoded, end = windows(tokenizer, question, paragraph["context"])
        if len(encoded.ids) == WINDOW and len(chosen) < QUESTIONS:
            chosen.append({"context": paragraph["context"][:end].rstrip(),
                           "qas": [{"id": f"q{len(chosen)}", "question": question, "answers": []}]})
    if len(chosen) < QUESTIONS:
        sys.exit(f"{source}: {len(chosen)} contexts fill a window of {WINDOW} tokens, and {QUESTIONS} are needed")
    for count in (1, QUESTIONS):
        with open(f"{folder}/{count}.json", "w", encoding="utf-8") as out:
            json.dump({"version": "1.1", "data": [{"paragraphs": chosen[:count]}]}, out)


def best(encoded, start, end):
    """The largest sum of logits of a span of the context."""
    inside = [i for i, sequence in enumerate(encoded.sequence_ids) if sequence == 1]
    return max(start[i] + max(end[i:min(i + LONGEST, inside[-1] + 1)]) for i in inside)


def answer(folder, attention):
    import torch
    from tokenizers import Tokenizer
    from transformers import BigBirdForQuestionAnswering
    torch.set_num_threads(1)
    model = BigBirdForQuestionAnswering.from_pretrained(f"{folder}/model", attention_type=attention).eval()
    tokenizer = Tokenizer.from_file(f"{folder}/model/tokenizer.json")
    tokenizer.no_padding()
    seconds, scores = [], []
    for paragraph in json.load(open(f"{folder}/{QUESTIONS}.json", encoding="utf-8"))["data"][0]["paragraphs"]:
        encoded, _ = windows(tokenizer, paragraph["qas"][0]["question"], paragraph["context"])
        ids, types = torch.tensor([encoded.ids]), torch.tensor([encoded.type_ids])
        began = time.process_time()
        with torch.no_grad():
            logits = model(input_ids=ids, token_type_ids=types)
        seconds.append(time.process_time() - began)
        scores.append(best(encoded, logits.start_logits[0].tolist(), logits.end_logits[0].tolist()))
    json.dump({"seconds": seconds[1:], "scores": scores}, sys.stdout)


def run(command):
    """Standard output, processor seconds and peak megabytes of a command."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive")
    child = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{command[0]} failed")
    return output.decode(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def ask(godwit, folder, attention, count):
    return run([godwit, "predict", "-q", "-m", f"{folder}/model", "-d", f"{folder}/{count}.json", "-@", "1",
                "--max-length", str(WINDOW), "--max-answer", str(LONGEST), "--attention", attention])


def compare(godwit, folder, rounds):
    seconds, memory, apart = {}, {}, 0
    for _ in range(rounds):
        for theirs, ours in (("block_sparse", "hf-eval"), ("original_full", "full")):
            _, one, _ = ask(godwit, folder, ours, 1)
            table, four, size = ask(godwit, folder, ours, QUESTIONS)
            seconds.setdefault(f"godwit {ours}", []).append((four - one) / (QUESTIONS - 1))
            memory.setdefault(f"godwit {ours}", []).append(size)
            output, _, size = run([sys.executable, __file__, "answer", folder, theirs])
            found = json.loads(output)
            seconds.setdefault(f"transformers {theirs}", []).extend(found["seconds"])
            memory.setdefault(f"transformers {theirs}", []).append(size)
            scores = [float(row["score"]) for row in csv.DictReader(table.splitlines(), delimiter="\t")]
            print(f"{ours}: {seconds[f'godwit {ours}'][-1]:.2f} s; {theirs}: {found['seconds']} s, {size:.0f} MB", file=sys.stderr)
            apart = max([apart] + [abs(a - b) for a, b in zip(scores, found["scores"], strict=True)])
    print("program\tseconds\tleast\tmost\tpeak_mb")
    for name, list_ in seconds.items():
        print(f"{name}\t{statistics.median(list_):.2f}\t{min(list_):.2f}\t{max(list_):.2f}\t{max(memory[name]):.0f}")
    print(f"scores of answers differ by {apart:.1e} at most")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(*sys.argv[2:5])
    elif sys.argv[1] == "answer":
        answer(*sys.argv[2:4])
    else:
        compare(sys.argv[2], sys.argv[3], int(sys.argv[4]))
