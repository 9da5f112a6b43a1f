# The model of yeast promoters in the box: numbers of sequences, what changes of them do on either strand, and its card.
. "$ROOT/tests/cli/lib.sh"
unset GODWIT_MODELS
low=TCTAAGAGTAAAAATATTCTTGAGTGCCAGAGTTCAGTAAAATGTATCCTTTTTAACCAGAAGAGTAGAACAGGTCTTCT
high=AGGCGGCGCGCAGTTGTCTCGCGACCGAAACCTAGATCGCGCTAACCCACTGCCCCAGCTCAGCGCCCCATGTGCTGAGG
printf 'sequence\n%s\n%s\n' $low $high >two.tsv
"$GODWIT" predict -q -m yeast-expression -d two.tsv >found
near() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d < 2e-3 && d > -2e-3) }' || die "$3: $1, expected $2"; }
awk 'NR == 2 { low = $2 } NR == 3 { high = $2 } END { exit !(low < 4 && high > 12) }' found || die "a low and a high level: $(cat found)"
"$GODWIT" models yeast-expression | grep -q 'GW_DIFF' || die "no card"

# Variants of a promoter, and of the same one on the other strand: REF has the level of its window, in either label.
filler=ACGTTGCAAC
{ echo ">c" && printf '%s' $filler $filler $low $filler $filler && echo; } >g.fa
{ echo ">c" && sed -n 2p g.fa | rev | tr ACGT TGCA; } >turned.fa
levels="tiles=$(sed -n 2p found | cut -f2) complex=$(sed -n 2p found | cut -f3) defined=$(sed -n 2p found | cut -f4)"
for side in "g +" "turned -"; do
    "$GODWIT" mutate -q -f "${side% *}.fa" -r c:60-60 >in.vcf
    "$GODWIT" score -q -m yeast-expression -f "${side% *}.fa" --raw --strand="${side#* }" in.vcf | grep -v '^#' | cut -f8 | tr ';' ' ' |
        awk -v levels="$levels" 'BEGIN { n = split(levels, of, /[= ]/); for (i = 1; i < n; i += 2) level[of[i]] = of[i + 1] } {
            for (f = 1; f <= NF; f++) { split($f, pair, "="); value[pair[1]] = pair[2] }
            d = value["GW_PREF"] - level[value["GW_TOP"]]
            if (d > 2e-3 || d < -2e-3 || value["GW_DIFF"] == 0) { print; bad = 1 } }
            END { exit NR != 3 || bad }' >wrong || die "on strand ${side#* }: $(cat wrong)"
done

# Pictures of measured numbers do not speak of probabilities.
"$GODWIT" mutate -q -f g.fa -r c:60-64 | "$GODWIT" score -q -m yeast-expression -f g.fa --map map.svg -o scored.vcf -
"$GODWIT" view -q -f g.fa -r c:55-70 -o view.svg scored.vcf
grep -qx "effect of every single-base change: predicted number, ALT - REF" map.svg || die "the map: $(sed -n '/<desc>/,$p' map.svg)"
grep -qx "GW_DIFF (predicted number, ALT - REF)" view.svg || die "the view: $(sed -n '/<desc>/,$p' view.svg)"
! grep -q 'p(ALT)\|p is' map.svg view.svg || die "a picture of numbers speaks of probabilities"
