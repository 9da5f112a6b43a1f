#!/bin/sh
# What attentions cost by length, and the same encoders in PyTorch, one run: a table.
#   mixers.sh BUILD [PYTHON [MOST]]      (PYTHON: one that has torch; up to 65536 tokens, full attention and hashing to 16384)
set -u
build=$1 python=${2:-} most=${3:-65536}
quadratic=$((most < 16384 ? most : 16384))
here=$(dirname "$0")
printf 'pattern\ttokens\tforward_s\tstep_s\tMB\n'
for spec in linear performer linformer nystrom; do
    "$build/bench/bench_mixers" "$spec" "$most" 1024 2 || exit 1
done
for spec in full reformer; do
    "$build/bench/bench_mixers" "$spec" "$quadratic" 1024 1 || exit 1
done
[ -n "$python" ] || exit 0
for name in linear performer nystrom; do
    "$python" "$here/mixers_peer.py" $name "$most" 1024 2 || exit 1
done
"$python" "$here/mixers_peer.py" full "$quadratic" 1024 1
