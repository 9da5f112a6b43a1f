# The Makefile's help names what a user makes; the demo ends with where the program is and what comes next.
. "$ROOT/tests/cli/lib.sh"

make -s -C "$ROOT" BUILD="$BUILD" help >help
for target in deps demo install check test wheel bench theory dist fuzz oracle format lint clean help; do
    grep -q "^  make $target  *[^ ]" help || die "make help says nothing of $target"
    grep -q "^$target:\|^all .*$target" "$ROOT/Makefile" || die "there is no $target"
done
grep -q "PREFIX=" help || die "the variables are not named"
grep -q "CC ?=" help && die "make help prints the file itself"

make -n -C "$ROOT" BUILD="$BUILD" CUDA=0 demo 2>/dev/null | sed -n '/demo.sh/,$p' >demo
grep -q "The program is $BUILD/godwit; make install" demo || die "where the program is: $(cat demo)"
for next in "models " "score -m human-splice -f" "score -m yeast -f"; do
    grep -q "$BUILD/godwit $next" demo || die "what comes next, godwit $next: $(cat demo)"
done

# The demo builds this machine's instruction set alone, unless there are more; what is there is used again.
commands() { make -n -C "$ROOT" BUILD="$PWD/new" CUDA=0 MPI=0 PARQUET=0 "$@" 2>/dev/null; }
commands demo | grep -q 'ISAS="native"' || die "the demo compiles more than it needs: $(commands demo | head -3)"
sets() { commands "$@" new/godwit BUILD=new | grep -o 'isa/[a-z0-9]*/gemm.o' | sort -u | wc -l; }
equal "$(sets ISAS=baseline)" 1 "instruction sets of ISAS=baseline"
[ "$(sets ISAS=native)" -le 2 ] && [ "$(sets ISAS=native)" -ge 1 ] || die "instruction sets of this machine: $(sets ISAS=native)"
[ "$(uname -m)" != x86_64 ] || [ "$(sets)" -ge 3 ] || die "make compiles $(sets) instruction sets"
