# SPDX-License-Identifier: MIT
"""Made genes and changes of their bases, and how what bcftools csq and godwit score say of them compares.

usage: consequence.py make SEED VARIANTS            writes g.fa, genes.gff3 and in.vcf
       consequence.py compare CSQ.vcf SCORED.vcf VERSION

Before version 1.21 csq wrote no NMD_transcript, looked at the first residue alone that a change of several bases
changes, and counted the bases that are gone of a deletion across the end of an exon without those that ALT has in their
place. Records that differ in that alone are counted apart.
"""
import random
import sys

CODONS = [a + b + c for a in "ACGT" for b in "ACGT" for c in "ACGT" if a + b + c not in ("TAA", "TAG", "TGA")]
PAIR = str.maketrans("ACGT", "TGCA")
OTHERS = ["lincRNA", "snoRNA", "processed_transcript", "pseudogene", "nonsense_mediated_decay", "IG_C_gene"]


def reverse(bases):
    return bases.translate(PAIR)[::-1]


def row(contig, kind, begin, end, strand, phase, attributes):
    print(contig, "made", kind, begin + 1, end, ".", strand, phase, attributes, sep="\t", file=genes)


def exons_from(at):
    """Stretches [begin, end), some of a few bases, with introns that are mostly long enough for two splice sites."""
    exons = []
    for _ in range(rng.choice([1, 1, 2, 3, 4, 6])):
        length = rng.choice([rng.randint(1, 9), rng.randint(20, 60), rng.randint(60, 200)])
        exons.append((at, at + length))
        at += length + rng.choice([rng.randint(17, 40), rng.randint(60, 300), rng.randint(2, 16)])
    return exons


def coding_part(exons, first, last):
    """Where bases [first, last) of the exons end to end lie."""
    parts, before = [], 0
    for begin, end in exons:
        a, b = max(first - before, 0), min(last - before, end - begin)
        if a < b:
            parts.append((begin + a, begin + b))
        before += end - begin
    return parts


def write_coding(sequence, parts, strand, kind):
    """A start, codons, and a stop, but for what `kind` leaves out."""
    length = sum(b - a for a, b in parts)
    text = "".join(rng.choice(CODONS) for _ in range(length // 3 + 1))[:length]
    if "start" in kind and length >= 3:
        text = "ATG" + text[3:]
    if "stop" in kind and length >= 6 and length % 3 == 0:
        text = text[:-3] + rng.choice(["TAA", "TAG", "TGA"])
    if strand == "-":
        text = reverse(text)
    for a, b in parts:
        sequence[a:b] = text[: b - a]
        text = text[b - a :]


def write_transcript(contig, sequence, gene, number, exons, strand):
    coding = rng.random() < 0.8
    biotype = rng.choice(OTHERS) if not coding or rng.random() < 0.1 else "protein_coding"
    name = f"{gene}t{number}"
    total = sum(b - a for a, b in exons)
    row(contig, "mRNA" if biotype == "protein_coding" else "transcript", exons[0][0], exons[-1][1], strand, ".",
        f"ID=transcript:{name};Parent=gene:{gene};biotype={biotype}")
    for a, b in exons:
        row(contig, "exon", a, b, strand, ".", f"Parent=transcript:{name}")
    if not coding or total < 20:
        return
    first = rng.choice([0, rng.randint(0, total // 3)])
    last = rng.choice([total, rng.randint(total - total // 3, total)])
    phase, odd = rng.choice([0, 0, 0, 0, 1, 2]), rng.choice([0, 0, 0, 0, 1, 2])
    parts = coding_part(exons, first, last)
    if any(b - a < 6 for a, b in (parts[0], parts[-1])):
        phase = odd = 0
    last -= (last - first - phase - odd) % 3
    parts = coding_part(exons, first, last)
    if number == 0:
        inner = coding_part(exons, first + (phase if strand == "+" else 0), last - (phase if strand == "-" else 0))
        write_coding(sequence, inner, strand, rng.choice(["start stop", "start stop", "start stop", "stop", "start"]))
    done = -phase
    for a, b in parts if strand == "+" else parts[::-1]:
        row(contig, "CDS", a, b, strand, (3 - done % 3) % 3 if done >= 0 else phase,
            f"ID=CDS:{name};Parent=transcript:{name}")
        done += b - a
    for low, high in (coding_part(exons, 0, first), "five" if strand == "+" else "three"), (
            coding_part(exons, last, total), "three" if strand == "+" else "five"):
        for a, b in low:
            row(contig, f"{high}_prime_UTR", a, b, strand, ".", f"Parent=transcript:{name}")


def write_contig(contig, count):
    length = 400 * count + 400
    sequence = [rng.choice("ACGT") for _ in range(length)]
    for _ in range(length // 100):  # repeats, in which one change can be written at several places
        a, n, unit = rng.randrange(length - 40), rng.randint(4, 20), rng.choice(["A", "T", "CA", "TTG", "ATG", "TAA"])
        sequence[a : a + n] = (unit * n)[:n]
    at = rng.choice([12, 30, 200])
    places = []
    for number in range(count):
        gene, strand = f"{contig}g{number}", rng.choice("+-")
        exons = [e for e in exons_from(at) if e[1] < length - 12]
        if not exons:
            break
        row(contig, "gene", exons[0][0], exons[-1][1], strand, ".", f"ID=gene:{gene};Name=N{gene};biotype=protein_coding")
        for transcript in range(rng.choice([1, 1, 2])):
            kept = exons if transcript == 0 or len(exons) < 3 else exons[:1] + exons[2:]
            write_transcript(contig, sequence, gene, transcript, kept, strand)
        places += [p for e in exons for p in e]
        at = rng.choice([exons[-1][1] + rng.randint(1, 300), exons[-1][1] + 20, max(exons[0][0] + 5, at)])
    return "".join(sequence), places


def change(sequence, places):
    """REF at a place and an ALT, trimmed or not."""
    at = rng.choice(places) + rng.randint(-12, 12) if rng.random() < 0.8 else rng.randrange(len(sequence))
    kind = rng.choice(["snv", "snv", "mnv", "insertion", "deletion", "deletion", "repeat", "complex"])
    sizes = [1, 1, 2, 3, 3, 4, 6, 9, 12, rng.randint(1, 40)]
    before = 0 if kind in ("snv", "mnv", "complex") and rng.random() < 0.7 else rng.choice([1, 1, 1, 2, 4])
    behind = rng.choice([0, 0, 0, 1, 3])
    ref = {"snv": 1, "mnv": rng.randint(2, 6), "deletion": rng.choice(sizes), "complex": rng.randint(1, 8)}.get(kind, 0)
    begin, end = at - before, at + ref + behind
    if begin < 1 or end > len(sequence) - 1:
        return None
    old = sequence[at : at + ref]
    new = {"deletion": 0, "insertion": rng.choice(sizes), "complex": rng.randint(1, 8)}.get(kind, ref)
    alt = "".join(rng.choice("ACGT") for _ in range(new))
    if kind == "repeat":
        alt = sequence[at : at + rng.choice([1, 2, 3, 6])]
    text = sequence[begin:at] + alt + sequence[at + ref : end]
    if text == sequence[begin:end] or not text or old == alt:
        return None
    return begin, sequence[begin:end], text


def make(seed, variants):
    global rng, genes
    rng = random.Random(seed)
    with open("genes.gff3", "w") as genes, open("g.fa", "w") as fasta:
        print("##gff-version 3", file=genes)
        contigs = {}
        for contig in ("c1", "c2"):
            contigs[contig] = write_contig(contig, 12)
            print(f">{contig}\n{contigs[contig][0]}", file=fasta)
    with open("in.vcf", "w") as vcf:
        print("##fileformat=VCFv4.2", file=vcf)
        for contig, (sequence, _) in contigs.items():
            print(f"##contig=<ID={contig},length={len(sequence)}>", file=vcf)
        print("#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", sep="\t", file=vcf)
        for contig, (sequence, places) in contigs.items():
            made = filter(None, (change(sequence, places) for _ in range(variants // 2)))
            for begin, ref, alt in sorted(set(made)):
                alts = [alt]
                if rng.random() < 0.1 and len(ref) == 1:
                    alts.append(rng.choice([b for b in "ACGT" if b not in (ref, alt)]))
                print(contig, begin + 1, ".", ref, ",".join(alts), ".", ".", ".", sep="\t", file=vcf)


OLD = {"NMD_transcript", "missense", "stop_gained", "stop_lost", "frameshift", "inframe_deletion"}


def entries(path, key):
    for line in open(path):
        if line[0] != "#":
            columns = line.rstrip("\n").split("\t")
            info = dict(f.split("=", 1) for f in columns[7].split(";") if "=" in f)
            yield columns[:5], info.get(key, "")


def terms(text):
    """Of each transcript, but for those that older versions tell otherwise."""
    found = set()
    for entry in filter(None, text.split(",")):
        fields = entry.split("|")
        found |= {(*fields[1:4], term) for term in fields[0].split("&") if term not in OLD}
    return found


def compare(csq, scored, version):
    records = told = older = 0
    for (site, a), (other, b) in zip(entries(csq, "BCSQ"), entries(scored, "GW_BCSQ"), strict=True):
        assert site == other, (site, other)
        records += 1
        told += a != ""
        if a == b:
            continue
        if version >= (1, 21) or terms(a) != terms(b):
            sys.exit(f"{site}: bcftools says {a}, godwit {b}")
        older += 1
    print(f"{records} records, {told} with consequences, {older} as older versions tell them")
    if told < records // 4 or older > records // 10:
        sys.exit("too few consequences, or too many that older versions tell otherwise")


if sys.argv[1] == "make":
    make(int(sys.argv[2]), int(sys.argv[3]))
else:
    compare(sys.argv[2], sys.argv[3], tuple(int(n) for n in sys.argv[4].split(".")))
