# Scores of splicing against a background: of a file that is asked for, and the model's own; and what report says of it.
. "$ROOT/tests/cli/lib.sh"
cp -r "$ROOT/tests/data/splice" model
awk 'BEGIN { seed = 5; for (i = 0; i < 600; i++) { seed = (seed * 16807) % 2147483647
        s = s substr("ACGT", 1 + int(seed / 65536) % 4, 1) } print ">c\n" s }' >g.fa
"$GODWIT" mutate -q -f g.fa -r c:231-300 | awk '/^#/ { print >"common.vcf"; print >"new.vcf"; next } { print >(++n % 2 ? "common.vcf" : "new.vcf") }'
score() { "$GODWIT" score -m model -f g.fa -D 20 "$@"; }
of() { grep -v '^#' "$2" | cut -f 8 | tr ';' '\n' | sed -n "s/^$1=//p"; }
"$GODWIT" background -q -m model -f g.fa -D 20 --name 'changes of 70 bases & more' -o own.tsv common.vcf
grep '^##[^m]' own.tsv >found
printf '##godwit_background=1\n##window=121\n##distance=20\n##mask=0\n##name=changes of 70 bases & more\n##alleles=105\n' | sed "s/=121/=$(sed -n 's/^##window=//p' own.tsv)/" |
    grep '^##[^m]' >expected
same found expected
equal "$(sed -n 's/^##mask=//p' own.tsv)" 0 "the mask"
equal "$(grep -v '^##' own.tsv | cut -f 2 | tr '\n' ' ')" "profile largest " "rows"

# The percentile is the share of smaller scores, sizes being counted in sixteenths of octaves.
score -q common.vcf 2>/dev/null >common.out.vcf
of GW_SPLICE common.out.vcf >values
score -q --background own.tsv -o out.vcf new.vcf
equal "$(grep '^##INFO' out.vcf | sed 's/.*ID=\([A-Za-z_]*\),.*/\1/' | tr '\n' ' ')" "GW_PCT GW_SPLICE GW_SPLICE_AT OpenSpliceAI GW_STATUS " "keys"
of GW_SPLICE out.vcf >scores
of GW_PCT out.vcf >percents
paste scores percents | awk 'NR == FNR { s[++n] = $1; next } { below = above = 0
    for (i = 1; i <= n; i++) { below += s[i] < $1 / 1.07; above += s[i] <= $1 * 1.0001 }
    if ($2 < 100 * below / n - 1e-3 || $2 > 100 * above / n + 1e-3) { print; exit 1 } } END { exit FNR != 105 }' values - || die "a percentile"
words=$(sed -n 's/^##INFO=<ID=GW_PCT,.*\(Background of 105 alleles, changes of 70 bases & more: .*\)">/\1/p' out.vcf)
[ "$words" ] || die "the header does not say what the background is: $(grep GW_PCT, out.vcf | head -n 1)"
echo "$words" | grep -o '[0-9]* % below\|[0-9]*% below [-.e0-9]*' | tr -d '%' | awk 'NR == FNR { s[++n] = $1; next } { low = high = 0
    for (i = 1; i <= n; i++) { high += s[i] < $3 * 1.002; low += s[i] < $3 / 1.07 }
    if (high < n * $1 / 100 || low >= n * $1 / 100) { print; exit 1 } } END { exit FNR != 4 }' values - || die "shares: $words"

# The model's own is taken without being asked for, where distance and mask are its.
cp own.tsv model/background.tsv
score -q -o own.vcf new.vcf
grep -v '^##' own.vcf >found
grep -v '^##' out.vcf >expected
same found expected
grep -qx '##godwit_scoreBackground=model/background.tsv' own.vcf || die "the header does not name the model's background"
printf '#NAME\tCHROM\tSTRAND\tTX_START\tTX_END\tEXON_START\tEXON_END\nA\tc\t+\t0\t600\t0,280,\t240,600,\n' >genes.txt
for other in '-D 10' '-D 20 -M 1'; do
    # shellcheck disable=SC2086
    "$GODWIT" score -m model -f g.fa --genes genes.txt $other -o other.vcf new.vcf 2>notes
    grep -q "the model's background is left out: model/background.tsv:[0-9]*: made with" notes || die "no note of $other: $(cat notes)"
    grep -q GW_PCT other.vcf && die "a percentile of $other"
    # shellcheck disable=SC2086
    fails 1 ": made with " "$GODWIT" score -q -m model -f g.fa --genes genes.txt $other --background own.tsv -o x.vcf new.vcf
done
fails 1 "is not a name of a background" "$GODWIT" background -q -m model -f g.fa -D 20 --name 'a "b"' -o x.tsv common.vcf
[ ! -e x.tsv ] || die "a failed run left its output"
sed 's/^##name=.*/##name=a <b>/' own.tsv >bad.tsv
fails 1 "is not a name of a background" score -q --background bad.tsv -o x.vcf new.vcf
fails 1 "has scores of its own" score -q --background own.tsv --tail two -o x.vcf new.vcf

# report says where the first variant lies, and the picture where the background does.
mkdir with without
cp own.vcf with
"$GODWIT" report with -o with.html
first=$(paste scores percents | sort -k 1,1gr | head -n 1 | cut -f 2)
higher=$(awk -v p="$first" 'BEGIN { if (p < 100) printf "%.4g %%", p; else printf "all" }')
grep -qF ": higher than $higher of the background of 105 alleles, changes of 70 bases &amp; more." with.html || die "the finding: $(grep '<li>' with.html)"
grep -qF '<p>The background is 105 alleles, changes of 70 bases &amp; more. Of their scores 50 % lie below' with.html || die "no word of the background"
grep -q '>higher than, % of the background<' with.html || die "no column of where variants lie"
sed -n 's/.*base64,\([A-Za-z0-9+\/=]*\)".*/\1/p' with.html | tail -n 1 | base64 -d >with.svg
inside with.svg
grep -q '^95 % of the background below' with.svg || die "no line in the picture: $(sed -n '/<desc>/,$p' with.svg | head)"
"$GODWIT" score -q -m "$ROOT/tests/data/splice" -f g.fa -D 20 -o without/new.vcf new.vcf
"$GODWIT" report without -o without.html
grep -qi 'background of\|background is\|% of the background\|percentile' without.html && die "a report of a background that is not there"
exit 0
