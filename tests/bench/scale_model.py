#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A model of the time of a training step on several ranks, fitted to rows of scale.sh; what it gives for larger runs is
arithmetic, not a measurement.   python3 tests/bench/scale_model.py rows.tsv

The sum of B bytes of gradient over N ranks, whose links carry R bytes a second, takes a processor g seconds a byte, and
the links 2 (N - 1) / N B bytes each way at a share e of R:

    S = g B + 2 (N - 1) / N B / (e R) + messages

g and e are fitted to sums after the backward pass ("after") on as many ranks as there are processors; 2 (N - 1) messages
a piece cost MESSAGE seconds each, which is assumed. A step of s sequences on a rank that computes one in C seconds is

    T = s C + max(last S, S - 2/3 C)

since sums go on while the last sequence's backward pass does (two thirds of its time), but for the share `last` of the
gradient that is whole at its end alone: the embedding's. Efficiency is s C / T.
"""
import sys

MESSAGE = 10e-6
PIECE = 4 << 20
CORES = 16
# Of 4,096 tokens in bf16 on two cores (docs/background/performance.md), in proportion to cores; the large model's by its layers'
# weights. Vocabulary of 32,000, 4,096 positions.
MODELS = {"base": {"weights": 85.1e6 + 27.7e6, "embeddings": 27.7e6, "seconds": 3.25 * 2 / CORES}}
MODELS["large"] = {"weights": 302.3e6 + 37.0e6, "embeddings": 37.0e6, "seconds": 3.25 * 2 / CORES * 302.3 / 85.1}
BATCH = 256
UNITS = {"kbit": 1e3, "mbit": 1e6, "gbit": 1e9}


def bytes_a_second(link):
    """Of a link's name; None: memory that ranks share."""
    return None if link == "shared" else float(link[:-4]) * UNITS[link[-4:]] / 8


def read(path):
    rows, gradient, cores = [], None, None
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            words = line.split()
            if words[0] == "#":
                gradient, cores = float(words[2]), int(words[4])
            elif words[0] != "link":
                rows.append(dict(zip("link ranks threads how step sum wait".split(), words)))
    for row in rows:
        row.update({k: float(row[k]) for k in ("step", "sum", "wait")}, ranks=int(row["ranks"]))
    return rows, gradient, cores


def carried(ranks, gradient, link):
    """Seconds that a link would take at its full rate."""
    rate = bytes_a_second(link)
    return 2 * (ranks - 1) / ranks * gradient / rate if rate else 0.0


def fit(rows, gradient):
    """g and e by least squares of relative errors: S = g B + x / e."""
    aa = ab = bb = ay = by = 0.0
    for row in rows:
        a, b = gradient / row["sum"], carried(row["ranks"], gradient, row["link"]) / row["sum"]
        aa, ab, bb, ay, by = aa + a * a, ab + a * b, bb + b * b, ay + a, by + b
    determinant = aa * bb - ab * ab
    return (ay * bb - by * ab) / determinant, determinant / (aa * by - ab * ay)


def print_measured(rows, gradient, cores):
    alone = min(row["step"] for row in rows if row["ranks"] == 1)
    after = {(row["link"], row["ranks"]): row for row in rows if row["how"] == "after"}
    processor, share = fit([row for row in after.values() if row["ranks"] <= cores], gradient)
    print(f"gradient {gradient / 1e6:.1f} MB, {cores} processors; fitted: {processor * 1e9:.2f} ns a byte, {share:.2f} of a link")
    print("link\tranks\thow\tstep\tsum\tleft after the backward pass\thidden\tefficiency\tmodel of the sum")
    for row in rows:
        hidden = f"{1 - row['wait'] / row['sum']:.2f}" if row["sum"] else "-"
        model = processor * gradient + carried(row["ranks"], gradient, row["link"]) / share
        said = f"{model:.3f}" if row["how"] == "after" else "-"
        print(f"{row['link']}\t{row['ranks']}\t{row['how']}\t{row['step']:.3f}\t{row['sum']:.3f}\t{row['wait']:.3f}\t"
              f"{hidden}\t{alone / row['step']:.2f}\t{said}")
    return processor, share


def step(model, ranks, gigabits, processor, share):
    """Seconds of a step, and its efficiency."""
    gradient = 4 * model["weights"]
    messages = gradient / PIECE * 2 * (ranks - 1) * MESSAGE
    whole = processor * gradient + 2 * (ranks - 1) / ranks * gradient / (share * gigabits * 1e9 / 8) + messages
    computed = max(BATCH / ranks, 1) * model["seconds"]
    last = model["embeddings"] / model["weights"] * whole
    seconds = computed + max(last, whole - 2 / 3 * model["seconds"])
    return seconds, computed / seconds


def main():
    rows, gradient, cores = read(sys.argv[1])
    processor, share = print_measured(rows, gradient, cores)
    print(f"\nA model, not a measurement: ranks of {CORES} cores, {BATCH} sequences of 4,096 tokens a step, at least one a rank")
    print("model\tGb/s\t" + "\t".join(f"{ranks} ranks" for ranks in (8, 64, 512)))
    for name, model in MODELS.items():
        for gigabits in (10, 100, 400):
            cells = [step(model, ranks, gigabits, processor, share) for ranks in (8, 64, 512)]
            print(f"{name}\t{gigabits}\t" + "\t".join(f"{seconds:.2f} s, {100 * part:.0f} %" for seconds, part in cells))


if __name__ == "__main__":
    main()
