# A full disk ends with status 1 and a message, a closed pipe or another signal by that signal, silently for a pipe; either
# all of the output files are there or none.
. "$ROOT/tests/cli/lib.sh"
prepared small
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

# Nor does a full disk leave a journal or a lock that nothing was written into.
for command in "score -q -m model --window 60 -f g.fa in.vcf -o new/x.vcf" "convert -q -m model -o new/c"; do
    # shellcheck disable=SC2086 # words
    (trap '' XFSZ && ulimit -f 0 && exec "$GODWIT" $command 2>&1) | cat >err
    grep -q "File too large" err || die "$command on a full disk: $(cat err)"
    equal "$(ls new)" "" "what is left of $command"
done

# Control characters of paths and labels break neither the lines of a header nor the columns of a table.
odd=$(printf 'odd\nname\tx')
cp g.fa "$odd.fa"
ln -s model "$odd"
"$GODWIT" score -q -m "$odd" --window 60 -f "$odd.fa" in.vcf >out
equal "$(grep '^##godwit_scoreModel=' out)" '##godwit_scoreModel=odd\012name\011x' "the model's line"
equal "$(grep '^##godwit_scoreReference=' out)" '##godwit_scoreReference=odd\012name\011x.fa' "the genome's line"
equal "$(grep -vc '^#' out)" "$(grep -vc '^#' in.vcf)" "lines behind the header"
cp -r profiles oddly
sed 's/"tss"/"tss\\tx\\ny"/' profiles/config.json >oddly/config.json
equal "$("$GODWIT" predict -q -m oddly -f g.fa -d prof | head -1)" "$(printf 'region\ttss\\011x\\012y')" "a label's column"
"$GODWIT" score -q -m oddly -f g.fa in.vcf -o odd.vcf --profiles odd.npy
equal "$(cat odd.profiles.tsv)" "$(printf 'index\tprofile\n0\ttss\\011x\\012y')" "a label's row"

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
    exec 3>pipe
    wait $!
    got=0
    "$@" >&3 2>err 3>&- || got=$?
    exec 3>&-
    rm pipe
    equal "$got" 141 "exit status on a closed pipe, of SIGPIPE: $*"
    [ ! -s err ] || die "a closed pipe is talked of: $* ($(cat err))"
}
into_closed "$GODWIT" decode -q sh
into_closed "$GODWIT" bpe -q -v 16 corpus.txt
into_closed "$GODWIT" predict -q -m promoter -d set.tsv
into_closed "$GODWIT" mutate -q -f g.fa -r c1
into_closed "$GODWIT" score -q -m model --window 60 -f g.fa in.vcf
into_closed "$GODWIT" score -q -m model --window 60 -f g.fa -O u in.vcf
into_closed "$GODWIT" eval -q -m promoter -d set.tsv --split all

# stopped FILES COMMAND...: SIGTERM once one of FILES (a pattern) has a kilobyte. The work takes far longer on any machine.
lambda="$ROOT/tests/data/lambda.fa.gz"
there() { [ -n "$(find . -path "./$1" -size +2)" ]; }
stopped() {
    files=$1
    shift
    start exec "$@" 2>err
    await there "$files"
    kill "$run" || die "over before the signal: $* ($(cat err))"
    got=0
    wait "$run" || got=$?
    equal "$got" 143 "exit status after SIGTERM: $*"
    grep -q interrupted err || die "the signal is not named: $* ($(cat err))"
    [ -z "$(find . -name '*.tmp.*')" ] || die "temporaries were left: $*"
}
stopped "new/*.tmp.*" "$GODWIT" corpus -q -f "$lambda" -n 32767 --both-strands -o new/x.txt --positions new/x.bed
stopped "state/metrics.jsonl" "$GODWIT" pretrain -q -d sh -o new/m -c config.json --steps 1000000 --batch-tokens 256 --checkpoints state
[ -e state/training.state ] || die "a stopped run saved nothing"
stopped "tuning/metrics.jsonl" "$GODWIT" finetune -q -m model --task promoter -d set.tsv -o new/f --steps 1000000 --checkpoints tuning
[ -e tuning/training.state ] || die "a stopped run saved nothing"
"$GODWIT" mutate -q -f "$lambda" -r lambda -o all.vcf
stopped "new/*.journal" "$GODWIT" score -q -m model --window 100 -f "$lambda" all.vcf -@ 1 -o new/x.vcf.gz --write-index
[ "$(cd new && ls x.*)" = x.vcf.gz.journal ] || die "a stopped run left $(ls new)"

# An output never takes the place of an input, whatever name or link leads to it; what is named by an input's side is
# refused too.
# kept FILE COMMAND...: refused as wrong usage, and FILE stays.
kept() {
    kept_file=$1
    shift
    cp "$kept_file" kept.copy
    fails 2 "it is the input" "$@"
    same "$kept_file" kept.copy
}
printf 'chain 9 c1 3000 + 0 3000 d1 3000 + 0 3000 1\n3000\n\n' >a.chain
ln a.chain hard.chain
ln -s a.chain soft.chain
for name in a.chain ./a.chain hard.chain soft.chain; do
    kept a.chain "$GODWIT" liftover -q -c a.chain -o $name tss.bed
    kept a.chain "$GODWIT" liftover -q -c $name -o a.chain tss.bed
done
kept tss.bed "$GODWIT" liftover -q -c a.chain -u tss.bed tss.bed
kept g.fa "$GODWIT" corpus -q -f g.fa -o g.fa
kept g.fa "$GODWIT" mutate -q -f g.fa -r c1 -o g.fa
kept tss.bed "$GODWIT" mutate -q -f g.fa -R tss.bed -o tss.bed
kept in.vcf "$GODWIT" score -q -m model --window 60 -f g.fa in.vcf -o in.vcf
kept in.vcf "$GODWIT" score -q -m model --window 60 -f g.fa in.vcf -o new/x.vcf --map new/y.tsv --map in.vcf
kept set.tsv "$GODWIT" predict -q -m promoter -d set.tsv -o set.tsv
kept prof.labels "$GODWIT" predict -q -m profiles -d prof -f g.fa -o prof.labels
kept model/config.json "$GODWIT" finetune -q -m model --task promoter -d set.tsv -o model --steps 1
kept model/config.json "$GODWIT" convert -q -m model -o model/
fails 1 "cannot write prof.bed.gz: it is the input prof.bed.gz" "$GODWIT" profiles -q -f g.fa --bin 20 --window 60 -o prof prof.bed.gz
fails 2 "it is the input from standard input" "$GODWIT" liftover -q -c a.chain -o tss.bed <tss.bed
"$GODWIT" liftover -q -c a.chain tss.bed >>tss.bed 2>err && die "an input was written to by standard output"
grep -q "cannot write standard output: it is the input tss.bed" err || die "standard output: $(cat err)"
"$GODWIT" liftover -q -c a.chain -o lifted.bed tss.bed
"$GODWIT" liftover -q -c a.chain -o lifted.bed tss.bed || die "an output of before is written again"

# A closed standard stream is none of the files that the program opens.
"$GODWIT" liftover -q -c a.chain -o closed.bed tss.bed <&- >&- 2>&- || die "closed streams: exit status $?"
same closed.bed lifted.bed
got=0
"$GODWIT" liftover -q -c a.chain tss.bed >&- 2>err || got=$?
equal "$got" 1 "exit status without a standard output"
grep -q "cannot write standard output: Bad file descriptor" err || die "a closed standard output: $(cat err)"
fails 1 "standard input: Bad file descriptor" "$GODWIT" liftover -q -c a.chain <&-

# Names that HTSlib takes for something else than files are files.
"$GODWIT" score -q -m model --window 60 -f g.fa in.vcf | grep -v '^##' >expected
for name in mem: mem:x preload:x data:x s3:x http:x file:x; do
    fails 1 "cannot open ./$name: No such file" "$GODWIT" score -q -m model -f g.fa "$name"
    fails 1 "cannot open $name: No such file" "$GODWIT" mutate -r c1 -f "$name"
done
cp g.fa mem:g.fa && cp in.vcf mem:in.vcf
"$GODWIT" score -q -m model --window 60 -f mem:g.fa mem:in.vcf -o mem:x.vcf
grep -v '^##' mem:x.vcf >out
same out expected
rm mem:*

# An ending that the output's format does not have is wrong usage; -O, a device, or a name without an ending is none.
for name in x.xlsx x.parquet x.tsv x.csv x.json x.vcf.bgz; do
    fails 2 "cannot write $name: its name must end in .vcf, .vcf.gz or .bcf" "$GODWIT" score -q -m model --window 60 -f g.fa in.vcf -o $name
    [ ! -e $name ] && [ ! -e $name.journal ] || die "$name was written"
done
"$GODWIT" score -q -m model --window 60 -f g.fa in.vcf -o x.xlsx -O v
"$GODWIT" score -q -m model --window 60 -f g.fa in.vcf -o x
"$GODWIT" score -q -m model --window 60 -f g.fa in.vcf -o /dev/null
fails 2 "must end in .tsv, .tsv.gz, .txt or .txt.gz" "$GODWIT" score -q -m model --window 60 -f g.fa in.vcf --reasons x.csv
fails 2 "must end in .npy" "$GODWIT" score -q -m model --window 60 -f g.fa in.vcf --profiles x.csv
fails 2 "must end in .svg, .png, .tsv, .tsv.gz, .bw, .bigwig, .bedgraph or .bedgraph.gz" "$GODWIT" score -q -m model --window 60 -f g.fa in.vcf --map x.csv
fails 2 "must end in .vcf or .vcf.gz" "$GODWIT" mutate -f g.fa -r c1 -o x.bcf
fails 2 "must end in .vcf or .vcf.gz" "$GODWIT" liftover -q --vcf -f g.fa -c a.chain -o x.bcf in.vcf
fails 2 "must end in .bed, " "$GODWIT" liftover -q -c a.chain -o x.csv tss.bed
fails 2 "must end in .bed, " "$GODWIT" predict -q -m promoter -d set.tsv -o x.json
fails 2 "must end in .npy, .tsv, .tsv.gz or .parquet" "$GODWIT" embed -q -m model -f g.fa -o x.csv
fails 2 "must end in .json" "$GODWIT" bpe -q -o x.tsv corpus.txt
fails 2 "must end in .html or .htm" "$GODWIT" report -o x.pdf model
fails 2 "must end in .txt or .txt.gz" "$GODWIT" decode -q -o x.xlsx sh

# A name that is empty.
fails 1 "the name of an output is empty" "$GODWIT" mutate -q -f g.fa -r c1 -o ""
fails 1 "the name of a folder is empty" "$GODWIT" predict -q -m profiles -f g.fa --bedgraph ""

# The file that values wait in may not grow: what keeps it from growing is said.
got=0
(ulimit -f 1 && exec "$GODWIT" predict -q -m profiles -f g.fa --step 5 --bedgraph new/lim) 2>err || got=$?
equal "$got" 1 "exit status where a file may not grow"
grep -q "cannot keep values in new/lim: File too large" err || die "a file that may not grow: $(cat err)"

# A link stays, and what it leads to is written; the index stands beside the link. A file that may not be written is refused.
mkdir aim
ln -s aim/x.vcf.gz linked.vcf.gz
"$GODWIT" score -q -m model --window 60 -f g.fa in.vcf -o linked.vcf.gz --write-index
[ -L linked.vcf.gz ] || die "the link gave way"
equal "$(echo aim/* linked.*)" "aim/x.vcf.gz linked.vcf.gz linked.vcf.gz.csi" "files of a link"
"$GODWIT" score -q -m model --window 60 -f g.fa linked.vcf.gz -r c1:1 -o again.vcf --overwrite || die "the index beside a link"
echo precious >aim/kept.bed
chmod 444 aim/kept.bed
if [ ! -w aim/kept.bed ]; then
    fails 1 "cannot be overwritten: Permission denied" "$GODWIT" liftover -q -c a.chain -o aim/kept.bed tss.bed
    equal "$(cat aim/kept.bed)" precious "a file that may not be written"
fi
