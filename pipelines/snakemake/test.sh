#!/bin/sh
# Runs the workflow on phage lambda with very small sizes: it finishes, a second run has nothing to do, other settings
# leave what was finished, and a run whose pretraining was killed goes on from its checkpoint.
#   pipelines/snakemake/test.sh build/godwit
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
cat >godwit <<END
#!/bin/sh
[ "\$1" != pretrain ] || echo \$\$ >"$work/pretrain.pid"
exec "$godwit" "\$@"
END
chmod +x godwit
settings() { # STEPS
    cat <<END
godwit: $work/godwit
genome: $root/tests/data/lambda.fa.gz
model:
  options: "--size tiny --length 128 --steps $1 --tokens-per-batch 1024 --lr 1e-3 --save-every 10"
score:
  region: "lambda:40500-40509"
  options: "--window 100"
END
}
settings 120 >config.yaml
settings 5 >short.yaml
die() {
    echo "$*"
    exit 1
}
flow() { # CONFIG [OPTION...]
    config=$1
    shift
    "$snakemake" -s "$root/pipelines/snakemake/Snakefile" --configfile "$root/pipelines/snakemake/example.yaml" "$config" \
        -c2 --quiet all "$@"
}
rests() {
    flow config.yaml --dry-run 2>&1 | grep -qi 'nothing to be done' || die "a finished workflow has work left"
}
flow config.yaml
records=$(gzip -dc results/scored-*.vcf.gz | grep -vc '^#')
[ "$records" -eq 30 ] || die "30 changes were asked for, $records were scored"
rests

# Other steps: a model of its own beside the first, which stays as it was.
model=$(echo results/model-*)
cp "$model/model.safetensors" uninterrupted.safetensors
flow short.yaml
[ "$(find results -maxdepth 1 -name 'model-*' | wc -l)" -eq 2 ] || die "other steps did not give a model of their own"
cmp "$model/model.safetensors" uninterrupted.safetensors || die "other steps changed the finished model"
rests

# Kill pretraining once it has saved, and let the workflow go on.
checkpoints=results/checkpoints-${model#results/model-}
rm -rf "$model" "$checkpoints" results/eval-* results/scored-* pretrain.pid
flow config.yaml & flow_pid=$!
for _ in $(seq 600); do
    [ ! -e "$checkpoints/training.state" ] || break
    sleep 0.1
done
kill -9 "$(cat pretrain.pid)" || die "pretraining had finished before it could be killed"
wait "$flow_pid" || true
flow config.yaml --unlock 2>/dev/null || true
flow config.yaml --rerun-incomplete
cmp "$model/model.safetensors" uninterrupted.safetensors || die "the resumed model differs"

# Settings that cannot be meant.
refuses() { # TEXT SETTING...
    text=$1
    shift
    ! "$snakemake" -s "$root/pipelines/snakemake/Snakefile" --dry-run -c1 --config "$@" >refused 2>&1 || die "took $*"
    grep -q "$text" refused || die "no word of $text: $(cat refused)"
}
refuses "genome is empty" out=results
refuses "nothing is held out" genome="$root/tests/data/lambda.fa.gz"
echo "snakemake: the workflow runs, rests, keeps what was finished and resumes"
