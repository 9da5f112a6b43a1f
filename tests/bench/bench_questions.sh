#!/bin/sh
# godwit predict beside transformers' BigBird, a question about a window of 4,096 tokens: processor seconds and memory.
#
# ENCODER is a BigBird of 4,096 positions with its tokenizer, such as `godwit convert --to big_bird` makes of a BERT; it gets a head of
# random weights. SET (COVID-QA) has SQuAD's layout and contexts that fill a window. Both read the same folder and
# the same windows, one thread each, in turn, ROUNDS (3) times; the last line says by how much their answers' scores differ.
# ORACLE_PYTHON names a Python with transformers.
set -eu
: "${ROUNDS:=3}" "${SET:=$GODWIT_DATA/nlp/long/covidqa.json.gz}"
python="${ORACLE_PYTHON:-/opt/oracle/bin/python}"
[ -x "$python" ] && [ -f "${ENCODER:-none}/tokenizer.json" ] && [ -f "$SET" ] || {
    echo "set ORACLE_PYTHON to a Python with transformers, ENCODER to a BigBird and SET to a set of long contexts"
    exit 0
}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/godwit-bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
"$python" "$ROOT/tests/bench/question_peer.py" make "$ENCODER" "$SET" "$scratch"
"$python" "$ROOT/tests/bench/question_peer.py" compare "$GODWIT" "$scratch" "$ROUNDS"
