# A full disk ends with status 1 and a message, a closed pipe or another signal by that signal, silently for a pipe; either
# all of the output files are there or none.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/small.sh"
mkdir new

# limited BLOCKS COMMAND...: no file may grow beyond so many blocks of 512 bytes, which acts as a full disk.
limited() {
    blocks=$1
    shift
    rm -f status
    {
        got=0
        (trap '' XFSZ && ulimit -f "$blocks" && exec "$@" 2>&1) || got=$?
        echo "$got" >status
    } | cat >err
    equal "$(cat status)" 1 "exit status on a full disk: $*"
    grep -q "cannot write new/" err || die "a full disk is not named: $* ($(cat err))"
    [ -z "$(find new -type f ! -name metrics.jsonl ! -name "*.journal")" ] || die "a full disk left $(find new -type f): $*"
    rm -rf new && mkdir new
}
limited 1 "$GODWIT" corpus -q -f g.fa -n 9 --positions new/x.bed.gz -o new/x.txt
limited 1 "$GODWIT" corpus -q -f g.fa -n 99 -o new/x.txt.gz
limited 1 "$GODWIT" bpe -q -v 16 -o new/t.json corpus.txt
limited 3 "$GODWIT" encode -q -m tok.json -o new/x corpus.txt
limited 1 "$GODWIT" decode -q -o new/x.txt sh
limited 1 "$GODWIT" promoters -q -f g.fa tss.bed --upstream 400 --downstream 200 -o new/x.tsv
limited 1 "$GODWIT" profiles -q -f g.fa --bin 20 --window 60 -o new/x tss.bed
limited 1 "$GODWIT" mutate -q -f g.fa -r c1 -o new/x.vcf
limited 1 "$GODWIT" mutate -q -f g.fa -r c1 -o new/x.vcf.gz
limited 2 "$GODWIT" score -q -m model --window 60 -f g.fa in.vcf -o new/x.vcf
limited 1 "$GODWIT" score -q -m model --window 60 -f g.fa in.vcf -o new/x.vcf.gz --write-index
limited 1 "$GODWIT" score -q -m model --window 60 -f g.fa in.vcf -o new/x.bcf
limited 10 "$GODWIT" score -q -m profiles -f g.fa in.vcf -o new/x.vcf --profiles new/x.npy --reasons new/r.tsv --map new/x.png
limited 1 "$GODWIT" predict -q -m profiles -f g.fa -d prof -o new/x.tsv
limited 8 "$GODWIT" pretrain -q -d sh -o new/m -c config.json --steps 1 --batch-tokens 256 --checkpoints new/state
limited 8 "$GODWIT" finetune -q -m model --task promoter -d set.tsv -o new/m --steps 1

# on_full COMMAND...: standard output is a full disk.
on_full() {
    got=0
    "$@" >/dev/full 2>err || got=$?
    equal "$got" 1 "exit status on a full disk: $*"
    grep -q "cannot write standard output: No space left" err || die "a full disk is not named: $* ($(cat err))"
}
if [ -w /dev/full ]; then
    on_full "$GODWIT" predict -q -m promoter -d set.tsv
    on_full "$GODWIT" mutate -q -f g.fa -r c1
    on_full "$GODWIT" score -q -m model --window 60 -f g.fa in.vcf
    on_full "$GODWIT" score -q -m model --window 60 -f g.fa -O b in.vcf
    on_full "$GODWIT" eval -q -m promoter -d set.tsv --split all
    on_full "$GODWIT" graph
    on_full "$GODWIT" --version
    on_full "$GODWIT" score --help
    fails 1 "/dev/full: No space left" "$GODWIT" score -q -m model --window 60 -f g.fa in.vcf -o new/x.vcf --reasons /dev/full
    [ "$(ls new)" = x.vcf.journal ] || die "a full disk left $(ls new)"
    rm new/x.vcf.journal
fi

# into_closed COMMAND...: the reader of standard output has gone.
into_closed() {
    mkfifo pipe
    : <pipe &
    {
        sleep 0.1
        got=0
        "$@" 2>err || got=$?
        echo "$got" >status
    } >pipe
    wait
    rm pipe
    equal "$(cat status)" 141 "exit status on a closed pipe, of SIGPIPE: $*"
    [ ! -s err ] || die "a closed pipe is talked of: $* ($(cat err))"
}
into_closed "$GODWIT" decode -q sh
into_closed "$GODWIT" bpe -q -v 16 corpus.txt
into_closed "$GODWIT" predict -q -m promoter -d set.tsv
into_closed "$GODWIT" mutate -q -f g.fa -r c1
into_closed "$GODWIT" score -q -m model --window 60 -f g.fa in.vcf
into_closed "$GODWIT" score -q -m model --window 60 -f g.fa -O u in.vcf
into_closed "$GODWIT" eval -q -m promoter -d set.tsv --split all

# stopped COMMAND...: SIGTERM while it runs. The work takes far longer than the pause on any machine.
lambda="$ROOT/tests/data/lambda.fa.gz"
stopped() {
    "$@" 2>err &
    pid=$!
    sleep 0.4
    kill "$pid" || die "over before the signal: $* ($(cat err))"
    got=0
    wait "$pid" || got=$?
    equal "$got" 143 "exit status after SIGTERM: $*"
    grep -q interrupted err || die "the signal is not named: $* ($(cat err))"
    [ -z "$(find . -name '*.tmp.*')" ] || die "temporaries were left: $*"
}
stopped "$GODWIT" corpus -q -f "$lambda" -n 32767 --both-strands -o new/x.txt --positions new/x.bed
stopped "$GODWIT" pretrain -q -d sh -o new/m -c config.json --steps 1000000 --batch-tokens 256 --checkpoints state
[ -e state/training.state ] || die "a stopped run saved nothing"
stopped "$GODWIT" finetune -q -m model --task promoter -d set.tsv -o new/f --steps 1000000 --checkpoints tuning
[ -e tuning/training.state ] || die "a stopped run saved nothing"
"$GODWIT" mutate -q -f "$lambda" -r lambda -o all.vcf
stopped "$GODWIT" score -q -m model --window 100 -f "$lambda" all.vcf -@ 1 -o new/x.vcf.gz --write-index
[ "$(cd new && ls x.*)" = x.vcf.gz.journal ] || die "a stopped run left $(ls new)"
