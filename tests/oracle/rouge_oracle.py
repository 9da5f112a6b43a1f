#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`godwit rouge` and the package rouge-score: the same precision, recall and F1 of 2,000 pairs of texts, and intervals of
its bootstrap within Monte-Carlo error. Words come from the project's own documents and from endings that the stemmer
knows, among them characters whose lower case is another letter."""
import glob
import os
import random
import re
import subprocess
import sys

import numpy as np
from rouge_score import rouge_scorer, scoring

GODWIT, ROOT = os.environ["GODWIT"], os.environ["ROOT"]
PAIRS, KINDS = 2000, ("rouge1", "rouge2", "rougeL", "rougeLsum")
ODD = ["naïve", "\u212a", "\u0130stanbul", "ﬁne", "Straße", "ΑΒΓ", "٣", "日本語", "x²", "don't", "co-operate", "ſ", "😀",
       "\u00a0", "\u0301", "<n>"]
ENDINGS = ("ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti "
           "iviti biliti fulli logi icate ative alize iciti ical ful ness ance ement ment sion tion ion ism ed ing ied eed "
           "ies sses y at bl iz ll e").split()


def draw_words(draw):
    found = set()
    for path in glob.glob(f"{ROOT}/docs/*.md"):
        with open(path, encoding="utf-8") as text:
            found |= set(re.findall("[A-Za-z0-9]+", text.read()))
    made = ("".join(draw.choice("abcdeilnorstuvy") for _ in range(draw.randint(1, 5))) +
            "".join(draw.choice(ENDINGS) for _ in range(draw.randint(1, 2))) for _ in range(5000))
    return [*sorted(found), *made]


def draw_text(draw, words):
    known = [*draw.sample(words, draw.choice((3, 10, 100))), *draw.sample(ODD, 3)]
    ends = (" ", " ", " ", "<n>", ". ", "  ", "-", "")
    return "".join(draw.choice(known) + draw.choice(ends) for _ in range(draw.randint(0, 25)))


def main():
    draw = random.Random(3)
    words = draw_words(draw)
    pairs = [(draw_text(draw, words), draw_text(draw, words)) for _ in range(PAIRS)]
    for side, name in enumerate(("references.txt", "texts.txt")):
        with open(name, "w", encoding="utf-8") as out:
            out.writelines(pair[side] + "\n" for pair in pairs)
    done = subprocess.run([GODWIT, "rouge", "-r", "references.txt", "--per-pair", "pairs.tsv", "texts.txt"], check=True,
                          capture_output=True, text=True)
    found = np.loadtxt("pairs.tsv", skiprows=1)[:, 1:].reshape(PAIRS, 4, 3)
    scorer, aggregator = rouge_scorer.RougeScorer(KINDS, use_stemmer=True), scoring.BootstrapAggregator()
    expected = np.zeros((PAIRS, 4, 3))
    np.random.seed(5)
    for i, (reference, text) in enumerate(pairs):
        scores = scorer.score(reference.replace("<n>", "\n"), text.replace("<n>", "\n"))
        expected[i] = [scores[kind] for kind in KINDS]
        aggregator.add_scores(scores)
    worst = np.abs(found - expected).max()
    print(f"{PAIRS} pairs: largest difference {worst:.3g}")
    failed = worst > 1e-9
    intervals = aggregator.aggregate()
    for line in done.stdout.splitlines()[1:]:
        kind, _, *values = line.split("\t")
        low, high = float(values[3]), float(values[4])
        error = 0.1 * (high - low)
        theirs = (intervals[kind].low.fmeasure, intervals[kind].high.fmeasure)
        print(f"{kind}: {low:.4f} to {high:.4f}, rouge-score {theirs[0]:.4f} to {theirs[1]:.4f}")
        failed |= abs(low - theirs[0]) > error or abs(high - theirs[1]) > error
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
