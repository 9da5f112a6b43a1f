# godwit predict --bigwig and --bedgraph: tiles of regions and of whole genomes, a file for each label.
. "$ROOT/tests/cli/lib.sh"

{
    genome 2 9 chr
    echo ">gap"
    awk 'BEGIN { for (i = 0; i < 8; i++) print (i < 2 || i > 4) ? "ACGTACGGTTACGTACGGTTACGTACGGTTACGTACGGTTACGTACGGTT" : "NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN" }'
} >g.fa
printf 'chr1\t10\t30\tCTCF|a b\nchr1\t60\t90\tctcf_a_b\nchr2\t0\t400\t/x\n' >peaks.bed
cat >config.json <<'E2'
{"architectures": ["BigBirdForPreTraining"], "model_type": "big_bird", "hidden_size": 16, "num_hidden_layers": 1,
 "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 64, "attention_type": "original_full"}
E2
"$GODWIT" profiles -q -f g.fa --bin 20 --window 60 --label midpoint --target-from column4 -o set peaks.bed
"$GODWIT" finetune -q --from-scratch -c config.json --task profiles -d set -f g.fa -o model --steps 2 --batch 8 -@ 1
predict() { "$GODWIT" predict -q -m model -f g.fa "$@"; }

# A whole genome. A tile of 20 bp lies in the middle of a window of 60: the first and the last of a contig have no value,
# nor have those whose windows are more than half N.
"$GODWIT" predict -m model -f g.fa --bedgraph tracks 2>notes
equal "$(tr '\t\n' ' ,' <tracks/tracks.tsv)" \
    "label file,/x _x.bedgraph.gz,CTCF|a b CTCF_a_b.bedgraph.gz,ctcf_a_b ctcf_a_b~2.bedgraph.gz," "tracks.tsv"
equal "$(ls -A tracks | sort | tr '\n' ' ')" "$(printf '%s\n' tracks.tsv _x.bedgraph.gz CTCF_a_b.bedgraph.gz 'ctcf_a_b~2.bedgraph.gz' | sort | tr '\n' ' ')" "files"
gzip -dc tracks/CTCF_a_b.bedgraph.gz >one.bedgraph
grep -q "13 of 64 tiles have no value: the windows of 6 leave their contig, those of 7 are more than half N" notes || die "note: $(cat notes)"
awk '$3 - $2 != 20 || $2 % 20 || $2 < 20 || $4 <= 0 || $4 >= 1 { exit 1 } $1 == "chr1" { chr1++ } $1 == "gap" { gap = gap " " $2 }
    END { exit !(NR == 51 && chr1 == 20 && gap == " 20 40 60 80 240 260 280 300 320 340 360") }' one.bedgraph || die "tiles: $(cat one.bedgraph)"

# Values are those of the table, for windows around the tiles' middles.
awk -v OFS='\t' '{ print $1, $2, $3 }' one.bedgraph >tiles.bed
predict -R tiles.bed | tail -n +2 >table.tsv
paste table.tsv one.bedgraph | awk -F'\t' '{ d = $3 - $8; if (d > 1e-6 || d < -1e-6) exit 1 } END { exit NR != 51 }' || die "values differ from the table's"

# Regions: the tiles that they overlap, once; the step can be another.
predict -r chr2:101-130,chr1:1-50,chr1:30-41 --bedgraph part
gzip -dc part/_x.bedgraph.gz | cut -f1-3 | tr '\t\n' ' ,' >found
equal "$(cat found)" "chr1 20 40,chr1 40 60,chr2 100 120,chr2 120 140," "tiles of regions"
predict -r chr1:51-70 --step 7 --bedgraph sevens
equal "$(gzip -dc sevens/_x.bedgraph.gz | cut -f2,3 | tr '\t\n' ' ,')" "49 56,56 63,63 70," "tiles of another step"
predict -r chr1:81-100,chr2:1-300 --bedgraph some -@ 1 --batch-tokens 64
gzip -dc some/CTCF_a_b.bedgraph.gz | while read -r contig begin end value; do
    awk -v c="$contig" -v b="$begin" -v e="$end" -v v="$value" '$1 == c && $2 == b { d = $4 - v; found = $3 == e && d < 1e-6 && d > -1e-6 } END { exit !found }' one.bedgraph ||
        die "a tile depends on the others: $contig $begin $end $value"
done

fails 1 "no tile of the regions has a value" "$GODWIT" predict -q -m model -f g.fa -r gap:141-180 --bedgraph none
fails 1 "no tile of 1000 bp lies in the regions" "$GODWIT" predict -q -m model -f g.fa -r chr1 --step 1000 --bedgraph none
equal "$(ls -A none)" "" "what a failure leaves"
fails 2 "exclude each other" "$GODWIT" predict -m model -f g.fa --bedgraph a --bigwig b
fails 2 "remove -d and -o" "$GODWIT" predict -m model -f g.fa --bedgraph a -d set
fails 2 "tracks need their genome" "$GODWIT" predict -m model --bedgraph a
fails 2 "--step is for" "$GODWIT" predict -m model -f g.fa -r chr1:1-60 --step 5
fails 1 "exists and is not a folder" "$GODWIT" predict -q -m model -f g.fa --bedgraph config.json

# bigWig: what godwit reads back is the bedGraph's, where this program has libBigWig.
status=0
predict --bigwig big 2>err || status=$?
if [ "$status" -ne 0 ]; then
    grep -q "built without libBigWig" err || die "bigWig: $(cat err)"
    echo "left out: bigWig, since this program was built without libBigWig"
else
    equal "$(cut -f2 big/tracks.tsv | tail -1)" "ctcf_a_b~2.bw" "a bigWig's name"
    equal "$(od -An -tx1 -N4 big/_x.bw | tr -d ' ')" 26fc8f88 "a bigWig's first bytes"
    # damaged TEXT: view says so, whatever libBigWig makes of the file.
    damaged() { fails 1 "$1" "$GODWIT" view -q -f g.fa -r chr1 --track bad.bw -o bad.svg; }
    put() { cat big/_x.bw >bad.bw && printf "$2" | dd of=bad.bw bs=1 seek="$1" conv=notrunc 2>/dev/null; }
    number() { od -An -tu4 -j "$1" -N 4 big/_x.bw | tr -d ' '; }
    head -c 300 big/_x.bw >bad.bw
    damaged "bad.bw is not a whole bigWig"
    put 6 '\377\377'
    damaged "bad.bw is not a whole bigWig: it ends before its levels of zoom"
    put 55 '\377'
    damaged "bad.bw is not a whole bigWig: a block is larger than it can hold"
    tree=$(number 8)
    put $((tree + 16)) '\377\377\377\177'
    damaged "bad.bw is not a whole bigWig: the list of contigs is damaged"
    put $((tree + 32 + 4 + $(number $((tree + 8))) + 3)) '\077' # the first contig's number, which libBigWig writes by
    damaged "bad.bw is damaged"
    mkdir -p full && ln -s /dev/full "full/_x.bw"
    "$GODWIT" predict -q -m model -f g.fa --bigwig full 2>err && die "a full disk went unnoticed"
    grep -q "cannot write full/_x.bw" err || die "full disk: $(cat err)"
fi

# A promoter model sees a strand: two tracks a label, which are those of the table for sites of 1 bp on either strand.
printf 'chr1\t200\t201\ta\t0\t+\nchr1\t300\t301\tb\t0\t-\nchr2\t220\t221\tc\t0\t-\nchr2\t100\t101\td\t0\t+\n' >tss.bed
"$GODWIT" promoters -q -f g.fa tss.bed --upstream 40 --downstream 20 -o tss.tsv
"$GODWIT" finetune -q --from-scratch -c config.json --task promoter -d tss.tsv -o promoter --steps 3 --batch 4 --lr 1e-2 -@ 1
"$GODWIT" predict -m promoter -f g.fa -r chr1 --step 10 --bedgraph strands 2>notes
equal "$(tr '\t\n' ' ,' <strands/tracks.tsv)" "label file,label.plus label.plus.bedgraph.gz,label.minus label.minus.bedgraph.gz," "tracks of strands"
grep -q "12 of 90 tiles, of both strands, have no value: the windows of 12 leave their contig" notes || die "note: $(cat notes)"
for strand in plus minus; do
    gzip -dc "strands/label.$strand.bedgraph.gz" >$strand.bedgraph
    awk -v OFS='\t' -v s=$strand '{ m = $2 + 5; print $1, m, m + 1, ".", 0, s == "plus" ? "+" : "-" }' $strand.bedgraph >sites.bed
    "$GODWIT" predict -q -m promoter -f g.fa -R sites.bed | sed 1d | awk '{ print $NF }' >expected
    [ "$(wc -l <expected)" -eq 39 ] || die "$strand has $(wc -l <expected) tiles"
    paste expected $strand.bedgraph | awk '{ d = $1 - $5; if (d > 1e-6 || d < -1e-6) exit 1 }' || die "the track of $strand differs from the table"
done
cmp -s plus.bedgraph minus.bedgraph && die "both strands have the same track"
"$GODWIT" predict -q -m promoter -f g.fa -r chr1 --both-strands --bedgraph averaged
equal "$(sed 1d averaged/tracks.tsv | cut -f1)" label "strands that are averaged"
