#!/bin/sh
# Scripts of tests/cli with the program under valgrind's memcheck: what is wrong with memory, or lost for good, is told and fails.
#   tests/valgrind.sh BUILD [NAME...]     NAME: only the scripts of these names (all but a few); needs valgrind
# The vector units that valgrind cannot follow stay unused, and oneDNN's products for AVX2, which read past their own copies. libc is
# not asked to free what it has: it would flush the files of the parent in a child (base/child.h) too, which is there because HDF5
# does wrong with damaged files, and of which nothing is told. Trainings are watched for VALGRIND_SECONDS (3600); a longer one is
# then run without valgrind, for what the script does with its model. 0: to their end, for scripts that kill -9 them; those that
# read a pipe always are. Takes hours for all, so it is not part of `make test`.
set -u
build=$(cd "$1" && pwd) && shift
here=$(cd "$(dirname "$0")" && pwd)
wrapped=$(mktemp -d "${TMPDIR:-/tmp}/godwit-valgrind.XXXXXX")
trap 'rm -rf "$wrapped"' EXIT
mkdir "$wrapped/logs"
for file in "$build"/*; do ln -s "$file" "$wrapped/"; done
rm "$wrapped/godwit"
cat >"$wrapped/godwit" <<END
#!/bin/sh
# The command stands beside what is said of it.
log="$wrapped/logs/\$\$"
echo "\$*" >"\$log.command"
export GODWIT_BACKEND=\${GODWIT_BACKEND:-avx2} ONEDNN_MAX_CPU_ISA=AVX
watched="valgrind -q --log-file=\$log.log --leak-check=full
    --show-leak-kinds=definite --errors-for-leak-kinds=definite --run-libc-freeres=no --child-silent-after-fork=yes
    --suppressions=$here/valgrind.supp --num-callers=20 $build/godwit"
case \${1:-} in pretrain | finetune) ;; *) exec \$watched "\$@" ;; esac
[ ${VALGRIND_SECONDS:-3600} -gt 0 ] || exec \$watched "\$@"
last='' made=''
for word; do
    [ ! -p "\$word" ] || exec \$watched "\$@" # what a pipe gives is given once
    [ "\$last" != -o ] || [ -e "\$word" ] || [ -e "\$word.checkpoints" ] || made=\$word
    last=\$word
done
env --default-signal=INT,QUIT timeout --foreground -s KILL ${VALGRIND_SECONDS:-3600} \$watched "\$@" <&0 &
child=\$!
for signal in HUP INT TERM; do trap "kill -\$signal \$child 2>/dev/null" \$signal; done
wait \$child
status=\$?
while kill -0 \$child 2>/dev/null; do # a signal came, and was passed on
    wait \$child
    status=\$?
done
[ \$status = 137 ] || exit \$status
touch "\$log.long"
[ -z "\$made" ] || rm -rf "\$made" "\$made.checkpoints"
exec "$build/godwit" "\$@"
END
chmod +x "$wrapped/godwit"
# All but those that count allocations or writes, time, or run other programs than this one.
[ $# -gt 0 ] || for script in "$here"/cli/test_*.sh; do
    name=$(basename "$script" .sh)
    case $name in
    test_allocations | test_writes | test_bench | test_bench_gpu | test_library | test_python | test_notebooks | test_site) ;;
    *) set -- "$@" "$name" ;;
    esac
done
TEST_SECONDS=${TEST_SECONDS:-3600} sh "$here/run.sh" "$wrapped" "$@"
status=$?
for log in "$wrapped"/logs/*.log; do
    [ -s "$log" ] || continue
    status=1
    echo "godwit $(cat "${log%.log}.command")" && cat "$log"
done
echo "$(find "$wrapped/logs" -name '*.log' | wc -l) runs under valgrind, $(find "$wrapped/logs" -name '*.long' | wc -l) of them in part"
exit $status
