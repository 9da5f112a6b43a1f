# godwit promoters: what a set looks like, splits, determinism, and what bad input gets.
. "$ROOT/tests/cli/lib.sh"

# Two contigs of 4,000 bp, 50 bases a line, made without randomness of the shell.
genome 2 80 >g.fa
printf 'c1\t1000\t1001\ta\t0\t+\nc1\t1000\t1001\tb\t0\t-\nc2\t2000\t2010\tc\t0\t-\nc2\t10\t11\toff\t0\t+\n' >tss.bed

"$GODWIT" promoters -f g.fa tss.bed --upstream 60 --downstream 40 --test c2 -o set.tsv 2>notes
grep -q "2 promoters for training, 0 for validation, 1 for testing" notes || die "counts: $(cat notes)"
grep -q "1 windows leave their contig" notes || die "dropped: $(cat notes)"
equal "$(head -1 set.tsv | tr '\t' ' ')" "sequence label name region strand split kind tss_offset" header
equal "$(wc -l <set.tsv | tr -d ' ')" 7 rows
equal "$(sed 1d set.tsv | cut -f2-8 | tr '\t' ' ' | sed -n 5p)" "1 c c2:1971-2070 - test tss 60" "row of c"
awk -F'\t' 'NR > 1 && length($1) != 100 { exit 1 }' set.tsv || die "windows are not 100 bp"
window=$(sed -n '2,$p' g.fa | head -80 | tr -d '\n' | cut -c941-1040)
equal "$(sed -n 2p set.tsv | cut -f1)" "$window" "window of a"
"$GODWIT" promoters -f g.fa tss.bed --upstream 60 --downstream 40 --test c2 -o again.tsv.gz 2>/dev/null
gzip -dc again.tsv.gz >again.tsv
same set.tsv again.tsv
"$GODWIT" promoters -f g.fa tss.bed --upstream 60 --downstream 40 --test c2 --seed 2 -o other.tsv 2>/dev/null
equal "$(cut -f1 set.tsv | sed -n 2p)" "$(cut -f1 other.tsv | sed -n 2p)" "a promoter under another seed"
[ "$(cut -f1 set.tsv | sed -n 3p)" != "$(cut -f1 other.tsv | sed -n 3p)" ] || die "the seed does not change negatives"

# Sites that are start codons: more than half of them, on either strand.
awk "$DRAW"'BEGIN { seed = 3; print ">s1"; for (i = 0; i < 8; i++) print (i % 2 ? "ATG" : "TTG") "C" bases(92) "GCAC" }' >starts.fa
awk 'BEGIN { for (i = 0; i < 5; i++) print "s1\t" 100 * i "\t" 100 * i + 9 "\tplus\t0\t+"; print "s1\t690\t700\tminus\t0\t-" }' >starts.bed
printf 's1\t50\t51\tx\t0\t+\ns1\t60\t61\ty\t0\t-\ns1\t70\t71\tz\t0\t+\n' >others.bed
"$GODWIT" promoters -q -f starts.fa --negatives shuffle --upstream 0 --downstream 20 -o starts.tsv starts.bed 2>notes
grep -q 'warning: starts.bed: 6 of 6 sites lie on a start codon (ATG, GTG or TTG): they are starts of coding sequence' notes || die "start codons: $(cat notes)"
cat others.bed others.bed starts.bed | "$GODWIT" promoters -q -f starts.fa --negatives shuffle --upstream 0 --downstream 20 -o starts.tsv - 2>notes
[ ! -s notes ] || die "a warning of half the sites: $(cat notes)"

# Negatives are windows of the genome, unless something else is said.
equal "$(cut -f7 set.tsv | sort | uniq -c | awk '{ print $2, $1 }' | tr '\n' ,)" "genomic 3,kind 1,tss 3," "kinds of rows"
for kind in genomic substitute shuffle; do
    "$GODWIT" promoters -q -f g.fa tss.bed --upstream 60 --downstream 40 --test c2 --negatives $kind -o $kind.tsv
done
same set.tsv genomic.tsv
equal "$(cut -f2,7 substitute.tsv | sed -n 3p | tr '\t' ' ')" "0 substitute" "a substituted negative"

# Where there is no room for all of them side by side, the distance is halved until there is, and that is said.
awk 'BEGIN { for (i = 1; i <= 20; i++) print "c1\t" 190 * i "\t" 190 * i + 1 "\tt" i "\t0\t+" }' >dense.bed
dense() { "$GODWIT" promoters -f g.fa dense.bed --upstream 40 --downstream 60 "$@" 2>notes; }
dense --exclude c2 --distance 1000 -o near.tsv
grep -q "the negatives lie at least 31 bp from every TSS: 1000 bp away (--distance) not all of them could lie side by side" notes || die "no word of the distance: $(cat notes)"
grep -q 'negatives share bases with another one' notes || die "no word of overlaps: $(cat notes)"
dense --exclude c2 --distance 31 -o asked.tsv
same near.tsv asked.tsv
grep -q 'lie at least' notes && die "a distance that does is said to be halved: $(cat notes)"
awk -F'\t' '$7 == "genomic" { split($4, p, /[:-]/); if (p[1] == "c1") for (t = 191; t < 3900; t += 190) if (t > p[2] - 31 && t < p[3] + 31) exit 1 }' near.tsv ||
    die "a negative lies too near"
fails 1 "the train sequence has room for 0 negatives of 200 bp side by side at least 1 bp from every TSS, not for 20: take shorter windows" \
    "$GODWIT" promoters -q -f g.fa dense.bed --upstream 60 --downstream 140 --exclude c2 -o x.tsv
[ ! -e x.tsv ] || die "a failed run left its output"
printf 'c1\t1000\t1001\ta\t0\t+\nc1\t9\t1\n' >bad.bed
fails 1 "bad.bed:2" "$GODWIT" promoters -q -f g.fa bad.bed -o x.tsv
printf 'c1\t1000\t1001\n' >bad.bed
fails 1 "bad.bed holds no TSS: a record of at least 1 bp with its strand" "$GODWIT" promoters -q -f g.fa bad.bed -o x.tsv
fails 1 "--test" "$GODWIT" promoters -q -f g.fa tss.bed --test c9 -o x.tsv
fails 1 "overlap" "$GODWIT" promoters -q -f g.fa tss.bed --test c1 --valid c1:1-5 -o x.tsv
fails 1 "no promoter window of 8000 bp is left" "$GODWIT" promoters -q -f g.fa tss.bed -o x.tsv
fails 2 "'sub' is not one of" "$GODWIT" promoters -f g.fa tss.bed --negatives sub -o x.tsv
fails 2 "-o FILE" "$GODWIT" promoters -f g.fa tss.bed
fails 1 "cannot" "$GODWIT" promoters -q -f g.fa tss.bed --upstream 60 --downstream 40 -o /dev/full

# Folds: contigs dealt from the longest down; the I-th share is for testing, the next for validation, each contig once.
awk "$DRAW"'BEGIN { seed = 5; split("900 800 500 400 300 200", n, " "); for (c = 1; c <= 6; c++) { print ">f" c; print bases(n[c]) } }' >folds.fa
for c in 1 2 3 4 5 6; do printf 'f%s\t100\t101\tt%s\t0\t+\n' $c $c; done >folds.bed
for fold in 1 2 3; do
    "$GODWIT" promoters -q -f folds.fa folds.bed --upstream 30 --downstream 20 --fold $fold/3 -o fold$fold.tsv
    awk -F'\t' -v f=$fold '$7 == "tss" { print f, $6, $3 }' fold$fold.tsv
done | sort >folds.txt
equal "$(grep ' test ' folds.txt | tr '\n' ,)" "1 test t1,1 test t6,2 test t2,2 test t5,3 test t3,3 test t4," "what is tested in each fold"
equal "$(grep ' valid ' folds.txt | tr '\n' ,)" "1 valid t2,1 valid t5,2 valid t3,2 valid t4,3 valid t1,3 valid t6," "what validates in each fold"
equal "$(grep -c ' train ' folds.txt)" 6 "what is left to train on"
fails 1 "contigs are dealt into 3 to 6 folds in this genome, not 7" "$GODWIT" promoters -f folds.fa folds.bed --fold 1/7 -o no.tsv
fails 1 "'4/3' is not I/N" "$GODWIT" promoters -f folds.fa folds.bed --fold 4/3 -o no.tsv
fails 2 "--fold replaces --test" "$GODWIT" promoters -f folds.fa folds.bed --fold 1/3 --test f1 -o no.tsv

# Duplicates: what occurs in the test part, on either strand, is in no other part.
awk "$DRAW"'BEGIN { seed = 9; s = bases(200); r = ""; for (i = 200; i > 0; i--) r = r substr("TGCA", index("ACGT", substr(s, i, 1)), 1)
    print ">d1"; print s bases(100); print ">d2"; print s bases(100); print ">d3"; print r bases(50); print ">d4"; print bases(300) }' >double.fa
printf 'd1\t100\t101\ta\t0\t+\nd2\t100\t101\tb\t0\t+\nd3\t99\t100\tc\t0\t-\nd4\t100\t101\td\t0\t+\n' >double.bed
"$GODWIT" promoters -f double.fa double.bed --upstream 30 --downstream 20 --test d1 -o double.tsv 2>notes
equal "$(awk -F'\t' '$7 == "tss" { print $6, $3 }' double.tsv | tr '\n' ,)" "test a,train d," "a sequence is on one side"
grep -q "2 windows also occur" notes || die "no word of duplicates: $(cat notes)"
"$GODWIT" promoters -q -f double.fa double.bed --upstream 30 --downstream 20 -o all.tsv
equal "$(awk -F'\t' '$7 == "tss"' all.tsv | wc -l | tr -d ' ')" 4 "nothing held out, nothing dropped"
