# godwit score --indel-null: insertions and deletions among neutral ones of their length and kind.
. "$ROOT/tests/cli/lib.sh"
prepared small
value() { tr ';' '\n' | sed -n "s/^$1=//p"; }
column() { grep -v '^#' "$2" | cut -f8 | value "$1"; }
score() { "$GODWIT" score -q -f g.fa "$@"; }
{ printf '##fileformat=VCFv4.3\n##contig=<ID=c1,length=3000>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
  awk "$DRAW"'FNR == 1 { name = substr($1, 2) } /^>/ { name = substr($1, 2); next } name == "c1" { all = all toupper($0) }
      END { seed = 3; OFS = "\t"; at = 100
          for (i = 0; i < 40; i++) { at += 20 + draw(30); ref = substr(all, at, 3)
              if (ref !~ /N/) print "c1", at, "d" i, ref, substr(ref, 1, 1), ".", ".", "." }
          ref = substr(all, 2000, 1); print "c1", 2000, "snv", ref, ref == "A" ? "C" : "A", ".", ".", "."
          ref = substr(all, 2100, 1); print "c1", 2100, "ins", ref, ref "ACGTA", ".", ".", "." }' g.fa; } >indels.vcf

# Deletions that are as good as random lie anywhere among neutral ones.
score -m model --window 60 --indel-null 40 indels.vcf >out.vcf
column GW_NULL_PCT out.vcf | head -40 | awk '{ sum += $1; low += $1 < 50 } END { exit !(NR == 40 && sum / NR > 30 && sum / NR < 70 && low > 8 && low < 32) }' ||
    die "percentiles of random deletions: $(column GW_NULL_PCT out.vcf | tr '\n' ' ')"
column GW_NULL_Z out.vcf | head -40 | awk '{ n += $1 > -3 && $1 < 3 } END { exit n < 36 }' || die "z of random deletions"
for key in GW_NULL_Z GW_NULL_PCT; do
    equal "$(grep snv out.vcf | cut -f8 | value $key)" . "$key of a single base"
    grep ins out.vcf | cut -f8 | value $key | grep -q '[0-9]' || die "$key of an insertion"
done

# The same alone, in shards, and beside other forms; the scores themselves are those of any run.
for n in 1 2 3; do score -m model --window 60 --indel-null 40 --shard "$n/3" -@ 1 -o part.vcf indels.vcf && grep -v '^#' part.vcf; done >found
grep -v '^#' out.vcf >expected
same found expected
{ grep '^#' indels.vcf && grep d17 indels.vcf; } >one.vcf
equal "$(score -m model --window 60 --indel-null 40 one.vcf | grep -v '^#')" "$(grep d17 out.vcf)" "one deletion"
score -m model --window 60 indels.vcf >plain.vcf
column GW_LLR plain.vcf >expected
column GW_LLR out.vcf >found
same found expected
score -m model --window 60 --shifts indels.vcf >shifts.vcf
score -m model --window 60 --shifts --indel-null 40 indels.vcf >both.vcf
for key in GW_LEFT GW_RIGHT; do equal "$(column $key both.vcf)" "$(column $key shifts.vcf)" "$key"; done
for key in GW_NULL_Z GW_NULL_PCT; do equal "$(column $key both.vcf)" "$(column $key out.vcf)" "$key"; done

# Outside genes: none is left where a gene is everywhere.
printf 'c1\tmade\tgene\t1\t3000\t.\t+\t.\tID=g1;Name=one\n' >all.gff3
"$GODWIT" score -m model --window 60 -f g.fa --indel-null 40 --genes all.gff3 one.vcf >out.vcf 2>notes
equal "$(column GW_NULL_PCT out.vcf)" . "without room"
grep -q '1 insertions and deletions have fewer than 40 places for neutral ones within 50 kb' notes || die "$(cat notes)"

# Of a fine-tuned model by the size of the difference.
score -m profiles --indel-null 20 one.vcf >out.vcf
column GW_NULL_PCT out.vcf | awk '{ exit !(NR == 1 && $1 >= 0 && $1 <= 100) }' || die "of a fine-tuned model: $(column GW_NULL_PCT out.vcf)"
fails 1 "models that score anywhere" "$GODWIT" score -q -m promoter -f g.fa --sites tss.bed --indel-null 20 one.vcf
fails 2 "indel-null" "$GODWIT" score -q -m model -f g.fa --indel-null 9 one.vcf
