#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""MATLAB files of one small set as SciPy and h5py make them, and what `godwit mat` packs of them.

    mat_oracle.py               as an oracle: writes them here, and runs godwit on them; needs numpy, scipy and h5py
    mat_oracle.py FOLDER        writes tests/data/mat

41 windows of 13 bp with labels of 10 targets, channels A, G, C, T. h5py shows axes the other way round than MATLAB.
"""
import os
import pathlib
import subprocess
import sys

import h5py
import numpy
import scipy.io

EXAMPLES, BASES, TARGETS = 41, 13, 10


def packed(codes):
    """Four bits a base, the even one low."""
    even = numpy.concatenate((codes, numpy.zeros((len(codes), codes.shape[1] % 2), numpy.uint8)), axis=1)
    return even[:, 0::2] | even[:, 1::2] << 4


def write_rows(path, magic, width, rows):
    path.write_bytes(magic + numpy.array((len(rows), width), "<u8").tobytes() + rows.astype(numpy.uint8).tobytes())


def write_all(folder):
    draw = numpy.random.default_rng(1)
    codes = draw.integers(0, 5, (EXAMPLES, BASES), dtype=numpy.uint8)  # of ACGTN
    labels = (draw.random((EXAMPLES, TARGETS)) < 0.3).astype(numpy.uint8)
    write_rows(folder / "expected.bases", b"GWBASES1", BASES, packed(codes))
    write_rows(folder / "expected.labels", b"GWLABEL1", TARGETS, numpy.packbits(labels, axis=1, bitorder="little"))

    one_hot = numpy.zeros((EXAMPLES, 4, BASES), numpy.uint8)
    for channel, letter in enumerate("AGCT"):
        one_hot[:, channel] = codes == "ACGT".index(letter)
    arrays = {"testxdata": one_hot, "testdata": labels}
    scipy.io.savemat(folder / "plain.mat", arrays)
    scipy.io.savemat(folder / "compressed.mat", {**arrays, "testdata": labels.astype(float), "note": "of no interest"},
                     do_compression=True)
    scipy.io.savemat(folder / "turned.mat", {"x": one_hot.transpose(2, 0, 1).astype(bool), "y": labels.T})
    with h5py.File(folder / "train.mat", "w", userblock_size=512) as file:  # as DeepSEA's: examples last
        file.create_dataset("trainxdata", data=one_hot.transpose(2, 1, 0), chunks=(5, 4, 16), compression="gzip")
        file.create_dataset("traindata", data=labels.T.astype("<f8"))
        file.create_group("#refs#")
    with h5py.File(folder / "rows.h5", "w") as file:
        file.create_dataset("windows", data=one_hot.transpose(0, 2, 1))
        file.create_dataset("labels", data=labels)
    bad = one_hot[:3].copy()
    bad[1, :, 4] = (0, 2, 0, 0)
    scipy.io.savemat(folder / "value.mat", {"x": bad, "y": labels[:3]})
    bad[1, :, 4] = (1, 0, 1, 0)
    scipy.io.savemat(folder / "channels.mat", {"x": bad, "y": labels[:3]})
    scipy.io.savemat(folder / "label.mat", {"x": one_hot[:3], "y": labels[:3] * 0.5})


def compare(folder):
    files = ("plain.mat", "compressed.mat", "turned.mat", "train.mat", "rows.h5")
    for file in files:
        subprocess.run([os.environ["GODWIT"], "mat", "-q", "-o", folder / "found", folder / file], check=True)
        for part in ("bases", "labels"):
            if (folder / f"found.{part}").read_bytes() != (folder / f"expected.{part}").read_bytes():
                sys.exit(f"{file}: godwit packs other {part}")
    print(f"mat: {len(files)} files of SciPy {scipy.__version__} and h5py {h5py.__version__} are packed as they were written")


write_all(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
if len(sys.argv) == 1:
    compare(pathlib.Path("."))
