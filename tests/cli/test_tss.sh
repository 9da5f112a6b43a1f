# godwit tss: GFF3, GTF and SGD's table, names by attributes and ancestors, names of contigs, and what bad input gets.
. "$ROOT/tests/cli/lib.sh"
tss() { "$GODWIT" tss "$@"; }

cat >g.gff3 <<'END'
##gff-version 3
chr1	x	gene	11	50	.	+	.	ID=gene1;Name=alpha%2C one
chr1	x	mRNA	11	50	.	+	.	ID=tx1;Parent=gene1
chr1	x	exon	11	20	.	+	.	Parent=tx1
chr1	x	mRNA	11	40	.	+	.	ID=tx2;Parent=gene1;Name=own
chr2	x	transcript	21	60	.	-	.	Parent=lost;ID=tx3
chrM	x	mRNA	1	9	.	.	.	ID=tx4
chrUn	x	mRNA	5	9	.	+	.	ID=tx5
##FASTA
>chr1
ACGT
END
tss -g g.gff3 >out.bed 2>notes
printf 'chr1\t10\t11\ttx1\t0\t+\nchr1\t10\t11\ttx2\t0\t+\nchr2\t59\t60\ttx3\t0\t-\nchrUn\t4\t5\ttx5\t0\t+\n' >expected
same out.bed expected
grep -q '^godwit: 4 start sites of mRNA,transcript features (GFF3)' notes || die "count: $(cat notes)"
grep -q 'warning: 1 features name a Parent that g.gff3 lacks' notes || die "parents: $(cat notes)"
grep -q 'warning: 1 features have no strand' notes || die "strands: $(cat notes)"
# A name of an ancestor, decoded; of several attributes the first.
equal "$(tss -q -g g.gff3 --id Name 2>/dev/null | cut -f4 | tr '\n' '|')" "alpha, one|own|.|.|" "names"
tss -q -g g.gff3 --id Name 2>&1 >/dev/null | grep -q '3 features lack the attribute of --id' || die "no warning of names"
equal "$(tss -q -g g.gff3 --id Name,ID 2>/dev/null | cut -f4 | tr '\n' '|')" "tx1|own|tx3|tx5|" "names of several"
equal "$(tss -q -g g.gff3 --feature gene | cut -f2,4)" "10	gene1" "--feature"
equal "$(tss -q -g g.gff3 --unique 2>/dev/null | cut -f4 | tr '\n' ' ')" "tx1 tx3 tx5 " "--unique"
# The genome's names; what lies off it is counted.
{ echo ">1" && printf '%0100d\n' 0 | tr 0 A && echo ">2" && printf '%050d\n' 0 | tr 0 C; } >g.fa
tss -g g.gff3 -f g.fa >out.bed 2>notes
printf '1\t10\t11\ttx1\t0\t+\n1\t10\t11\ttx2\t0\t+\n' >expected
same out.bed expected
grep -q "1 features start past the end of their contig" notes || die "ends: $(cat notes)"
grep -q "1 of 5 features lie on contigs that g.fa lacks, such as 'chrUn'.* it has '1' and 1 others" notes || die "contigs: $(cat notes)"
printf 'chrUn\t2\n' >names.tsv
tss -q -g g.gff3 -f g.fa --chr-map names.tsv 2>/dev/null | grep -q '^2	4	5	tx5' || die "--chr-map"

# GTF: compressed and from a pipe; exons where there are no transcripts, also such as do not stand together.
cat >g.gtf <<'END'
chr1	x	exon	31	40	.	+	.	gene_id "g;1"; transcript_id "t1"; exon_number 2; gene_name "beta";
chr1	x	exon	11	20	.	+	.	gene_id "g;1"; transcript_id "t1"; exon_number 1; gene_name "beta";
chr1	x	exon	5	20	.	-	.	gene_id "g2"; transcript_id "t2";
chr1	x	exon	1	3	.	+	.	gene_id "g;1"; transcript_id "t1"; exon_number 0;
END
printf 'chr1\t0\t1\tt1\t0\t+\nchr1\t19\t20\tt2\t0\t-\n' >expected
gzip -c g.gtf | tss -q -g - >out.bed
same out.bed expected
equal "$(tss -q -g g.gtf --id gene_id | cut -f4 | tr '\n' ' ')" "g;1 g2 " "a value with a semicolon"
printf 'chr1\tx\ttranscript\t11\t40\t.\t+\t.\tgene_id "g1"; transcript_id "t1";\n' >>g.gtf
equal "$(tss -q -g g.gtf)" "chr1	10	11	t1	0	+" "transcripts come before exons"

# SGD's table.
printf 'S0001\tORF\tVerified\tYAL001C\tTFC3\t\tchromosome 1\t\t1\t90\t31\tC\t\t\t\td\nS0002\tORF\t\tYAL002W\t\t\tchromosome 1\t\t1\t11\t40\tW\t\t\t\td\nS0003\tORF\t\tQ0010\t\t\tm\t\t17\t5\t8\tW\t\t\t\td\nS0004\tORF\t\tlost\t\t\t\t\t\t\t\t\t\t\t\td\nS0005\tORF\t\tYIV\t\t\t\t\t14\t5\t8\tW\t\t\t\td\n' >s.tab
fails 1 "does not say where transcription starts (--feature gene, in SGD's table ORF, takes the starts of genes, which are mostly start codons): s.tab has no feature of type mRNA,transcript; it has ORF (5)" "$GODWIT" tss -q -g s.tab
sgd() { tss -q -g s.tab --feature ORF "$@" 2>sgd.notes; }
equal "$(sgd | tr '\t\n' ' ,')" "chrI 89 90 YAL001C 0 -,chrI 10 11 YAL002W 0 +,chrMito 4 5 Q0010 0 +,chrXIV 4 5 YIV 0 +," "SGD"
equal "$(sgd --id gene,feature | cut -f4 | tr '\n' ' ')" "TFC3 YAL002W Q0010 YIV " "SGD's names"

grep -q 'warning: s.tab has no transcripts: its genes usually start at start codons' sgd.notes || die "no word of start codons: $(cat sgd.notes)"

# Genes without transcripts start at start codons: they are taken where that is asked for, and with a warning.
cat >coli.gff <<'END'
chr1	x	gene	11	40	.	+	.	ID=g1
chr1	x	CDS	11	40	.	+	0	Parent=g1
chr1	x	gene	51	80	.	-	.	ID=g2
chr1	x	CDS	51	80	.	-	0	Parent=g2
chr1	x	gene	91	99	.	-	.	ID=g3
chr1	x	exon	91	99	.	-	.	Parent=g3
END
fails 1 "coli.gff has no feature of type mRNA,transcript; it has gene (3), CDS (2), exon (1)" "$GODWIT" tss -g coli.gff
equal "$(tss -q -g coli.gff --feature gene 2>notes | cut -f2 | tr '\n' ' ')" "10 79 98 " "genes that are asked for"
grep -q 'warning: 2 of 3 gene features start where coding sequence starts: these are start codons' notes || die "no word of start codons: $(cat notes)"
sed 's/gene/mRNA/' coli.gff >mrna.gff
tss -q -g mrna.gff 2>&1 >/dev/null | grep -q 'warning: 2 of 3 mRNA,transcript features start where coding' || die "transcripts without UTRs"
sed '/g2$/ { s/CDS.51.80/CDS	51	79/; }' mrna.gff >half.gff
tss -g half.gff 2>&1 >/dev/null | grep -q 'start codons' && die "a warning of half.gff, whose transcripts have UTRs"

fails 1 "has no feature of type tRNA; it has mRNA (4), " "$GODWIT" tss -q -g g.gff3 --feature tRNA
printf 'chr1\tx\tgene\t11\n' >bad.gff
fails 1 "bad.gff:1: neither GFF3 nor GTF" "$GODWIT" tss -q -g bad.gff
{ head -2 g.gff3 && printf 'chr1\tx\tgene\t11\n'; } >bad.gff
fails 1 "bad.gff:3: expected nine columns separated by tabs, found 4" "$GODWIT" tss -q -g bad.gff
{ head -2 g.gff3 && printf 'chr1\tx\tgene\t11\t10\t.\t+\t.\tID=a\n'; } >bad.gff
fails 1 "bad.gff:3: the feature starts at 11, behind its end 10" "$GODWIT" tss -q -g bad.gff
{ head -2 g.gff3 && printf 'chr1\tx\tgene\t0\t10\t.\t+\t.\tID=a\n'; } >bad.gff
fails 1 "bad.gff:3: the start: 0 is outside" "$GODWIT" tss -q -g bad.gff
printf 'chr1\tx\tgene\t-5\t10\t.\t+\t.\tID=a\n' >bad.gff
fails 1 "bad.gff:1: the start: -5 is outside" "$GODWIT" tss -q -g bad.gff
printf 'chr1\tx\tgene\tfive\t10\t.\t+\t.\tID=a\n' >bad.gff
fails 1 "bad.gff:1: the start: 'five' is not a whole number" "$GODWIT" tss -q -g bad.gff
{ head -2 g.gff3 && printf 'chr1\tx\tgene\t1\t10\t.\tx\t.\tID=a\n'; } >bad.gff
fails 1 "bad.gff:3: column 7, the strand" "$GODWIT" tss -q -g bad.gff
echo '##gff-version 3' >bad.gff
fails 1 "bad.gff holds no feature" "$GODWIT" tss -q -g bad.gff
printf 'c\tx\tmRNA\t1\t9\t.\t+\t.\tID=a;Parent=b\nc\tx\tgene\t1\t9\t.\t+\t.\tID=b;Parent=a\n' >loop.gff
equal "$(tss -q -g loop.gff --id Name 2>/dev/null | cut -f4)" . "ancestors that go round"
awk 'BEGIN { print "c\tx\tmRNA\t1\t9\t.\t+\t.\tID=a"; for (i = 0; i < 400000; i++) print "c\tx\tt" i "\t1\t9\t.\t+\t.\t." }' >types.gff
equal "$(timeout 30 "$GODWIT" tss -q -g types.gff | cut -f4)" a "an annotation of 400,000 types"
rm types.gff
fails 2 "this option is required: -g FILE" "$GODWIT" tss
fails 2 "name it by -f" "$GODWIT" tss -g g.gff3 --chr-map names.tsv

# A byte order mark before a text is not a part of it; a zero byte is an error that names its line.
mark=$(printf '\357\273\277')
printf '%schr1\tx\ttranscript\t11\t50\t.\t+\t.\ttranscript_id "t"; gene_id "g";\n' "$mark" >mark.gtf
equal "$(tss -q -g mark.gtf | cut -f1)" chr1 "the contig behind a byte order mark"
printf '%sone\ttwo\nthree\tfour\n' "$mark" >map.tsv
printf '%s>two\nACGTACGTACGTACGTACGTACGTACGTACGT\n>four\nACGT\n' "$mark" >mark.fa
printf '%sone\t4\t8\n' "$mark" >mark.bed
equal "$("$GODWIT" mutate -q -f mark.fa -R mark.bed --chr-map map.tsv | grep -vc '^#')" 12 "changes of a region behind a byte order mark"
equal "$("$GODWIT" mutate -q -f mark.fa -r two:1 | grep -v '^#' | cut -f1,2,4 | uniq)" "two	1	A" "a base behind a byte order mark"
printf 'chr1\tx\tmRNA\t11\t50\t.\t+\t.\tID=a\0b\n' >zero.gff3
fails 1 "zero.gff3:1: byte 29 of the line is zero" "$GODWIT" tss -q -g zero.gff3
printf 'two\t1\t3\ntwo\t1\t3\0\n' >zero.bed
fails 1 "zero.bed:2: byte 8 of the line is zero" "$GODWIT" mutate -q -f mark.fa -R zero.bed

# A run that is silent for five seconds says what it waits for; a quiet one does not.
for quiet in "" -q; do
    rm -f slow.gff3
    mkfifo slow.gff3
    { sleep 7 && printf 'c1\tx\tmRNA\t101\t300\t.\t+\t.\tID=a\n'; } >slow.gff3 &
    # shellcheck disable=SC2086 # no word, or one
    "$GODWIT" tss $quiet -g slow.gff3 2>"said$quiet" >/dev/null || die "a slow annotation: $(cat "said$quiet")"
done
grep -q '^godwit: reading slow.gff3$' said || die "a silent run: $(cat said)"
! grep -q reading said-q || die "a quiet run speaks: $(cat said-q)"
