# SPDX-License-Identifier: MIT
"""Random changes on random transcripts of a FASTA's first sequence, as HGVS of the transcript, and where pyhgvs puts them.

    hgvs.py make GENOME GTF NAMES SEED      writes transcripts, and a name a line
    hgvs.py check GENOME GTF VCF            VCF: what godwit made of the names, which are its IDs

Needs the package pyhgvs."""
import random
import sys


def read_fasta(path):
    name, parts = None, []
    for line in open(path):
        if line.startswith(">") and name:
            break
        if line.startswith(">"):
            name = line[1:].split()[0]
        else:
            parts.append(line.strip().upper())
    return name, "".join(parts)


def make_transcripts(length, count, draw):
    for i in range(count):
        cuts = sorted(draw.sample(range(100, length - 100), 2 * draw.randint(1, 6)))
        exons = list(zip(cuts[::2], cuts[1::2]))
        bases = [at for begin, end in exons for at in range(begin, end)]
        first, last = sorted(draw.sample(range(len(bases)), 2))
        yield f"T{i}.{i % 3 + 1}", draw.choice("+-"), exons, (bases[first], bases[last] + 1)


def write_gtf(path, contig, transcripts):
    with open(path, "w") as out:
        for name, strand, exons, coding in transcripts:
            rows = [("exon", *e) for e in exons]
            rows += [("CDS", max(b, coding[0]), min(e, coding[1])) for b, e in exons if b < coding[1] and e > coding[0]]
            for kind, begin, end in rows:
                print(contig, "x", kind, begin + 1, end, ".", strand, ".",
                      f'gene_id "G{name}"; transcript_id "{name}";', sep="\t", file=out)


def read_gtf(path):
    found = {}
    for line in open(path):
        f = line.rstrip("\n").split("\t")
        name = f[8].split('transcript_id "')[1].split('"')[0]
        found.setdefault(name, {"strand": f[6], "exon": [], "CDS": []})[f[2]].append((int(f[3]) - 1, int(f[4])))
    return found


def place(at, exons, coding, strand, draw):
    """The name of a base: its exon's, or of an intron's base one that either of its exons gives."""
    offset = ""
    if not any(b <= at < e for b, e in exons):
        left = max(e for b, e in exons if e <= at) - 1
        right = min(b for b, e in exons if b > at)
        near = draw.choice((left, right))
        away = at - near if strand == "+" else near - at
        at, offset = near, f"{away:+d}"
    order = [x for b, e in exons for x in range(b, e)]
    if strand == "-":
        order.reverse()
    index = order.index(at)
    first = order.index(coding[0] if strand == "+" else coding[1] - 1)
    last = order.index(coding[1] - 1 if strand == "+" else coding[0])
    if index > last:
        return f"*{index - last}{offset}"
    return f"{index - first + 1 if index >= first else index - first}{offset}"


COMPLEMENT = str.maketrans("ACGT", "TGCA")


def name_change(sequence, transcript, draw):
    name, strand, exons, coding = transcript
    begin = draw.randrange(exons[0][0], exons[-1][1] - 12)
    kind = draw.choice(("snv", "del", "dup", "ins", "delins"))
    end = begin + (1 if kind == "snv" else draw.randint(1, 10))
    letters = "".join(draw.choice("ACGT") for _ in range(draw.randint(1, 4)))
    if kind == "ins":
        end = begin + 2
    ends = [place(x, exons, coding, strand, draw) for x in (begin, end - 1)]
    if strand == "-":
        ends.reverse()
    where = ends[0] if end - begin == 1 else "_".join(ends)
    stands = sequence[begin:end] if strand == "+" else sequence[begin:end][::-1].translate(COMPLEMENT)
    if kind == "snv":
        other = draw.choice([b for b in "ACGT" if b != stands])
        return f"{name}:c.{where}{stands}>{other}"
    if kind == "delins" and letters == stands:
        letters += "A" if stands[-1:] != "A" else "C"
    return f"{name}:c.{where}" + {"del": "del" + stands, "dup": "dup" + stands, "ins": "ins" + letters,
                                  "delins": "delins" + letters}[kind]


def make(genome, gtf, names, seed):
    draw = random.Random(int(seed))
    contig, sequence = read_fasta(genome)
    transcripts = list(make_transcripts(len(sequence), 40, draw))
    write_gtf(gtf, contig, transcripts)
    with open(names, "w") as out:
        for _ in range(2000):
            print(name_change(sequence, draw.choice(transcripts), draw), file=out)


def make_pyhgvs(contig, name, t):
    from pyhgvs.models import Exon, Position, Transcript
    forward = t["strand"] == "+"
    coding = (min(b for b, _ in t["CDS"]), max(e for _, e in t["CDS"]))
    exons = sorted(t["exon"])
    made = Transcript(name=name.split(".")[0], version=int(name.split(".")[1]), gene="G",
                      tx_position=Position(contig, exons[0][0], exons[-1][1], forward),
                      cds_position=Position(contig, *coding, forward), is_default=True)
    for number, (begin, end) in enumerate(exons if forward else exons[::-1], 1):
        made.exons.append(Exon(transcript=made, tx_position=Position(contig, begin, end, forward), exon_number=number))
    return made


def least(sequence, position, ref, alt):
    """Without what both share, as far left as it goes, with a base before what is empty."""
    while ref and alt and ref[-1] == alt[-1]:
        ref, alt = ref[:-1], alt[:-1]
    while ref and alt and ref[0] == alt[0]:
        ref, alt, position = ref[1:], alt[1:], position + 1
    while (not ref or not alt) and position > 0 and (ref or alt) and sequence[position - 1] == (ref or alt)[-1]:
        before = sequence[position - 1]
        ref, alt, position = (before + ref)[:-1] if ref else ref, (before + alt)[:-1] if alt else alt, position - 1
    return position, ref, alt


def check(genome, gtf, vcf):
    import pyhgvs
    contig, sequence = read_fasta(genome)
    transcripts = {n: make_pyhgvs(contig, n, t) for n, t in read_gtf(gtf).items()}
    compared = 0
    for line in open(vcf):
        if line.startswith("#"):
            continue
        _, position, name, ref, alt = line.split("\t")[:5]
        transcript = transcripts[name.split(":")[0]]
        _, at, other_ref, other_alt = pyhgvs.parse_hgvs_name(name, {contig: sequence}, transcript)
        mine = least(sequence, int(position) - 1, ref, alt)
        theirs = least(sequence, at - 1, other_ref, other_alt)
        if mine != theirs:
            sys.exit(f"{name}: {mine}, pyhgvs has {theirs}")
        compared += 1
    print(f"{compared} changes as pyhgvs has them")


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](*sys.argv[2:])
