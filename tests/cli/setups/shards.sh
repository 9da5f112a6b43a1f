# The shards of a small genome with a pattern, and a model small enough to train on them.
# genome.fa  test.fa  train.*  test.*  letters.json  config.json
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/pretrain.sh"
{ echo ">one" && repetitive 12000 1; } >genome.fa
{ echo ">two" && repetitive 3000 2; } >test.fa
"$GODWIT" corpus -q -f genome.fa -n 3 --sentences 4-8 --sentence-length 60-90 --max-offset 200 -o train.txt
"$GODWIT" corpus -q -f test.fa -n 1 --max-offset 0 --sentences 4-8 --sentence-length 60-90 -o test.txt
"$GODWIT" bpe -q -v 10 -o letters.json train.txt
"$GODWIT" encode -q -m letters.json -o train train.txt
"$GODWIT" encode -q -m letters.json -o test test.txt
cat >config.json <<'END'
{"model_type": "big_bird", "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
 "intermediate_size": 64, "max_position_embeddings": 96, "block_size": 8, "num_random_blocks": 1,
 "attention_type": "block_sparse"}
END
