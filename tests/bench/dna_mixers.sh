#!/bin/sh
# What a genomics user should take: single bases by each attention behind the same stem (dna-mini's), for the same processor time.
#   dna_mixers.sh BUILD DATA FOLDER [SECONDS]   (DATA: yeast/R64-1-1.fa.gz and promoter/; SECONDS of each training: 140)
# A line for each pattern of LIST: bits per base of yeast's chromosomes VII and XIII (XI validates), windows of 1,022 bases, and the
# promoters' AUROC and F1 (folds 1 and 2 train, 4 tests), with the steps that fit into the time. What is there is not run again.
set -eu
build=$(cd "$1" && pwd) data=$(cd "$2" && pwd) seconds=${4:-140}
mkdir -p "$3" && cd "$3"
genome=$data/yeast/R64-1-1.fa.gz
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
# The blocks of 16 have as many neighbours and globals as BigBird's of 64 in its documents, by the share of a window.
list=${LIST:-window:3+block:16 random:3+block:16 window:3+random:3+block:16 itc+block:16 full linear performer linformer nystrom reformer sbm:16}

regions() { awk -v names=" $* " 'index(names, " " $1 " ") { printf "%s\t0\t%d\n", $1, $2 }' "$genome.fai"; }
regions VII XIII >test.bed
regions XI >valid.bed
regions I II III IV V VI VIII IX X XII XIV XV XVI >train.bed
fold() { zcat "$data/promoter/epd_len300_fold_$1.csv.gz"; }
[ -s test.csv ] || {
    { fold 1 && fold 2 | sed 1d; } >train.csv
    fold 3 | awk 'NR == 1 || NR % 6 == 0' >valid.csv
    fold 4 >test.csv
}

# seconds_of COMMAND...: its processor time.
seconds_of() {
    # shellcheck disable=SC2016 # the inner shell's own arguments
    sh -c '"$@" >/dev/null 2>log; status=$?; times; exit $status' - "$@" | awk 'END { split($1, t, /[ms]/); print 60 * t[1] + t[2] }'
}
# steps_of COMMAND...: how many fit into the time, by what 60 take longer than 20.
steps_of() {
    rm -rf trial && few=$(seconds_of "$@" -o trial --steps 20)
    rm -rf trial && many=$(seconds_of "$@" -o trial --steps 60)
    rm -rf trial trial.checkpoints
    awk -v few="$few" -v many="$many" -v s="$seconds" 'BEGIN { printf "%d\n", 40 * (s - few) / (many - few) + 20 }'
}
train() { # train NAME COMMAND...
    model=$1 && shift
    [ -s "$model/config.json" ] && [ -s "$model.steps" ] && return
    steps_of "$@" >"$model.steps"
    rm -rf "$model" "$model.checkpoints"
    "$@" -o "$model" --steps "$(cat "$model.steps")" >"$model.log" 2>&1
}
of_yeast() {
    train "$1.yeast" "$build/godwit" pretrain -f "$genome" -R train.bed --size dna-mini --length 1024 -p "$2" --batch-tokens 16384 \
        --lr 2e-3 --beta2 0.98 --schedule one-cycle --mask-rate 0.2 --dtype bf16 --checkpoints no --save-every 0 -@ 1 || return
    [ -s "$1.bits" ] || "$build/godwit" eval -m "$1.yeast" -f "$genome" -R test.bed --sample 200 -@ 1 -q >"$1.bits"
}
of_promoters() {
    train "$1.promoters" "$build/godwit" finetune --from-scratch --size dna-mini --length 304 -p "$2" --pooling places --task promoter \
        -d train.csv --valid valid.csv --tss-offset 249 --batch 64 --batch-tokens 19456 --lr 1.5e-3 --schedule one-cycle \
        --weight-decay 0.02 --dropout 0.1 --baseline none --dtype bf16 -@ 1 || return
    [ -s "$1.auroc" ] || "$build/godwit" eval -m "$1.promoters" -d test.csv --without train.csv --without valid.csv -@ 1 -q >"$1.auroc"
}
for spec in $list; do
    name=$(echo "$spec" | tr '/:+,' '____')
    if of_yeast "$name" "$spec"; then printf '%s\tyeast\t%s steps\t%s\n' "$spec" "$(cat "$name.yeast.steps")" "$(awk '$2 == "all"' "$name.bits")"; fi
    if of_promoters "$name" "$spec"; then printf '%s\tpromoters\t%s steps\t%s\n' "$spec" "$(cat "$name.promoters.steps")" "$(tail -n 1 "$name.auroc")"; fi
done
