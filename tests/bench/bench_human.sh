#!/bin/sh
# What scores of human-splice look like, on chr20:1-2 Mb: variants of the 1000 Genomes by their frequency, changes of the first and last base of
# introns, and changes within introns; the background, which is of the common variants; and the same of human-polya. Needs GODWIT_DATA and python3; writes into the
# folder. Forty minutes of two cores.
#   GODWIT_DATA=... sh tests/bench/bench_human.sh build FOLDER
set -eu
godwit=$(realpath "$1")/godwit data=$(realpath "$GODWIT_DATA")
mkdir -p "$2" && cd "$2"
genes=$data/splice/genes_chr20_slice.txt
gzip -dc "$data/human/chr20_1M-2M.fa.gz" >z.fa

# In genes: 3 in 16 of the variants with a frequency below 0.001, 2 in 3 of those with 0.05 and more.
gzip -dc "$data/human/chr20_1M-2M.1000G.vcf.gz" | awk -F '\t' 'NR == FNR { if (FNR > 1) { begin[++n] = $4; end[n] = $5 } next } /^#/ { print; next }
    { inside = 0; for (i = 1; i <= n; i++) if ($2 > begin[i] && $2 <= end[i]) inside = 1
      if (!inside || $5 ~ /[,<]/) next
      match($8, /;AF=[0-9.e-]*/); af = substr($8, RSTART + 4, RLENGTH - 4) + 0; kind = af < 0.001 ? "rare" : af >= 0.05 ? "common" : "between"; k = ++seen[kind]
      if ((kind == "rare" && (k % 16 == 0 || k % 8 == 4)) || (kind == "common" && k % 3 < 2)) { $3 = kind; print } }' OFS='\t' "$genes" - >variants.vcf

# Transitions of the first and the last base of each intron between annotated exons, and of two bases within it, 100 from its ends.
python3 - "$genes" >sites.vcf <<'END'
import random
import sys
bases = "".join(line.strip() for line in open("z.fa") if line[0] != ">").upper()
rng, kinds = random.Random(3), {}
for line in open(sys.argv[1]):
    name, _, strand, _, _, begins, ends = line.rstrip("\n").split("\t")
    if name == "#NAME":
        continue
    begins, ends = ([int(x) for x in text.split(",") if x] for text in (begins, ends))
    for begin, end in zip(ends, begins[1:]):
        kinds[begin], kinds[end - 1] = ("donor", "acceptor") if strand == "+" else ("acceptor", "donor")
        if end - begin > 300:
            for _ in range(2):
                kinds.setdefault(rng.randrange(begin + 100, end - 100), "intron")
print("##fileformat=VCFv4.2\n##contig=<ID=z>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO")
for position in sorted(kinds):
    base = bases[position]
    print("z", position + 1, kinds[position], base, dict(zip("AGCT", "GATC"))[base], ".", ".", ".", sep="\t")
END

for set in variants sites; do
    "$godwit" score -q -m human-splice -f z.fa --genes "$genes" --digits 4 -o $set.scored.vcf $set.vcf
    awk -F '\t' '!/^#/ && match($8, /GW_SPLICE=[0-9.e-]+/) { score = substr($8, RSTART + 10, RLENGTH - 10) + 0; all[$3]++
        for (t = 1; t <= 8; t++) if (score >= t / 10) over[$3, t]++ }
        END { for (kind in all) printf "%s %d: %d from 0.1, %d from 0.2, %d from 0.5, %d from 0.8\n", kind, all[kind], over[kind, 1], over[kind, 2], over[kind, 5], over[kind, 8] }' $set.scored.vcf
done
awk -F '\t' -v OFS='\t' 'NR > 1 { print $2, $4, $5, $1 }' "$genes" >genes.bed
"$godwit" background -q -m human-splice -f z.fa -T genes.bed -i 'N_ALT=1 && INFO/AF>=0.05' -o background.tsv \
    --name '1000 Genomes variants with a frequency of 0.05 or more, in genes of GRCh37 chr20:1-2 Mb' "$data/human/chr20_1M-2M.1000G.vcf.gz"

# Polyadenylation: how far variants change GW_POLYA, and how far a signal whose REF_ODDS or ALT_ODDS is 0 or more.
for kind in 'common INFO/AF>=0.05' 'rare INFO/AF<0.001'; do
    "$godwit" score -q -m human-polya -f z.fa -i "${kind#* }" -o polya.vcf "$data/human/chr20_1M-2M.1000G.vcf.gz"
    awk -F '\t' -v kind="${kind% *}" 'function size(x) { return x < 0 ? -x : x }
        function info(key,   at) { at = index(";" $8, ";" key "="); return at ? substr($8, at + length(key) + 1, index(substr($8, at) ";", ";") - length(key) - 2) : "" }
        !/^#/ { n = split($5, alt, ","); split(info("GW_POLYA"), score, ","); m = split(info("GW_POLYA_SIGNALS"), entry, ",")
            for (i = 1; i <= n; i++) { alleles++; used = 0
                for (j = 1; j <= m; j++) { split(entry[j], f, "|"); if (f[1] == alt[i] && (f[6] >= 0 || f[7] >= 0) && size(f[8]) > used) used = size(f[8]) }
                for (t = 1; t <= 4; t++) { from = substr("0.20.51.02.0", 3 * t - 2, 3) + 0; all[t] += score[i] + 0 != 0 && size(score[i]) >= from; strong[t] += used >= from } } }
        END { printf "polya %s %d: %d from 0.2, %d from 0.5, %d from 1, %d from 2; such signals %d, %d, %d, %d\n", kind, alleles, all[1], all[2], all[3], all[4], strong[1], strong[2], strong[3], strong[4] }' polya.vcf
done
"$godwit" background -q -m human-polya -f z.fa -i 'INFO/AF>=0.05' -o polya.background.tsv \
    --name '1000 Genomes variants with a frequency of 0.05 or more, in GRCh37 chr20:1-2 Mb' "$data/human/chr20_1M-2M.1000G.vcf.gz"
