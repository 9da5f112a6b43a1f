# Pangolin's twelve networks on changes of BRCA1, those of its example: what a statement of its networks and of its command in torch 2.15 says of
# them with the mask, and the same of whole windows (--plain).
. "$ROOT/tests/cli/lib.sh"
needs_data splice/pangolin/final.1.0.3.v2

"$GODWIT" convert --from pangolin -m "$GODWIT_DATA/splice/pangolin" -o model
cat >in.vcf <<'END'
##fileformat=VCFv4.2
##contig=<ID=chr17_slice,length=1175001>
#CHROM	POS	ID	REF	ALT	QUAL	FILTER	INFO
chr17_slice	699119	.	TTAA	GTCT	.	.	.
chr17_slice	699119	.	T	C	.	.	.
chr17_slice	699119	.	T	A	.	.	.
END
score() {
    "$GODWIT" score -q -m model -f "$GODWIT_DATA/human/chr17_42425000-43600000.fa.gz" --genes "$GODWIT_DATA/splice/genes_chr17_slice.txt" \
        --digits 6 "$@" in.vcf | grep -v '^#' | tr ';' '\n' | sed -n 's/.*GW_BASES=//p'
}
score -M 1 >found
cat >expected <<'END'
GTCT|BRCA1|0.247543|0.131635|1|-3
C|BRCA1|0.864990|0.829117|-1|-3
A|BRCA1|0.003027|0.000000|-46|-45
END
awk -F '|' 'NR == FNR { for (i = 1; i <= 6; i++) e[FNR, i] = $i; n = FNR; next }
    { for (i = 1; i <= 6; i++) if (i == 3 || i == 4 ? ($i - e[FNR, i]) ^ 2 > 1e-10 : $i != e[FNR, i]) print FNR, i, $i, e[FNR, i] }
    END { if (FNR != n) print "entries: " FNR }' expected found >wrong
[ ! -s wrong ] || die "$(cat wrong)"
grep -q 'gpl-3.0' model/README.md || die "the licence is lost"
score -M 1 --plain >plain
same plain found
