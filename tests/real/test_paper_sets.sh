# EPDnew's start sites, lifted from hg38 to hg19: their windows on a piece of chromosome 20 are, to the base, sequences of
# the published 300-bp set. Four of its five parts are at hand, so that some have no partner.
. "$ROOT/tests/cli/lib.sh"
needs_data promoter/epd_len300_fold_1.csv.gz
human="$GODWIT_DATA/human"

"$GODWIT" liftover -q -c "$human/hg38ToHg19.over.chain.gz" "$GODWIT_DATA/promoter/epdnew_hg38.bed.gz" 2>/dev/null |
    awk -F'\t' -v OFS='\t' '$1 == "chr20" && $2 >= 1000000 && $3 <= 2000000 { $1 = "z"; $2 -= 1000000; $3 -= 1000000; print }' >z.bed
equal "$(wc -l <z.bed | tr -d ' ')" 31 "start sites on the piece"
"$GODWIT" promoters -q -f "$human/chr20_1M-2M.fa.gz" --upstream 249 --downstream 51 -o z.tsv z.bed
sed 1d z.tsv | awk -F'\t' '$2 == 1 { print $1 }' | sort >ours
gzip -dc "$GODWIT_DATA"/promoter/epd_len300_fold_*.csv.gz | awk -F, '$3 == 1 { print toupper($2) }' | sort -u >published
equal "$(wc -l <ours | tr -d ' ')" 31 "windows"
equal "$(sort -u ours | comm -12 - published | wc -l | tr -d ' ')" 28 "windows that the published parts have"

# The other windows of the paper and its kin have that one in their middle.
for sides in "5000 3000" "1000 1000" "8000 8000"; do
    set -- $sides
    "$GODWIT" promoters -q -f "$human/chr20_1M-2M.fa.gz" --upstream "$1" --downstream "$2" -o wide.tsv z.bed
    sed 1d wide.tsv | awk -F'\t' -v from="$1" '$2 == 1 { print substr($1, from - 249 + 1, 300) }' | sort >found
    same found ours
done

# GENA-LM's rows of DeepSEA's set, which have no header: 919 labels behind each sequence.
rows="$GODWIT_DATA/deepsea/deepsea_8000bp_50rows.csv.gz"
cat >config.json <<'END'
{"architectures": ["BigBirdForPreTraining"], "model_type": "big_bird", "hidden_size": 16, "num_hidden_layers": 1,
 "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 8064, "attention_type": "block_sparse",
 "block_size": 64, "num_random_blocks": 1}
END
"$GODWIT" finetune -q --from-scratch -c config.json --task profiles -d "$rows" -o model --steps 1 --batch 2
"$GODWIT" eval -q -m model -d "$rows" --groups deepsea --per-target targets.tsv >rated.tsv
gzip -dc "$rows" | awk -F, '{ for (c = 2; c <= NF; c++) n[c] += $c } END { for (c = 2; c <= 920; c++) print "label_" c - 1, 50, n[c] + 0 }' >expected
sed 1d targets.tsv | cut -f1-3 | tr '\t' ' ' >found
same found expected
for group in 2:126:DHS 127:816:TF 817:920:HM; do
    counted=$(gzip -dc "$rows" | awk -F, -v range="$group" 'BEGIN { split(range, r, ":") }
        { for (c = r[1]; c <= r[2]; c++) n[c] += $c } END { for (c in n) if (n[c] > 0 && n[c] < 50) { t++; p += n[c] } print t, p }')
    equal "$(sed -n "s/^mean:${group##*:}	//p" rated.tsv | cut -f1,3 | tr '\t' ' ')" "$counted" "targets and positives of ${group##*:}"
done
