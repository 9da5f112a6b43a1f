# godwit score --haplotypes: what the variants that one haplotype carries do together, beside the same change as one record.
. "$ROOT/tests/cli/lib.sh"
prepared small
value() { tr ';\t' '\n\n' | sed -n "s/^$1=//p"; }
base() { sed -n '2,51p' g.fa | tr -d '\n' | cut -c"$1-$2" | tr acgt ACGT; }
other() { echo "$1" | tr ACGT CGTA; }
score() { "$GODWIT" score -q -m model --window 80 -f g.fa "$@"; }
head_lines() { printf '##fileformat=VCFv4.3\n##contig=<ID=c1,length=3000>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n##FORMAT=<ID=PS,Number=1,Type=Integer,Description="Phase set">\n'; }
columns() { printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tone\ttwo\n'; }
row() { printf 'c1\t%s\t%s\t%s\t%s\t.\t.\t.\tGT:PS\t%s\t%s\n' "$@"; }
snv() { row "$1" "s$1" "$(base "$1" "$1")" "$(other "$(base "$1" "$1")")" "$2" "$3"; }

# Two single bases and a deletion on the first haplotype of sample one; the second base also on the other.
{ head_lines; columns
  snv 1003 '1|0:7' '1/0'; snv 1006 '1|1:7' '0|1'; row 1010 d1010 "$(base 1010 1012)" "$(base 1010 1010)" '1|0:7' '0/1'
  snv 1017 '0|1:7' '0|1'; snv 1100 '1|0:7' '1|0'; snv 1105 '1|0:8' '1|0'; snv 1200 '0/1' './.'; snv 1203 '0/1' '.'; } >in.vcf
score --haplotypes --sample one in.vcf >out.vcf
{ head_lines; columns
  row 1003 first "$(base 1003 1012)" "$(other "$(base 1003 1003)")$(base 1004 1005)$(other "$(base 1006 1006)")$(base 1007 1010)" 0 0
  row 1006 second "$(base 1006 1017)" "$(other "$(base 1006 1006)")$(base 1007 1016)$(other "$(base 1017 1017)")" 0 0; } >joined.vcf
score joined.vcf >joined.out
score in.vcf >plain.vcf
llr() { awk -v id="$1" '$3 == id' "$2" | value GW_LLR; }
hap() { awk -v id="$1" '$3 == id' out.vcf | value "$2"; }
first=$(llr first joined.out) second=$(llr second joined.out)
near() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d < 2e-5 && d > -2e-5) }' || die "$3: $1, expected $2"; }
for id in s1003 d1010; do
    equal "$(hap $id GW_HAP | cut -d: -f1,2)" "1:1003+1006+1010" "$id"
    near "$(hap $id GW_HAP_SCORE)" "$first" "$id together"
    near "$(hap $id GW_HAP_X)" "$(echo "$first $(llr s1003 plain.vcf) $(llr s1006 plain.vcf) $(llr d1010 plain.vcf)" | awk '{ print $1 - $2 - $3 - $4 }')" "$id interaction"
done
equal "$(hap s1017 GW_HAP | cut -d: -f1,2)" "2:1006+1017" "the other haplotype"
near "$(hap s1017 GW_HAP_SCORE)" "$second" "the other haplotype together"
equal "$(hap s1006 GW_HAP | tr '&' '\n' | cut -d: -f1,2 | tr '\n' ' ')" "1:1003+1006+1010 2:1006+1017 " "an allele of both"
for id in s1100 s1105 s1200 s1203; do equal "$(hap $id GW_HAP) $(hap $id GW_HAP_X)" ". ." "$id, alone in its phase set or not phased"; done
sed 's/;*GW_HAP[A-Z_]*=[^;\t]*//g; /GW_HAP/d; /scoreCommand/d' out.vcf >found
sed '/scoreCommand/d' plain.vcf >expected
same found expected

# The other sample, and BCF.
score --haplotypes --sample two in.vcf >two.vcf
equal "$(awk '$3 == "s1006"' two.vcf | value GW_HAP | cut -d: -f1,2)" "2:1006+1017" "sample two"
equal "$(awk '$3 == "s1100"' two.vcf | value GW_HAP | cut -d: -f1,2)" "1:1100+1105" "without phase sets"
score -O b -o in.bcf in.vcf
score --haplotypes --sample one --overwrite -O v in.bcf | grep -v '^#' | cut -f8 | sed 's/GW_LLR=[^;]*;//' | tr ';' '\n' | sort >found
grep -v '^#' out.vcf | cut -f8 | sed 's/GW_LLR=[^;]*;//' | tr ';' '\n' | sort >expected
same found expected

# Groups do not depend on where a chunk ends, nor on what is scored before them.
{ head_lines; columns; for p in $(seq 1101 3 2100); do snv "$p" '1|1:1' '0|0'; done; } >dense.vcf
{ head_lines; columns; for p in $(seq 300 1 399); do snv "$p" '0/1' '0|0'; done; grep -v '^#' dense.vcf; } >later.vcf
score --haplotypes --sample one dense.vcf | grep -v '^#' >expected
score --haplotypes --sample one later.vcf | grep -v '^#' | tail -n 334 >found
same found expected
awk '{ n = split($8, f, "GW_HAP="); split(f[2], g, ":"); if (gsub(/\+/, "+", g[2]) != 6) few++ } END { exit few > 7 }' expected || die "groups of seven"

# Work is bounded: where a base costs windows, at most 64 bases are joined, a warning says so, and every record comes back.
{ head_lines; columns; for p in $(seq 1101 1260); do snv "$p" '1|1:1' '0|0'; done; } >dense.vcf
"$GODWIT" pretrain -q -f g.fa --size dna-mini -p window:3+block:16 --length 514 --steps 1 --batch-tokens 1028 -o long
"$GODWIT" score -m long --window 300 -f g.fa --haplotypes --sample one -o joint.vcf dense.vcf 2>said
grep -q "warning: variants of one haplotype were too dense to be joined 4 times: .* within 64 bases" said || die "no word of what is cut: $(cat said)"
equal "$(grep -v '^#' joint.vcf | cut -f 1-7)" "$(grep -v '^#' dense.vcf | cut -f 1-7)" "records"
equal "$(grep -c 'GW_HAP_SCORE=' joint.vcf)" 160 "records that are scored together"

# Of a fine-tuned model in the label that changes most together.
"$GODWIT" score -q -m profiles -f g.fa --haplotypes --sample one in.vcf | awk '$3 == "s1017"' >found
equal "$(value GW_HAP <found | cut -d: -f1,2)" "2:1006+1017" "of a fine-tuned model"
"$GODWIT" score -q -m profiles -f g.fa joined.vcf | awk '$3 == "second"' >expected
near "$(value GW_HAP_SCORE <found)" "$(value GW_DIFF <expected)" "of a fine-tuned model together"

fails 1 "has 2 samples: give the name of one, such as --sample one" score --haplotypes in.vcf
fails 1 "has no sample 'three'; its first is 'one'" score --haplotypes --sample three in.vcf
fails 2 "--sample says whose --haplotypes are scored" score --sample one in.vcf
fails 1 "no --sites, --check-ref s or --shard" score --haplotypes --sample one --shard 1/2 -o no.vcf in.vcf
cut -f1-8 in.vcf >sites.vcf
fails 1 "has no samples, and so no haplotypes" score --haplotypes sites.vcf
sed 's/1|0:8/1|x:8/' in.vcf >bad.vcf
fails 1 "'1|x' is not a genotype of 1 ALTs" score --haplotypes --sample one bad.vcf
sed 's/1|0:8/3|0:8/' in.vcf >bad.vcf
fails 1 "'3|0' is not a genotype of 1 ALTs" score --haplotypes --sample one bad.vcf
sed 's/1|0:8/1|0:x/' in.vcf >bad.vcf
fails 1 "PS: " score --haplotypes --sample one bad.vcf
