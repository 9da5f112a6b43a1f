# godwit labels: what genes say of bases, in each format; intervals; splits, windows that share sequence; and what bad input gets.
. "$ROOT/tests/cli/lib.sh"

genome 2 20 chr >g.fa # contigs of 1,000 bp
classes() {
    gzip -dc "$1.classes.bed.gz" | awk '{ printf "%s %s %s %s %s;", $1, $2, $3, $4, $6 }'
}

# Two genes with an intron each; the second one's start codon lies on both sides of it.
printf 'chr1\tx\t%s\n' 'gene	101	400	.	+	.	ID=g' 'mRNA	101	400	.	+	.	ID=t;Parent=g' 'exon	101	200	.	+	.	Parent=t' \
    'exon	301	400	.	+	.	Parent=t' 'CDS	151	200	.	+	.	Parent=t' 'CDS	301	350	.	+	.	Parent=t' \
    'mRNA	501	800	.	-	.	ID=u' 'exon	501	600	.	-	.	Parent=u' 'exon	701	800	.	-	.	Parent=u' 'CDS	541	600	.	-	.	Parent=u' \
    'CDS	701	702	.	-	.	Parent=u' >genes.gff3
printf 'chr1\tx\t%s\n' 'exon	101	200	.	+	.	transcript_id "t"; gene_id "g";' 'exon	301	400	.	+	.	transcript_id "t"; gene_id "g";' \
    'CDS	151	200	.	+	.	transcript_id "t"; gene_id "g";' 'CDS	301	347	.	+	.	transcript_id "t"; gene_id "g";' \
    'stop_codon	348	350	.	+	.	transcript_id "t"; gene_id "g";' 'exon	501	600	.	-	.	transcript_id "u"; gene_id "h";' \
    'exon	701	800	.	-	.	transcript_id "u"; gene_id "h";' 'CDS	544	600	.	-	.	transcript_id "u"; gene_id "h";' \
    'CDS	701	702	.	-	.	transcript_id "u"; gene_id "h";' 'stop_codon	541	543	.	-	.	transcript_id "u"; gene_id "h";' >genes.gtf
for kind in gff3 gtf; do
    "$GODWIT" labels -q -f g.fa -g genes.$kind --classes exon,intron,cds,start,stop,donor,acceptor --window 500 -o $kind
    equal "$(classes $kind)" "chr1 100 150 exon +;chr1 150 153 start +;chr1 153 199 CDS +;chr1 199 200 donor +;chr1 200 300 intron +;\
chr1 300 301 acceptor +;chr1 301 347 CDS +;chr1 347 350 stop +;chr1 350 400 exon +;chr1 500 540 exon -;chr1 540 543 stop -;\
chr1 543 599 CDS -;chr1 599 600 acceptor -;chr1 600 700 intron -;chr1 700 701 donor -;chr1 701 702 start -;chr1 702 800 exon -;" "classes of $kind"
done
equal "$(gzip -dc gff3.bed.gz | awk '{ printf "%s %s %s %s %s;", $1, $2, $3, $4, $6 }')" "chr1 0 500 train +;chr1 500 1000 train +;\
chr1 0 500 train -;chr1 500 1000 train -;chr2 0 500 train +;chr2 500 1000 train +;chr2 0 500 train -;chr2 500 1000 train -;" windows
equal "$(tr '\t\n' ' ;' <gff3.names.tsv | cut -d';' -f2-4)" "exon 238 0 0;intron 200 0 0;CDS 148 0 0" "bases of classes"
# A byte of bits a window after 24 of header: exon, intron, CDS, start, stop, donor, acceptor from the lowest on.
equal "$(od -An -tu1 -j24 -v gff3.labels | tr -s ' \n' ' ')" " 127 0 0 127 0 0 0 0 " "classes of windows"

# All classes of a base.
"$GODWIT" labels -q -f g.fa -g genes.gff3 --classes exon,CDS,start,donor --overlap all --window 500 -o all
equal "$(classes all)" "chr1 100 200 exon +;chr1 150 200 CDS +;chr1 150 153 start +;chr1 199 200 donor +;chr1 300 400 exon +;\
chr1 300 350 CDS +;chr1 500 600 exon -;chr1 540 600 CDS -;chr1 599 600 start -;chr1 700 800 exon -;chr1 700 702 CDS -;\
chr1 700 702 start -;chr1 700 701 donor -;" "classes that overlap"
equal "$(tr '\t\n' ' ;' <all.names.tsv | cut -d';' -f2-5)" "exon 400 0 0;CDS 162 0 0;start 6 0 0;donor 2 0 0" "bases of classes that overlap"
awk 'BEGIN { for (i = 0; i < 16; i++) print "chr1\t" i "\t" i + 2 "\tc" i }' >many.bed
fails 1 "16 classes that may overlap, expected 15 at most" "$GODWIT" labels -q -f g.fa --bed many.bed --overlap all -o x

# Genes alone, on their strands; a table without coding sequence.
printf '#NAME\tCHROM\tSTRAND\tTX_START\tTX_END\tEXON_START\tEXON_END\nA\tchr1\t+\t100\t400\t100,300,\t200,400,\nB\t2\t-\t0\t90\t0\t90\n' >table.txt
"$GODWIT" labels -q -f g.fa -g table.txt --where genes --window 200 -o table
equal "$(classes table)" "chr1 199 200 donor +;chr1 300 301 acceptor +;" "classes of the table"
equal "$(gzip -dc table.bed.gz | awk '{ printf "%s %s %s %s;", $1, $2, $3, $6 }')" "chr1 100 300 +;chr1 300 400 +;chr2 0 90 -;" "windows of genes"
fails 1 "the class CDS needs coding sequence, and no gene has a coding sequence" "$GODWIT" labels -q -f g.fa -g table.txt --classes CDS -o x

# SGD's table: ORFs without the dubious ones. Bacteria: CDS without exons.
printf 'S1\tORF\tVerified\tYA1\tNAM\t\tchromosome 1\t\t1\t11\t40\tW\t\t\t\t\nS2\tCDS\t\t\t\t\tYA1\t\t1\t11\t40\tW\t\t\t\t\n' >sgd.tab
printf 'S3\tORF\tDubious\tYA2\t\t\tchromosome 1\t\t1\t90\t61\tC\t\t\t\t\nS4\tCDS\t\t\t\t\tYA2\t\t1\t90\t61\tC\t\t\t\t\n' >>sgd.tab
genome 1 20 chr | sed 's/chr1/chrI/' >yeast.fa
"$GODWIT" labels -q -f yeast.fa -g sgd.tab --classes CDS,start,stop -o sgd
equal "$(classes sgd)" "chrI 10 13 start +;chrI 13 37 CDS +;chrI 37 40 stop +;" "classes of SGD's table"
printf 'chr1\tx\tgene\t11\t40\t.\t-\t.\tID=g\nchr1\tx\tCDS\t11\t40\t.\t-\t0\tID=c;Parent=g\n' >bacteria.gff3
"$GODWIT" labels -q -f g.fa -g bacteria.gff3 --classes CDS,start -o bacteria
equal "$(classes bacteria)" "chr1 10 37 CDS -;chr1 37 40 start -;" "classes of a CDS alone"

# Intervals: what comes later in --classes holds; no strand is both.
printf 'chr1\t0\t10\ta\nchr1\t5\t20\tb\t0\t+\nchr2\t3\t4\tc\n' >some.bed
"$GODWIT" labels -q -f g.fa --bed some.bed --classes b,a --windows labelled --window 100 -o some
equal "$(classes some)" "chr1 0 10 a +;chr1 0 10 a -;chr1 10 20 b +;" "classes of intervals"
equal "$(gzip -dc some.bed.gz | awk '{ printf "%s %s %s;", $1, $2, $6 }')" "chr1 0 +;chr1 0 -;" "windows with a class"

# Held-out contigs; the first contig is the second one for half of its length.
awk "$DRAW"'BEGIN { seed = 3; s = bases(500); print ">a\n" s bases(500) "\n>b\n" s bases(500) "\n>v\n" bases(500) }' >twice.fa
printf 'a\t0\t9\tx\n' >twice.bed
"$GODWIT" labels -f twice.fa --bed twice.bed --window 250 --test b --valid v -o twice 2>notes
grep -q "1 intervals of 1 classes; 4 windows for training, 4 for validation, 8 for testing" notes || die "counts: $(cat notes)"
grep -q "^godwit: 4 windows share a tenth of their 31-mers" notes || die "shared: $(cat notes)"
"$GODWIT" labels -q -f twice.fa --bed twice.bed --window 250 --test b --valid v --shared keep -o kept
equal "$(gzip -dc kept.bed.gz | grep -c train)" 8 "windows that are kept"

fails 2 "give either genes (-g) or intervals (--bed)" "$GODWIT" labels -f g.fa -o x
fails 2 "--where genes needs them" "$GODWIT" labels -f g.fa --bed some.bed --where genes -o x
fails 2 "'exons' is not a class of genes; the classes are exon, intron, CDS" "$GODWIT" labels -q -f g.fa -g genes.gff3 --classes exons -o x
fails 1 "the class 'exon' is named twice" "$GODWIT" labels -q -f g.fa -g genes.gff3 --classes exon,exon -o x
printf 'chr1\t0\t10\n' >bad.bed
fails 1 "bad.bed:1: an interval without a class in column 4" "$GODWIT" labels -q -f g.fa --bed bad.bed -o x
printf 'chr1\t0\t1001\ta\n' >bad.bed
fails 1 "bad.bed:1" "$GODWIT" labels -q -f g.fa --bed bad.bed -o x
for file in x.*; do [ ! -e "$file" ] || die "a failed run left $file"; done
