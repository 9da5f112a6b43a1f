# Sourced by the tests of pretraining: a small genome with a pattern, and what a run says of itself.

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

# field FILE STEP NAME: a number of a line of metrics.
field() {
    grep "\"step\":$2," "$1" | sed "s/.*\"$3\":\([-0-9.e+]*\).*/\1/"
}

# less A B: exit status 0 where A < B.
less() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a + 0 < b + 0) }'
}

# For models whose rows read each other by other means than a graph of blocks: genome.fa, in.vcf and config.json.
mixer_files() {
    { echo ">one" && repetitive 12000 1; } >genome.fa
    "$GODWIT" mutate -q -f genome.fa -r one:8501-8504 -o in.vcf
    cat >config.json <<'END'
{"model_type": "big_bird", "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
 "intermediate_size": 64, "max_position_embeddings": 66, "attention_type": "original_full"}
END
}

# mixer_train PATTERN OUT STEPS [OPTION...]
mixer_train() {
    pattern=$1 out=$2 steps=$3
    shift 3
    ${background:+exec} "$GODWIT" pretrain -q -f genome.fa -o "$out" -c config.json -p "$pattern" --batch-tokens 1056 --steps "$steps" \
        --lr 5e-3 --save-every 10 --dropout 0 --mask-rate 0.2 "$@"
}

# mixer_learns PATTERN OUT: 20 steps of training lower the loss, are kept in the folder, are the same on one thread, and scores are.
mixer_learns() {
    mixer_train "$1" "$2" 20
    less "$(field "$2/metrics.jsonl" 20 mlm_loss)" "$(field "$2/metrics.jsonl" 1 mlm_loss)" || die "$1: the loss did not fall"
    grep -qF "\"pattern\": \"$1\"" "$2/config.json" || die "$1 is not kept"
    grep -q '"model_type": "godwit"' "$2/config.json" || die "$1: transformers would run it"
    mixer_train "$1" threads 20 -@ 1 --recompute
    same threads/model.safetensors "$2/model.safetensors"
    "$GODWIT" score -q -m "$2" -f genome.fa in.vcf | grep -v godwit_score >scores
    "$GODWIT" score -q -m "$2" -f genome.fa -@ 1 in.vcf | grep -v godwit_score >again
    same scores again
}
