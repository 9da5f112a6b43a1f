# Tests that are left out are told by tests/run.sh, and tests/skips.sh takes only those that its list names.
. "$ROOT/tests/cli/lib.sh"
cp -r "$ROOT/tests/run.sh" "$ROOT/tests/skips.sh" .
mkdir -p copy/tests/cli build/tests
mv run.sh skips.sh copy/tests
echo 'echo "needs quarks" && exit 77' >copy/tests/cli/test_a.sh
echo 'echo "left out: a check by bosons, which is not installed"' >copy/tests/cli/test_b.sh
echo 'exit 0' >copy/tests/cli/test_c.sh
cat >build/tests/all <<'END'
#!/bin/sh
for word; do
    case $word in --tap=*) printf 'TAP version 13\nok - lines::full  # SKIP no device\nok - lines::short  (0.00s)\n' >"${word#--tap=}" ;; esac
done
echo '[====] Synthesis: Tested: 1 | Passing: 1 | Failing: 0 | Crashing: 0'
END
chmod +x build/tests/all
sh copy/tests/run.sh build >log || die "$(cat log)"
grep -qx 'skipped lines::full: no device' log && grep -qx 'skipped test_a: needs quarks' log &&
    grep -qx '        left out: a check by bosons, which is not installed' log || die "$(cat log)"

printf '# why\n\ntest_a needs quarks\ntest_b by bosons\nlines::full no device\n' >list
equal "$(sh copy/tests/skips.sh log list)" "3 tests or checks were left out, all by the list" "a list of all"
# lacking TEXT LIST: it is told, with status 1.
lacking() {
    status=0
    sh copy/tests/skips.sh log list >said || status=$?
    equal "$status" 1 "status"
    equal "$(cat said)" "$1" "what is told"
}
sed -i '/test_b/d' list
lacking "left out, and not on the list of list: test_b: a check by bosons, which is not installed"
printf 'test_b by bosons\ntest_a needs leptons\n* no device\n' >list
lacking "left out, and not on the list of list: test_a: needs quarks"
printf '* needs\n* no device\ntest_b\n* bosons\n' >list
lacking "list:3: 'test_b', expected a name and words of a reason"
: >log && : >list
lacking "the log is empty"
# The list of this project is read.
echo "ok      test_a" >log
sh "$ROOT/tests/skips.sh" log >said || die "$(cat said)"

# A data set that is absent is told apart from a folder of data sets that is.
equal "$(GODWIT_DATA='' && lacks_data x/y)" "needs GODWIT_DATA for x/y" "no folder"
equal "$(GODWIT_DATA=$PWD && lacks_data x/y)" "needs x/y in GODWIT_DATA" "a folder without it"
mkdir x && : >x/y
equal "$(GODWIT_DATA=$PWD && lacks_data x/y || echo there)" there "a folder with it"
