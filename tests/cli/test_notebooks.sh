# The notebooks of docs/notebooks run from the first cell to the last: by Jupyter where it is, else their code by Python alone.
. "$ROOT/tests/cli/lib.sh"
[ -z "${SAN:-}" ] || { echo "Python is not built for the sanitizers"; exit 77; }
python=${PYTHON:-python3}
"$python" -c 'import numpy' 2>/dev/null || { echo "needs Python 3 with NumPy ($python)"; exit 77; }
make -s -C "$ROOT" "$BUILD/libgodwit.so" BUILD="$BUILD" >make.log 2>&1 || die "$(tail -5 make.log)"
export GODWIT_LIBRARY="$BUILD/libgodwit.so" GODWIT_MODELS="$ROOT/share/godwit/models" GENOME="$ROOT/tests/data/yeast_I.fa.gz"
export PYTHONPATH="$ROOT/tools/python" PYTHONDONTWRITEBYTECODE=1
gzip -dc "$GENOME" >yeast_I.fa && GENOME=$PWD/yeast_I.fa # whose index lies here
ls -A "$ROOT/docs/notebooks" >before
for notebook in "$ROOT"/docs/notebooks/*.ipynb; do
    name=$(basename "$notebook" .ipynb)
    if "$python" -m nbconvert --version >/dev/null 2>&1 && "$python" -c 'import ipykernel' 2>/dev/null; then
        "$python" -m nbconvert --to notebook --execute --output "$PWD/$name.ipynb" "$notebook" >"$name.log" 2>&1 || die "$name: $(tail -5 "$name.log")"
    else
        "$python" -c 'import json, sys
for cell in json.load(open(sys.argv[1]))["cells"]:
    if cell["cell_type"] == "code":
        print("".join(cell["source"]))' "$notebook" >"$name.py"
        "$python" "$name.py" >"$name.log" 2>&1 || die "$name: $(tail -5 "$name.log")"
        [ -s "$name.log" ] || die "$name says nothing"
    fi
done
ls -A "$ROOT/docs/notebooks" >after
same before after # notebooks leave nothing beside them
