# The model of human polyadenylation in the box beside its authors' file and 1,818 measured variants.
. "$ROOT/tests/cli/lib.sh"
needs_data human_models/aparent2/apa_variant_mpra_clinvar_snvs.tsv
weights=$GODWIT_DATA/human_models/aparent2/aparent_all_libs_resnet_no_clinvar_wt_ep_5_var_batch_size_inference_mode_no_drop.h5
measured=$GODWIT_DATA/human_models/aparent2/apa_variant_mpra_clinvar_snvs.tsv
"$GODWIT" convert --from aparent2 -m "$weights" -o converted
for file in model.safetensors config.json; do same converted/$file "$ROOT/share/godwit/models/human-polya/$file"; done
same "$GODWIT_DATA/human_models/aparent2/LICENSE" "$ROOT/share/godwit/models/human-polya/LICENSE"

# Each sequence is a contig of its own; its core signal begins at its 51st base.
awk -F '\t' 'NR > 1 { printf ">s%d\n%s\n", NR, $6 }' "$measured" >wild.fa
awk -F '\t' 'BEGIN { OFS = "\t"; print "##fileformat=VCFv4.2"; print "#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO" } NR > 1 {
    for (i = 1; substr($6, i, 1) == substr($7, i, 1); i++); core = substr($6, 51, 6) == substr($7, 51, 6) ? "same" : "changed"
    print "s" NR, i, $9 ":" core, substr($6, i, 1), substr($7, i, 1), ".", ".", "." }' "$measured" >in.vcf
"$GODWIT" score -q -m human-polya -f wild.fa --digits 6 -o out.vcf in.vcf 2>notes
grep -v '^#' out.vcf | awk -F '\t' '{ split($3, id, ":"); core = 0; strongest = 0; n = split($8, key, ";")
    for (i = 1; i <= n; i++) {
        if (key[i] ~ /^GW_POLYA=[-0-9]/) strongest = substr(key[i], 10)
        if (sub(/^GW_POLYA_SIGNALS=/, "", key[i])) { m = split(key[i], e, ","); for (j = 1; j <= m; j++) { split(e[j], f, "|"); if (f[2] == "+" && $2 + f[3] == 51) core = f[8] } }
    }
    print id[2], id[1], core, strongest }' >scores
pearson() { # of the third or fourth column with what was measured
    awk -v k="$1" -v only="${2:-}" 'only == "" || $1 == only { n++; x += $k; y += $2; xx += $k * $k; yy += $2 * $2; xy += $k * $2 }
        END { printf "%d %.3f\n", n, (xy - x * y / n) / sqrt((xx - x * x / n) * (yy - y * y / n)) }' scores
}
equal "$(pearson 3)" "1818 0.838" "variants and Pearson at the core signal"
equal "$(pearson 3 same)" "1729 0.493" "variants whose core signal stays, and Pearson there"
equal "$(pearson 4)" "1818 0.659" "Pearson of GW_POLYA"
equal "$(pearson 4 same)" "1729 0.179" "Pearson of GW_POLYA where the core signal stays"

# Files of others are refused by the name of what they lack.
head -c 100000 "$weights" >cut.h5
fails 1 "cut.h5" "$GODWIT" convert --from aparent2 -m cut.h5 -o x
fails 1 "not a state dict of Spliceformer's SpliceAI-10k" "$GODWIT" convert --from spliceformer -m "$weights" -o x
fails 1 "aparent_resblock_0_0_batch_norm_0" "$GODWIT" convert --from aparent2 -m "$GODWIT_DATA/human_models/spliceai10k_mit/spliceai_encoder_10k_071122_0.pt" -o x
[ ! -e x ] || die "something was written"
