# Measured promoters of yeast: which rows leave training, and which test rows share sequence with it (docs/lab/yeast-expression.md).
. "$ROOT/tests/cli/lib.sh"
measured="$GODWIT_DATA/measured/yeast"
needs_data measured/yeast/native_tiles_R64.tsv.gz
genome="$GODWIT_DATA/yeast/R64-1-1.fa.gz"
overlaps() { "$GODWIT" overlaps -q "$@" | cut -f2- | sed 1d | tr '\t\n' ' |'; }

# Rows of what trains that stand in DREAM's public test set as a whole: 2,198 of the complex medium's.
overlaps -d "$measured/random_complex.tsv.gz" -d "$measured/designed_complex.tsv.gz" -d "$measured/drifted_complex.tsv.gz" \
    --with "$measured/dream2022_public.tsv.gz" >found
equal "$(cat found)" "2954 137 134|9892 8545 1962|2983 633 102|" "rows of DREAM's test set"

# Native tiles with both replicates, by chromosome; those that share 31 bases with a measured single-base change leave training.
zcat "$measured/native_tiles_R64.tsv.gz" | awk -F '\t' 'NR == 1 { for (f = 1; f <= 3; f++) print >("tiles." f) }
    NR > 1 && $5 != "NA" && $6 != "NA" && $1 != "Mito" { print >("tiles." ($1 == "VII" || $1 == "XIII" ? 3 : $1 == "XI" ? 2 : 1)) }'
equal "$(wc -l tiles.1 tiles.2 tiles.3 | awk '{ print $1 - 1 }' | head -3 | tr '\n' ' ')" "47671 3314 10251 " "tiles"
equal "$(overlaps -f "$genome" -d tiles.1 -d tiles.2 -d tiles.3 --with "$measured/native_snv_sequences.tsv.gz")" \
    "47671 582 0|3314 5 0|10251 9 0|" "tiles that share 31 bases with measured changes"
"$GODWIT" overlaps -q -f "$genome" -d tiles.1 --with "$measured/native_snv_sequences.tsv.gz" --clean train.tsv >found
equal "$(($(wc -l <train.tsv) - 1))" 47089 "training tiles that are left"
equal "$(overlaps -f "$genome" -d tiles.2 -d tiles.3 --with tiles.1)" "3314 46 0|10251 211 0|" "tiles beside all of the training chromosomes"
equal "$(overlaps -f "$genome" -d tiles.2 -d tiles.3 --with train.tsv)" "3314 43 0|10251 206 0|" "tiles beside training tiles"

# Test rows of the model in the box that share 31 bases with what trained it, for which results stand apart.
has python3 || exit 0
python3 "$ROOT/tests/bench/expression.py" tables "$measured" "$genome" "$GODWIT" t >/dev/null
for set in dream test snv natural; do
    overlaps -d t/$set.tsv --with t/train.tsv --overlaps shared.$set.tsv
done >found
equal "$(cat found)" "9045 4627 1|10251 325 23|2937 0 0|31680 22306 273|" "test rows that share with training"
