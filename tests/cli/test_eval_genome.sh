# Bits per base straight from a genome: the table, the chains beside it, repeats apart, and what is refused.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/pretrain.sh"
{ echo ">one" && repetitive 12000 1; } | grep . >genome.fa
{ echo ">two" && repetitive 3000 2; } | grep . >>genome.fa
cat >config.json <<'END'
{"model_type": "big_bird", "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
 "intermediate_size": 64, "max_position_embeddings": 66, "attention_type": "original_full"}
END
printf 'one\t0\t12000\n' >train.bed
printf 'two\t0\t1000\ntwo\t1500\t2980\n' >test.bed
"$GODWIT" pretrain -q -f genome.fa -R train.bed -o model -c config.json --steps 250 --batch-tokens 1056 --lr 8e-3 \
    --dropout 0 --mask-rate 0.2 -@ 2

"$GODWIT" eval -q -m model -f genome.fa -R test.bed --baseline train.bed --order 6 >table
equal "$(head -1 table)" "$(printf 'predictor\tpart\tbases\taccuracy\tloss\tbits_per_base')"
equal "$(cut -f1 table | uniq | tr '\n' ' ')" "predictor model markov_causal_6 markov_two_sided_6 "
equal "$(awk '$2 == "all" { print $3 }' table | sort -u)" 2480 "each base once, in every row"
equal "$(awk '$2 != "all" && NR < 5 { n += $3 } END { print n }' table)" 2480 "repeats and the rest"
bits() { awk -v row="$1" '$1 == row && $2 == "all" { print $6 }' table; }
less "$(bits model)" 1.8 || die "the model knows nothing: $(bits model)"
less "$(bits markov_causal_6)" 1.6 || die "the causal chain misses the pattern: $(bits markov_causal_6)"
less "$(bits markov_two_sided_6)" "$(bits markov_causal_6)" || die "the right side does not help"

# The same again, in other batches, and without chains.
"$GODWIT" eval -q -m model -f genome.fa -R test.bed -@ 1 | awk '$1 != "predictor"' >alone
awk '$1 == "model"' table >expected
same alone expected

# N is left out, its neighbours are not.
awk '/^>/ { print; next } { gsub("ACG", "ANG"); print }' genome.fa >holes.fa
"$GODWIT" eval -q -m model -f holes.fa -R test.bed >table
holes=$(awk '/^>two/ { on = 1; next } on { s = s $0 } END { t = substr(s, 1, 1000) substr(s, 1501, 1480); print gsub("N", "N", t) }' holes.fa)
equal "$(awk 'NR == 2 { print $3 }' table)" $((2480 - holes)) "bases without N"

# A copy on the other strand is a repeat; a sample is part of the windows.
{ echo ">a"; awk "$DRAW"'BEGIN { seed = 3; s = bases(600); c = substr(s, 101, 100)
    for (i = 100; i > 0; i--) r = r substr("TGCA", index("ACGT", substr(c, i, 1)), 1); print s r }'; } >copy.fa
"$GODWIT" eval -q -m model -f copy.fa >table
equal "$(awk '$2 == "repeats" { print $3 }' table)" 200 "bases of the copy and the copied"
"$GODWIT" eval -q -m model -f copy.fa --sample 3 >table
equal "$(awk '$2 == "all" { print $3 }' table)" 112 "bases of three windows"

fails 2 "name what to evaluate on" "$GODWIT" eval -m model
fails 2 "one model at a time" "$GODWIT" eval -m model -m model -f genome.fa
fails 2 "none of the options for labelled sets" "$GODWIT" eval -m model -f genome.fa --split test
fails 2 "is for genomes" "$GODWIT" eval -m model -d x -R test.bed
fails 1 "nothing.bed" "$GODWIT" eval -q -m model -f genome.fa -R nothing.bed
awk '!/^>/' genome.fa >text.txt
"$GODWIT" bpe -q -v 40 -o merged.json text.txt
"$GODWIT" encode -q -m merged.json -o merged text.txt
"$GODWIT" pretrain -q -d merged -o pairs -c config.json --steps 1 --batch-tokens 400
fails 1 "has several bases" "$GODWIT" eval -q -m pairs -f genome.fa
