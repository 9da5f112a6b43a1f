# SPDX-License-Identifier: MIT
# Figures of question sets equal those of the sets' official scripts, on right, near, odd and missing predictions.
. "$ROOT/tests/cli/lib.sh"
needs_data nlp/official/evaluate-v2.0.py
python=${PYTHON:-python3}
"$python" -c 'import json' 2>/dev/null || { echo "needs Python 3"; exit 77; }
"$python" "$ROOT/tests/real/question_metrics.py" "$GODWIT" "$GODWIT_DATA/nlp"
