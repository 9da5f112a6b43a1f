# SPDX-License-Identifier: MIT
"""godwit predict --bigwig as pyBigWig reads it: contigs, every value, gaps and summaries beside the bedGraph's."""
import gzip
import json
import os
import random
import subprocess
import sys

import pyBigWig

GODWIT = os.environ["GODWIT"]
BIN, WINDOW = 20, 60
draw = random.Random(1)
# contigs whose order in the file is not that of their names; more than a block of the index holds
lengths = {"chrX": 60010, "chr10": 45000, "chr2": 333, "tiny": 30, **{f"s{i}": 100 + i for i in range(300)}}
with open("g.fa", "w") as fasta:
    for name, length in lengths.items():
        bases = "".join(draw.choices("ACGT", k=length))
        if name == "chrX":
            bases = bases[:9000] + "N" * 5000 + bases[14000:]
        fasta.write(f">{name}\n{bases}\n")
with open("peaks.bed", "w") as peaks:
    for i in range(300):
        at = draw.randrange(40000)
        peaks.write(f"chr10\t{at}\t{at + 30}\t{'AB'[i % 2]}\n")
with open("config.json", "w") as config:
    json.dump({"architectures": ["BigBirdForPreTraining"], "model_type": "big_bird", "hidden_size": 16, "num_hidden_layers": 1,
               "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 64,
               "attention_type": "original_full"}, config)


def godwit(*arguments):
    return subprocess.run([GODWIT, *arguments], stderr=subprocess.PIPE, text=True)


def must(*arguments):
    done = godwit(*arguments)
    assert done.returncode == 0, done.stderr


must("profiles", "-q", "-f", "g.fa", "--bin", str(BIN), "--window", str(WINDOW), "--label", "midpoint", "--target-from",
     "column4", "-o", "set", "peaks.bed")
must("finetune", "-q", "--from-scratch", "-c", "config.json", "--task", "profiles", "-d", "set", "-f", "g.fa", "-o", "model",
     "--steps", "20", "--lr", "1e-2", "--batch", "16")
if "without libBigWig" in godwit("predict", "-m", "model", "-f", "g.fa", "--bigwig", "big").stderr:
    print("this godwit was built without libBigWig")
    sys.exit(77)
must("predict", "-q", "-m", "model", "-f", "g.fa", "--bigwig", "big")
must("predict", "-q", "-m", "model", "-f", "g.fa", "--bedgraph", "text")

for label in "AB":
    rows = [line.split("\t") for line in gzip.open(f"text/{label}.bedgraph.gz", "rt")]
    expected = {}
    for contig, begin, end, value in rows:
        expected.setdefault(contig, []).append((int(begin), int(end), float(value)))
    big = pyBigWig.open(f"big/{label}.bw")
    assert big.isBigWig() and big.chroms() == lengths, big.chroms()
    assert list(big.chroms()) == sorted(lengths), "contigs are not sorted by name"
    for contig in lengths:
        found = list(big.intervals(contig) or [])
        wanted = expected.get(contig, [])
        assert len(found) == len(wanted), (contig, len(found), len(wanted))
        for (b, e, v), (begin, end, value) in zip(found, wanted):
            assert (b, e) == (begin, end) and abs(v - value) <= 1e-6 * abs(value), (contig, b, e, v, begin, end, value)
    assert big.values("chrX", 9200, 9220)[0] != big.values("chrX", 9200, 9220)[0], "N has a value"
    # the levels of zoom: a mean over a long stretch is that of the values
    values = [v for b, _, v in expected["chr10"] if 20000 <= b < 40000]
    mean = big.stats("chr10", 20000, 40000, type="mean", exact=False)[0]
    assert abs(mean - sum(values) / len(values)) < 1e-3, mean
    header = big.header()
    every = [v for rows in expected.values() for _, _, v in rows]
    assert header["nBasesCovered"] == BIN * len(every), header
    assert abs(header["sumData"] - BIN * sum(every)) < 1.5, header  # which pyBigWig gives as whole numbers
    print(f"tracks: {label}: {len(every)} values on {len(expected)} contigs are as in the bedGraph, {header['nLevels']} levels of zoom")
