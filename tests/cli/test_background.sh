# godwit background, and the scores that are set against one; lists of profiles; one key as VEP writes it.
. "$ROOT/tests/cli/lib.sh"
prepared small
value() { tr ';' '\n' | sed -n "s/^$1=//p"; }
column() { grep -v '^#' "$2" | cut -f8 | value "$1"; }
awk "$DRAW"'BEGIN { seed = 7; OFS = "\t"; for (i = 0; i < 90; i++) { p = draw(2900); n = i % 3
    print "c1", p, p + 20, n == 0 ? "A" : n == 1 ? "B|b" : "C&c" } }' >peaks.bed
"$GODWIT" profiles -q -f g.fa --bin 20 --window 60 --label midpoint --target-from column4 -o three peaks.bed
sed 's/"hidden_size"/"initializer_range": 0.4, "hidden_size"/' config.json >wide.json # so that differences are not rounding errors
"$GODWIT" finetune -q --from-scratch -c wide.json --task profiles -d three -f g.fa -o tuned --steps 1 --batch 8 -@ 1
"$GODWIT" mutate -q -f g.fa -r c1:1001-1150 -o common.vcf
"$GODWIT" mutate -q -f g.fa -r c1:1201-1230 -o new.vcf

# compare SCORES BACKGROUND ALLELES: columns value, size, e-value, z, percentile of alleles, by what the background's are
# (columns value, size). Sizes are counted in bins of a sixteenth of an octave.
compare() {
    awk 'NR == FNR { n++; v[n] = $1; s[n] = $2 < 0 ? -$2 : $2; sum += $1; next }
        FNR == 1 { mean = sum / n; for (i = 1; i <= n; i++) q += (v[i] - mean) ^ 2; sd = sqrt(q / (n - 1)) }
        { size = $2 < 0 ? -$2 : $2; lower = upper = below = above = 0; few = $1 * ($1 < 0 ? 1.0001 : 1 / 1.07); many = $1 * ($1 < 0 ? 1 / 1.07 : 1.07)
          for (i = 1; i <= n; i++) { lower += tail ? v[i] <= few : s[i] >= size * 1.0001; upper += tail ? v[i] <= many : s[i] >= size / 1.07; below += s[i] < size / 1.07; above += s[i] <= size * 1.0001 }
          z = ($1 - mean) / sd
          if ($3 < (1 + lower) / (n + 1) - 1e-5 || $3 > (1 + upper) / (n + 1) + 1e-5) { print "e-value", $0; exit 1 }
          if (($4 - z) ^ 2 > 1e-4 * (1 + z * z)) { print "z", $0, z; exit 1 }
          if (percentile && ($5 < 100 * below / n - 1e-3 || $5 > 100 * above / n + 1e-3)) { print "percentile", $0; exit 1 } }
        END { if (FNR != 90) { print FNR " alleles"; exit 1 } }' percentile="$3" tail="${5:-}" "$1" "$2" || die "$4"
}
"$GODWIT" background -q -m model --window 60 -f g.fa -o llr.tsv common.vcf
"$GODWIT" score -q -m model --window 60 -f g.fa common.vcf >common.out.vcf
"$GODWIT" score -q -m model --window 60 -f g.fa --background llr.tsv new.vcf >out.vcf
column GW_LLR common.out.vcf | awk '{ print $1, $1 }' >background
for key in LLR LLR EVALUE Z PCT; do column GW_$key out.vcf >key.$key; done
paste key.LLR key.LLR key.EVALUE key.Z key.PCT >found
compare background found 1 "a pretrained model" lower
description() { grep '^##INFO=<ID=GW_EVALUE,' "$1" | sed 's/.*Description="\(.*\)">/\1/'; }
equal "$(description out.vcf)" "Share of the background's alleles whose log-likelihood ratio is as low or lower (lower tail: ALT less likely)" "the lower tail"
paste key.LLR key.EVALUE | awk '$1 > 0 && $2 < 0.3 || $1 < -3 && $2 > 0.3 { print; exit 1 } $1 > 0 { up++ } END { exit !up }' || die "an allele that is likelier than REF is rare"

# Both tails, as often as they are asked for: of the same background, and of one without counts of the lower tail.
two="Share of the background's alleles whose log-likelihood ratio is at least as large in size (two tails)"
"$GODWIT" score -q -m model --window 60 -f g.fa --background llr.tsv --tail two new.vcf >two.vcf
for key in LLR EVALUE Z PCT; do column GW_$key two.vcf >key.$key; done
paste key.LLR key.LLR key.EVALUE key.Z key.PCT >found
compare background found 1 "both tails"
equal "$(description two.vcf)" "$two" "both tails"
sed '1s/2$/1/; /^1\tLLR below 0/d' llr.tsv >old.tsv
"$GODWIT" score -q -m model --window 60 -f g.fa --background old.tsv --tail two new.vcf | grep -v '^##' >found
grep -v '^##' two.vcf >expected
same found expected
fails 1 "old.tsv has no counts of the lower tail: make it again with godwit background, or give --tail two" \
    "$GODWIT" score -q -m model --window 60 -f g.fa --background old.tsv new.vcf
equal "$(head -1 llr.tsv)" "##godwit_background=2" "a background with a lower tail"
equal "$(tail -1 llr.tsv | cut -f1,2 | tr '\t' :)" "1:LLR below 0" "its last row"
equal "$(tail -1 llr.tsv | cut -f5 | tr ',' '\n' | awk -F: '{ n += $2 } END { print n }')" "$(awk '$1 < 0' background | wc -l | tr -d ' ')" "ratios below 0"

# Keys that are replaced are described anew, in VCF and BCF.
"$GODWIT" score -q -m model --window 60 -f g.fa --background llr.tsv --overwrite two.vcf >again.vcf
equal "$(description again.vcf)" "$(description out.vcf)" "a key that is replaced"
equal "$(grep -c '^##INFO' again.vcf)" "$(grep -c '^##INFO' two.vcf)" "header lines of a file that is scored twice"
"$GODWIT" score -q -m model --window 60 -f g.fa --background llr.tsv --tail two -O b -o two.bcf new.vcf
"$GODWIT" score -q -m model --window 60 -f g.fa --background llr.tsv --overwrite -O b -o again.bcf two.bcf
"$GODWIT" score -q -m model --window 60 -f g.fa --tag X again.bcf >again.vcf
equal "$(description again.vcf)" "$(description out.vcf)" "a key that is replaced in BCF"
equal "$(column GW_EVALUE again.vcf | tr '\n' ' ')" "$(column GW_EVALUE out.vcf | tr '\n' ' ')" "values that are replaced"
grep -q '^##godwit_scoreBackground=llr.tsv' out.vcf || die "the background is not named"

# Of a model with three profiles: those alleles whose top profile is the last one, against that profile's row.
"$GODWIT" background -q -m tuned -f g.fa -o tuned.tsv.gz common.vcf
gzip -dc tuned.tsv.gz >tuned.tsv
equal "$(grep -v '^##' tuned.tsv | cut -f1,2 | tr '\t\n' ': ')" "index:profile -1:largest 0:A 1:B|b 2:C&c " "rows"
equal "$(sed -n 's/^##alleles=//p' tuned.tsv)" 450 "alleles"
"$GODWIT" score -q -m tuned -f g.fa --raw --background tuned.tsv.gz --top 3 \
    --scores diff,logit,log2fc,effect,mean,evalue,z,percentile new.vcf >out.vcf
for key in DIFF LOGIT LOG2FC EFFECT PREF PALT TOP TOPS Z EVALUE PCT TOPI MEAN; do column GW_$key out.vcf >key.$key; done
paste key.DIFF key.LOGIT key.LOG2FC key.EFFECT key.PREF key.PALT | awk 'function size(x) { return x < 0 ? -x : x }
    size($4 - size($1 * $2)) > 1e-5 * $4 + 1e-12 { print "effect", $0; exit 1 }
    size($3 - log($6 / $5) / log(2)) > 2e-4 { print "fold", $0; exit 1 }' || die "scores of one allele"
paste key.DIFF key.TOP key.TOPS key.MEAN | awk -F'\t' 'function size(x) { return x < 0 ? -x : x }
    { n = split($3, top, "&"); split(top[1], best, ":"); name = $2; gsub(/\|/, "%7C", name); gsub(/&/, "%26", name)
      if (n != 3 || best[1] != name || best[2] != $1) { print "first", $0; exit 1 }
      sum = 0; last = 1
      for (i = 1; i <= n; i++) { split(top[i], one, ":"); sum += size(one[2]); if (size(one[2]) > last) { print "order", $0; exit 1 } last = size(one[2]) }
      if (size(sum / 3 - $4) > 1e-5 * $4 + 1e-12) { print "mean", $0; exit 1 } }' || die "the list of profiles"
"$GODWIT" score -q -m tuned -f g.fa --profiles x.npy common.vcf >common.out.vcf
column GW_DIFF common.out.vcf | awk '{ print $1, $1 }' >background
paste key.DIFF key.DIFF key.PCT | awk '{ print $1, $2, 0, 0, $3 }' >found
awk 'NR == FNR { n++; s[n] = $2 < 0 ? -$2 : $2; next } { size = $2 < 0 ? -$2 : $2; below = above = 0
    for (i = 1; i <= n; i++) { below += s[i] < size / 1.07; above += s[i] <= size * 1.0001 }
    if ($5 < 100 * below / n - 1e-3 || $5 > 100 * above / n + 1e-3) exit 1 }' background found || die "percentile of profiles"
equal "$("$GODWIT" score -q -m tuned -f g.fa --background tuned.tsv.gz new.vcf | grep '^##INFO' | sed 's/.*ID=GW_\([A-Z]*\),.*/\1/' | tr '\n' ' ')" \
    "DIFF LOGIT TOPI TOP MEAN EVALUE Z PCT STATUS " "keys with a background"
equal "$("$GODWIT" score -q -m tuned -f g.fa --scores effect new.vcf | grep '^##INFO' | sed 's/.*ID=GW_\([A-Z]*\),.*/\1/' | tr '\n' ' ')" \
    "EFFECT TOPI TOP STATUS " "keys that are asked for"

# One key: the same values, as its fields, and nothing in those that are missing.
"$GODWIT" score -q -m tuned -f g.fa --vep --top 2 new.vcf >vep.vcf
grep -q '^##INFO=<ID=GW_CSQ,Number=A,Type=String,Description="Effects by godwit. Format: Allele|Consequence|DIFF|LOGIT|TOPI|TOP|MEAN|TOPS|STATUS">' vep.vcf ||
    die "the Format: $(grep CSQ vep.vcf | head -1)"
column GW_CSQ vep.vcf | cut -d'|' -f3 >found
same found key.DIFF
column GW_CSQ vep.vcf | awk -F'|' 'NF != 9 { exit 1 }' || die "fields of GW_CSQ"
grep '^#' new.vcf >few.vcf
printf 'c1\t5\t.\tA\t<X>,C\t.\t.\t.\n' >>few.vcf
"$GODWIT" score -q -m tuned -f g.fa --vep few.vcf | grep -v '^#' | cut -f8 | grep -q '^GW_CSQ=<X>|sequence_variant||||||SYMBOLIC,C|sequence_variant||||||' ||
    die "missing values"
if has bcftools && bcftools +split-vep -h 2>&1 | grep -q annotation; then
    bcftools +split-vep -a GW_CSQ -f '%DIFF\n' vep.vcf >found 2>err || die "split-vep: $(cat err)"
    same found key.DIFF
    "$GODWIT" score -q -m tuned -f g.fa --vep -O b new.vcf >vep.bcf
    bcftools +split-vep -a GW_CSQ -c DIFF:Float -i 'DIFF>0' -f '%POS\n' vep.bcf >found
    equal "$(wc -l <found | tr -d ' ')" "$(grep -vc '^-' key.DIFF)" "records that split-vep filters"
fi

fails 1 "the score 'z' needs a --background" "$GODWIT" score -q -m tuned -f g.fa --scores diff,z new.vcf
fails 1 "'llr' is not a score of a fine-tuned model" "$GODWIT" score -q -m tuned -f g.fa --scores llr new.vcf
fails 1 "'dif' is not a score" "$GODWIT" score -q -m tuned -f g.fa --scores dif new.vcf
fails 1 "'' is not a score" "$GODWIT" score -q -m tuned -f g.fa --scores diff, new.vcf
fails 1 "'mean' is not a score of a pretrained model" "$GODWIT" score -q -m model --window 60 -f g.fa --scores mean new.vcf
fails 1 "--top is for fine-tuned models" "$GODWIT" score -q -m model --window 60 -f g.fa --top 2 new.vcf
fails 1 "llr.tsv:2: the background of another model" "$GODWIT" score -q -m tuned -f g.fa --background llr.tsv new.vcf
fails 1 "llr.tsv:3: made with windows of 60 bp, not 58" "$GODWIT" score -q -m model --window 58 -f g.fa --background llr.tsv new.vcf
head -8 tuned.tsv >cut.tsv
fails 1 "cut.tsv:8: ends too early: the model has 3 profiles" "$GODWIT" score -q -m tuned -f g.fa --background cut.tsv new.vcf
awk -F'\t' -v OFS='\t' '$1 == 1 { sub(/:/, ":9", $5) } { print }' tuned.tsv >bad.tsv
fails 1 "alleles are counted, not 450" "$GODWIT" score -q -m tuned -f g.fa --background bad.tsv new.vcf
fails 1 "--tail lower is for pretrained models" "$GODWIT" score -q -m tuned -f g.fa --background tuned.tsv --tail lower new.vcf
fails 2 "--tail is of e-values, which need a --background" "$GODWIT" score -q -m tuned -f g.fa --tail two new.vcf
awk -F'\t' -v OFS='\t' '$2 == "LLR below 0" { sub(/:[0-9]*/, ":99", $5) } { print }' llr.tsv >bad.tsv
fails 1 "has more ratios below zero than ratios" "$GODWIT" score -q -m model --window 60 -f g.fa --background bad.tsv new.vcf
sed 's/^##godwit_background=1/##godwit_background=2/' tuned.tsv >bad.tsv
fails 1 "has a lower tail (##godwit_background=2), which a fine-tuned model has not" "$GODWIT" score -q -m tuned -f g.fa --background bad.tsv new.vcf
fails 1 "no file of" "$GODWIT" score -q -m tuned -f g.fa --background peaks.bed new.vcf
grep '^#' new.vcf >empty.vcf
fails 1 "has no allele that can be scored" "$GODWIT" background -q -m tuned -f g.fa -o no.tsv empty.vcf
[ ! -e no.tsv ] || die "a failed run left its output"

# Another temperature is another score: halved logits on one strand, named in the header, and of no other background.
"$GODWIT" score -q -m promoter -f g.fa --sites tss.bed in.vcf >cold.vcf
"$GODWIT" score -q -m promoter -f g.fa --sites tss.bed --temperature 2 in.vcf >warm.vcf
for t in cold warm; do column GW_LOGIT $t.vcf >$t.txt; done
paste cold.txt warm.txt | awk '{ d = $1 - 2 * $2; if (d > 2e-6 || d < -2e-6) exit 1; n++ } END { exit !n }' || die "logits of another temperature"
equal "$(grep Temperature cold.vcf warm.vcf)" "warm.vcf:##godwit_scoreTemperature=2" "header"
"$GODWIT" background -q -m tuned --temperature 2 -f g.fa -o warm.tsv common.vcf
"$GODWIT" score -q -m tuned --temperature 2 -f g.fa --background warm.tsv new.vcf >out.vcf
fails 1 "made of logits divided by 2 (--temperature), not by 1" "$GODWIT" score -q -m tuned -f g.fa --background warm.tsv new.vcf
fails 1 "made of logits divided by 1 (--temperature), not by 2" "$GODWIT" score -q -m tuned --temperature 2 -f g.fa --background tuned.tsv new.vcf

# By context: single-base changes between the same two bases on either side, on either strand, whose mean is taken off.
{ grep '^#' common.vcf && for i in 1 2 3 4 5 6 7 8 9 10; do grep -v '^#' common.vcf; done; } >often.vcf
printf 'c1\tmade\tgene\t1101\t1200\t.\t+\t.\tID=g1;Name=one\n' >one.gff3
"$GODWIT" background -q -m model --window 60 -f g.fa --by context --outside one.gff3 -o context.tsv often.vcf
equal "$(sed -n 's/^##alleles=//p' context.tsv)" 3000 "alleles outside the gene"
equal "$(head -1 context.tsv)" "##godwit_background=3" "a background by context"
"$GODWIT" score -q -m model --window 60 -f g.fa --background context.tsv --scores llr,context new.vcf >out.vcf
contexts() { # SCORED: context, GW_LLR and GW_CTX of each allele
    awk -v OFS='\t' 'function complement(s,  i, out) { for (i = length(s); i > 0; i--) out = out substr("TGCA", index("ACGT", substr(s, i, 1)), 1); return out }
        FNR == NR { if (/^>/) name = substr($1, 2); else bases[name] = bases[name] toupper($0); next } /^#/ { next }
        { around = substr(bases[$1], $2 - 2, 5); alt = $5; if (index("GT", $4)) { around = complement(around); alt = complement(alt) }
          n = split($8, info, ";"); llr = ctx = "."; for (i = 1; i <= n; i++) { if (info[i] ~ /^GW_LLR=/) llr = substr(info[i], 8); if (info[i] ~ /^GW_CTX=/) ctx = substr(info[i], 8) }
          print around ">" alt, llr, ctx }' g.fa "$1"
}
contexts common.out.vcf >found
"$GODWIT" score -q -m model --window 60 -f g.fa -t ^c1:1101-1200 common.vcf >outside.vcf
contexts outside.vcf >common.contexts
contexts out.vcf >new.contexts
awk -F'\t' 'FNR == NR { n[$1] += 10; sum[$1] += 10 * $2; next }
    !($1 in n) { if ($3 != ".") { print "of no context", $0; exit 1 } none++; next }
    { d = $2 - sum[$1] / n[$1] - $3; if (d > 1e-4 || d < -1e-4) { print; exit 1 } some++ }
    END { if (!some || !none) { print some " " none; exit 1 } }' common.contexts new.contexts || die "scores less their context's mean"
"$GODWIT" background -q -m model --window 60 -f g.fa --by context -o once.tsv common.vcf
"$GODWIT" score -q -m model --window 60 -f g.fa --background once.tsv --scores context new.vcf | grep -v '^#' | cut -f8 | tr ';' '\n' | grep '^GW_CTX=' | grep -v '=\.$' | wc -l >found
[ "$(cat found)" -lt 10 ] || die "means of fewer than ten changes: $(cat found)"
fails 1 "the score 'context' needs a background made --by context" "$GODWIT" score -q -m model --window 60 -f g.fa --background llr.tsv --scores context new.vcf
fails 1 "contexts need a pretrained model" "$GODWIT" background -q -m tuned -f g.fa --by context -o no.tsv common.vcf
awk -F'\t' -v OFS='\t' '$2 ~ />/ && !done { $2 = "AAAAA>A"; done = 1 } { print }' context.tsv >bad.tsv
fails 1 "'AAAAA>A' is not the context of number" "$GODWIT" score -q -m model --window 60 -f g.fa --background bad.tsv new.vcf
{ cat context.tsv && tail -1 context.tsv; } >bad.tsv
fails 1 "is there twice" "$GODWIT" score -q -m model --window 60 -f g.fa --background bad.tsv new.vcf

# Of fewer than a hundred alleles nothing is said.
{ grep '^#' common.vcf && grep -v '^#' common.vcf | head -99; } >few.vcf
"$GODWIT" background -m model --window 60 -f g.fa -o few.tsv few.vcf 2>notes
grep -q 'few.vcf has 99 alleles that can be scored: with fewer than 100' notes || die "a warning: $(cat notes)"
"$GODWIT" score -m model --window 60 -f g.fa --background few.tsv new.vcf 2>notes >out.vcf
grep -q 'few.tsv has 99 alleles, fewer than 100' notes || die "a warning: $(cat notes)"
equal "$(grep -v '^#' out.vcf | cut -f8 | tr ';' '\n' | grep 'EVALUE\|GW_Z\|PCT' | cut -d= -f2 | sort -u | tr -d ',\n')" "." "values of a small background"
