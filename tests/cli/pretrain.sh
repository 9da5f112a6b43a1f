# Sourced by the tests of pretraining: a small genome with a pattern, its shards, and a model small enough to train.

# repetitive LENGTH SEED: runs of one base, mostly of A.
repetitive() {
    awk -v n="$1" -v seed="$2" 'BEGIN {
        srand(seed)
        for (i = 0; i < n; i++) {
            if (i == 0 || rand() < 0.3) x = int(4 * rand() * rand())
            printf "%s", substr("ACGT", x + 1, 1)
            if (i % 60 == 59) print ""
        }
        print ""
    }'
}

make_shards() {
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
}

# field FILE STEP NAME: a number of a line of metrics.
field() {
    grep "\"step\":$2," "$1" | sed "s/.*\"$3\":\([-0-9.e+]*\).*/\1/"
}

# less A B: exit status 0 where A < B.
less() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a + 0 < b + 0) }'
}
