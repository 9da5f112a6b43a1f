#!/bin/sh
# Fuzzes every target for FUZZ_SECONDS (600), one after the other, from the seeds of tests/fuzz/corpus and what earlier
# runs have found. An input that takes more than 10 seconds, or makes the program grow beyond 1 GB, is a finding.   tests/fuzz/run.sh FOLDER [NAME...]     FOLDER: of the programs fuzz_NAME; also of findings
set -u
folder=$1 && shift
root=$(cd "$(dirname "$0")/../.." && pwd)
seconds=${FUZZ_SECONDS:-600}
failed=0
for program in "$folder"/fuzz_*; do
    [ -x "$program" ] && [ -f "$program" ] || continue
    name=${program##*/fuzz_}
    if [ $# -gt 0 ]; then
        case " $* " in *" $name "*) ;; *) continue ;; esac
    fi
    found="$folder/corpus/$name"
    mkdir -p "$found"
    if "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=512 -max_len=65536 \
        -print_final_stats=1 -artifact_prefix="$folder/$name-" "$found" "$root/tests/fuzz/corpus/$name" \
        >"$folder/$name.log" 2>&1; then
        echo "clean   $name: $(sed -n 's/stat::number_of_executed_units: *//p' "$folder/$name.log") inputs in $seconds s"
    else
        failed=1
        echo "FAILED  $name" && tail -n 40 "$folder/$name.log" | sed 's/^/    /'
    fi
done
exit $failed
