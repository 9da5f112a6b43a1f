# The model of yeast's start sites on the chromosomes that it never saw, beside the mean profile (docs/lab/yeast-starts.md).
. "$ROOT/tests/cli/lib.sh"
needs_data measured/yeast/tifseq.txt.gz
yeast="$GODWIT_DATA/yeast"

gzip -dc "$GODWIT_DATA/measured/yeast/tifseq.txt.gz" | tr '\r' '\n' | awk -v OFS='\t' '
    BEGIN { split("I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI", name, " ") }
    NR > 1 && ($1 in name) && $5 > 0 { n[$2 OFS name[$1] OFS $3 - 1 OFS $3]++ }
    END { for (site in n) { split(site, f, OFS); print f[2], f[3], f[4], n[site] > (f[1] == "+" ? "plus.bedgraph" : "minus.bedgraph") } }'
"$GODWIT" tss -q -g "$yeast/Xu_2009_ORF-Ts_V64.gff3.gz" --id ID -f "$yeast/R64-1-1.fa.gz" >tss.bed
awk '$1 == "VII" || $1 == "XIII"' tss.bed >test.bed
awk '$1 == "XI"' tss.bed >valid.bed
"$GODWIT" eval -q -m yeast-starts -f "$yeast/R64-1-1.fa.gz" -d test.bed --baseline valid.bed --track plus.bedgraph --track minus.bedgraph >figures
awk -F '\t' '$1 == "model" { if ($2 != 883 || $3 != 693 || $7 > 0.78) exit 1; seen++ } $1 == "baseline" { if ($7 < 0.9) exit 1; seen++ }
    END { exit seen != 2 }' figures || die "figures: $(cat figures)"
