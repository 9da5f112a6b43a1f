# Scores of splicing by a folder of two networks of random weights: entries as SpliceAI has them, one of each allele and gene, and a reason for
# every allele without one.
. "$ROOT/tests/cli/lib.sh"

model=$ROOT/tests/data/splice
awk 'BEGIN { seed = 5; for (i = 0; i < 600; i++) { seed = (seed * 16807) % 2147483647
        s = s substr("ACGT", 1 + int(seed / 65536) % 4, 1) } print ">c\n" s }' >g.fa
cat >genes.txt <<'END'
#NAME	CHROM	STRAND	TX_START	TX_END	EXON_START	EXON_END
B	c	-	200	500	200,400,	320,500,
A	c	+	0	300	0,100,	60,300,
END
cat >in.vcf <<'END'
##fileformat=VCFv4.2
##contig=<ID=c,length=600>
##INFO=<ID=DP,Number=1,Type=Integer,Description="Depth">
#CHROM	POS	ID	REF	ALT	QUAL	FILTER	INFO
c	3	.	G	A	.	.	.
c	251	.	C	A,CAT	.	.	.
c	251	.	CACG	C	.	.	DP=3
c	251	.	CACG	CTAG	.	.	.
c	251	.	CACG	*,TACG	.	.	.
c	400	.	A	.	.	.	.
c	550	.	G	C	.	.	.
c	550	.	C	G	.	.	.
END
score() {
    "$GODWIT" score -q -m "$model" -f g.fa --genes genes.txt -D 20 "$@"
}
score -o out.vcf --reasons reasons.tsv in.vcf

# Entries of the table's genes, in its order, allele by allele; none where no gene is.
grep -v '^#' out.vcf | awk -F '\t' '{ n = split($8, f, ";"); e = ""
    for (i = 1; i <= n; i++) if (f[i] ~ /^OpenSpliceAI=/) e = substr(f[i], 14)
    s = ""; m = split(e, x, ","); for (i = 1; i <= m; i++) { split(x[i], y, "|"); s = s " " y[1] "|" y[2] }
    match($8, /GW_STATUS=[A-Z,]*/); print $2 s, RSTART ? substr($8, RSTART + 10, RLENGTH - 10) : "-" }' >found
cat >expected <<'END'
3 A|A PADDED
251 A|B A|A CAT|B CAT|A PASS,PASS
251 C|B C|A PASS
251 CTAG|B CTAG|A COMPLEX
251 TACG|B TACG|A SPANNING,PASS
400 -
550 NOGENE
550 REFMISMATCH
END
same found expected
# Signs that part entries and their fields shift nothing where they stand in a gene's name.
awk 'BEGIN { FS = OFS = "\t" } $1 == "A" { $1 = "A|x,y;z" } { print }' genes.txt >odd.txt
"$GODWIT" score -q -m "$model" -f g.fa --genes odd.txt -D 20 -o odd.vcf in.vcf
sed 's/A%7Cx%2Cy%3Bz/A/g' odd.vcf | grep -v '^##' >found
grep -v '^##' out.vcf >expected
same found expected
grep -qF '|A%7Cx%2Cy%3Bz|' odd.vcf || die "the gene's name"
grep '^##INFO=<ID=OpenSpliceAI,Number=.,Type=String,' out.vcf >/dev/null || die "header of the entries"
grep '^##godwit_scoreModelLicence=mit$' out.vcf >/dev/null || die "licence"
grep '^##godwit_scoreStrands=gene$' out.vcf >/dev/null || die "strands"
equal "$(grep -c . reasons.tsv)" 5 "lines of reasons"

# The same record's trimmed form is the same change: scores alike, and places from each record's own POS.
entry() { # POS REF ALT
    awk -F '\t' -v p="$1" -v r="$2" -v a="$3" '$2 == p && $4 == r && index("," $5 ",", "," a ",") { print $8 }' out.vcf |
        tr ';' '\n' | sed -n 's/^OpenSpliceAI=//p' | tr ',' '\n' | grep "^$3|A|" | cut -d '|' -f "$4"
}
awk -F '\t' -v OFS='\t' '/^#/ || $2 == 251' in.vcf | grep -v -F -e 'CTAG' -e '*' >one.vcf
printf 'c\t252\t.\tAC\tTA\t.\t.\t.\n' >>one.vcf
wide=$(entry 251 CACG CTAG 3-6) places=$(entry 251 CACG CTAG 7-10)
score -o out.vcf one.vcf
equal "$(entry 252 AC TA 3-6)" "$wide" "scores of a trimmed allele"
equal "$(entry 252 AC TA 7-10 | tr '|' '\n' | awk '{ printf "%s%d", (NR > 1 ? "|" : ""), $1 + 1 }')" "$places" "places of a trimmed allele"

# The largest of a record's entries is its number; digits are what is asked for.
score --digits 5 -o digits.vcf one.vcf
grep -v '^#' digits.vcf | cut -f 8 | tr ';' '\n' | sed -n 's/^OpenSpliceAI=//p' | tr ',' '\n' | cut -d '|' -f 3-6 | tr '|' '\n' |
    grep -vE '^-?[01]\.[0-9]{5}$' && die "not five digits"
awk -F '\t' '/^#/ { next } { n = split($8, f, ";"); for (i = 1; i <= n; i++) { k = f[i]; sub(/=.*/, "", k); v[k] = substr(f[i], length(k) + 2) }
    split(v["GW_SPLICE"], best, ","); split(v["GW_SPLICE_AT"], at, ","); split($5, alt, ","); m = split(v["OpenSpliceAI"], e, ",")
    for (a in alt) { top = -9; for (i = 1; i <= m; i++) { split(e[i], x, "|")
        for (j = 3; j <= 6; j++)
        if (x[1] == alt[a] && x[j] + 0 > top) { top = x[j] + 0; place = x[j + 4] } }
        d = top - best[a]; if (d > 1e-5 || d < -1e-5 || place != at[a]) print $0 } }' digits.vcf >wrong
[ ! -s wrong ] || die "GW_SPLICE: $(cat wrong)"

# Any batch and any shard gives the same bytes; BCF the same values.
score --batch-tokens 1 -o again.vcf one.vcf
grep -v '^##godwit_scoreCommand' out.vcf >a
grep -v '^##godwit_scoreCommand' again.vcf >b
same b a
score --plain -o plain.vcf one.vcf
grep -v '^##godwit_scoreCommand' plain.vcf >b
same b a
score --memory 1 -o little.vcf one.vcf
grep -v '^##godwit_scoreCommand' little.vcf >b
same b a
score -M 1 -o masked.vcf one.vcf
cmp -s masked.vcf out.vcf && die "the mask changes nothing"

# Where no gene is, both strands; probabilities differ by what the scores are.
score --anywhere --raw --digits 5 -o out.vcf --reasons reasons.tsv in.vcf
awk -F '\t' '$2 == 550 && $4 == "G" { print $8 }' out.vcf | tr ';' '\n' | sed -n 's/^OpenSpliceAI=//p' | tr ',' '\n' | cut -d '|' -f 1,2 >found
printf 'C|+\nC|-\n' >expected
same found expected
awk -F '\t' '$2 == 550 && $4 == "G"' out.vcf | grep -F GW_STATUS=OUTSIDE >/dev/null || die "no mark of what lies outside genes"
grep '^##godwit_scoreAnywhere=1$' out.vcf >/dev/null || die "header of --anywhere"
equal "$(grep -c NOGENE reasons.tsv)" 0 "alleles without a gene"
grep -v '^#' out.vcf | awk -F '\t' '{ n = split($8, f, ";"); for (i = 1; i <= n; i++) { k = f[i]; sub(/=.*/, "", k); v[k] = substr(f[i], length(k) + 2) }
    m = split(v["OpenSpliceAI"], e, ","); if (m != split(v["GW_PROBABILITIES"], p, ",")) print "lists of two lengths: " $0
    for (i = 1; i <= m; i++) { split(e[i], d, "|"); split(p[i], q, "|"); if (d[1] != q[1] || d[2] != q[2]) print "other entries: " $0
        for (j = 3; j <= 6; j++) { off = (j % 2 ? 1 : -1) * (q[j + 4] - q[j]) - d[j]; if (off > 3e-5 || off < -3e-5) print d[j], q[j], q[j + 4] } }
    delete v }' >wrong
[ ! -s wrong ] || die "GW_PROBABILITIES: $(cat wrong)"
grep -v '^#' out.vcf | grep -F GW_PROBABILITIES= >/dev/null || die "no probabilities"
"$GODWIT" score -q -m "$model" -f g.fa --anywhere -D 20 in.vcf | grep -v '^#' | grep -F 'OpenSpliceAI=A|+|' >/dev/null || die "--anywhere without genes"
if has bcftools; then
    score -o out.bcf in.vcf
    score -o out.vcf in.vcf
    bcftools query -f '%POS\t%OpenSpliceAI\t%GW_STATUS\n' out.bcf >b
    bcftools query -f '%POS\t%OpenSpliceAI\t%GW_STATUS\n' out.vcf >a
    same b a
fi

# Without genes both strands are scored; of places that no table calls outside, the status is PASS.
"$GODWIT" score -m "$model" -f g.fa -D 20 -o without.vcf in.vcf 2>notes
equal "$(grep -c 'without --genes both strands are scored' notes)" 1 "notes"
awk -F '\t' '$2 == 251 && $4 == "C"' without.vcf | grep 'OpenSpliceAI=A|+|.*,A|-|.*GW_STATUS=PASS,PASS' >/dev/null || die "without genes: $(cat without.vcf)"
fails 1 '--mask compares with annotated splice sites: give --genes' "$GODWIT" score -q -m "$model" -f g.fa -M 1 -o x.vcf in.vcf
fails 1 'a model of labels of bases reads windows of its own' score --window 200 -o x.vcf in.vcf
fails 1 'has scores of its own' score --shifts -o x.vcf in.vcf
fails 1 'the model is 2 networks' "$GODWIT" embed -q -m "$model" -o x.npy g.fa
sed 's/200,400,/200,/' genes.txt >bad.txt
fails 1 'bad.txt:2: 1 starts of exons and 2 ends' "$GODWIT" score -q -m "$model" -f g.fa --genes bad.txt -o x.vcf in.vcf
mkdir other
cp "$model"/* other
sed -i 's/"members": 2/"members": 3/' other/config.json
fails 1 'tensors are missing' "$GODWIT" score -q -m other -f g.fa --genes genes.txt -o x.vcf in.vcf
sed -i 's/"members": 3/"members": 1/' other/config.json
fails 1 'does not belong to the model' "$GODWIT" score -q -m other -f g.fa --genes genes.txt -o x.vcf in.vcf

# SpliceAI's network, whose units have ReLU, has its key.
cp "$model"/* other
sed -i 's/leaky-unit/unit/' other/config.json
"$GODWIT" score -q -m other -f g.fa --genes genes.txt -D 20 one.vcf >relu.vcf
grep '^##INFO=<ID=SpliceAI,Number=.,Type=String,' relu.vcf >/dev/null || die "SpliceAI's key"
grep -v '^#' relu.vcf | grep -F ';SpliceAI=A|B|' >/dev/null || die "SpliceAI's entries"
grep -F OpenSpliceAI relu.vcf && die "two names of one key"
fails 1 'other/model.safetensors: no tensor model_weights/batch_normalization_1/batch_normalization_1/gamma:0: not a Keras model of SpliceAI' \
    "$GODWIT" convert --from spliceai -m other/model.safetensors -o x

# The table as GTF and as GFF3, exons from the 5' end on.
exons() { # FORMAT
    awk -F '\t' -v OFS='\t' -v format="$1" 'NR > 1 { n = split($6, begin, ","); split($7, end, ",")
        of = format == "gtf" ? "gene_id \"" $1 "\"; transcript_id \"" $1 ".1\"; tag \"MANE_Select\";" : "Parent=rna-" $1
        for (k = 1; k < n; k++) { i = $3 == "-" ? n - k : k; print $2, ".", "exon", begin[i] + 1, end[i], ".", $3, ".", of }
        if (format == "gff3") print $2, ".", "mRNA", $4 + 1, $5, ".", $3, ".", "ID=rna-" $1 ";Parent=gene-" $1
        if (format == "gff3") print $2, ".", "gene", $4 + 1, $5, ".", $3, ".", "ID=gene-" $1 ";Name=" $1 }' genes.txt
}
grep -v '^##' out.vcf >records
for format in gtf gff3; do
    exons "$format" >"genes.$format"
    "$GODWIT" score -q -m "$model" -f g.fa --genes "genes.$format" -D 20 in.vcf | grep -v '^##' >"records.$format"
    same "records.$format" records
    # Its table, written once, is the same genes.
    "$GODWIT" genes -q -g "genes.$format" -f g.fa -o "table.$format.tsv.gz"
    "$GODWIT" score -q -m "$model" -f g.fa --genes "table.$format.tsv.gz" -D 20 in.vcf | grep -v '^##' >"records.$format"
    same "records.$format" records
    "$GODWIT" genes -q -g "genes.$format" -f g.fa >table.txt
    same table.txt genes.txt
done

# Genes of an assembly in many pieces are laid in linear time (46 s before, half a second now).
awk 'BEGIN { print "#NAME\tCHROM\tSTRAND\tTX_START\tTX_END\tEXON_START\tEXON_END" >"many.txt"
    for (i = 0; i < 200000; i++) print ">s" i "\nACGTACGT" >"many.fa"
    for (i = 59999; i >= 0; i--) print "G" i "\ts" 3 * i "\t+\t0\t8\t0,5,\t3,8," >"many.txt" }'
timeout 20 "$GODWIT" genes -q -f many.fa -g many.txt -o laid.txt || die "200,000 contigs take too long"
equal "$(wc -l <laid.txt) $(sed -n 2p laid.txt | cut -f 1) $(tail -n 1 laid.txt | cut -f 1)" "60001 G0 G59999" "genes by contig"
