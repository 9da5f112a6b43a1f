# A real 1000 Genomes VCF, whose header declares other contigs than its records use: every record is accounted for.
. "$ROOT/tests/cli/lib.sh"
needs_data human/chr20_1M-2M.1000G.vcf.gz

vcf="$GODWIT_DATA/human/chr20_1M-2M.1000G.vcf.gz" fasta="$GODWIT_DATA/human/chr20_1M-2M.fa.gz"
cat >config.json <<'END'
{"architectures": ["BigBirdForPreTraining"], "model_type": "big_bird", "hidden_size": 16, "num_hidden_layers": 1,
 "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 64, "attention_type": "original_full"}
END
printf 'z\t1000\t1020\tA\nz\t5000\t5020\tB\nz\t9000\t9020\tA\n' >peaks.bed
"$GODWIT" profiles -q -f "$fasta" --bin 20 --window 40 --label midpoint --target-from column4 --bins labelled -o set peaks.bed
"$GODWIT" finetune -q --from-scratch -c config.json --task profiles -d set -f "$fasta" -o model --epochs 1 --batch 8

"$GODWIT" score -m model -f "$fasta" -o out.vcf "$vcf" 2>notes
grep -q '^godwit: 28998 records: ' notes || die "records: $(cat notes)"
grep -q ', 24 SYMBOLIC' notes || die "symbolic alleles: $(cat notes)"
grep -q 'REFMISMATCH' notes && die "REF mismatches: $(cat notes)"
gzip -dc "$vcf" | grep -v '^#' >expected
grep -v '^#' out.vcf | sed 's/;GW_DIFF=.*//' >found
same found expected
alleles=$(grep -v '^#' out.vcf | cut -f5 | tr , '\n' | wc -l)
named=$(grep -v '^#' out.vcf | sed 's/.*GW_STATUS=//' | tr , '\n' | grep -c .)
equal "$named" "$alleles" "alleles with a status"
grep -q '^##contig=<ID=z,length=1000000>' out.vcf || die "the used contig is not declared"
has bcftools || exit 0
bcftools view -Ob -o plain.bcf "$vcf" 2>/dev/null && die "bcftools takes the VCF as it stands: this test is out of date"
bcftools view -Ob -o out.bcf out.vcf || die "bcftools refuses the output"
