# Runs of several ranks are bit for bit those of one, whatever is trained: every mixer and every kind of task, by 2, 3 or 4 ranks
# in turn. A run goes on with another number of ranks. Wrong launches are refused in one line.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/pretrain.sh"
. "$ROOT/tests/cli/ranks.sh"
prepared shards
pretrain() {
    ${background:+exec} "$GODWIT" pretrain -q -d train -o "$@" -c config.json --steps 6 --batch-tokens 1536 --lr 3e-3 --save-every 3
}

# Chunks of shards, and validation; the same by whichever MPI. The library's own sum needs no groups.
pretrain one --valid test --groups 12 --ema 0.9
for each in $mpis; do
    mpirun.$each -n 3 "$GODWIT" pretrain -q -d train -o "$each" --valid test --groups 12 --ema 0.9 -c config.json --steps 6 --batch-tokens 1536 \
        --lr 3e-3 --save-every 3
    same_run one "$each"
    [ -s "$each/loss.png" ] || die "$each: no picture"
done
on 2 "$GODWIT" pretrain -q -d train -o summed --all-reduce -c config.json --steps 6 --batch-tokens 1536 --lr 3e-3
less "$(field summed/metrics.jsonl 6 mlm_loss)" "$(field summed/metrics.jsonl 1 mlm_loss)" || die "the loss did not fall"

# Moments that are split give the same bits.
on 3 "$GODWIT" pretrain -q -d train -o split --valid test --groups 12 --ema 0.9 -c config.json --steps 6 --batch-tokens 1536 --lr 3e-3 --save-every 3 --split-moments
same_run one split

# Sums after the backward pass, too.
GODWIT_OVERLAP=0 on 3 "$GODWIT" pretrain -q -d train -o after --valid test --groups 12 --ema 0.9 -c config.json --steps 6 --batch-tokens 1536 --lr 3e-3 --save-every 3
same_run one after

# Groups are a setting: of one rank one is none.
pretrain alone
pretrain grouped --groups 1
same_run alone grouped
cmp -s alone/model.safetensors one/model.safetensors && die "12 groups are as one"

# Saved by two ranks with split moments, gone on with by one and by three: the same bits. What is asked to make way ends with 75.
start on 2 "$GODWIT" pretrain -q -d train -o cut --valid test --groups 12 --ema 0.9 -c config.json --steps 6 --batch-tokens 1536 --lr 3e-3 --save-every 3 --split-moments 2>message
until [ -s cut.checkpoints/metrics.jsonl ] || ! kill -0 "$run" 2>/dev/null; do sleep 0.01; done
kill -USR1 "$run" 2>/dev/null || true
status=0
wait "$run" || status=$?
if [ ! -e cut/model.safetensors ] || [ -e cut.checkpoints/training.state ]; then
    [ "$status" -eq 75 ] || [ "$status" -eq 0 ] || die "exit status $status after SIGUSR1: $(cat message)"
    cp -r cut.checkpoints other.checkpoints
fi
fails 1 "settings: --groups 12 (now 6)" pretrain cut --valid test --groups 6 --ema 0.9 --resume
pretrain cut --valid test --groups 12 --ema 0.9 --resume
same_run one cut
on 3 "$GODWIT" pretrain -q -d train -o other --valid test --groups 12 --ema 0.9 -c config.json --steps 6 --batch-tokens 1536 --lr 3e-3 --save-every 3 --resume --split-moments
same_run one other

# Every mixer, from genomes, with dropout.
{ echo ">one" && repetitive 9000 1; } >genome.fa
cat >mixers.json <<'END'
{"model_type": "big_bird", "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
 "intermediate_size": 32, "max_position_embeddings": 50, "attention_type": "original_full"}
END
set -- -q -f genome.fa -c mixers.json --batch-tokens 1000 --steps 2 --lr 5e-3 --dropout 0.1 --groups 12
ranks=3
# another_count: 2, 3 or 4 ranks, each in its turn.
another_count() { ranks=$((2 + (ranks - 1) % 3)); }
for mixer in full window:3 linear linear+causal performer:16+redraw:2 linformer:8 reformer:8x2 sbm:4/exact \
    sbm:4/fastrg+shared etc:9+segment:7 nystrom:4; do
    rm -rf model*
    "$GODWIT" pretrain "$@" -p "$mixer" -o model1
    another_count
    on $ranks "$GODWIT" pretrain "$@" -p "$mixer" -o model$ranks
    same_run model1 model$ranks || die "$mixer by $ranks ranks"
done

# Every kind of task.
awk "$DRAW"'BEGIN {
    seed = 1; OFS = "\t"; split("the cells divide genes are small words read twice", w, " "); split("red green blue", c, " ")
    print "sequence", "motif", "split" >"sites.tsv"; print "sequence", "level" >"numbers.tsv"
    print "sentence", "label" >"texts.tsv"; print "source", "target" >"pairs.tsv"
    print "sentence", "label", "length" >"many.tsv"
    printf "{\"data\": [" >"answers.json"; printf "[" >"choices.json"
    for (i = 0; i < 60; i++) {
        s = bases(40); print s, draw(2), i < 48 ? "train" : "valid" >"sites.tsv"; print s, gsub("G", "G", s) >"numbers.tsv"
        n = 2 + draw(8); colour = c[1 + draw(3)]; t = colour; words = "\"" colour "\""; tags = "\"colour\""
        for (j = 0; j < n; j++) { x = w[1 + draw(9)]; t = t " " x; words = words ", \"" x "\""; tags = tags ", \"word\"" }
        print t, colour >"texts.tsv"; print t, i % 3 ? colour : colour ",red", n >"many.tsv"; s = bases(3 + draw(4)); print s, s >"pairs.tsv"
        print "{\"tokens\": [" words "], \"tags\": [" tags "]}" >"words.jsonl"
        printf "%s{\"paragraphs\": [{\"context\": \"%s\", \"qas\": [{\"id\": \"q%d\", \"question\": \"which colour?\", \"answers\": [{\"text\": \"%s\", \"answer_start\": 0}]}]}]}",
            i ? ",\n" : "", t, i, colour >"answers.json"
        printf "%s{\"id\": \"q%d\", \"query\": \"which_colour\", \"answer\": \"%s\", \"candidates\": [\"red\", \"green\", \"blue\"], \"supports\": [\"%s\"]}",
            i ? ",\n" : "", i, colour, t >"choices.json"
    }
    print "]}" >"answers.json"; print "]" >"choices.json"
}'
genome 2 60 >g.fa
printf 'c1\t1000\t1001\ta\t0\t+\nc1\t1500\t1501\tb\t0\t-\nc2\t2000\t2001\tc\t0\t-\nc2\t500\t501\td\t0\t+\n' >points.bed
"$GODWIT" profiles -q -f g.fa --bin 20 --window 60 --label midpoint -o bins points.bed
"$GODWIT" labels -q -f g.fa --bed points.bed --window 60 -o marks
vocabulary="$ROOT/tests/data/tokenizer_json/byte_level.json"
set -- -q --from-scratch --steps 2 --batch 26 --batch-tokens 300 --lr 3e-3 --report-every 1 --groups 12
bases="-c mixers.json --length 64" words="-c mixers.json --length 64 -t $vocabulary"
tasks() {
    echo "sites $bases --task promoter -d sites.tsv --valid sites.tsv --dropout 0.1"
    echo "bins $bases --task profiles -d bins -f g.fa"
    echo "numbers --size dna-mini --stem letters:4+conv:9x64+pool:4 --length 64 --task regression -d numbers.tsv --valid numbers.tsv --label level"
    echo "classes $words --task classify -d texts.tsv --valid texts.tsv"
    echo "marks --size dna-mini --task bases -d marks -f g.fa --context 20"
    echo "many $words --task classify -d many.tsv --valid many.tsv --labels many"
    echo "lengths $words --task classify -d many.tsv --valid many.tsv --labels numbers --label length"
    echo "choices $words --task qa -d choices.json --valid choices.json"
    echo "words $words --task token -d words.jsonl --text tokens --label tags"
    echo "answers $words --task qa -d answers.json --valid answers.json"
    echo "pairs --size pegasus-mini --length 64 --task summarize -d pairs.tsv --valid pairs.tsv --optimiser adafactor"
}
tasks >tasks
while read -r name options; do
    # shellcheck disable=SC2086 # words of a command
    "$GODWIT" finetune "$@" $options -o "$name" 2>notes || die "$name: $(cat notes)"
    another_count
    # shellcheck disable=SC2086
    on $ranks "$GODWIT" finetune "$@" $options -o "$name.$ranks" 2>notes </dev/null || die "$name by $ranks: $(cat notes)"
    same_run "$name" "$name.$ranks"
    [ ! -e "$name.$ranks.lock" ] && [ ! -e "$name.$ranks.checkpoints" ] || die "$name by $ranks leaves something"
done <tasks

fails 2 "split-moments is for Adam: LAMB" "$GODWIT" finetune "$@" --size pegasus-mini --length 64 --task summarize -d pairs.tsv --optimiser lamb \
    --split-moments -o x
fails 2 "split-moments is for Adam: Adafactor" "$GODWIT" finetune "$@" --size pegasus-mini --length 64 --task summarize -d pairs.tsv --optimiser adafactor \
    --split-moments -o x

# Wrong launches: one line, and nothing written.
launch() {
    status=0
    "$@" >out 2>err || status=$?
    [ "$status" -ne 0 ] || die "it ran: $*"
    equal "$(grep -c '^godwit' err)" 1 "lines of $*"
    [ ! -e x ] && [ ! -e x.lock ] || die "it wrote: $*"
}
launch on 2 "$GODWIT" pretrain -q -d train -o x -c config.json --steps 2 : -n 1 "$GODWIT" pretrain -q -d train -o x -c config.json --steps 3
grep -q "godwit pretrain: rank 2 of 3: the command is '.* --steps 3', that of rank 0 '.* --steps 2'" err || die "$(cat err)"
mkdir -p elsewhere
sed 's/A/C/g' train.txt >elsewhere/train.txt
"$GODWIT" encode -q -m letters.json -o elsewhere/train elsewhere/train.txt
for file in elsewhere/train.*; do cp "$file" "elsewhere/$(basename "$file")" 2>/dev/null || true; done
cp config.json elsewhere
launch on 2 sh -c 'rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}; [ "$rank" = 0 ] || cd elsewhere; exec "$@"' - \
    "$GODWIT" pretrain -q -d train -o x -c config.json --steps 2
grep -q "godwit pretrain: rank 1 of 2: the MD5 of the training data is" err || die "$(cat err)"
launch on 2 sh -c '[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" = 0 ] || export GODWIT_BACKEND=baseline; exec "$@"' - \
    "$GODWIT" pretrain -q -d train -o x -c config.json --steps 2
grep -q "rank 1 of 2: the backend .* is 'baseline'" err || die "$(cat err)"
launch on 3 "$GODWIT" pretrain -q -d train -o x -c config.json --steps 2 --groups 2
grep -q -- "--groups 2: there are 3 ranks" err || die "$(cat err)"
launch on 2 "$GODWIT" pretrain -q -d none -o x -c config.json --steps 2
launch on 2 "$GODWIT" finetune -q -m none --task promoter -d sites.tsv -o x
mkdir none
launch on 2 env GODWIT_PLUGIN_PATH=none "$GODWIT" pretrain -q -d train -o x -c config.json --steps 2
grep -q "launcher: GODWIT_PLUGIN_PATH: none has no libgodwit-mpi-$mpi.so" err || die "$(cat err)"
fails 1 "for NCCL on GPUs (--device cuda); on CPUs use: mpirun -n 2 godwit pretrain -q -d train" \
    env WORLD_SIZE=2 RANK=0 MASTER_ADDR=a "$GODWIT" pretrain -q -d train -o x -c config.json
fails 1 "srun --mpi=pmi2" env SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 "$GODWIT" pretrain -q -d train -o x -c config.json
stale() { # MESSAGE VARIABLE=VALUE...: variables of no launch that is running
    message=$1
    shift
    launch env "$@" "$GODWIT" pretrain -q -d train -o x -c config.json --steps 2
    grep -q -- "$message" err || die "$*: $(cat err)"
}
stale "OMPI_COMM_WORLD_RANK is 1, but OMPI_COMM_WORLD_SIZE is not set" OMPI_COMM_WORLD_RANK=1
stale "PMI_RANK is 5, but PMI_SIZE is not set" PMI_RANK=5
stale "PMI_RANK is 5, but PMI_SIZE is 2" PMI_RANK=5 PMI_SIZE=2
stale "PMI_SIZE is '-4': expected a whole number of at least 1" PMI_RANK=0 PMI_SIZE=-4
stale "OMPI_COMM_WORLD_SIZE is 'x': expected a whole number" OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=x
stale "WORLD_SIZE is 'x'" WORLD_SIZE=x RANK=0 MASTER_ADDR=a
stale "OMPI_COMM_WORLD_RANK is 1, but MPI has 1 process:" OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 GODWIT_MPI="$mpi"
stale "started by MPICH's launcher" PMI_RANK=1 PMI_SIZE=2 GODWIT_PLUGIN_PATH=none
"$GODWIT" --version | grep -q "^mpi:.* $mpi (" || die "--version does not say what there is"

# A rank that is killed takes the others with it.
start on 3 "$GODWIT" pretrain -q -d train -o killed -c config.json --steps 100000 --batch-tokens 1536 >message 2>&1
until [ -s killed.checkpoints/metrics.jsonl ] || ! kill -0 "$run" 2>/dev/null; do sleep 0.01; done
victim=''
for process in /proc/[0-9]*; do
    { tr '\0' ' ' <"$process/cmdline"; } 2>/dev/null | grep -q "pretrain.* -o killed " &&
        { tr '\0' '\n' <"$process/environ"; } 2>/dev/null | grep -q "^\(OMPI_COMM_WORLD\|PMI\)_RANK=" &&
        [ "$(readlink "$process/cwd")" = "$PWD" ] && victim=${process#/proc/}
done
[ -n "$victim" ] || die "no rank was found to be killed"
kill -9 "$victim"
began=$(date +%s)
wait "$run" && die "the job ended well though a rank was killed"
[ $(($(date +%s) - began)) -le 20 ] || die "the others went on"
grep -qi "kill" message || die "nobody says what happened: $(cat message)"
