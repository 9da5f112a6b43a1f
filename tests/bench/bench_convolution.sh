#!/bin/sh
# bench_convolution once more, in turns with torch's conv1d in all its layouts (ORACLE_PYTHON names a Python that has
# torch; without it the program has said all).
set -eu
"${ORACLE_PYTHON:-python3}" "$ROOT/tests/bench/convolution_peers.py" "$BUILD/bench/bench_convolution"
