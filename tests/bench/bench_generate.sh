#!/bin/sh
# godwit generate beside transformers' generate(): tokens a second of one text by beam search, on the processor.
#
# A BigBirdPegasus with random weights, of base size unless LAYERS, WIDTH and HEADS say otherwise, writes LENGTH tokens
# (256) about SOURCE tokens (3072) with BEAMS beams (5); none ends early, so that both do the same work. THREADS (2) of
# each; DTYPE f32 or bf16 is godwit's. Both read the same folder, and loading is outside of both clocks. The last line says
# how many tokens are the same: all of them, where no two beams come too close. ORACLE_PYTHON names a Python with
# transformers.
set -eu
: "${THREADS:=2}" "${BEAMS:=5}" "${LENGTH:=256}" "${DTYPE:=f32}"
python="${ORACLE_PYTHON:-/opt/oracle/bin/python}" peer="$ROOT/tests/bench/generate_peer.py"
[ -x "$python" ] || {
    echo "no $python with transformers: set ORACLE_PYTHON"
    exit 0
}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/godwit-bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
"$python" "$peer" make model
OMP_NUM_THREADS=$THREADS "$python" "$peer" write model "$BEAMS" "$LENGTH" "$THREADS"
"$GODWIT" generate -@ "$THREADS" -m model --ids -b "$BEAMS" --max-length "$LENGTH" --attention hf-eval --dtype "$DTYPE" \
    -o model/ours model/source.txt 2>&1 | sed -n 's/^.*, \([0-9]* tokens, .* tokens a second\)/godwit: \1/p'
"$python" "$peer" compare model
