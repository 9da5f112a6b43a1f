#!/bin/sh
# The Nextflow pipeline as far as this machine can check it.   pipelines/nextflow/test.sh build/godwit
#
# Where nextflow runs: stub runs of all branches, then phage lambda for real. Where it does not: the settings are held to
# their schema, every file is parsed by Groovy (Nextflow's own grammar builds on it) if there is one, and each process's
# script must name only options that its command has.
set -eu
godwit=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/godwit-nextflow.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
die() {
    echo "$*"
    exit 1
}
PATH=$(dirname "$godwit"):$PATH
GODWIT_MODELS=$here/../../share/godwit/models
export GODWIT_MODELS

# Settings: those with a default in nextflow.config are those of the schema, and both say the same.
sed -n '/^params {/,/^}/s/^ *\([a-z_]*\) *= *\(.*\)$/\1 \2/p' "$here/nextflow.config" | sed "s/'//g; s/ null\$/ /" | sort >config.txt
python3 - "$here/nextflow_schema.json" >schema.txt <<'END'
import json, sys
for name, row in sorted(json.load(open(sys.argv[1]))["properties"].items()):
    print(name, row.get("default", ""))
END
sort -o schema.txt schema.txt
cmp -s config.txt schema.txt || die "nextflow.config and nextflow_schema.json differ: $(diff config.txt schema.txt)"

# Options that scripts give to godwit are in the command's help.
for module in "$here"/modules/local/godwit/*/main.nf; do
    sed -n 's/^ *godwit \([a-z]*\) \(.*\)$/\1 \2/p' "$module" | while read -r command options; do
        "$godwit" "$command" --help-all >help.txt || die "$module: there is no godwit $command"
        for option in $(echo "$options" | tr ' ' '\n' | grep '^--\{0,1\}[a-zA-Z@][a-z-]*$' || :); do
            grep -q -- "^ *\(-.,\)\{0,1\} *$option\([[ ,]\|\$\)" help.txt || die "$module: godwit $command has no $option"
        done
    done
    for part in "input:" "output:" "script:" "stub:" "versions.yml"; do grep -q "$part" "$module" || die "$module lacks $part"; done
done

if nextflow -version >nextflow.version 2>&1; then
    run() { nextflow -q run "$here" -profile test "$@" >log 2>&1 || die "nextflow run $*: $(tail -n 20 log)"; }
    : >sites.bed && : >a.bed && : >b.bed && : >in.vcf
    run -stub-run
    run -stub-run --sites sites.bed --peaks a.bed,b.bed --score_model profiles --vcf in.vcf
    python3 "$here/../splice_weights.py" splice.safetensors
    printf '#NAME\tCHROM\tSTRAND\tTX_START\tTX_END\tEXON_START\tEXON_END\nG\tlambda\t+\t40400\t40600\t40400,40550,\t40450,40600,\n' >genes.txt
    run -stub-run --model yeast --vcf in.vcf --sites sites.bed
    run -stub-run --model "$here/../../share/godwit/models/yeast" --vcf in.vcf
    run -stub-run --splice_weights splice.safetensors --splice_genes genes.txt
    run --outdir results --splice_weights splice.safetensors --splice_genes genes.txt
    [ "$(gzip -dc results/spliced.vcf.gz | grep -c 'OpenSpliceAI=[ACGT]|G|')" -eq 30 ] || die "30 changes in a gene have no splice scores"
    [ "$(gzip -dc results/scored.vcf.gz | grep -vc '^#')" -eq 30 ] || die "30 changes were asked for"
    [ -e results/report.html ] || die "there is no report"
    # A VCF by a model that is there, by its name and by its folder: the scores of one run, and nothing is trained.
    yeast=$here/../../tests/data/yeast_I.fa.gz
    "$godwit" mutate -q -f "$yeast" -r I:71134-71143 -o yeast.vcf
    "$godwit" score -q -m yeast -f "$yeast" yeast.vcf | grep -v '^##' >once.txt
    for by in yeast "$here/../../share/godwit/models/yeast"; do
        rm -rf others
        run --outdir others --model "$by" --genome "$yeast" --vcf "$work/yeast.vcf" --score_args '' --region ''
        gzip -dc others/scored.vcf.gz | grep -v '^##' | cmp - once.txt || die "the workflow and $by do not have the same scores"
    done
    printf 'I\t71100\t71120\n' >regions.bed
    run --outdir others --model yeast-expression --genome "$yeast" --region '' --explain_regions "$work/regions.bed" --explain_args '--target complex'
    [ -s others/explained/regions.tsv ] || die "the region was not explained"
    # The example of this, with its genes, by two models in the box.
    data=$here/../../tests/data
    for by in yeast human-splice; do
        rm -rf others
        nextflow -q run "$here" -profile score --outdir others --model $by >log 2>&1 || die "nextflow -profile score, $by: $(tail -n 20 log)"
        "$godwit" score -q -m $by -f "$data/yeast_I.fa.gz" --genes "$data/yeast_I.gff3" "$data/yeast_I.vcf" 2>/dev/null | grep -v '^##' >once.txt
        [ "$(grep -c CDC19 once.txt)" -eq 3 ] || die "$by: three variants lie in CDC19: $(cat once.txt)"
        gzip -dc others/scored.vcf.gz | grep -v '^##' | cmp - once.txt || die "the example and $by do not have the same scores"
    done
    echo "nextflow: stub runs and phage lambda, with $(sed -n 's/ *version /version /p' nextflow.version)"
elif groovy -version >groovy.version 2>&1; then
    cat >parse.groovy <<'END'
import org.codehaus.groovy.control.CompilationUnit
import org.codehaus.groovy.control.Phases
args.each { def unit = new CompilationUnit(); unit.addSource(new File(it)); unit.compile(Phases.CONVERSION) }
println args.size()
END
    parsed=$(groovy parse.groovy "$here"/*.nf "$here"/*.config "$here"/conf/*.config "$here"/modules/local/*/*/main.nf 2>err | tail -n 1)
    [ "${parsed:-0}" -ge 15 ] || die "a file does not parse: $(cat err)"
    echo "skipped nextflow: it is not installed; settings, options and the syntax of $parsed files were checked, nothing was run"
else
    echo "skipped nextflow: neither it nor groovy runs here; settings and options were checked, nothing was parsed or run"
fi
