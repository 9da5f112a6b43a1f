# godwit motifs: sites and matches beside those of memelite (tests/oracle/motifs_oracle.py), forms of output, regions, and bad input.
. "$ROOT/tests/cli/lib.sh"
data=$ROOT/tests/data/motifs
motifs() { "$GODWIT" motifs "$@"; }
gzip -dc "$ROOT/tests/data/yeast_I.fa.gz" >I.fa

# Sites of motifs that are wide enough for a p-value below 1e-5, to four digits.
awk '/^MOTIF/ { keep = 0; motif = $0; next } /^letter/ { keep = $6 > 7; if (keep) print motif } keep || !motif' "$data/known.meme" >wide.meme
motifs scan -q --motifs wide.meme -f I.fa --p-value 1e-5 >sites.tsv
awk -F'\t' 'NR > 1 { printf "%s\t%d\t%d\t%s\t%.4f\t%.4g\n", $1, $4, $5, $6, $7, $8 }' sites.tsv | sort >found
sort "$data/sites.tsv" | awk -F'\t' '{ printf "%s\t%d\t%d\t%s\t%.4f\t%.4g\n", $1, $2, $3, $4, $5, $6 }' | sort >expected
[ "$(wc -l <expected)" -gt 50 ] || die "few sites: $(wc -l <expected)"
awk -F'\t' 'function near(a, b, by) { return a - b <= by && b - a <= by }
    NR == FNR { score[$1, $2, $3, $4] = $5; p[$1, $2, $3, $4] = $6; next }
    { at = $1 SUBSEP $2 SUBSEP $3 SUBSEP $4; if (!(at in score)) next
      if (!near($5, score[at], 2e-4) || !near($6 / p[at], 1, 2e-3)) { print "differs: " $0; exit 1 } seen++ }
    END { for (at in score) n++; if (seen != n) { print seen " of " n " sites"; exit 1 } }' expected found || die "sites"

# The matched bases are those of the genome on the strand; BED has the same sites, in order, from 0.
awk -F'\t' 'NR == FNR { if (!/^>/) genome = genome $0; next } FNR == 1 { next }
    { bases = toupper(substr(genome, $4, $5 - $4 + 1)); if ($6 == "-") { other = ""
        for (i = length(bases); i > 0; i--) other = other substr("TGCA", index("ACGT", substr(bases, i, 1)), 1)
        bases = other }
      if (bases != $9) { print bases ", found " $9; exit 1 } }' I.fa sites.tsv || die "matched bases"
motifs scan -q --motifs wide.meme -f I.fa --p-value 1e-5 -o sites.bed.gz
gzip -dc sites.bed.gz | awk -F'\t' -v OFS='\t' '{ print $4, $7, $1, $2 + 1, $3, $6, $8, $9 }' >from.bed
tail -n +2 sites.tsv | cut -f1-8 >from.tsv
same from.bed from.tsv
gzip -dc sites.bed.gz | cut -f2 | sort -nc || die "BED is not in order"
motifs scan -q -@ 1 --motifs wide.meme -f I.fa --p-value 1e-5 >one.tsv
same one.tsv sites.tsv

# Regions: sites that lie in them, once; over N, and across pieces of lines, none is lost.
printf 'I\t1000\t9000\nI\t8000\t30000\n' >r.bed
motifs scan -q --motifs wide.meme -f I.fa --p-value 1e-5 -R r.bed >in.tsv
awk -F'\t' 'NR == 1 || ($4 > 1000 && $5 <= 30000)' sites.tsv >expected
same in.tsv expected
motifs scan -q --motifs wide.meme -f I.fa --p-value 1e-5 --one-strand >forward.tsv
awk -F'\t' 'NR == 1 || $6 == "+"' sites.tsv >expected
same forward.tsv expected
read -r _ _ _ start _ <<END
$(sed -n 2p sites.tsv)
END
{ echo '>I' && tail -n +2 I.fa | tr -d '\n' | awk -v at="$start" '{ print substr($0, 1, at) "N" substr($0, at + 2) }'; } >n.fa
motifs scan -q --motifs wide.meme -f n.fa --p-value 1e-5 >n.tsv
awk -F'\t' -v at="$start" 'NR == 1 || $4 > at + 1 || $5 < at + 1' sites.tsv >expected
same n.tsv expected

# Matches.
motifs match -q --motifs "$data/known.meme" --best 40 "$data/query.meme" >matches.tsv 2>notes
awk -F'\t' 'NR == FNR { p[$1, $2] = $3; rest[$1, $2] = $4 " " $5 " " $6 " " $7; next } FNR == 1 { next }
    { if (rest[$1, $3] != $7 " " $8 " " $9 " " $10 || $5 / p[$1, $3] > 1.0001 || $5 / p[$1, $3] < 0.9999 ||
          $6 / $5 > 40.001 || $6 / $5 < 39.999 || ($1 == last && $5 < before)) { print; exit 1 }
      last = $1; before = $5; n++ }
    END { exit n != 480 }' "$data/matches.tsv" matches.tsv || die "matches"
motifs match -q --motifs "$data/known.meme" --best 1 "$data/query.meme" | tail -n +2 >best.tsv
awk -F'\t' 'NR > 1 && $1 != last { print; last = $1 }' matches.tsv >expected
same best.tsv expected
motifs match --motifs "$data/known.meme" "$data/query.meme" 2>&1 >out | grep -q 'known.meme has 40 motifs: p-values depend' || die "no warning"

fails 2 "'find' is neither scan nor match" motifs find --motifs wide.meme
fails 2 'scan needs sequence: -f' motifs scan --motifs wide.meme
fails 2 'match takes one file of queries' motifs match --motifs wide.meme
fails 1 'none.meme' motifs scan --motifs none.meme -f I.fa
head -11 "$data/known.meme" >cut.meme
fails 1 'cut.meme:' motifs scan --motifs cut.meme -f I.fa -o out.tsv
grep -q 'ends after' fails.err || die "$(cat fails.err)"
[ ! -e out.tsv ] || die "half an output"
printf 'MEME version 4\n\nMOTIF a\nletter-probability matrix: w= 1\n0.9 0 0 0\n' >bad.meme
fails 1 'bad.meme:5: motif a: the probabilities of a column sum to 0.9' motifs match --motifs wide.meme bad.meme
