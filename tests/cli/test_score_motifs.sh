# score --motifs: what alleles do to sites of motifs, beside scans of sequences that have one allele or the other.
. "$ROOT/tests/cli/lib.sh"
prepared small
meme=$ROOT/tests/data/motifs/known.meme
# A substitution, an insertion, a deletion, several bases for others, two ALTs, one beside the contig's end; REF of another base.
awk 'NR > 1 && /^>/ { exit } !/^>/ { c = c $0 }
    function row(pos, length_, alt) { print "c1\t" pos "\t.\t" substr(c, pos, length_) "\t" alt "\t.\t.\t." }
    function other(b) { return substr("CGTA", index("ACGT", b), 1) }
    END { print "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO"
          row(5, 1, other(substr(c, 5, 1)))
          for (p = 150; p < 1000; p += 25) {
              b = substr(c, p, 1)
              if (p % 4 == 0) row(p, 1, b "GATTACA")
              else if (p % 4 == 1) row(p, 7, b)
              else if (p % 4 == 2) row(p, 1, other(b) "," other(other(b)))
              else row(p, 3, "TGCAT") } }' g.fa >v.vcf
"$GODWIT" score -q -m model -f g.fa --motifs "$meme" --motif-p-value 5e-3 --table t.tsv -o out.vcf v.vcf
grep -v '^#' out.vcf | awk -F'\t' '{ n = split($8, info, ";"); for (i = 1; i <= n; i++) if (sub(/^GW_MOTIFS=/, "", info[i]) && info[i] != ".") {
    k = split(info[i], entry, ","); for (e = 1; e <= k; e++) { gsub(/\|/, "\t", entry[e]); print $2 "\t" entry[e] } } }' |
    awk -F'\t' -v OFS='\t' '{ print $1, $2, $3, $6, $7, $8, $9 }' | sort >found

# The two alleles of each as sequences, with 40 bases on either side: more than a motif is wide.
awk -F'\t' 'NR == FNR { if (/^>/) contigs++; else if (contigs == 1) c = c $0; next } /^#/ { next }
    { n = split($5, alts, ","); for (i = 1; i <= n; i++) {
          ref = $4; alt = alts[i]; pos = $2
          while (length(ref) > 1 && length(alt) > 1 && substr(ref, length(ref)) == substr(alt, length(alt))) {
              ref = substr(ref, 1, length(ref) - 1); alt = substr(alt, 1, length(alt) - 1) }
          while (ref != "" && alt != "" && substr(ref, 1, 1) == substr(alt, 1, 1)) { ref = substr(ref, 2); alt = substr(alt, 2); pos++ }
          left = pos > 40 ? 40 : pos - 1; before = substr(c, pos - left, left); behind = substr(c, pos + length(ref), 40)
          id = $2 "_" alts[i] "_" left "_"
          print ">" id "r_" length(ref) "\n" before ref behind "\n>" id "a_" length(alt) "\n" before alt behind } }' g.fa v.vcf >alleles.fa
"$GODWIT" motifs scan -q --motifs "$meme" -f alleles.fa --p-value 1 >windows.tsv
"$GODWIT" motifs scan -q --motifs "$meme" -f alleles.fa --p-value 5e-3 >sites.tsv
awk -F'\t' 'FNR == 1 { file++; next } { split($3, id, "_"); side = id[4]; if ($4 - 1 >= id[3] + id[5] || $5 <= id[3]) next
      key = id[1] "\t" id[2] "\t" $1
      if (file == 2) { site[key, side] = 1; either[key] = 1 }
      else if (!((key, side) in best) || $7 > best[key, side]) best[key, side] = $7 }
    END { for (key in either) { r = best[key, "r"]; a = best[key, "a"]; if (r - a < 1e-4 && a - r < 1e-4) continue
            effect = !((key, "r") in site) ? "made" : !((key, "a") in site) ? "broken" : a > r ? "stronger" : "weaker"
            printf "%s\t%s\t%.2f\t%.2f\t%.2f\t%.6f\n", key, effect, r, a, a - r, (a - r) ^ 2 } }' windows.tsv sites.tsv |
    sort -t '	' -k1,1 -k2,2 -k8,8gr | awk -F'\t' -v OFS='\t' '{ at = $1 "\t" $2; n = at == last ? n + 1 : 1; last = at; if (n <= 10) print $1, $2, $3, $4, $5, $6, $7 }' | sort >expected
[ "$(wc -l <expected)" -gt 100 ] || die "few changes: $(wc -l <expected)"
for effect in made broken stronger weaker; do grep -q "	$effect	" expected || die "none is $effect"; done
# Hundredths may be rounded the other way, as a scan writes six digits.
awk -F'\t' 'function near(a, b) { return a - b < 0.0101 && b - a < 0.0101 }
    NR == FNR { want[$1, $2, $3] = $4; r[$1, $2, $3] = $5; a[$1, $2, $3] = $6; d[$1, $2, $3] = $7; n++; next }
    { k = $1 SUBSEP $2 SUBSEP $3; if (want[k] != $4 || !near(r[k], $5) || !near(a[k], $6) || !near(d[k], $7)) { print "found " $0 "; expected " want[k], r[k], a[k]; exit 1 } m++ }
    END { if (m != n) { print m " of " n; exit 1 } }' expected found || die "changes of sites"

# The table has the largest change of each allele; the header tells the file.
head -1 t.tsv | grep -q 'GW_MOTIFS_ID	GW_MOTIFS_NAME	GW_MOTIFS_STRAND	GW_MOTIFS_EFFECT	GW_MOTIFS_REF	GW_MOTIFS_ALT	GW_MOTIFS_CHANGE' || die "$(head -1 t.tsv)"
awk -F'\t' 'NR == FNR { if (!(($1, $2) in top) || $7 * $7 > top[$1, $2] ^ 2) top[$1, $2] = $7; next }
    FNR == 1 { for (i = 1; i <= NF; i++) if ($i == "GW_MOTIFS_CHANGE") at = i; next }
    ($2, $5) in top { if ($at - top[$2, $5] > 0.01 || top[$2, $5] - $at > 0.01) { print; exit 1 } n++ } END { exit !n }' found t.tsv || die "the table"
grep -q '^##godwit_scoreMotifs=' out.vcf || die "the header lacks the motifs"

# An allele whose REF is not the genome's has none, and scores stay as they are without motifs.
"$GODWIT" score -q -m model -f g.fa -o plain.vcf v.vcf
grep -v '^#' out.vcf | sed 's/;*GW_MOTIFS=[^;	]*//' >bare
grep -v '^#' plain.vcf >expected
same bare expected
fails 1 'none.meme' "$GODWIT" score -q -m model -f g.fa --motifs none.meme -o no.vcf v.vcf
[ ! -e no.vcf ] || die "an output without motifs"
