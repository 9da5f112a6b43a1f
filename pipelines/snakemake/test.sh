#!/bin/sh
# Runs the workflow on phage lambda with very small sizes: it finishes, a second run has nothing to do, and a run whose
# pretraining was killed goes on from its checkpoint.   pipelines/snakemake/test.sh build/godwit
set -eu
godwit=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(dirname "$godwit")
work="$build/snakemake"
snakemake=${SNAKEMAKE:-$build/venv-snakemake/bin/snakemake}
if [ ! -x "$snakemake" ]; then
    python3 -m venv "$build/venv-snakemake"
    "$build/venv-snakemake/bin/pip" install -q snakemake
fi
rm -rf "$work" && mkdir -p "$work" && cd "$work"
# What the workflow runs: godwit, whose pretraining leaves its process number.
cat >godwit <<EOF
#!/bin/sh
[ "\$1" != pretrain ] || echo \$\$ >"$work/pretrain.pid"
exec "$godwit" "\$@"
EOF
chmod +x godwit
cat >config.yaml <<EOF
godwit: $work/godwit
genome: $root/tests/data/lambda.fa.gz
out: results
model:
  options: "--size tiny --length 128 --steps 120 --tokens-per-batch 1024 --lr 1e-3 --save-every 10"
score:
  region: "lambda:40500-40509"
  options: "--window 100"
EOF
flow() {
    "$snakemake" -s "$root/pipelines/snakemake/Snakefile" --configfile config.yaml -c2 --quiet all "$@"
}
flow
records=$(gzip -dc results/scored.vcf.gz | grep -vc '^#')
[ "$records" -eq 30 ] || { echo "30 changes were asked for, $records were scored"; exit 1; }
flow --dry-run 2>&1 | grep -qi 'nothing to be done' || { echo "a finished workflow has work left"; exit 1; }

# Kill pretraining once it has saved, and let the workflow go on.
cp results/model/model.safetensors uninterrupted.safetensors
rm -rf results/model results/checkpoints results/eval.tsv results/scored.vcf.gz pretrain.pid
flow & flow_pid=$!
for _ in $(seq 600); do
    [ ! -e results/checkpoints/training.state ] || break
    sleep 0.1
done
kill -9 "$(cat pretrain.pid)" || { echo "pretraining had finished before it could be killed"; exit 1; }
wait "$flow_pid" || true
flow --unlock 2>/dev/null || true
flow --rerun-incomplete
cmp results/model/model.safetensors uninterrupted.safetensors || { echo "the resumed model differs"; exit 1; }
echo "snakemake: the workflow runs, rests and resumes"
