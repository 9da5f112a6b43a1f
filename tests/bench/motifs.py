#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`godwit motifs scan` beside memelite's fimo: processor seconds on one thread, in turn, median of five.   motifs.py FILE.meme genome.fa
GODWIT is the program; both files are plain text, and the FASTA has one sequence. The program's seconds include reading and writing files."""
import os
import statistics
import subprocess
import sys
import time

import numba
import numpy as np
from memelite import fimo
from memelite.io import read_meme

numba.set_num_threads(1)
motifs = read_meme(sys.argv[1])
with open(sys.argv[2], encoding="ascii") as file:
    sequence = "".join(line.strip() for line in file if line[0] != ">").upper()
one_hot = np.array([np.frombuffer(sequence.encode(), dtype=np.uint8) == ord(base) for base in "ACGT"]).astype(np.int8)[None]
fimo(motifs, one_hot[:, :, :10000])  # compiles
theirs, ours = [], []
for _ in range(5):
    begun = time.process_time()
    hits = sum(len(table) for table in fimo(motifs, one_hot))
    theirs.append(time.process_time() - begun)
    child = subprocess.Popen([os.environ["GODWIT"], "motifs", "scan", "-q", "-@", "1", "--motifs", sys.argv[1], "-f", sys.argv[2], "-o", os.devnull])
    _, status, used = os.wait4(child.pid, 0)
    assert status == 0
    ours.append(used.ru_utime + used.ru_stime)
print(f"{len(motifs)} motifs, {len(sequence)} bp, {hits} sites of memelite")
print(f"memelite {statistics.median(theirs):.2f} s, godwit {statistics.median(ours):.2f} s: {statistics.median(theirs) / statistics.median(ours):.1f} times as fast")
