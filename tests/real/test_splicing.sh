# OpenSpliceAI's weights of 80 nt, all five members, on changes of the gene COA3: what `openspliceai variant` 0.0.7 says of them (scores with
# two digits, and the places of those that are not 0.00).
. "$ROOT/tests/cli/lib.sh"
needs_data splice/openspliceai-mane-80nt/model_80nt_rs10.pt

"$GODWIT" convert --from openspliceai -m "$GODWIT_DATA/splice/openspliceai-mane-80nt" -o model
# POS REF ALT, then AG AL DG DL: scores, places
cat >expected <<'END'
372709	A	AGGGTCCAGACTGA	0.00	0.06	0.00	0.00	.	33	.	.
372712	T	C	0.11	0.00	0.00	0.00	30	.	.	.
372730	A	T	0.08	0.00	0.00	0.00	12	.	.	.
372740	T	C	0.00	0.03	0.00	0.00	.	2	.	.
372746	G	GCACGGTCGACGACACCGGCC	0.00	0.26	0.12	0.00	.	-4	-21	.
372749	G	T	0.00	0.06	0.00	0.00	.	-7	.	.
372750	GTGAAGGGGGTA	G	0.03	0.00	0.00	0.00	-8	.	.	.
372751	T	G	0.18	0.00	0.00	0.00	-9	.	.	.
372753	A	T	0.00	0.13	0.00	0.00	.	-11	.	.
372760	T	A	0.32	0.00	0.00	0.00	-18	.	.	.
372763	A	AGGTATTTGGTGGCATCTC	0.00	0.22	0.00	0.00	.	-21	.	.
372821	G	GCAGTATCGAGGCGCCACTGCTG	0.06	0.00	0.03	0.00	7	.	-12	.
372992	AGGGTCATGGGGCATCATC	A	0.00	0.00	0.07	0.00	.	.	22	.
373014	CA	C	0.00	0.00	0.02	0.00	.	.	0	.
373111	TCGTCTTC	T	0.00	0.19	0.00	0.00	.	28	.	.
373140	C	A	0.01	0.25	0.00	0.00	-14	-1	.	.
373145	A	T	0.03	0.23	0.00	0.00	23	-6	.	.
373155	G	GACTGTCTAGG	0.00	0.20	0.00	0.00	.	-16	.	.
373165	C	G	0.23	0.00	0.00	0.00	-26	.	.	.
373254	ATCAGTGATTCCGGCTTCCCGC	A	0.00	0.04	0.00	0.00	.	39	.	.
373349	TAACAAAGGAAAGTACTACCCATTTTAC	T	0.00	0.00	0.13	0.00	.	.	-8	.
373357	G	GAACCCGTCGCTTATGCACGAATGGAC	0.00	0.00	0.14	0.00	.	.	-16	.
END
{
    printf '##fileformat=VCFv4.2\n##contig=<ID=chr17_slice,length=1175001>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    awk -F '\t' -v OFS='\t' '{ print "chr17_slice", $1, ".", $2, $3, ".", ".", "." }' expected
} >in.vcf
"$GODWIT" score -q -m model -f "$GODWIT_DATA/human/chr17_42425000-43600000.fa.gz" --genes "$GODWIT_DATA/splice/genes_chr17_slice.txt" -o out.vcf in.vcf
grep -q '^##godwit_scoreModelLicence=gpl-3.0$' out.vcf || die "the licence is lost"
grep -v '^#' out.vcf | awk -F '\t' -v OFS='\t' '{ match($8, /OpenSpliceAI=[^;]*/); split(substr($8, RSTART, RLENGTH), e, "|")
    for (i = 7; i <= 10; i++) if (e[i - 4] + 0 == 0) e[i] = "."
    print $2, $4, $5, e[3], e[4], e[5], e[6], e[7], e[8], e[9], e[10] }' >found
same found expected
