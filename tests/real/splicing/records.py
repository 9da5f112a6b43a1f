# SPDX-License-Identifier: MIT
"""Records on which splicing is compared with other programs: records.py FOLDER, with GODWIT_DATA.

FOLDER/near.vcf has all 1000 Genomes' sites of the slice of chromosome 20 within 100 bp of an exon's end, random20.vcf 500
random ones in genes, and random17.vcf 500 random changes in genes of the slice of chromosome 17: SNVs, deletions and
insertions of 1 to 30 bases. Each file is in random order, so that what has been answered is a sample of it. Windows lie
on the contig, as other programs need them.
"""
import gzip
import os
import random
import sys

DATA, FOLDER = os.environ["GODWIT_DATA"], sys.argv[1]
WINDOW, NEAR, RANDOM = 5200, 100, 500
HEADER = "##fileformat=VCFv4.2\n##contig=<ID={},length={}>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"


def read_genes(path):
    """(begin, end, ends of exons), all 1-based."""
    rows = [line.rstrip().split("\t") for line in open(path) if not line.startswith("#")]
    numbers = [([int(x) for x in row[5].split(",") if x], [int(x) for x in row[6].split(",") if x]) for row in rows]
    return [(int(row[3]) + 1, int(row[4]), [b + 1 for b in begins] + ends) for row, (begins, ends) in zip(rows, numbers)]


def read_record(path):
    with gzip.open(path, "rt") as fasta:
        name = next(fasta)[1:].split()[0]
        return name, "".join(line.strip() for line in fasta).upper()


def write(path, contig, bases, records):
    with open(os.path.join(FOLDER, path), "w") as out:
        out.write(HEADER.format(contig, len(bases)))
        for at, ref, alt in records:
            out.write(f"{contig}\t{at}\t.\t{ref}\t{alt}\t.\t.\t.\n")


def is_simple(ref, alt):
    return set(ref + alt) <= set("ACGT") and min(len(ref), len(alt)) == 1 and len(ref) <= 100


def thousand_genomes(draw):
    contig, bases = read_record(f"{DATA}/human/chr20_1M-2M.fa.gz")
    genes = read_genes(f"{DATA}/splice/genes_chr20_slice.txt")
    inside, near = [], []
    for line in gzip.open(f"{DATA}/human/chr20_1M-2M.1000G.vcf.gz", "rt"):
        if line.startswith("#"):
            continue
        _, at, _, ref, alts = line.split("\t")[:5]
        at = int(at)
        over = [gene for gene in genes if gene[0] <= at <= gene[1]]
        if not over or not WINDOW < at < len(bases) - WINDOW or not all(is_simple(ref, alt) for alt in alts.split(",")):
            continue
        is_near = any(abs(at - end) <= NEAR for gene in over for end in gene[2])
        (near if is_near else inside).append((at, ref, alts))
    draw.shuffle(near)
    write("near.vcf", contig, bases, near)
    write("random20.vcf", contig, bases, draw.sample(inside, RANDOM))


def changes(draw):
    contig, bases = read_record(f"{DATA}/human/chr17_42425000-43600000.fa.gz")
    genes, made = read_genes(f"{DATA}/splice/genes_chr17_slice.txt"), []
    while len(made) < RANDOM:
        begin, end, _ = draw.choice(genes)
        at, kind, size = draw.randint(begin, end), draw.random(), draw.randint(1, 30)
        if not WINDOW < at < len(bases) - WINDOW:
            continue
        ref = bases[at - 1]
        if kind < 0.6:
            made.append((at, ref, draw.choice([base for base in "ACGT" if base != ref])))
        elif kind < 0.8:
            made.append((at, bases[at - 1 : at + size], ref))
        else:
            made.append((at, ref, ref + "".join(draw.choices("ACGT", k=size))))
    write("random17.vcf", contig, bases, made)


thousand_genomes(random.Random(1))
changes(random.Random(2))
