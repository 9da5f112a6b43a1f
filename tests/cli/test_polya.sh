# The model of human polyadenylation in the box: the authors' values, torch's log odds of each signal, and what cannot be scored.
. "$ROOT/tests/cli/lib.sh"
data=$ROOT/tests/data/polya
cp "$data/genome.fa" genome.fa
"$GODWIT" score -m human-polya -f genome.fa --digits 7 -o out.vcf "$data/variants.vcf" 2>notes
grep -qF "This genome does not look like the one that the model was trained on" notes || die "no warning of a foreign genome: $(cat notes)"
grep -qx '##godwit_scoreModelLicence=mit' out.vcf || die "licence"
value() { awk -F '\t' -v id="$1" '$3 == id { print $8 }' "${3:-out.vcf}" | tr ';' '\n' | sed -n "s/^$2=//p"; }
near() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(a != "" && d < 1e-4 && d > -1e-4) }' || die "$3: $1, expected $2"; }

# The authors' example; TP53 lies on the reverse strand here.
near "$(value PTEN GW_POLYA)" 0.299790 PTEN
near "$(value TP53 GW_POLYA)" 1.122925 TP53
near "$(value F2 GW_POLYA)" -3.744810 F2
equal "$(value TP53 GW_POLYA_AT)" 32 "where TP53's signal is"
equal "$(value TP53 GW_POLYA_SIGNALS | cut -d '|' -f 2,4,5)" "-|AATAAA|AATAAA" "TP53's signal"
equal "$(value F2 GW_POLYA_SIGNALS | cut -d '|' -f 2-5)" "+|-4|GATAAA|GATAGA" "F2's signal"

# Every signal that a variant changes, with both alleles' log odds, computed by torch (tests/oracle/aparent_oracle.py).
entries() {
    grep -v '^#' "$1" | awk -F '\t' '{ n = split($8, key, ";"); for (i = 1; i <= n; i++) if (sub(/^GW_POLYA_SIGNALS=/, "", key[i])) {
        m = split(key[i], e, ","); for (j = 1; j <= m; j++) { split(e[j], f, "|"); print $3, f[2], f[3], f[4], f[5], f[6], f[7] } } }' | sort
}
beside() {
    sed 1d "$data/entries.tsv" | tr '\t' ' ' | sort >expected
    entries "$1" >found
    equal "$(cut -d ' ' -f 1-5 found)" "$(cut -d ' ' -f 1-5 expected)" "signals of $1"
    paste -d ' ' found expected | awk '{ for (k = 6; k <= 7; k++) { d = $k - $(k + 7); if (d > 2e-5 || d < -2e-5) print } }' >wrong
    [ ! -s wrong ] || die "$1 has other log odds than torch: $(head -n 3 wrong)"
}
beside out.vcf
"$GODWIT" score -q -m human-polya -f genome.fa --digits 7 --plain -o plain.vcf "$data/variants.vcf" 2>notes
beside plain.vcf

# Saturation: parts of windows are as whole windows.
"$GODWIT" score -q -m human-polya -f genome.fa --digits 7 --all-snvs -r ends:60-90 -o all.vcf.gz 2>notes
"$GODWIT" score -q -m human-polya -f genome.fa --digits 7 --all-snvs -r ends:60-90 --plain -o all_plain.vcf.gz 2>notes
for file in all all_plain; do gzip -dc $file.vcf.gz >$file.vcf; grep -v '^#' $file.vcf | sed 's/GW_VALUES=[^;]*;//' | tr ',;|=\t' '\n\n\n\n\n' >$file.txt; done
paste all.txt all_plain.txt | awk '$1 != $2 { d = $1 - $2; if (d > 2e-5 || d < -2e-5 || $1 !~ /[0-9]/) print }' >wrong
[ ! -s wrong ] || die "parts of windows are not as whole windows: $(head -n 3 wrong)"
[ "$(grep -vc '^#' all.vcf)" -ge 31 ] || die "$(grep -vc '^#' all.vcf) records"

# Why a record has no score, or one of less worth; none is lost.
base() { sed 1d genome.fa | tr -d '\n' | cut -c "$1"; }
{ cat genome.fa && printf '>short\n%s\n>shorter\n%s\n' "$(base 1-150)" "$(base 60-149)"; } >odd.fa
{ printf '##fileformat=VCFv4.2\n##contig=<ID=ends,length=845>\n##contig=<ID=short,length=150>\n##contig=<ID=shorter,length=90>\n##contig=<ID=other>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    printf 'short\t74\tpadded\tA\tC\t.\t.\t.\nshorter\t15\tend\tA\tC\t.\t.\t.\n'
    printf 'ends\t530\tunknown\tN\tA\t.\t.\t.\n'
    printf 'ends\t100\tambiguous\t%s\tR\t.\t.\t.\n' "$(base 100)"
    printf 'ends\t100\tmismatch\tC\tG\t.\t.\t.\n'
    printf 'ends\t100\tsymbolic\tA\t<INS>\t.\t.\t.\n'
    printf 'other\t5\tcontig\tA\tC\t.\t.\t.\n'; } >odd.vcf
"$GODWIT" score -q -m human-polya -f odd.fa -o odd_out.vcf odd.vcf 2>notes
for pair in padded=PADDED end=NRICH unknown=ABSENT ambiguous=AMBIGUOUS mismatch=REFMISMATCH symbolic=SYMBOLIC contig=NOCONTIG; do
    equal "$(value "${pair%=*}" GW_STATUS odd_out.vcf)" "${pair#*=}" "status of ${pair%=*}"
done
equal "$(grep -vc '^#' odd_out.vcf)" "$(grep -vc '^#' odd.vcf)" records
printf '>plain\n%s\n' "$(printf 'CCGG%.0s' $(seq 100))" >plain.fa
"$GODWIT" score -q -m human-polya -f plain.fa --variants plain:200:G:C 2>notes | grep -q 'GW_STATUS=NOSIGNAL' || die "a variant without a signal near it"

for option in --anywhere '-M 1' '--scores diff' '--profiles x.npy' '--shifts'; do
    # shellcheck disable=SC2086 # an option and its value
    "$GODWIT" score -q -m human-polya -f genome.fa $option -o x.vcf odd.vcf 2>said && die "$option is taken"
    grep -q 'polyadenylation' said || die "$option: $(cat said)"
done
fails 1 "a model of polyadenylation has entries for each signal: use \`godwit score\`" "$GODWIT" serve -q -m human-polya -f genome.fa
fails 1 "a model of polyadenylation" "$GODWIT" predict -q -m human-polya -f genome.fa -r ends:1-205
[ ! -e x.vcf ] || die "something was written"

grep -q 'MIT' "$ROOT/share/godwit/models/human-polya/LICENSE" || die "no licence text"
"$GODWIT" models human-polya | grep -q 'APARENT2' || die "no card"
[ "$(du -sk "$ROOT/share/godwit/models/human-polya" | cut -f 1)" -lt 1400 ] || die "more than 1.4 MB"

# The background of common variants: one row, whose counts are its alleles; a larger score is larger than more of them.
own=$ROOT/share/godwit/models/human-polya/background.tsv
"$GODWIT" background -q -m human-polya -f genome.fa -o made.tsv all.vcf.gz 2>notes
for file in "$own" made.tsv; do
    equal "$(grep -v '^#' "$file" | cut -f 2 | tr '\n' ' ')" "profile largest " "rows of $file"
    equal "$(tail -n 1 "$file" | cut -f 5 | tr ',' '\n' | awk -F : '{ n += $2 } END { print n }')" "$(sed -n 's/^##alleles=//p' "$file")" "alleles of $file"
done
grep -v '^#' out.vcf | tr ';' '\t' | sed -n 's/.*GW_PCT=\([^\t]*\).*GW_POLYA=-*\([0-9.e-]*\).*/\2 \1/p' | sort -g >shares
[ "$(wc -l <shares)" -ge 15 ] || die "$(wc -l <shares) alleles have GW_PCT"
sort -s -g -k 2,2 shares | cmp -s - shares || die "GW_PCT does not grow with the size of GW_POLYA: $(cat shares)"
mkdir results && cp out.vcf results && "$GODWIT" report results -o report.html 2>notes
grep -qF 'The background is 2418 alleles, 1000 Genomes variants' report.html || die "the report names no background"
