# SPDX-License-Identifier: MIT
"""godwit liftover beside CrossMap and pyliftover: real start sites and random ranges of mixed sizes.

For a range CrossMap gives every piece that a block of any chain aligns; godwit follows liftOver: one chain, from the first
aligned base to the last, where it aligns the share --min-match. So godwit's answer is worked out here from CrossMap's
pieces, chain by chain, and must be the same; pyliftover, which maps single bases, must give the same first base.
Takes the real hg38-to-hg19 chains and start sites from GODWIT_DATA.
"""
import bisect
import gzip
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

from cmmodule.utils import map_coordinates, read_chain_file
from pyliftover import LiftOver

MIN_MATCH = 0.95
FLIP = {"+": "-", "-": "+"}


def random_ranges(count, sizes, seed=1):
    """Ranges from 1 bp to 1 Mb, as many of each order of magnitude, anywhere on the longest contigs."""
    draw = random.Random(seed)
    contigs = sorted(sizes, key=sizes.get, reverse=True)[:40]
    weights = [sizes[c] for c in contigs]
    for i in range(count):
        contig = draw.choices(contigs, weights)[0]
        length = min(sizes[contig], max(1, int(10 ** draw.uniform(0, 6))))
        begin = draw.randrange(sizes[contig] - length + 1)
        yield contig, begin, begin + length, f"r{i}", draw.choice("+-")


def expected(chains_of, row):
    """liftOver's rule on all aligned pieces of the range, per chain."""
    contig, begin, end, _, strand = row
    pieces = defaultdict(list)
    for chain, source, target in chains_of(contig, begin, end):
        pieces[chain].append((source, target))
    enough = [c for c, p in pieces.items() if sum(s[1] - s[0] for s, _ in p) >= MIN_MATCH * (end - begin)]
    if len(enough) != 1:
        if enough:
            return "Duplicated in new"
        return ("Deleted in new", "Partially deleted in new")[len(pieces)] if len(pieces) < 2 else "Split in new"
    targets = [t for _, t in pieces[enough[0]]]
    reverse = targets[0][3] == "-"
    return (targets[0][0], min(t[1] for t in targets), max(t[2] for t in targets), FLIP[strand] if reverse else strand)


def overlapping(lift):
    """The pieces of a range that blocks align, from the chains as pyliftover reads them; it asks for points only."""
    table = defaultdict(list)
    for number, chain in enumerate(lift.chain_file.chains):
        for source, source_end, target in chain.blocks:
            table[chain.source_name].append((source, source_end, target, number, chain))
    starts, widest = {}, {}
    for contig, blocks in table.items():
        blocks.sort(key=lambda b: b[:2])
        starts[contig] = [b[0] for b in blocks]
        widest[contig] = max(b[1] - b[0] for b in blocks)

    def chains_of(contig, begin, end):
        blocks = table.get(contig, [])
        if not blocks:
            return
        first = bisect.bisect_left(starts[contig], begin - widest[contig])
        for source, source_end, target, number, chain in blocks[first:bisect.bisect_left(starts[contig], end)]:
            low, high = max(begin, source), min(end, source_end)
            if low >= high:
                continue
            to = (target + low - source, target + high - source)
            if chain.target_strand == "-":
                to = (chain.target_size - to[1], chain.target_size - to[0])
            yield number, (low, high), (chain.target_name, to[0], to[1], chain.target_strand)
    return chains_of


def compare(program, chain, rows, lift, mapping, chains_of):
    with tempfile.NamedTemporaryFile("w", suffix=".bed") as bed, tempfile.NamedTemporaryFile("r") as lost:
        bed.writelines(f"{c}\t{b}\t{e}\t{n}\t0\t{s}\n" for c, b, e, n, s in rows)
        bed.flush()
        out = subprocess.run([program, "liftover", "-q", "-c", chain, "-u", lost.name, bed.name], check=True,
                             capture_output=True, text=True).stdout
        found = {f[3]: (f[0], int(f[1]), int(f[2]), f[5]) for f in map(str.split, out.splitlines())}
        lines = open(lost.name, encoding="ascii").read().splitlines()
        found.update({lines[i + 1].split("\t")[3]: lines[i][1:] for i in range(0, len(lines), 2)})
    kinds, wrong = Counter(), 0
    for row in rows:
        contig, begin, end, name, strand = row
        answer, want = found[name], expected(chains_of, row)
        if answer != want:
            wrong += 1
            print("differs from the rule:", row, answer, want)
        pieces = map_coordinates(mapping, contig, begin, end, strand, chrom_style="l") or []
        targets = [tuple(p) for p in pieces[1::2]]
        if len(targets) == 1 and isinstance(answer, tuple):
            kinds["CrossMap gives the same" if targets[0] == answer else "CrossMap differs"] += 1
            if targets[0] != answer:
                wrong += 1
                print("CrossMap differs:", row, answer, targets[0])
        elif isinstance(answer, tuple):
            kinds["CrossMap gives several pieces of the range that godwit gives as one"] += 1
            same = [t for t in targets if t[0] == answer[0] and t[1] >= answer[1] and t[2] <= answer[2]]
            if min(t[1] for t in same) != answer[1] or max(t[2] for t in same) != answer[2]:
                wrong += 1
                print("the pieces' ends differ:", row, answer, targets)
        elif targets:
            kinds[f"CrossMap gives {'one piece' if len(targets) == 1 else 'pieces'}, godwit says {answer}"] += 1
        else:
            kinds[f"neither: {answer}"] += 1
        if end - begin == 1:
            points = lift.convert_coordinate(contig, begin) or []
            if isinstance(answer, tuple):
                same = len(points) == 1 and points[0][:2] == answer[:2]
            else:
                same = not points if "Deleted" in answer else len(points) > 1
            kinds["pyliftover gives the same" if same else "pyliftover differs"] += 1
            if not same:
                wrong += 1
                print("pyliftover differs:", row, answer, points)
    for kind, count in sorted(kinds.items()):
        print(f"  {count:7d} {kind}")
    return wrong


def read_bed(path):
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="ascii")) as lines:
        for i, line in enumerate(lines):
            f = line.split("\t")
            yield f[0], int(f[1]), int(f[2]), f"r{i}", f[5].strip()


def main():
    data, program = os.environ.get("GODWIT_DATA", ""), os.environ["GODWIT"]
    chain = os.path.join(data, "human/hg38ToHg19.over.chain.gz")
    sites = os.path.join(data, "promoter/epdnew_hg38.bed.gz")
    if not os.path.exists(chain) or not os.path.exists(sites):
        print("needs the chains and start sites in GODWIT_DATA")
        return 77
    lift = LiftOver(chain)
    mapping, _, _ = read_chain_file(chain)
    sizes = {c.source_name: c.source_size for c in lift.chain_file.chains}
    chains_of = overlapping(lift)
    wrong = 0
    for name, rows in (("start sites", read_bed(sites)), ("random ranges", random_ranges(100000, sizes))):
        rows = list(rows)
        print(f"{len(rows)} {name}")
        wrong += compare(program, chain, rows, lift, mapping, chains_of)
    print(f"{wrong} unexplained differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
