# Real annotations: SGD's table, Xu et al.'s transcripts and NCBI's E. coli, against what awk makes of them; and that the
# starts of SGD's verified reading frames are start codons.
. "$ROOT/tests/cli/lib.sh"
needs_data yeast/SGD_features_170331.tab.gz
yeast="$GODWIT_DATA/yeast"

"$GODWIT" tss -q -g "$yeast/Xu_2009_ORF-Ts_V64.gff3.gz" -f "$yeast/R64-1-1.fa.gz" >out.bed
gzip -dc "$yeast/Xu_2009_ORF-Ts_V64.gff3.gz" | awk -F'\t' -v OFS='\t' '!/^#/ && NF == 9 { at = $7 == "-" ? $5 : $4
    id = $9; sub(/.*ID=/, "", id); sub(/;.*/, "", id); sub(/^chr/, "", $1); print $1, at - 1, at, id, 0, $7 }' >expected
equal "$(wc -l <out.bed | tr -d ' ')" 5171 "start sites"
same out.bed expected

"$GODWIT" tss -q -g "$GODWIT_DATA"/ecoli/GCF_000005845.2*.gff.gz --feature CDS --id gene >out.bed
gzip -dc "$GODWIT_DATA"/ecoli/GCF_000005845.2*.gff.gz | awk -F'\t' -v OFS='\t' '$3 == "CDS" { at = $7 == "-" ? $5 : $4
    id = $9; sub(/.*;gene=/, "", id); sub(/;.*/, "", id); print $1, at - 1, at, id, 0, $7 }' >expected
equal "$(wc -l <out.bed | tr -d ' ')" 4337 "coding sequences"
same out.bed expected

gzip -dc "$yeast/SGD_features_170331.tab.gz" | awk -F'\t' '$3 == "Verified" && $9 < 17' >verified.tab
"$GODWIT" tss -q --feature ORF -g verified.tab -f "$yeast/R64-1-1.fa.gz" |
    "$GODWIT" promoters -q -f "$yeast/R64-1-1.fa.gz" --upstream 0 --downstream 20 -o starts.tsv -
starts=$(sed 1d starts.tsv | awk '$2 == 1' | wc -l) codons=$(sed 1d starts.tsv | awk '$2 == 1 && /^ATG/' | wc -l)
[ $((starts - codons)) -le 5 ] && [ "$starts" -gt 5000 ] || die "$codons of $starts reading frames begin with ATG"
