#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What pretraining and context are worth: the runs of docs/lab/pretraining.md on one thread, a line each in FOLDER/runs.tsv.

  worth.py BUILD DATA FOLDER PART...     PART: promoters gue profiles context texts

DATA holds worm/, yeast/, gue/ and, for `texts`, nlp/; that part also reads MINILM, the folder of a BERT. A run whose line is
there is not made again, and a training that was broken off goes on, without a time. Columns: part, run, metric and value (pairs
as eval names them), processor seconds.
"""
import gzip
import itertools
import json
import os
import pathlib
import subprocess
import sys

import timed

SEEDS = (1, 2, 3)
# Share of the labels: every such training row, epochs, batch.
SHARES = {"100": (1, 4, 64), "10": (10, 12, 64), "1": (100, 40, 16)}
# Of profiles: epochs, and what of the 9.9 Mb that train is left out too, so that 0.94 and 0.09 Mb remain.
PROFILES = {"100": (3, ""), "10": (6, ",II,III,IV,V,VIII,X,XI:120001-666816,XII,XIV,XV,XVI"),
            "1": (24, ",II,III,IV,V,VI,VIII,IX,X,XI:120001-666816,XII,XIV,XV,XVI,I:1-100000,I:190001-230218")}
WORM = [("chrI", 0, 15072423), ("chrII", 2000000, 15279323), ("chrIV", 0, 17493793), ("chrV", 0, 20924149), ("chrX", 0, 17718866)]
TRAINING = "--schedule one-cycle --weight-decay 0.02 --dropout 0.1 --pooling places --patience 0 --dtype bf16".split()
GENOME = "--mask-rate 0.2 --lr 2e-3 --beta2 0.98 --warmup 100 --schedule cosine --ema 0.998 --dtype bf16".split()
TEXT = """--steps 120 --batch-tokens 8192 --save-every 120 --warmup 20 --schedule cosine --beta2 0.98 --dropout 0
    --dtype bf16""".split()
TEXT_LENGTHS = (512, 1024, 4096)
SPARSE = "window:3+global:2+random:3"
# Windows of the context part: bases, windows a step, steps. Equal steps are 500 of 8 windows, equal bases 8.2 million.
CONTEXTS = [(512, 8, 500), (2048, 8, 500), (8192, 8, 500), (512, 32, 500), (8192, 2, 500)]


class Runs:
    def __init__(self, build, data, folder):
        self.godwit = str(pathlib.Path(build, "godwit").resolve())
        self.data = pathlib.Path(data).resolve()
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.table = self.folder / "runs.tsv"
        self.worm, self.yeast = self.data / "worm/ce10.fa.gz", self.data / "yeast/R64-1-1.fa.gz"

    def has(self, part, run):
        return self.table.exists() and any(line.startswith(f"{part}\t{run}\t") for line in open(self.table))

    def note(self, part, run, row, metrics, seconds):
        text = "".join(f"{part}\t{run}\t{name}\t{row[name]}\t{seconds}\n" for name in metrics)
        with open(self.table, "a") as table:
            table.write(text)
        print(text, end="", flush=True)

    def call(self, *command):
        return subprocess.run([self.godwit, *map(str, command)], check=True, capture_output=True, text=True).stdout

    def train(self, name, *command):
        """Its folder, and the processor seconds of its training."""
        model = self.folder / name
        return model, timed.train(model, self.godwit, *command)[0]

    def evaluate(self, model, *options):
        """The rows of eval's table by the first column, the first of each, by its columns."""
        names, *rows = (line.split("\t") for line in self.call("eval", "-m", model, "-q", "-@", "1", *timed.ON_DEVICE, *options).splitlines())
        return {row[0]: dict(zip(names, row)) for row in reversed(rows)}


def thin(source, out, every):
    """Every `every`-th example of each label of a table's training rows; the others stay."""
    with (gzip.open if source.suffix == ".gz" else open)(source, "rt") as lines, open(out, "w") as table:
        head = next(lines)
        table.write(head)
        comma = "," if "," in head else "\t"
        columns = head.rstrip("\n").split(comma)
        label = columns.index("label")
        split = columns.index("split") if "split" in columns else None
        seen = {}
        for line in lines:
            fields = line.rstrip("\n").split(comma)
            if split is None or fields[split] == "train":
                number = seen.get(fields[label], 0)
                seen[fields[label]] = number + 1
                if number % every:
                    continue
            table.write(line)


def worm_model(runs):
    """dna-mini on the worm without chromosome III and the first 2 Mb of II."""
    train, valid = runs.folder / "worm.train.bed", runs.folder / "worm.valid.bed"
    train.write_text("".join(f"{name}\t{begin}\t{end}\n" for name, begin, end in WORM))
    valid.write_text("chrII\t0\t2000000\n")
    settings = "--size dna-mini --length 306 --steps 5400 --batch-tokens 16448 --save-every 600".split()
    return runs.train("worm.pretrained", "pretrain", "-f", runs.worm, "-R", train, "--valid-regions", valid, *settings, *GENOME)[0]


def beginnings(pretrained, length):
    """Of a model that was pretrained and of a fresh one: name and options of finetune."""
    return (("pretrained", ["-m", pretrained, *f"--length {length} --lr 1e-3".split()]),
            ("fresh", f"--from-scratch --size dna-mini --length {length} --lr 1.5e-3".split()))


def learn_labels(runs, part, name, pretrained, length, train, valid, test, options):
    """Promoters, or whatever has one label, by each share of the training rows and each seed."""
    for share, seed in itertools.product(SHARES, SEEDS):
        every, epochs, batch = SHARES[share]
        few = runs.folder / f"{name}.{share}{train.suffixes[0]}"
        if not few.exists():
            thin(train, few, every)
        for begins, model in beginnings(pretrained, length):
            run = f"{name}.{begins}.{share}.{seed}"
            if runs.has(part, run):
                continue
            settings = f"--task promoter --baseline none --epochs {epochs} --batch {batch} --batch-tokens 19456 --seed {seed}".split()
            folder, seconds = runs.train(run, "finetune", *model, "-d", few, "--valid", valid or few, *settings, *TRAINING, *options)
            runs.note(part, run, runs.evaluate(folder, *test)["label"], ("AUROC", "F1", "MCC"), seconds)


def write_starts(annotation, out):
    """The promoters' places as BED of one base each."""
    with gzip.open(annotation, "rt") as lines, open(out, "w") as bed:
        next(lines)
        for fields in (line.rstrip("\n").split("\t") for line in lines):
            bed.write("\t".join([fields[0], fields[3], str(int(fields[3]) + 1), fields[4], "0", fields[6]]) + "\n")


def promoters(runs):
    table, starts = runs.folder / "genomic.tsv", runs.folder / "tss.bed"
    if not table.exists():
        write_starts(runs.data / "worm/promoter_annotation_ce10.tsv.gz", starts)
        settings = "--upstream 250 --downstream 50 --negatives genomic --test chrIII --valid chrII:1-2000000".split()
        runs.call("promoters", "-q", "-f", runs.worm, starts, "-o", table, *settings)
    learn_labels(runs, "promoters", "worm", worm_model(runs), 304, table, None, ["-d", table], [])


def gue(runs):
    """Human sequences, which the worm's genome may have taught something about."""
    pretrained = worm_model(runs)
    for name, place, window in (("core_tata", "prom/prom_core_tata", 70), ("tf0", "tf/0", 101)):
        train, valid, test = (runs.data / "gue" / place / f"{split}.csv.gz" for split in ("train", "dev", "test"))
        learn_labels(runs, "gue", name, pretrained, window + 4, train, valid, ["-d", test, "--without", train, "--without", valid],
                     f"--window {window} --tss-offset {window // 2}".split())


def yeast_parts(runs):
    """BED files of what trains and what validates."""
    with open(f"{runs.yeast}.fai") as lines:
        lengths = dict(line.split("\t")[:2] for line in lines)
    parts = {"train": [name for name in lengths if name not in ("VII", "XIII", "XI", "Mito")], "valid": ["XI"]}
    for part, names in parts.items():
        (runs.folder / f"yeast.{part}.bed").write_text("".join(f"{name}\t0\t{lengths[name]}\n" for name in names))
    return [runs.folder / f"yeast.{part}.bed" for part in parts]


def profile_set(runs, share):
    made = runs.folder / f"profiles.{share}"
    if not pathlib.Path(f"{made}.bed.gz").exists():
        settings = f"--label midpoint --target-from column4 --test VII,XIII --valid XI:1-120000 --exclude Mito{PROFILES[share][1]}".split()
        runs.call("profiles", "-q", "-f", runs.yeast, *settings, "-o", made, runs.data / "yeast/chexmix_peaks.bed.gz")
    return made


def profiles(runs):
    train, valid = yeast_parts(runs)
    settings = "--size dna-mini --length 514 --steps 1500 --batch-tokens 16448 --save-every 150".split()
    pretrained, _ = runs.train("yeast.pretrained", "pretrain", "-f", runs.yeast, "-R", train, "--valid-regions", valid, *settings, *GENOME)
    for share, (epochs, _) in PROFILES.items():
        made = profile_set(runs, share)
        for seed, (begins, model) in itertools.product(SEEDS[:2] if share != "100" else SEEDS[:1], beginnings(pretrained, 1002)):
            run = f"yeast.{begins}.{share}.{seed}"
            if runs.has("profiles", run):
                continue
            settings = f"--task profiles --epochs {epochs} --batch 32 --batch-tokens 8016 --ema 0.999 --seed {seed}".split()
            folder, seconds = runs.train(run, "finetune", *model, "-d", made, "--valid", made, "-f", runs.yeast, *settings, *TRAINING)
            rows = runs.evaluate(folder, "-d", runs.folder / "profiles.100", "-f", runs.yeast, "--dtype", "bf16")
            runs.note("profiles", run, {scope: rows[scope]["AUROC"] for scope in ("mean", "median")}, ("mean", "median"), seconds)


def context(runs):
    """The same 200 kb of a test chromosome after windows of each length."""
    train, valid = yeast_parts(runs)
    test = runs.folder / "context.bed"
    test.write_text("VII\t200000\t400000\n")
    for bases, windows, steps in CONTEXTS:
        run = f"{bases}.{windows}"
        if runs.has("context", run):
            continue
        settings = f"--size dna-tiny --length {bases + 2} -p {SPARSE} --steps {steps} --batch-tokens {windows * (bases + 2)} --save-every {steps}"
        genome = ["-f", runs.yeast, "-R", train, "--valid-regions", valid]
        folder, seconds = runs.train(f"context.{run}", "pretrain", *genome, *settings.split(), *GENOME)
        row = runs.evaluate(folder, "-f", runs.yeast, "-R", test, "--dtype", "bf16")["model"]
        runs.note("context", run, row, ("accuracy", "bits_per_base"), seconds)


def write_papers(runs, minilm):
    with gzip.open(runs.data / "nlp/sumpubmed_first1500.jsonl.gz", "rt") as lines:
        rows = list(lines)
    for split, part in (("train", rows[:1350]), ("valid", rows[1350:1360]), ("test", rows[1480:])):
        (runs.folder / f"{split}.jsonl").write_text("".join(part))
        runs.call("encode", "-q", "-m", minilm, "--text", "text", "-o", runs.folder / split, runs.folder / f"{split}.jsonl")


def repeat_positions(runs, minilm, length):
    """MiniLM as a BigBird of that length, and the config.json of a fresh one."""
    bigbird, fresh = runs.folder / f"minilm.{length}", runs.folder / f"fresh.{length}.json"
    if not (bigbird / "model.safetensors").exists():
        runs.call("convert", "-q", "-m", minilm, "-o", bigbird, "--to", "big_bird", "--positions", length)
    with open(bigbird / "config.json") as file:
        config = {key: value for key, value in json.load(file).items() if key != "godwit"}
    fresh.write_text(json.dumps({**config, "architectures": ["BigBirdForMaskedLM"]}))
    return bigbird, fresh


def texts(runs):
    """Papers of SumPubMed: 1,350 train, 10 others validate and 20 test."""
    minilm = os.environ.get("MINILM") or sys.exit("worth.py: texts need MINILM, the folder of a BERT")
    if not (runs.folder / "test.bin").exists():
        write_papers(runs, minilm)
    for length in TEXT_LENGTHS:
        bigbird, fresh = repeat_positions(runs, minilm, length)
        for begins, model in (("minilm", ["-m", bigbird, *"--no-pairs --lr 3e-4".split()]), ("fresh", ["-c", fresh, "--lr", "1e-3"])):
            run = f"{begins}.{length}"
            if runs.has("texts", run):
                continue
            shards = ["-d", runs.folder / "train", "--valid", runs.folder / "valid"]
            folder, seconds = runs.train(f"texts.{run}", "pretrain", *model, *shards, "--length", length, *TEXT)
            row = runs.evaluate(folder, "-d", runs.folder / "test", "--dtype", "bf16")["model"]
            runs.note("texts", run, row, ("accuracy", "bits_per_character"), seconds)


PARTS = {part.__name__: part for part in (promoters, gue, profiles, context, texts)}


def main():
    if len(sys.argv) < 5 or not set(sys.argv[4:]) <= set(PARTS):
        sys.exit(__doc__)
    runs = Runs(*sys.argv[1:4])
    for part in sys.argv[4:]:
        PARTS[part](runs)


main()
