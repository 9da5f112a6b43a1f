# godwit predict: sets and regions, strands, ln w taken off, windows that do not fit.
. "$ROOT/tests/cli/lib.sh"

prepared windows
grep -q '"positive_weight": 8' model/config.json || die "the positive weight is not 8"
grep -q '"bin": 20' model/config.json || die "the bin is not kept"
grep -q '"reference_md5"' model/config.json || die "the reference is not kept"

"$GODWIT" predict -q -m model -d set -f g.fa -o both.tsv
"$GODWIT" predict -q -m model -d set -f g.fa --one-strand -o one.tsv
equal "$(head -1 both.tsv | tr '\t' ' ')" "region A B" header
equal "$(sed -n 2p both.tsv | cut -f1)" "c1:1-60" "first window"
equal "$(wc -l <both.tsv | tr -d ' ')" 99 rows

# Regions give what the set gives: as wide as the window, or named by their middle.
"$GODWIT" predict -q -m model -f g.fa -r c1:1-60,c1:21-80 >regions.tsv
head -3 both.tsv >expected.tsv
same regions.tsv expected.tsv
printf 'c1\t30\t31\nc1\t40\t60\nc1\t5\t6\n' >middles.bed
"$GODWIT" predict -m model -f g.fa -R middles.bed 2>notes >regions.tsv
same regions.tsv expected.tsv
grep -q "1 windows leave their contig" notes || die "no warning: $(cat notes)"

# Names and strands of a BED file stay, so that the output joins.
printf 'c1\t0\t60\tone\t0\t-\nc1\t20\t80\n' >named.bed
"$GODWIT" predict -q -m model -f g.fa -R named.bed | cut -f1-3 | tr '\t\n' ' ,' >named.txt
equal "$(cat named.txt)" "region name strand,c1:1-60 one -,c1:21-80 . .," "names and strands"

# Both strands: the mean of the window and its reverse complement, whatever the batch.
printf 'c1\t0\t60\tx\t0\t+\nc1\t0\t60\tx\t0\t-\n' >strands.bed
"$GODWIT" predict -q -m model -f g.fa -R strands.bed --one-strand >strands.tsv
mean=$(awk 'NR > 1 { s += $4 } END { printf "%.5f", s / 2 }' strands.tsv)
equal "$(sed -n 2p both.tsv | awk '{ printf "%.5f", $2 }')" "$mean" "mean of both strands"
[ "$(sed -n 2p strands.tsv | cut -f4)" != "$(sed -n 3p strands.tsv | cut -f4)" ] || die "the strands agree exactly"
"$GODWIT" predict -q -m model -d set -f g.fa --batch-tokens 64 -@ 1 -o small.tsv
paste both.tsv small.tsv | awk 'NR > 1 { for (i = 2; i <= 3; i++) { d = $i - $(i + 3); if (d > 1e-6 || d < -1e-6) exit 1 } }' ||
    die "probabilities depend on the batch"

# FASTA without regions: each record, by its name, as the same sequence of a table.
printf '>one x\n%s\n>two\n%s\n>one\n%s\n' "$(sed -n 2p g.fa)ACGTACGTAC" "$(sed -n 3p g.fa)acgtn" "$(sed -n 4p g.fa)" >records.fa
{ echo sequence && awk '!/>/ { print toupper($0) }' records.fa; } >records.csv
"$GODWIT" predict -m model -f records.fa >records.tsv 2>notes
grep -q "trained on 60 bp" notes || die "no warning of other widths: $(cat notes)"
grep -q attention notes && die "full attention is not a note: $(cat notes)"
"$GODWIT" predict -q -m model -d records.csv >rows.tsv
equal "$(cut -f1 records.tsv | tr '\n' ' ')" "name one two one " "names of records"
cut -f2- records.tsv >found && cut -f2- rows.tsv >expected && same found expected
gzip -c records.fa | "$GODWIT" predict -q -m model -m model -f - >piped.tsv
same piped.tsv records.tsv
fails 1 "g.fa: record 'c1' is longer than the 62 bp that fit the model; of a genome, name regions" "$GODWIT" predict -q -m model -f g.fa
fails 1 "protein.fa: record 'p': 'E' at base 2 stands for no nucleotide" sh -c 'printf ">p\nMEA\n" >protein.fa; "$0" predict -q -m model -f protein.fa' "$GODWIT"
fails 1 "empty.fa: no sequence found" sh -c ': >empty.fa; "$0" predict -q -m model -f empty.fa' "$GODWIT"
fails 2 "--genes and --chr-map are for regions" "$GODWIT" predict -m model -f records.fa --genes g.gff

fails 2 "give either a set" "$GODWIT" predict -m model
fails 2 "regions need their genome" "$GODWIT" predict -m model -r c1:1-60
fails 1 "needs its genome" "$GODWIT" predict -q -m model -d set
gzip -dc set.bed.gz | cut -f1-3 >plain.bed
for part in labels names.tsv; do cp set.$part plain.$part; done
fails 1 "plain.bed has no splits, so no test part" "$GODWIT" predict -q -m model -d plain -f g.fa --split test
printf 'sequence\n%s\n' "$(sed -n 2,3p g.fa | tr -d '\n')" >long.csv
fails 1 "windows of 100 bp do not fit the model" "$GODWIT" predict -q -m model -d long.csv
printf 'sequence\nACGTNNRYKMacgtu\n' >short.csv
"$GODWIT" predict -m model -d short.csv 2>notes >short.tsv
grep -q "trained on 60 bp" notes || die "no warning of another width: $(cat notes)"
equal "$(sed -n 2p short.tsv | cut -f1)" 1 "a row by its number"
fails 1 "no model 'nothing' is installed" "$GODWIT" predict -q -m nothing -d short.csv
"$GODWIT" predict -q -m model -d set -f g.fa -o /dev/full 2>err && die "a full disk went unnoticed"
grep -q "cannot write" err || die "full disk: $(cat err)"

# Ensembles: the mean of the probabilities; eval rates it, by groups too.
"$GODWIT" finetune -q --from-scratch -c config.json --task profiles -d set -f g.fa -o second --seed 2 --steps 3 --lr 1e-2 --batch 8 -@ 1
for m in model second; do "$GODWIT" predict -q -m $m -d set -f g.fa -o $m.tsv; done
"$GODWIT" predict -q -m model -m second -d set -f g.fa -o mean.tsv
equal "$(cut -f1 mean.tsv | md5sum)" "$(cut -f1 model.tsv | md5sum)" "rows of an ensemble"
paste model.tsv second.tsv mean.tsv | awk 'NR > 1 { for (l = 2; l <= 3; l++) { d = ($l + $(l + 3)) / 2 - $(l + 6); if (d > 2e-7 || d < -2e-7) exit 1 }
    differ += $2 != $5 } END { exit !(NR == 99 && differ > 90) }' || die "the mean of two models"
"$GODWIT" predict -q -m model -m model -m model -d set -f g.fa -o thrice.tsv
paste model.tsv thrice.tsv | awk 'NR > 1 { d = $2 - $5; if (d > 2e-7 || d < -2e-7) exit 1 }' || die "three times the same model"
awk -F'\t' -v OFS='\t' '{ print $1 == "A" ? "marks" : "factors", $0 }' set.names.tsv | awk -F'\t' -v OFS='\t' 'NR > 1 { print $2, $1 }' >groups.tsv
"$GODWIT" eval -q -m model -m second -d set -f g.fa --split all --groups groups.tsv --per-target targets.tsv >rated.tsv
equal "$(cut -f1,2 rated.tsv | tr '\t\n' ': ')" \
    "scope:targets mean:2 median:2 mean_10:2 median_10:2 mean:marks:1 median:marks:1 mean:factors:1 median:factors:1 " "rows"
equal "$(sed -n '/^mean:marks/p' rated.tsv | cut -f8)" "$(sed -n '/^A	/p' targets.tsv | cut -f7)" "AUROC of a group of one"
"$GODWIT" eval -q -m model -d set -f g.fa --split all >one.rated.tsv
equal "$(wc -l <one.rated.tsv | tr -d ' ')" 5 "rows without groups"
fails 1 "the groups of DeepSEA are of 919 targets, the set has 2" "$GODWIT" eval -q -m model -d set -f g.fa --split all --groups deepsea
printf 'A\tx\nC\tx\n' >bad.tsv
fails 1 "bad.tsv:2: the set has no target 'C'" "$GODWIT" eval -q -m model -d set -f g.fa --split all --groups bad.tsv
printf 'A x\n' >bad.tsv
fails 1 "bad.tsv:1: expected a target and its group, joined by a tab" "$GODWIT" eval -q -m model -d set -f g.fa --split all --groups bad.tsv
printf '#comment\nB\tx\n' >some.tsv
"$GODWIT" eval -q -m model -d set -f g.fa --split all --groups some.tsv 2>err >rated.tsv
grep -q "some.tsv: 1 targets are in no group" err || die "no warning: $(cat err)"
"$GODWIT" profiles -q -f g.fa --bin 20 --window 60 --label midpoint -o other peaks.bed
"$GODWIT" finetune -q --from-scratch -c config.json --task profiles -d other -f g.fa -o other.model --steps 1 -@ 1
fails 1 "other.model has other labels than model" "$GODWIT" predict -q -m model -m other.model -d set -f g.fa
"$GODWIT" profiles -q -f g.fa --bin 20 --window 40 --label midpoint --target-from column4 -o narrow peaks.bed
"$GODWIT" finetune -q --from-scratch -c config.json --task profiles -d narrow -f g.fa -o narrow.model --steps 1 -@ 1
fails 1 "narrow.model was trained on other windows than model" "$GODWIT" predict -q -m model -m narrow.model -d set -f g.fa
