# Allocations that fail, one after another: a command then ends with status 1, says so and leaves no output; or it does without, and
# what it writes is the same.
. "$ROOT/tests/cli/lib.sh"

if nm "$GODWIT" 2>/dev/null | grep -q __asan_init; then
    echo "a sanitizer stands in front of malloc() itself"
    exit 77
fi
${CC:-cc} -D_GNU_SOURCE -shared -fPIC -O1 -o fail.so "$ROOT/tests/cli/fail_allocation.c" 2>/dev/null || {
    echo "needs a C compiler and glibc"
    exit 77
}
prepared small
most=${MOST_ALLOCATIONS:-40} # failures of each command, spread over its run
export OMP_WAIT_POLICY=passive # or the program starts itself once more

# survives COMMAND...: which writes its files to new/.
survives() {
    rm -rf new && mkdir new
    FAIL_COUNT=$PWD/count LD_PRELOAD=$PWD/fail.so "$GODWIT" "$@" >out 2>err || die "fails without a reason: $* ($(cat err))"
    total=$(cat count)
    rm -rf expected && mv new expected
    [ "$total" -gt 0 ] || die "no allocation was counted: $*"
    step=$((total / most + 1))
    for n in $(seq 1 "$step" "$total"); do
        rm -rf new && mkdir new
        got=0
        FAIL_ALLOCATION=$n LD_PRELOAD=$PWD/fail.so "$GODWIT" "$@" >out 2>err || got=$?
        if [ "$got" -eq 0 ] && diff -r new expected >/dev/null; then continue; fi
        [ "$got" -eq 1 ] || die "$n of $total: exit status $got: $* ($(cat err))"
        grep -q "memory" err || die "$n of $total: memory is not named: $* ($(cat err))"
        [ -z "$(find new -type f ! -name '*.journal' ! -name metrics.jsonl)" ] || die "$n of $total: left $(find new -type f): $*"
    done
}

"$GODWIT" encode -q -m tok.json -o sh2 corpus.txt
printf 'chain 9 c1 3000 + 0 3000 d1 3000 + 0 3000 1\n3000\n\n' >a.chain
printf 'c1\tx\tgene\t11\t20\t.\t+\t.\tID=g1;Name=a\nc2\tx\tgene\t31\t40\t.\t-\t.\tID=g2;Name=b\n' >g.gff3
survives mutate -q -f g.fa -r c1:1001-1010 -o new/x.vcf
survives tss -q --feature gene -g g.gff3 -f g.fa -o new/x.bed
survives liftover -q -c a.chain -u new/lost.bed -o new/x.bed tss.bed
survives corpus -q -f g.fa -n 2 --sentences 3-5 --sentence-length 20-40 --max-offset 10 -o new/x.txt
survives bpe -q -v 16 -o new/x.json corpus.txt
survives encode -q -m tok.json -o new/x corpus.txt
survives promoters -q -f g.fa tss.bed --upstream 40 --downstream 20 -o new/x.tsv
survives graph -q -p itc -n 512 -o new/x.svg
survives score -q -m model --window 60 -f g.fa -i 'POS>1000 && QUAL="."' --genes g.gff3 -o new/x.vcf in.vcf -@ 1
survives predict -q -m promoter -d set.tsv -o new/x.tsv -@ 1
