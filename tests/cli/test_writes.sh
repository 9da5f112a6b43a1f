# Calls that write, finish or place a file fail, one after another: the command then ends with status 1, says why and leaves no output
# that could be taken for a whole one; what stood there before is as it was.
. "$ROOT/tests/cli/lib.sh"

if nm "$GODWIT" 2>/dev/null | grep -q __asan_init; then
    echo "a sanitizer stands in front of these calls itself"
    exit 77
fi
${CC:-cc} -D_GNU_SOURCE -shared -fPIC -O1 -o fail.so "$ROOT/tests/cli/fail_write.c" -ldl 2>/dev/null || {
    echo "needs a C compiler and glibc"
    exit 77
}
prepared small
most=${MOST_WRITES:-12} # failures of each command, spread over its run
export OMP_WAIT_POLICY=passive # or the program starts itself once more

# holds FILE... -- COMMAND...: of which new/FILE are the outputs.
holds() {
    outputs=
    while [ "$1" != -- ]; do outputs="$outputs $1" && shift; done
    shift
    rm -rf new && mkdir new
    FAIL_COUNT=$PWD/count LD_PRELOAD=$PWD/fail.so "$GODWIT" "$@" 2>err >/dev/null || die "fails without a reason: $* ($(cat err))"
    total=$(cat count)
    rm -rf expected && mv new expected
    for output in $outputs; do [ -e "expected/$output" ] || die "no $output: $*"; done
    [ "$total" -ge 2 ] || die "$total calls were counted: $*"
    step=$(((total + most - 1) / most))
    for n in $(seq 1 "$step" "$total") "$total"; do
        rm -rf new && mkdir new
        for output in $outputs; do case $output in */) ;; *) echo before >"new/$output" ;; esac done
        got=0
        FAIL_WRITE=$n LD_PRELOAD=$PWD/fail.so "$GODWIT" "$@" 2>err >/dev/null || got=$?
        whole=yes
        for output in $outputs; do diff -r -x metrics.jsonl "new/$output" "expected/$output" >diff 2>&1 || whole=; done
        [ "$got" -ne 0 ] || [ -n "$whole" ] || die "$n of $total: done, but not whole: $* ($(head -c 300 diff))"
        [ "$got" -eq 0 ] || [ "$got" -eq 1 ] || die "$n of $total: exit status $got: $* ($(cat err))"
        [ "$got" -eq 0 ] || grep -q "No space left on device" err || die "$n of $total: the reason is not named: $* ($(cat err))"
        for output in $outputs; do
            case $output in
            */) # files are whole or absent: they are put in their places one by one
                diff -r -x metrics.jsonl "new/$output" "expected/$output" >diff 2>&1 || :
                [ "$got" -eq 0 ] || ! grep -v '^Only in expected/\|^diff: ' diff >&2 || die "$n of $total: a part of a file of $output is there: $*"
                ;;
            *) [ "$got" -eq 0 ] || [ "$(cat "new/$output" | head -c 6)" = before ] || cmp -s "new/$output" "expected/$output" ||
                die "$n of $total: $output is neither the old nor the new: $*" ;;
            esac
        done
        left=$(find new -name '*.tmp.*')
        [ -z "$left" ] || die "$n of $total: left $left: $*"
    done
}

printf 'chain 9 c1 3000 + 0 3000 d1 3000 + 0 3000 1\n3000\n\n' >a.chain
printf 'c1\tx\tgene\t11\t20\t.\t+\t.\tID=g1;Name=a\nc2\tx\tgene\t31\t40\t.\t-\t.\tID=g2;Name=b\n' >g.gff3
holds x.vcf -- mutate -q -f g.fa -r c1:1001-1010 -o new/x.vcf
holds x.vcf.gz -- mutate -q -f g.fa -r c1:1001-1010 -O z -o new/x.vcf.gz
holds x.bed -- tss -q --feature gene -g g.gff3 -f g.fa -o new/x.bed
holds x.bed lost.bed -- liftover -q -c a.chain -u new/lost.bed -o new/x.bed tss.bed
holds x.txt -- corpus -q -f g.fa -n 2 --sentences 3-5 --sentence-length 20-40 --max-offset 10 -o new/x.txt
holds x.json -- bpe -q -v 16 -o new/x.json corpus.txt
holds x.bin x.idx -- encode -q -m tok.json -o new/x corpus.txt
holds x.tsv -- promoters -q -f g.fa tss.bed --upstream 40 --downstream 20 -o new/x.tsv
holds x.bed.gz x.labels -- profiles -q -f g.fa --bin 20 --window 60 --label midpoint -o new/x tss.bed
holds x.svg -- graph -q -p itc -n 512 -o new/x.svg
holds x.png -- graph -q -p itc -n 512 -o new/x.png
holds x.vcf.gz x.vcf.gz.csi -- score -q -m model --window 60 -f g.fa --write-index -O z -o new/x.vcf.gz in.vcf -@ 1
holds x.tsv x.vcf -- score -q -m model --window 60 -f g.fa --table new/x.tsv -o new/x.vcf in.vcf -@ 1
if [ -e "$BUILD/libgodwit-parquet.so" ]; then
    holds x.parquet -- score -q -m model --window 60 -f g.fa --table new/x.parquet in.vcf -@ 1
    holds x.parquet -- embed -q -m model --pool mean -o new/x.parquet g.fa -@ 1
fi
holds x.tsv -- predict -q -m promoter -d set.tsv -o new/x.tsv -@ 1
holds x.npy -- embed -q -m model --pool mean -o new/x.npy g.fa -@ 1
holds model/ -- pretrain -q -d sh -o new/model -c config.json --steps 2 --batch-tokens 512 -@ 1
holds model/ -- finetune -q -m model --task promoter -d set.tsv -o new/model --steps 1 -@ 1
holds model/ -- convert -q -m model -o new/model
