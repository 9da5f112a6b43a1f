# finetune --task profile: counts of bases of both strands; eval beside baselines, halves and a replicate; predict as a table and
# as tracks; what bad input gets.
. "$ROOT/tests/cli/lib.sh"

# A motif stands at some places of each contig, on either strand. Reads begin 4 bases behind it: 20 or so where nine Gs stand before
# the motif, else 2 or so.
awk "$DRAW"' BEGIN { seed = 5; OFS = "\t"
    for (c = 1; c <= 3; c++) {
        print ">c" c >"g.fa"
        text = bases(200)
        for (i = 0; i < (c == 1 ? 240 : 30); i++) {
            strong = draw(2); minus = draw(2); n = strong ? 17 + draw(7) : 1 + draw(3)
            at = length(text)
            text = text (minus ? "TTATAC" (strong ? "CCCCCCCCC" : bases(9)) : (strong ? "GGGGGGGGG" : bases(9)) "GTATAA") bases(100 + draw(60))
            place = minus ? at - 4 : at + 18
            print "c" c, place, place + 1, minus ? -n : n >(minus ? "minus.bedgraph" : "plus.bedgraph")
            print "c" c, place, place + 1, minus ? -n - 1 : n + 1 >(minus ? "again.minus.bedgraph" : "again.plus.bedgraph")
            print "c" c, place - 5 + (off = draw(21) - 10), place + 6 + off, "r" i, 0, minus ? "-" : "+" >("c" c ".bed")
        }
        print text bases(200) >"g.fa"
    } }'
cat >config.json <<'E2'
{"architectures": ["BPNetForTracks"], "model_type": "godwit", "n_filters": 8, "n_layers": 1, "n_outputs": 2,
 "input_length": 138, "count_loss_weight": 10}
E2
counts="--track plus.bedgraph --track minus.bedgraph"
finetune() { "$GODWIT" finetune --from-scratch -c config.json --task profile -f g.fa $counts "$@"; }
finetune -d c1.bed --valid c2.bed --shift 4 --epochs 15 --patience 0 --batch 8 --lr 0.01 -o model 2>notes || die "$(cat notes)"
grep -q '"task": "profile"' model/config.json || die "config.json names no task"
grep -q "mean, 5-mers" notes || die "no baseline in the table: $(cat notes)"

# The model finds the base; the counts follow the base before the motif.
"$GODWIT" eval -q -m model -f g.fa -d c3.bed --baseline c1.bed --replicate again.plus.bedgraph --replicate again.minus.bedgraph $counts >figures
equal "$(sed -n 1p figures)" "predictor	windows	profiles	loss	pearson	spearman	jsd	median_jsd" "columns of eval"
equal "$(cut -f1 figures | tr '\n' ' ')" "predictor model baseline halves replicate " "rows of eval"
awk -F '\t' '$1 == "model" { if ($2 != 30 || $3 < 5 || $5 < 0.4 || $7 > 0.2) exit 1; loss = $4 }
    $1 == "baseline" { if ($4 < loss) exit 1 } $1 == "halves" { if ($4 != "NA" || $7 != 0) exit 1 }
    $1 == "replicate" { if ($7 != 0 || $5 < 0.98) exit 1 }' figures || die "figures: $(cat figures)"

# predict: a row a window; tracks whose sum over a window is its counts, and whose largest value stands where the reads do.
"$GODWIT" predict -q -m model -f g.fa -d c3.bed >table
equal "$(sed -n 1p table) $(wc -l <table)" "region	strand	log_counts 31" "table"
"$GODWIT" predict -q -m model -f g.fa -r c3:201-1200 --bedgraph tracks
equal "$(ls tracks | tr '\n' ' ')" "minus.bedgraph.gz plus.bedgraph.gz tracks.tsv " "tracks"
for strand in plus minus; do gzip -dc tracks/$strand.bedgraph.gz | sed "s/^/$strand /" | tr ' ' '\t'; done >both
awk -F '\t' 'FILENAME == "both" { value[$1, $3] = $5; next }
    $1 == "c3" && $2 >= 205 && $2 < 1195 { n = $4 < 0 ? -$4 : $4; s = $4 < 0 ? "minus" : "plus"
        if (n < 10) next
        sites++; best = 1; for (k = -3; k <= 3; k++) best = best && value[s, $2 + k] <= value[s, $2]; found += best }
    END { exit !(sites > 1 && found >= 0.8 * sites) }' both plus.bedgraph minus.bedgraph || die "the tracks do not peak where reads begin"

# A run that is stopped goes on bit for bit.
finetune -q -d c1.bed --steps 6 --batch 8 -o whole
finetune -q -d c1.bed --steps 6 --batch 8 -o parts --checkpoints state --save-every 3
same whole/model.safetensors parts/model.safetensors

fails 2 "needs the genome of its regions" "$GODWIT" finetune -q --from-scratch -c config.json --task profile $counts -d c1.bed -o bad
fails 2 "it was given 0 times" "$GODWIT" finetune -q --from-scratch -c config.json --task profile -f g.fa -d c1.bed -o bad
fails 1 "the model predicts 2 strands (n_outputs), but 1 tracks are given" "$GODWIT" finetune -q --from-scratch -c config.json --task profile \
    -f g.fa --track plus.bedgraph -d c1.bed -o bad
printf 'c1\t0\t10\tr\t0\t+\n' >edge.bed
fails 1 "edge.bed has no region whose window of 40 bases lies on its contig" finetune -q -d edge.bed -o bad
printf 'c1\t5\t6\t1\nc1\t9\t10\t-1\n' >signs.bedgraph
fails 1 "and others have the other sign" "$GODWIT" finetune -q --from-scratch -c config.json --task profile -f g.fa --track plus.bedgraph \
    --track signs.bedgraph -d c1.bed -o bad
fails 2 "profiles of counts need their tracks" "$GODWIT" eval -q -m model -f g.fa -d c3.bed
fails 2 "give either a set (-d)" "$GODWIT" predict -q -m model -f g.fa -d c3.bed --bedgraph both
[ ! -e bad ] || die "left a folder behind a failed run"
