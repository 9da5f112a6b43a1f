# godwit score: averages over tokenisation phases beside `predict` on the shifted windows, and scores of insertions and
# deletions at every place where they can be written.
. "$ROOT/tests/cli/lib.sh"
prepared small
value() { tr ';' '\n' | sed -n "s/^$1=//p"; }
sed 's/"hidden_size"/"initializer_range": 0.4, "hidden_size"/' config.json >wide.json # so that differences are not rounding errors
"$GODWIT" finetune -q --from-scratch -c wide.json --task profiles -d prof -f g.fa -o wide --steps 1 -@ 1
{ printf '>c1\n' && sed -n '2,61p' g.fa | tr -d '\n' | sed 's/./T/1000; s/^\(.\{1000\}\)......../\1CACACACA/; s/./G/1009' && echo; } >repeat.fa
bases() { tail -n 1 repeat.fa | cut -c"$1-$2"; }
other() { [ "$1" = A ] && echo C || echo A; }
head_lines() { printf '##fileformat=VCFv4.3\n##contig=<ID=c1,length=3000>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'; }
row() { printf 'c1\t%s\t.\t%s\t%s\t.\t.\t.\n' "$@"; }

# Five phases of a single base: what predict says of both sequences in five windows.
r=$(bases 1500 1500) a=$(other "$(bases 1500 1500)")
{ head_lines && row 1500 "$r" "$a"; } >snv.vcf
{ printf '>c1\n' && tail -n 1 repeat.fa | sed "s/./$a/1500"; } >alt.fa
for shift in 0 1 -1 2 -2; do printf 'c1\t%s\t%s\n' $((1499 - 29 + shift)) $((1499 - 29 + shift + 60)); done >windows.bed
for side in repeat alt; do "$GODWIT" predict -q -m wide -f $side.fa -R windows.bed | tail -n +2 | cut -f2 >$side.txt; done
"$GODWIT" score -q -m wide -f repeat.fa --raw --phases 5 snv.vcf >out.vcf
grep -q '^##godwit_scorePhases=5' out.vcf || die "no phases in the header"
found=$(grep -v '^#' out.vcf | cut -f8)
paste repeat.txt alt.txt | awk -v difference="$(echo "$found" | value GW_DIFF)" -v ref="$(echo "$found" | value GW_PREF)" \
    -v logit="$(echo "$found" | value GW_LOGIT)" -v sd="$(echo "$found" | value GW_SD)" 'function far(x, y, by) { return (x - y) ^ 2 > by ^ 2 }
    { r += $1 / 5; a += $2 / 5; d[NR] = $2 - $1 }
    END { for (i = 1; i <= 5; i++) s += (d[i] - (a - r)) ^ 2
        if (NR != 5 || far(a - r, difference, 1e-6) || far(r, ref, 1e-6) || far(sqrt(s / 4), sd, 1e-6) ||
            far(log(a / (1 - a)) - log(r / (1 - r)), logit, 1e-4)) { print a - r, r, sqrt(s / 4); exit 1 } }' ||
    die "phases beside predict: $found"
"$GODWIT" score -q -m wide -f repeat.fa --phases 1 snv.vcf | grep -v '^##' >found
"$GODWIT" score -q -m wide -f repeat.fa snv.vcf | grep -v '^##' >expected
same found expected

# Of two phases mean and deviation say the same of the second one.
"$GODWIT" mutate -q -f repeat.fa -r c1:1480-1500 -o many.vcf
for k in 1 2; do "$GODWIT" score -q -m model --window 60 -f repeat.fa --phases $k many.vcf | grep -v '^#' | cut -f8 >phases.$k; done
for k in "1 LLR" "2 LLR" "2 SD"; do set -- $k && value "GW_$2" <phases.$1 >"$2.$1"; done
paste LLR.1 LLR.2 SD.2 | awk '{ d = ($2 - $1) ^ 2 - $3 ^ 2 / 2; sum += $3; if (d > 1e-5 || d < -1e-5) exit 1 } END { exit !(NR == 63 && sum > 0.1) }' ||
    die "phases of a pretrained model: $(paste LLR.1 LLR.2 SD.2 | head -3)"
grep -q SD phases.1 && die "a spread of one phase"
{ head_lines && row 30 "$(bases 30 30)" "$(other "$(bases 30 30)")"; } >edge.vcf
equal "$("$GODWIT" score -q -m wide -f repeat.fa edge.vcf | grep -v '^#' | cut -f8 | value GW_STATUS)" PASS "the first window"
equal "$("$GODWIT" score -q -m wide -f repeat.fa --phases 3 edge.vcf | grep -v '^#' | cut -f8 | value GW_STATUS)" EDGE "a shifted one"
fails 1 "no --phases" "$GODWIT" score -q -m promoter -f g.fa --sites tss.bed --phases 2 in.vcf
fails 2 "phases" "$GODWIT" score -q -m wide -f g.fa --phases 17 in.vcf

# TCACACACAG: CA goes or comes in at T, or two, four, six bases further, or by AC between.
{
    head_lines
    row 1000 TCA T
    row 1000 T TCA
    row 1001 CAC C
    row 1003 CAC C
    row 1006 ACA A
    row 1007 C CAC
    row 1008 A ACA
    row 1500 "$r" "$a"
    row 1000 TCAC TG
    row 1000 TCACA T,TCACACA
} >forms.vcf
for model in "wide" "model --window 60"; do
    key=DIFF && [ "$model" = wide ] || key=LLR
    # shellcheck disable=SC2086
    "$GODWIT" score -m $model -f repeat.fa --shifts forms.vcf 2>notes | grep -v '^#' >out
    for k in $key LEFT RIGHT; do cut -f8 out | value GW_$k >k.$k; done
    equal "$(sed -n '3,5p' k.LEFT | sort -u)" "$(sed -n 1p k.LEFT)" "leftmost deletions"
    equal "$(sed -n '1,1p;3,5p' k.LEFT | sort -u)" "$(sed -n 1p k.$key)" "the leftmost is the first"
    equal "$(sed -n '2p;6,7p' k.LEFT | sort -u)" "$(sed -n 2p k.$key)" "leftmost insertions"
    equal "$(sed -n '2p;6,7p' k.RIGHT | sort -u)" "$(sed -n 7p k.$key)" "rightmost insertions"
    equal "$(sed -n '1p;3,5p' k.RIGHT | sort -u)" "$(sed -n 5p k.$key)" "rightmost deletions"
    [ "$(sed -n 1p k.LEFT)" != "$(sed -n 1p k.RIGHT)" ] || die "the place makes no difference"
    equal "$(sed -n '8,9p' k.LEFT | sort -u)" . "of a single base and of a mixture"
    equal "$(sed -n 10p k.LEFT | tr , '\n' | grep -vc '^\.')" 2 "of two ALTs"
    grep -q '9 insertions and deletions could be written at several places; 5 of them are not at the leftmost place' notes || die "count: $(cat notes)"
done
if has bcftools; then
    bcftools norm -f repeat.fa -m - forms.vcf 2>/dev/null | sort -t "$(printf '\t')" -k 1,1 -s >normed
    equal "$(grep -c "c1	1000	.	TCA	T	" normed)" 4 "deletions that bcftools has leftmost"
fi
