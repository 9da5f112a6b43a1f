# SPDX-License-Identifier: MIT
# Random changes written on random transcripts, as godwit score --variants and the package pyhgvs read them.
. "$ROOT/tests/cli/lib.sh"
python=${PYTHON:-python3}
"$python" -c 'import pyhgvs' 2>/dev/null || { echo "needs Python's package pyhgvs" && exit 77; }
prepared small
"$python" "$ROOT/tests/real/hgvs.py" make g.fa genes.gtf names 1
"$GODWIT" score -q -m model -f g.fa --genes genes.gtf --window 60 --variants "$(cat names)" -o found.vcf
equal "$(grep -vc '^#' found.vcf)" "$(grep -c . names)" "records of the names"
"$python" "$ROOT/tests/real/hgvs.py" check g.fa genes.gtf found.vcf
