# godwit finetune: a tiny model finds a planted motif; best epoch, resume, determinism, refusals.
. "$ROOT/tests/cli/lib.sh"

# 1,000 sequences of 40 bp; every other one has TATAAATA at offset 14, 15 or 16.
awk "$DRAW"'BEGIN { seed = 7; OFS = "\t"; print "sequence", "motif", "split"
    for (e = 0; e < 1000; e++) {
        s = bases(40); y = e % 2; p = 14 + draw(3)
        if (y) s = substr(s, 1, p) "TATAAATA" substr(s, p + 9)
        print s, y, e < 800 ? "train" : e < 900 ? "valid" : "test" } }' >set.tsv
cat >config.json <<'E2'
{"architectures": ["BigBirdForPreTraining"], "model_type": "big_bird", "hidden_size": 32, "num_hidden_layers": 2,
 "num_attention_heads": 2, "intermediate_size": 64, "max_position_embeddings": 64, "attention_type": "original_full"}
E2
train() { # OUT OPTIONS...
    out=$1
    shift
    ${background:+exec} "$GODWIT" finetune -q --from-scratch -c config.json --task promoter -d set.tsv --valid set.tsv -o "$out" --epochs 6 \
        --lr 3e-3 --batch 20 --dropout 0.05 --patience 0 -@ 1 "$@"
}

train one
"$GODWIT" predict -q -m one -d set.tsv --split test -o test.tsv
equal "$(head -1 test.tsv | tr '\t' ' ')" "row motif" "header of predictions"
equal "$(wc -l <test.tsv | tr -d ' ')" 101 "rows of predictions"
# AUROC over the 50 x 50 pairs of a positive (even row number) and a negative.
auroc=$(awk 'NR > 1 { if ($1 % 2) n[++a] = $2; else p[++b] = $2; if (!($2 >= 0 && $2 <= 1)) exit 1 }
    END { for (i in n) for (j in p) w += p[j] > n[i] ? 1 : p[j] == n[i] ? .5 : 0; print (w / (a * b) > 0.9) }' test.tsv)
equal "$auroc" 1 "test AUROC above 0.9"
equal "$(grep -c valid_auroc one/metrics.jsonl)" 6 "validated epochs"
grep -q '"kept":true' one/metrics.jsonl || die "metrics do not say which weights were kept"
grep -q '"window": 40' one/config.json || die "the window is not in config.json"
grep -q '"command": "godwit finetune' one/config.json || die "the command is not in config.json"
grep -q '"vocab_size": 10' one/config.json || die "the vocabulary is not that of the letters"

# The same command gives the same bytes, whatever the number of threads.
train two -@ 2
same one/model.safetensors two/model.safetensors

# A run that was killed continues as if it had not been.
start train three --checkpoints state --save-every 50
await [ -e state/training.state ]
kill -9 "$run"
wait "$run" 2>/dev/null || true
rm -rf three
train three --checkpoints state --save-every 50 --resume
same one/model.safetensors three/model.safetensors
for run in one three; do sed 's/,"[a-z_]*second[a-z]*":[^,}]*//g' $run/metrics.jsonl >$run.jsonl; done
same one.jsonl three.jsonl
# So does one that was asked to stop.
start train polite --checkpoints polite-state
await [ -s polite-state/metrics.jsonl ]
kill -TERM "$run"
wait "$run" 2>/dev/null || true
train polite --checkpoints polite-state --resume --recompute # computes the same in another way
same one/model.safetensors polite/model.safetensors
cp three/model.safetensors finished
train three --checkpoints state --resume
same three/model.safetensors finished
train fresh --checkpoints nothing-yet --resume --recompute
same one/model.safetensors fresh/model.safetensors
fails 1 "was made by a run with other settings: --lr 0.003 (now 0.002), --dropout 0.05 (now 0.1), --patience 0 (now 5); continue with the same settings" \
    "$GODWIT" finetune -q --from-scratch -c config.json --task promoter -d set.tsv --valid set.tsv -o four --epochs 6 --lr 2e-3 --batch 20 --checkpoints state --resume
head -c 1000 state/training.state >cut && mv cut state/training.state
fails 1 "state/training.state" "$GODWIT" finetune -q --from-scratch -c config.json --task promoter -d set.tsv \
    --valid set.tsv -o four --epochs 6 --lr 3e-3 --batch 20 --dropout 0.05 --patience 0 --checkpoints state --resume

fails 1 "one already holds a model" "$GODWIT" finetune -q --from-scratch -c config.json --task promoter -d set.tsv -o one
# A model of the same labels goes on with its head: it begins far below the loss of a fresh one, 0.69.
"$GODWIT" finetune -m one --task promoter -d set.tsv --valid set.tsv -o more --epochs 1 --lr 1e-5 --batch 20 --dropout 0 2>note
grep -q "training continues with its head" note || die "nothing says that the head goes on"
first=$(head -1 more/metrics.jsonl | sed 's/.*"loss":\([0-9.]*\).*/\1/')
equal "$(awk -v x="$first" 'BEGIN { print (x < 0.45) }')" 1 "loss below that of a fresh head ($first)"
sed '1s/motif/other/' set.tsv >others.tsv
fails 1 "has 1 labels of its own (BigBirdForSequenceClassification)" "$GODWIT" finetune -q -m one --task promoter -d others.tsv -o five
fails 2 "either a model (-m) or --from-scratch" "$GODWIT" finetune --task promoter -d set.tsv -o five
fails 2 "--from-scratch needs either" "$GODWIT" finetune --from-scratch --task promoter -d set.tsv -o five
fails 1 "do not fit the model" "$GODWIT" finetune -q --from-scratch -c config.json --length 41 --task promoter -d set.tsv -o five
printf 'sequence,y\nACGT,1\nACG,0\n' >mixed.csv
fails 1 "set the width" "$GODWIT" finetune -q --from-scratch -c config.json --task promoter -d mixed.csv -o five
printf 'sequence,split\nACGT,train\n' >bare.csv
fails 1 "bare.csv has no labels" "$GODWIT" finetune -q --from-scratch -c config.json --task promoter -d bare.csv -o five
printf 'sequence,y\nACGT,1\nACGA,1\n' >constant.csv
fails 1 "no target of the validation set" "$GODWIT" finetune -q --from-scratch -c config.json --task promoter -d constant.csv \
    --valid constant.csv -o six

# Windows that are shifted teach something else, the same again however many threads there are, and are not the resumed run's.
train still --epochs 1 --patience 0
train shifted --epochs 1 --patience 0 --shift 4 --checkpoints shifted-state
train again --epochs 1 --patience 0 --shift 4 -@ 2
same shifted/model.safetensors again/model.safetensors
cmp -s still/model.safetensors shifted/model.safetensors && die "--shift changes nothing"
rm -r shifted
fails 1 "other settings: --shift 4 (now 5); continue" "$GODWIT" finetune -q --from-scratch -c config.json --task promoter -d set.tsv --valid set.tsv \
    -o shifted --epochs 1 --lr 3e-3 --batch 20 --dropout 0.05 --patience 0 --shift 5 --checkpoints shifted-state --resume -@ 1

# A table, curves, and a run that stops by itself; one that was killed after it had stopped has nothing left to do.
loud() { # OUT OPTIONS...
    out=$1
    shift
    "$GODWIT" finetune --from-scratch -c config.json --task promoter -d set.tsv --valid set.tsv -o "$out" --batch 20 --dropout 0.05 -@ 1 "$@" 2>&1
}
loud early --epochs 40 --lr 3e-3 --patience 2 --metric auprc --ema 0.9 --checkpoints early-state >early.log
grep -q "epoch     steps  train loss  valid loss   AUROC   AUPRC      F1" early.log || die "no table: $(cat early.log)"
grep -q "nothing is learnt" early.log && die "a warning though it learns: $(cat early.log)"
grep -q "no epoch was better on the validation set for 2 epochs" early.log || die "it did not stop: $(cat early.log)"
best=$(sed -n 's/.*kept the weights after step \([0-9]*\): validation mean AUPRC 1.0000/\1/p' early.log)
equal "$(tail -1 early/metrics.jsonl | sed 's/.*"step":\([0-9]*\),.*/\1/')" $((best + 80)) "last step"
[ -s early/loss.png ] || die "no loss.png"
cp early/model.safetensors stopped && rm -r early
loud early --epochs 40 --lr 3e-3 --patience 2 --metric auprc --ema 0.9 --checkpoints early-state --resume >early.log
same early/model.safetensors stopped
loud late --epochs 4 --lr 1e-6 >late.log
grep -q "warning: after 80 steps the training loss is still 0.693.; always predicting the frequencies of the labels gives 0.693" late.log ||
    die "no warning of chance: $(cat late.log)"
equal "$(grep -c '"chance_loss":0.6931' late/metrics.jsonl)" 4 "the constant predictor's loss"

# One temperature is fitted on the validation set, here of labels a fifth of which are wrong: predict's probabilities lose what
# the note says, as they are and divided, and eval, whose AUROC it leaves alone, takes it too.
awk "$DRAW"'BEGIN { seed = 5; OFS = "\t" } NR > 1 && draw(5) == 0 { $2 = 1 - $2 } { print $1, $2, $3 }' set.tsv >unsure.tsv
"$GODWIT" finetune -m one --task promoter -d unsure.tsv --valid unsure.tsv -o unsure --epochs 1 --lr 1e-4 --batch 20 --baseline none \
    -@ 1 2>unsure.log
grep -q "godwit: temperature [0-9.]*, which divides the logits" unsure.log || die "no temperature: $(cat unsure.log)"
temperature=$(sed -n 's/.*"temperature": \([0-9.]*\).*/\1/p' unsure/config.json)
awk -v t="$temperature" 'BEGIN { exit !(t > 1.2 && t < 20) }' || die "temperature '$temperature' of a model that is too sure"
lost() { # OPTIONS...
    "$GODWIT" predict -q -m unsure -d unsure.tsv --split valid "$@" >found.tsv
    awk -F'\t' '$3 == "valid" { print $2 }' unsure.tsv >wanted
    tail -n +2 found.tsv | paste wanted - | awk '{ s -= log($1 ? $3 : 1 - $3) } END { printf "%.4f", s / NR }'
}
equal "is $(lost) ($(lost --temperature 1) without)" "$(sed -n 's/.*validation set \(is.*without)\)/\1/p' unsure.log)" "losses of probabilities"
"$GODWIT" eval -q -m unsure -d unsure.tsv --split valid >calibrated
"$GODWIT" eval -q -m unsure -d unsure.tsv --split valid --temperature 1 >raw
same calibrated raw
# A model that goes on forgets the temperature before it has another.
"$GODWIT" finetune -q -m unsure --task promoter -d unsure.tsv -o bare --steps 1 --batch 20 -@ 1
grep -q temperature bare/config.json && die "a temperature without validation: $(cat bare/config.json)"

# The k-mer baseline: it finds the planted word, which a model that did not learn does not.
grep -q "^godwit: [3-6]-mers " late.log || die "no baseline: $(cat late.log)"
grep -q "warning: counting [3-6]-mers alone predicts the labels of this set with AUROC" late.log || die "no warning of the set: $(cat late.log)"
grep -q "warning: the model is no better than counting [3-6]-mers: counts alone predict this set well" late.log ||
    die "no warning of the baseline: $(cat late.log)"
awk -F'\t' -v OFS='\t' 'NR > 1 && ++n % 3 == 0 { $2 = 1 - $2 } 1' set.tsv >noisy.tsv
"$GODWIT" finetune --from-scratch -c config.json --task promoter -d noisy.tsv --valid noisy.tsv -o noisy --steps 2 --lr 1e-6 -@ 1 2>noisy.log
grep -q "^godwit: [3-6]-mers (AUROC +/- 0.0[0-9]*) " noisy.log || die "no standard error of the baseline: $(cat noisy.log)"
grep -q "counting [3-6]-mers alone" noisy.log && die "a warning of a set that k-mers do not tell: $(cat noisy.log)"
grep -q "warning: the model is no better than counting [3-6]-mers: more epochs, a pretrained model, or another --lr" noisy.log ||
    die "no advice: $(cat noisy.log)"
grep -q "the AUROCs differ by -0.[0-9]*, with a standard error of 0.0" noisy.log || die "no difference: $(cat noisy.log)"
equal "$(grep -o '"baseline_auroc_error":0.0[0-9]*' noisy/metrics.jsonl | wc -l | tr -d ' ')" 1 "standard errors in metrics.jsonl"
equal "$(grep -c '"baseline_k":[3-6],"baseline_loss":' late/metrics.jsonl)" 4 "epochs beside the baseline"
grep -q '"baseline_auroc":0.9[0-9]*[,}]\|"baseline_auroc":1.0[,}]' late/metrics.jsonl || die "baseline: $(tail -1 late/metrics.jsonl)"
loud late2 --epochs 1 --lr 1e-6 -@ 2 >late2.log
baseline_of() { grep -o '"baseline_[a-z0-9_]*":[0-9.]*' "$1/metrics.jsonl" | head -7; }
equal "$(baseline_of late2)" "$(baseline_of late)" "the baseline of two threads"
loud none --epochs 1 --baseline none >none.log
grep -q mers none.log && die "a baseline: $(cat none.log)"
fails 2 "--baseline kmer needs --valid" "$GODWIT" finetune --from-scratch -c config.json --task promoter -d set.tsv -o x --baseline kmer

# What a fresh encoder of single bases begins with: it learns by places, and ten times as fast as others.
"$GODWIT" finetune -q --from-scratch --size dna-mini --stem conv:3 --length 64 --task promoter -d set.tsv -o bases --steps 1 --warmup 1 \
    --batch 8 -@ 1
grep -q '"pooling": "places"' bases/config.json || die "pooling: $(cat bases/config.json)"
grep -q '"rate": *0.001[,}]\|"learning_rate": *0.001[,}]' bases/metrics.jsonl || die "rate: $(head -2 bases/metrics.jsonl)"

# A ModernBERT, pretrained and tuned: what stands for a sequence is said in its own field.
awk "$DRAW"'BEGIN { seed = 5; print ">c"; for (i = 0; i < 20; i++) print bases(60) }' >modern.fa
"$GODWIT" pretrain -q -f modern.fa -o modern --size modern-tiny --length 64 --steps 2 --batch-tokens 256 -@ 1
"$GODWIT" finetune -q -m modern --pooling mean --task promoter -d set.tsv -o modern-tuned --steps 1 --batch 8 -@ 1
grep -q '"classifier_pooling": "mean"' modern-tuned/config.json || die "pooling: $(cat modern-tuned/config.json)"
grep -q '"model_type": "modernbert"' modern-tuned/config.json || die "type: $(cat modern-tuned/config.json)"
"$GODWIT" predict -q -m modern-tuned -d set.tsv --split test -o modern.tsv
equal "$(wc -l <modern.tsv | tr -d ' ')" 101 "rows of a ModernBERT's predictions"
# Dropout that training here would leave out is refused there, and there alone.
for key in embedding_dropout attention_dropout; do
    cp -r modern modern-$key
    sed -e "/\"$key\"/d" -e "s/\"model_type\": \"modernbert\",/\"model_type\": \"modernbert\", \"$key\": 0.1,/" modern/config.json \
        >modern-$key/config.json
    fails 1 "\"$key\" is not 0" "$GODWIT" finetune -q -m modern-$key --task promoter -d set.tsv -o undropped --steps 1
    "$GODWIT" embed -q -m modern-$key --pool mean -o modern.npy modern.fa
done

# A preset fills what was not given: 32 examples a step and ten epochs are given though both are the defaults.
head -41 set.tsv | cut -f 1,2 >forty.tsv
"$GODWIT" finetune -q --from-scratch -c config.json --task promoter --preset paper-promoter -d forty.tsv -o given --batch 32 --epochs 10 \
    --dropout -1 -@ 1
equal "$(tail -1 given/metrics.jsonl | sed 's/.*"step":\([0-9]*\),.*/\1/')" 20 "steps of ten epochs of 40 examples, 32 a step"
grep -q '"hidden_dropout_prob": 0.1' given/config.json || die "dropout: $(cat given/config.json)"

# Windows longer than a pretrained model's sequences: rotary positions have no weights, those of a table and places have.
awk "$DRAW"'BEGIN { seed = 3; print ">c"; for (i = 0; i < 20; i++) print bases(60) }' >genome.fa
"$GODWIT" pretrain -q -f genome.fa -o short --size dna-mini --length 32 --steps 1 --batch-tokens 128 -@ 1
fails 1 "--temperature: the model has no labels that have probabilities" "$GODWIT" eval -q -m short -f genome.fa --temperature 2
fails 1 "windows of 40 bp do not fit the model" "$GODWIT" finetune -q -m short --task promoter -d set.tsv -o longer --steps 1
"$GODWIT" finetune -q -m short --length 42 --task promoter -d set.tsv -o longer --steps 1 --pooling places -@ 1
grep -q '"max_position_embeddings": 42' longer/config.json || die "positions: $(cat longer/config.json)"
"$GODWIT" predict -q -m longer -d set.tsv --split test -o longer.tsv
equal "$(wc -l <longer.tsv | tr -d ' ')" 101 "rows of predictions"
fails 1 "50 positions: the model has learned weights for each of its 42" "$GODWIT" finetune -q -m longer --length 50 --task promoter -d set.tsv \
    -o longest --steps 1
fails 1 "70 positions: the model has learned weights for each of its 64" "$GODWIT" finetune -q -m one --length 70 --task promoter -d set.tsv \
    -o longest --steps 1

# Weights by the labels' frequencies, 0.5 and 0.1, and a learned query over the rows.
awk 'BEGIN { OFS = "\t" } { print $0, NR == 1 ? "rare" : NR % 10 == 0 ? 1 : 0 }' set.tsv >two.tsv
"$GODWIT" finetune --from-scratch -c config.json --task promoter -d two.tsv -o weighed --steps 3 --positive-weight balanced \
    --pooling attention -@ 1 2>weighed.log
grep -q "positives weigh 1 to 9, by label" weighed.log || die "weights: $(cat weighed.log)"
tr -d ' \n' <weighed/config.json | sed 's/.*"positive_weight":\[\([^]]*\)\].*/\1/' | tr , ' ' |
    awk '{ a = $1 - 1; b = $2 - 9; exit !(NF == 2 && a * a < 1e-20 && b * b < 1e-20) }' || die "weights: $(cat weighed/config.json)"
grep -q '"model_type": "godwit"' weighed/config.json || die "transformers would read another pooling"
"$GODWIT" predict -q -m weighed -d two.tsv --split test -o weighed.tsv
equal "$(wc -l <weighed.tsv | tr -d ' ')" 101 "rows of predictions"
"$GODWIT" finetune -q --from-scratch -c config.json --task promoter -d set.tsv -o heavy --steps 1 --positive-weight balanced -@ 1
grep -q '"positive_weight": 1.0' heavy/config.json || die "a single weight: $(cat heavy/config.json)"
sed 's/"pooling": "attention"/"pooling": "sum"/' weighed/config.json >wrong && mv wrong weighed/config.json
fails 1 '"pooling" is "sum", expected first, mean, places, attention or flatten' "$GODWIT" predict -q -m weighed -d two.tsv
fails 2 "expected a number from 0 to 1e6, or balanced" "$GODWIT" finetune --from-scratch -c config.json --task promoter -d set.tsv -o x \
    --positive-weight even

# A layer over all rows: a window has the same numbers alone and among others, longer and shorter ones too.
"$GODWIT" finetune -q --from-scratch --size dna-mini --length 60 --task promoter -d set.tsv -o flat --steps 2 --pooling flatten -@ 1 2>/dev/null
awk "$DRAW"'BEGIN { seed = 9; for (i = 0; i < 9; i++) print bases(i < 4 ? 40 : i < 6 ? 37 : 39) }' >letters
{ echo sequence && cat letters; } >mixed.tsv
"$GODWIT" predict -q -m flat -d mixed.tsv 2>/dev/null | sed 1d | cut -f2 >together
while read -r window; do
    printf 'sequence\n%s\n' "$window" >alone.tsv
    "$GODWIT" predict -q -m flat -d alone.tsv 2>/dev/null | sed 1d | cut -f2
done <letters >alone
equal "$(sort -u together | wc -l | tr -d ' ')" 9 "numbers of nine windows"
same together alone

# The paper's settings, where nothing else is said.
"$GODWIT" finetune -q --from-scratch -c config.json --task promoter -d set.tsv -o paper --preset paper-promoter --batch 1 --report-every 711 -@ 1
grep -q '"step": *711[,}]' paper/metrics.jsonl || die "steps of the preset: $(tail -1 paper/metrics.jsonl)"
"$GODWIT" finetune -q --from-scratch -c config.json --task promoter -d set.tsv -o paper2 --preset paper-promoter --steps 2 -@ 1
"$GODWIT" finetune -q --from-scratch -c config.json --task promoter -d set.tsv -o plain2 --batch 256 --dropout 0.1 --steps 2 -@ 1
same paper2/model.safetensors plain2/model.safetensors
fails 2 "--preset paper-profiles goes with --task profiles" "$GODWIT" finetune --from-scratch -c config.json --task promoter -d set.tsv -o x --preset paper-profiles

# One cycle begins at a 25th of the rate.
train cycle --schedule one-cycle --report-every 1 --epochs 1
grep -q '"step":1,.*"rate":0.00012[,}]' cycle/metrics.jsonl || die "the first rate: $(head -1 cycle/metrics.jsonl)"

# FASTA of sequences with and without the label is a set as a table is: the same weights, by both ways of validation.
awk "$DRAW"'BEGIN { seed = 5; for (i = 0; i < 240; i++) { s = bases(14); print (i % 2 ? "AAATTTAAA" : "CGCGGCGCG") s, i % 2 } }' >drawn
awk '$2 == 1 { print ">p x\n" $1 }' drawn >with.fa
awk '$2 == 0 { print ">n\n" tolower($1) }' drawn | gzip >without.fa.gz
{ printf 'sequence,positive\n' && awk '$2 == 1 { print $1 "," $2 }' drawn && awk '$2 == 0 { print $1 "," $2 }' drawn; } >both.csv
fasta() { "$GODWIT" finetune -q --from-scratch -c config.json --task promoter --epochs 4 --lr 1e-2 -@ 1 "$@"; }
fasta -d with.fa --negatives-fasta without.fa.gz -o of_fasta
fasta -d both.csv -o of_table
same of_fasta/model.safetensors of_table/model.safetensors
grep -q '"positive"' of_fasta/config.json || die "the label has no name: $(cat of_fasta/config.json)"
fasta -d with.fa --negatives-fasta without.fa.gz --valid with.fa --valid-negatives-fasta without.fa.gz -o validated
fasta -d both.csv --valid both.csv -o validated_table
same validated/model.safetensors validated_table/model.safetensors
fasta -d with.fa --negatives-fasta without.fa.gz --valid with.fa -o tenth
"$GODWIT" eval -q -m tenth -d with.fa --negatives-fasta without.fa.gz >rated.tsv
equal "$(cut -f 1,3,4 rated.tsv | tail -1 | tr '\t' ' ')" "positive 240 120" "rows of FASTA that eval rates"
awk 'NR == 2 { exit !($8 > 0.95) }' rated.tsv || die "not learnt from FASTA: $(cat rated.tsv)"
"$GODWIT" eval -q -m tenth -d both.csv >table.tsv
same rated.tsv table.tsv
fails 1 "with.fa looks like FASTA" fasta -d with.fa -o never
fails 1 "both.csv:1: expected a FASTA header" fasta -d both.csv --negatives-fasta without.fa.gz -o never
fails 1 "nothing.fa: no sequence found: the FASTA is empty" sh -c ': >nothing.fa; "$@"' x "$GODWIT" finetune -q --from-scratch -c config.json --task promoter -d with.fa --negatives-fasta nothing.fa -o never
fails 2 "give its negatives too, with --valid-negatives-fasta" fasta -d with.fa --negatives-fasta without.fa.gz --valid both.fa -o never
fails 2 "--valid-negatives-fasta goes with" fasta -d with.fa --valid-negatives-fasta without.fa.gz -o never
fails 2 "--negatives-fasta goes with --task profiles, promoter" "$GODWIT" finetune --from-scratch -c config.json --task classify -d with.fa --negatives-fasta without.fa.gz -o never
