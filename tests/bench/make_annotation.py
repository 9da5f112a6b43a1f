#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An annotation of the size of GENCODE's human one, on contigs of GRCh38's lengths.

usage: make_annotation.py gtf|gff3 CHROM_SIZES > annotation

60,000 genes with 250,000 transcripts, a few less by rounding: 2.9 million rows with the attributes that GENCODE writes.
"""
import random
import sys

GENES, TRANSCRIPTS = 60000, 250000


def rows(rng, kind, contig, gene, strand, begin, transcripts, out):
    name, gene_id = f"GENE{gene}", f"ENSG{gene:011d}.5"
    coding = gene % 3 == 0
    biotype = "protein_coding" if coding else "lncRNA"
    exons = [(begin + 2500 * k, begin + 2500 * k + rng.randrange(60, 400)) for k in range(rng.randrange(2, 12) + 3 * coding)]
    place = lambda kind, b, e, phase: f"{contig}\tHAVANA\t{kind}\t{b + 1}\t{e}\t.\t{strand}\t{phase}\t"
    of_gene = (("gene_id", gene_id), ("gene_type", biotype), ("gene_name", name), ("level", "2"), ("hgnc_id", f"HGNC:{gene}"))

    def write(feature, b, e, pairs, own=(), phase="."):
        if kind == "gtf":
            text = " ".join(f'{k} "{v}";' for k, v in pairs)
        else:
            text = ";".join(f"{k}={v}" for k, v in (*own, *pairs))
        out.write(place(feature, b, e, phase) + text + "\n")

    write("gene", exons[0][0], exons[-1][1], of_gene, (("ID", gene_id),))
    for t in range(transcripts):
        first = rng.randrange(0, max(1, len(exons) // 3))
        mine = exons[first:]
        transcript = f"ENST{gene * 100 + t:011d}.2"
        pairs = (*of_gene, ("transcript_id", transcript), ("transcript_type", biotype), ("transcript_name", f"{name}-{201 + t}"),
                 ("transcript_support_level", "1"), ("tag", "basic"), ("tag", "Ensembl_canonical" if t == 0 else "GENCODE_Primary"),
                 ("havana_gene", f"OTTHUMG{gene:011d}.1"), ("havana_transcript", f"OTTHUMT{gene * 100 + t:011d}.1"))
        write("transcript", mine[0][0], mine[-1][1], pairs, (("ID", transcript), ("Parent", gene_id)))
        order = mine if strand == "+" else mine[::-1]
        for n, (b, e) in enumerate(order, 1):
            more = (*pairs, ("exon_number", n), ("exon_id", f"ENSE{gene * 1000 + n:011d}.1"))
            write("exon", b, e, more, (("ID", f"exon:{transcript}:{n}"), ("Parent", transcript)))
            if coding and t < 5:
                write("CDS", b, e, more, (("ID", f"CDS:{transcript}"), ("Parent", transcript)), "0")
        if coding:
            for feature in ("start_codon", "stop_codon", "five_prime_UTR", "three_prime_UTR"):
                write(feature, mine[0][0], mine[0][0] + 3, pairs, (("Parent", transcript),), "0")


def main():
    kind, sizes = sys.argv[1], [line.split()[:2] for line in open(sys.argv[2], encoding="ascii")]
    total, rng, gene, left = sum(int(n) for _, n in sizes), random.Random(1), 0, TRANSCRIPTS
    for contig, length in sizes:
        count = round(GENES * int(length) / total)
        for i in range(count):
            gene += 1
            transcripts = min(left, 1 + int(rng.expovariate(1 / 3.8)))
            left -= transcripts
            begin = i * (int(length) - 60000) // count
            rows(rng, kind, contig, gene, rng.choice("+-"), begin, transcripts, sys.stdout)


if __name__ == "__main__":
    main()
