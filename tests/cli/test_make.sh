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
grep -q "$BUILD/godwit score -m yeast -f" demo || die "what comes next: $(cat demo)"
