#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Long Range Arena as docs/lab/long-range-arena.md has it: made, trained on one thread and tested, a line a run.

  arena.py BUILD DATA FOLDER RUN...
  arena.py BUILD DATA FOLDER plan      every run of that page, and what it still lacks

RUN: TASK,PATTERN,STEPS,BATCH,SEED[,OPTION=VALUE...]; OPTION is one of finetune's. STEPS `as:PATTERN` are those that take the
processor time of that pattern's run on the same task: of its longest one, beside this pattern's own longest. DATA holds
nlp/imdb_{train,test}.tsv.gz for `text`. A run whose line stands in FOLDER/runs.tsv is not made again, and a training that was
broken off goes on, without a time. Columns: task, pattern, steps, batch, seed, options, test accuracy, loss, mean density of the
graphs that the last batch sampled, processor seconds, MB at the most.
"""
import csv
import json
import pathlib
import subprocess
import sys

import timed

COLUMNS = ["task", "pattern", "steps", "batch", "seed", "options", "accuracy", "loss", "density", "seconds", "MB"]
ROWS = {"listops": (96000, 500, 2000), "text": (0, 500, 0), "image": (40000, 500, 2000), "pathfinder": (40000, 500, 1000)}
# Sampled graphs over texts take fewer steps than the others: one is 2 s long on a core.
PLAN = """
listops,linear,5000,32,1 listops,linformer,5000,32,1 listops,nystrom,5000,32,1 listops,performer,5000,32,1 listops,reformer,5000,32,1
listops,full,5000,32,1 listops,sbm:32,2000,32,1 listops,sbm:32,5000,32,1,dtype=bf16
listops,linear,1000,32,1 listops,linear,1000,32,2 listops,linear,1000,32,3
listops,linformer,as:linear,32,1 listops,nystrom,as:linear,32,1
text,linear,2500,32,1 text,performer,2500,32,1 text,full,2500,32,1 text,sbm:32,500,32,1
image,linear,1000,64,1 image,linear,1000,64,1,lr=3e-3 image,performer,1000,64,1 image,full,1000,64,1 image,sbm:32,400,64,1
image,linear,4000,64,1,dtype=bf16 image,performer,4000,64,1,dtype=bf16 image,full,4000,64,1,dtype=bf16 image,sbm:32,4000,64,1,dtype=bf16
pathfinder,linear,1000,64,1 pathfinder,linear,4000,64,1 pathfinder,performer,1000,64,1 pathfinder,full,1000,64,1 pathfinder,sbm:32,400,64,1
pathfinder,performer,4000,64,1,dtype=bf16 pathfinder,full,4000,64,1,dtype=bf16 pathfinder,sbm:32,4000,64,1,dtype=bf16
listops,sbm:32,100,32,1,density-weight=0 listops,sbm:32,100,32,1,density-weight=1e-4 listops,sbm:32,100,32,1,density-weight=1e-2
listops,sbm:32,100,32,1,density-weight=1
""".split()


class Arena:
    def __init__(self, build, data, folder):
        self.godwit = str(pathlib.Path(build, "godwit").resolve())
        self.data = pathlib.Path(data).resolve()
        self.folder = pathlib.Path(folder)
        self.table = self.folder / "runs.tsv"
        self.folder.mkdir(parents=True, exist_ok=True)

    def rows(self):
        if not self.table.exists():
            return []
        with open(self.table) as lines:
            return list(csv.DictReader(lines, delimiter="\t"))

    def make(self, task):
        """The task's folder, made where it is not there."""
        place = self.folder / task
        if not (place / "test.tsv.gz").exists():
            train, valid, test = ROWS[task]
            tables = self.data / "nlp"
            texts = ["-d", tables / "imdb_train.tsv.gz", "--test-data", tables / "imdb_test.tsv.gz"] if task == "text" else []
            rows = f"--train {train} --valid {valid} --test {test}"
            subprocess.run([self.godwit, "lra", task, "-q", "-o", place, *rows.split(), *texts], check=True)
        return place

    def longest(self, task, pattern):
        """(steps, seconds) of the longest run that was timed."""
        runs = [(int(row["steps"]), float(row["seconds"])) for row in self.rows()
                if row["task"] == task and row["pattern"] == pattern and row["seconds"] != "NA" and not row["options"]]
        if not runs:
            sys.exit(f"arena.py: no run of {task} by {pattern} has a time yet")
        return max(runs)

    def steps_of(self, task, pattern, steps):
        if not steps.startswith("as:"):
            return int(steps)
        own_steps, own_seconds = self.longest(task, pattern)
        return round(own_steps / own_seconds * self.longest(task, steps[3:])[1])

    def train(self, place, model, pattern, steps, batch, seed, options):
        settings = f"""-p {pattern} --steps {steps} --batch {batch} --seed {seed} --lr 5e-4 --schedule one-cycle --dropout 0 --weight-decay 0
            --clip 1 --batch-tokens 16384 --baseline none --patience 0 --save-every 100"""
        more = [part for option in options for part in ("--" + option).split("=", 1)]
        return timed.train(model, self.godwit, "finetune", "--from-scratch", "-c", place / "config.json", "-t", place / "tokenizer.json",
                           "--task", "classify", "-d", place / "train.tsv.gz", "--valid", place / "valid.tsv.gz", *settings.split(), *more)

    def density(self, model):
        with open(model / "metrics.jsonl") as lines:
            heads = [head for layer in json.loads(lines.readlines()[-1]).get("density", []) for head in layer]
        return f"{sum(heads) / len(heads):.4f}" if heads else "NA"

    def test(self, model, place, options):
        dtype = [part for option in options if option.startswith("dtype=") for part in ("--" + option).split("=")]
        command = [self.godwit, "eval", "-m", model, "-d", place / "test.tsv.gz", "-@", "1", "-q", *timed.ON_DEVICE, *dtype]
        said = subprocess.run(command, check=True, capture_output=True, text=True)
        names, values = (line.split("\t") for line in said.stdout.splitlines()[:2])
        row = dict(zip(names, values))
        return row["accuracy"], row["loss"]

    def run(self, text):
        task, pattern, steps, batch, seed, *options = text.split(",")
        place = self.make(task)
        steps = self.steps_of(task, pattern, steps)
        key = [task, pattern, str(steps), batch, seed, " ".join(options)]
        if any([row[name] for name in COLUMNS[:6]] == key for row in self.rows()):
            return
        model = self.folder / "-".join(key[:5] + options).replace(":", "_").replace("/", "_")
        seconds, most = self.train(place, model, pattern, steps, batch, seed, options)
        line = key + [*self.test(model, place, options), self.density(model), seconds, most]
        first = not self.table.exists()
        with open(self.table, "a") as table:
            table.write(("\t".join(COLUMNS) + "\n" if first else "") + "\t".join(line) + "\n")
        print("\t".join(line), flush=True)


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    arena = Arena(*sys.argv[1:4])
    for text in PLAN if sys.argv[4:] == ["plan"] else sys.argv[4:]:
        arena.run(text)


main()
