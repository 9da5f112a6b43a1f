#!/bin/sh
# Runs the workflow on phage lambda with very small sizes: it finishes, a second run has nothing to do, other settings
# leave what was finished, a run whose pretraining was killed goes on from its checkpoint, and scores that were scattered
# are those of one run. Two tasks are trained on made-up sites; the model of splicing has random weights.
#   pipelines/snakemake/test.sh build/godwit
set -eu
godwit=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
GODWIT_MODELS=$root/share/godwit/models
export GODWIT_MODELS
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
settings() { # STEPS SHARDS
    cat <<END
godwit: $work/godwit
genome: $root/tests/data/lambda.fa.gz
model:
  options: "--size tiny --length 128 --steps $1 --batch-tokens 1024 --lr 1e-3 --save-every 10"
promoters:
  input: $work/sites.bed
  options: "--upstream 60 --downstream 40 --test lambda:40001-48502"
  finetune: "--steps 3 --batch 4"
profiles:
  input: [$work/a.bed, $work/b.bed]
  options: "--bin 50 --window 100 --label midpoint --test lambda:40001-48502"
  finetune: "--steps 3 --batch 4"
score:
  region: "lambda:40500-40509"
  options: "--window 100"
  shards: $2
splicing:
  weights: $work/splice.safetensors
  genes: $work/genes.txt
  options: "-D $((17 + $2))"
END
}
python3 "$root/pipelines/splice_weights.py" splice.safetensors
printf '#NAME\tCHROM\tSTRAND\tTX_START\tTX_END\tEXON_START\tEXON_END\nG\tlambda\t+\t40400\t40600\t40400,40550,\t40450,40600,\n' >genes.txt
awk 'BEGIN { OFS = "\t"; for (i = 0; i < 60; i++) print "lambda", 500 + 780 * i, 501 + 780 * i, "site" i, 0, i % 2 ? "-" : "+" }' >sites.bed
awk 'BEGIN { OFS = "\t"; for (i = 0; i < 90; i++) print "lambda", 300 + 530 * i, 340 + 530 * i }' >a.bed
awk 'BEGIN { OFS = "\t"; for (i = 0; i < 70; i++) print "lambda", 450 + 680 * i, 480 + 680 * i }' >b.bed
settings 120 3 >config.yaml
settings 5 1 >short.yaml
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
"$godwit" mutate -q -f "$root/tests/data/lambda.fa.gz" -r lambda:40500-40509 -o changes.vcf
"$godwit" score -q -m "$(echo results/model-*)" -f "$root/tests/data/lambda.fa.gz" --window 100 -O z -o once.vcf.gz changes.vcf
gzip -dc once.vcf.gz | grep -v '^##' >once.txt
gzip -dc results/scored-*.vcf.gz | grep -v '^##' | cmp - once.txt || die "three shards do not have the scores of one run"
gzip -dc results/spliced-*.vcf.gz | grep -v '^#' | grep -c 'OpenSpliceAI=[ACGT]|G|' | grep -qx 30 || die "30 changes in a gene have no splice scores"
[ "$(cut -f1 results/eval-promoters-*.tsv | tail -n 1)" = label ] || die "the promoter model was not rated: $(cat results/eval-promoters-*.tsv)"
[ "$(cut -f1 results/targets-profiles-*.tsv | tr '\n' ' ')" = "target a b " ] || die "the profile model was not rated"
grep -q '</html>' results/report-*.html || die "there is no report"
rests

# Other steps: a model of its own beside the first, which stays as it was.
model=$(echo results/model-*)
cp "$model/model.safetensors" uninterrupted.safetensors
flow short.yaml
[ "$(find results -maxdepth 1 -name 'model-*' | wc -l)" -eq 2 ] && [ "$(find results -maxdepth 1 -name 'scored-*.csi' | wc -l)" -eq 2 ] || die "other steps did not give a model of their own"
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

# A VCF by a model that is there, by its name and by its folder: the scores of one run, and nothing is trained.
"$godwit" mutate -q -f "$root/tests/data/yeast_I.fa.gz" -r I:71134-71143 -o yeast.vcf
for by in yeast "$root/share/godwit/models/yeast"; do
    rm -rf others
    cat >others.yaml <<END
godwit: $godwit
out: others
genome: $root/tests/data/yeast_I.fa.gz
vcf: yeast.vcf
score: {model: $by, shards: 2}
END
    "$snakemake" -s "$root/pipelines/snakemake/Snakefile" --configfile others.yaml -c2 --quiet all
    "$godwit" score -q -m "$by" -f "$root/tests/data/yeast_I.fa.gz" yeast.vcf | grep -v '^##' >once.txt
    gzip -dc others/scored-*.vcf.gz | grep -v '^##' | cmp - once.txt || die "the workflow and $by do not have the same scores"
    grep -q '</html>' others/report-*.html || die "there is no report of scores alone"
    ! ls -d others/model-* others/train-* others/vocabulary-* >trained 2>/dev/null || die "something was trained: $(cat trained)"
done

# The example of this, with its genes, by two models in the box: the scores of one run, which name the genes.
ln -s "$root/tests" tests
ready() { # MODEL CONFIG [OPTION...]
    by=$1 config=$2
    shift 2
    "$snakemake" -s "$root/pipelines/snakemake/Snakefile" --configfile "$config" --config godwit="$godwit" score="{model: $by}" -c2 --quiet all "$@"
}
for by in human-splice yeast; do
    rm -rf results
    ready $by "$root/pipelines/snakemake/score.yaml"
    "$godwit" score -q -m "$by" -f tests/data/yeast_I.fa.gz --genes tests/data/yeast_I.gff3 tests/data/yeast_I.vcf 2>/dev/null | grep -v '^##' >once.txt
    [ "$(grep -c CDC19 once.txt)" -eq 3 ] || die "$by: three variants lie in CDC19: $(cat once.txt)"
    gzip -dc results/scored-*.vcf.gz | grep -v '^##' | cmp - once.txt || die "the example and $by do not have the same scores"
    [ -e "$(echo results/scored-*.vcf.gz).csi" ] || die "$by: the scored VCF has no index"
    others=$(find results -mindepth 1 -maxdepth 1 ! -name 'scored-*' ! -name 'parts-*' ! -name 'report-*' ! -name logs)
    [ -z "$others" ] || die "more than scores was made: $others"
    ready $by "$root/pipelines/snakemake/score.yaml" --dry-run 2>&1 | grep -qi 'nothing to be done' || die "a finished workflow has work left"
done
# Without genes the same variants get another name, and those scores stay.
grep -v '^genes:' "$root/pipelines/snakemake/score.yaml" >nameless.yaml
ready yeast nameless.yaml
[ "$(find results -name 'scored-*.csi' | wc -l)" -eq 2 ] || die "scores with and without genes have one name"

# Regions explained by a model in the box, with nothing else to do.
printf 'I\t71100\t71120\n' >regions.bed
cat >explain.yaml <<END
godwit: $godwit
out: explained
genome: $root/tests/data/yeast_I.fa.gz
score: {model: yeast-expression}
explain: {regions: regions.bed, options: "--target complex --picture-type svg"}
END
"$snakemake" -s "$root/pipelines/snakemake/Snakefile" --configfile explain.yaml -c2 --quiet all
"$godwit" explain -q -m yeast-expression -t complex -f "$root/tests/data/yeast_I.fa.gz" -R regions.bed -o once --pictures 0
cmp explained/explained-*/regions.tsv once/regions.tsv || die "the workflow does not explain as one run does"
ls explained/explained-*/1_*.svg >/dev/null || die "no picture of the region was drawn"

# Settings that cannot be meant.
refuses() { # TEXT SETTING...
    text=$1
    shift
    ! "$snakemake" -s "$root/pipelines/snakemake/Snakefile" --dry-run -c1 --config "$@" >refused 2>&1 || die "took $*"
    grep -q "$text" refused || die "no word of $text: $(cat refused)"
}
refuses "genome" out=results
refuses "shard" genome="$root/tests/data/lambda.fa.gz" score='{"shard": 3}'
refuses "promoters: input is empty" genome="$root/tests/data/lambda.fa.gz" test_contigs='[x]' score='{"model": "promoters"}'
refuses "weights and genes go together" genome="$root/tests/data/lambda.fa.gz" test_contigs='[x]' splicing='{"weights": "w.pt"}'
refuses "nothing is held out" genome="$root/tests/data/lambda.fa.gz"
refuses "go together" genome="$root/tests/data/lambda.fa.gz" train_regions="-r lambda:1-40000"
refuses "nothing is held out" genome="$root/tests/data/lambda.fa.gz" score='{"model": "yeast"}' promoters='{"input": "sites.bed"}'
refuses "there is no folder models/none" genome="$root/tests/data/lambda.fa.gz" score='{"model": "models/none"}' vcf=x.vcf
refuses "genes: there is nothing to score" genome="$root/tests/data/lambda.fa.gz" score='{"model": "yeast"}' genes=genes.gff3
refuses "there is nothing to do" genome="$root/tests/data/lambda.fa.gz" score='{"model": "yeast"}'
echo "snakemake: the workflow runs, rests, keeps what was finished and resumes"
