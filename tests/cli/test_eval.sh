# Evaluation on token shards: the table, the chains beside it, and what is refused.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/pretrain.sh"
prepared shards
"$GODWIT" pretrain -q -d train -o model -c config.json --steps 150 --batch-tokens 768 --lr 5e-3 --dropout 0

"$GODWIT" eval -q -m model -d test --baseline train --order 6 >table
equal "$(head -1 table)" "$(printf 'predictor\ttokens\tbases\taccuracy\tloss\tbits_per_base\tpairs\tpair_accuracy')"
equal "$(cut -f1 table | tr '\n' ' ')" "predictor model markov_causal_6 markov_two_sided_6 "
equal "$(cut -f2 table | sort -u | tr '\n' ' ')" "3000 tokens " # each base once, in every row
equal "$(cut -f3 table | sort -u | tr '\n' ' ')" "3000 bases "
bits() { awk -v row="$1" '$1 == row { print $6 }' table; }
less "$(bits model)" 1.99 || die "the model knows nothing: $(bits model)"
less "$(bits markov_causal_6)" 1.6 || die "the causal chain misses the pattern: $(bits markov_causal_6)"
less "$(bits markov_two_sided_6)" "$(bits markov_causal_6)" || die "the right side does not help"
awk 'NR == 2 { exit !($5 / log(2) - $6 < 1e-4 && $6 - $5 / log(2) < 1e-4) }' table || die "loss and bits disagree"

# The same again, and without chains.
"$GODWIT" eval -q -m model -d test --baseline train --order 6 >again
same table again
"$GODWIT" eval -q -m model -d test | cut -f1-6 >alone
head -2 table | cut -f1-6 >expected
same alone expected

# Tokens with N are left out; so is nothing else.
sed 's/ACG/ANG/' test.txt >holes.txt
"$GODWIT" encode -q -m letters.json -o holes holes.txt
holes=$(tr -cd N <holes.txt | wc -c)
"$GODWIT" eval -q -m model -d holes --baseline train --order 4 >table
equal "$(awk 'NR == 2 { print $2 }' table)" $((3000 - holes)) "tokens without N"

# Merged tokens: as many bases, fewer tokens.
"$GODWIT" bpe -q -v 60 -o merged.json train.txt
"$GODWIT" encode -q -m merged.json -o merged test.txt
"$GODWIT" encode -q -m merged.json -o merged_train train.txt
"$GODWIT" pretrain -q -d merged_train -o merged_model -c config.json --steps 5 --batch-tokens 400
"$GODWIT" eval -q -m merged_model -d merged --baseline train --order 6 >table
equal "$(cut -f3 table | sort -u | tr '\n' ' ')" "3000 bases "
[ "$(awk 'NR == 2 { print $2 }' table)" -lt 3000 ] || die "there are not fewer merged tokens"

fails 1 "another vocabulary" "$GODWIT" eval -m model -d merged
fails 1 "neither the prefix of token shards" "$GODWIT" eval -m model -d nothing
fails 1 "no model 'nothing' is installed" "$GODWIT" eval -m nothing -d test
fails 2 "one prefix" "$GODWIT" eval -m model -d test -d train
