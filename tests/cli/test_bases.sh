# Labels of bases from a made genome: learnt, rated, predicted, scored, and taken on by another genome; and what bad input gets.
. "$ROOT/tests/cli/lib.sh"

# A site is the middle of GATTACAGC, on the strand that reads it.
awk "$DRAW"'BEGIN { seed = 11; for (c = 1; c <= 4; c++) { s = ""
        for (i = 0; i < 40; i++) { s = s bases(60 + draw(60)) (draw(2) ? "GATTACAGC" : "GCTGTAATC") }
        print ">c" c "\n" s } }' >g.fa
awk '/^>/ { name = substr($1, 2); next } { for (i = 1; i <= length($0) - 8; i++) { w = substr($0, i, 9)
        if (w == "GATTACAGC") print name "\t" i + 3 "\t" i + 4 "\tsite\t0\t+"
        if (w == "GCTGTAATC") print name "\t" i + 3 "\t" i + 4 "\tsite\t0\t-" } }' g.fa >sites.bed
"$GODWIT" labels -q -f g.fa --bed sites.bed --window 300 --valid c3 --test c4 -o set
"$GODWIT" finetune -q --from-scratch --size splice-80 --stem letters:32+skip+leaky-unit:9@1+skip --task bases -d set --valid set -f g.fa \
    --batch 8 --steps 35 --lr 0.003 --metric loss --seed 3 -o model

# What the folder says, and the figures of the test set.
grep -q '"task": "bases"' model/config.json && grep -q '"1": "site"' model/config.json || die "config: $(cat model/config.json)"
"$GODWIT" eval -q -m model -d set -f g.fa >table
equal "$(head -1 table | tr '\t' ' ')" "predictor class bases sites AUPRC top_k precision recall" header
sites=$(grep -c '^c4' sites.bed)
awk -F '\t' -v n="$sites" '$2 == "site" { exit !($4 == n && $5 > 0.9 && $6 > 0.9) }' table || die "figures: $(cat table)"
equal "$(sed -n 2p table | cut -f5,6)" "$(sed -n 3p table | cut -f5,6)" "the mean of one class"

# BED: the sites of the test contig on their strands, most of them; the whole genome's are as many a contig.
"$GODWIT" predict -q -m model -f g.fa -r c4 -o found.bed
grep '^c4' sites.bed | cut -f1-3,6 | sort >wanted
cut -f1-3,6 found.bed | sort >found
[ "$(comm -12 wanted found | wc -l)" -ge $((sites * 8 / 10)) ] || die "sites found: $(comm -12 wanted found | wc -l) of $sites"
awk -F '\t' '$4 != "site" || $5 < 500 || $7 < 0.5 || ($5 - 1000 * $7) ^ 2 > 1 { exit 1 }' found.bed || die "scores: $(head -3 found.bed)"
"$GODWIT" predict -q -m model -f g.fa -r c4 --at-least 0.999999 -o few.bed
[ "$(wc -l <few.bed)" -le "$(wc -l <found.bed)" ] || die "more stretches at a higher probability"
"$GODWIT" predict -q -m model -f g.fa -r c4:1-200 --bedgraph tracks
equal "$(tr '\t\n' ' ;' <tracks/tracks.tsv)" "label file;site.plus site.plus.bedgraph.gz;site.minus site.minus.bedgraph.gz;" tracks

# A change of a site is a loss of it, and a gain elsewhere; entries are called by classes.
line=$(grep '^c4' found.bed | grep '+' | head -1)
at=$(echo "$line" | cut -f3)
base=$(awk -v p="$at" '/^>/ { on = $1 == ">c4"; next } on { print substr($0, p, 1) }' g.fa)
{
    printf '##fileformat=VCFv4.2\n##contig=<ID=c4>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    printf 'c4\t%s\t.\t%s\t%s\t.\t.\t.\n' "$at" "$base" "$(echo "$base" | tr ACGT CAAA)"
    printf 'c4\t%s\t.\t%s\t%s\t.\t.\t.\n' "$at" "$base" "$base"GG
} >in.vcf
"$GODWIT" score -q -m model -f g.fa --anywhere -D 10 in.vcf >out.vcf
grep -q 'ID=GW_BASES,.*Format: ALLELE|SYMBOL|site_GAIN|site_LOSS|site_GAIN_AT|site_LOSS_AT"' out.vcf || die "header: $(grep GW_BASES out.vcf)"
grep -v '^#' out.vcf | head -1 | sed 's/.*GW_BASES=\([^;]*\).*/\1/' | awk -F '[|,]' '{ exit !($2 == "+" && $4 > 0.5 && $6 == 0) }' ||
    die "a loss: $(grep -v '^#' out.vcf)"
grep -q 'GW_DELTA=' out.vcf || die "no GW_DELTA"
"$GODWIT" score -q -m model -f g.fa --anywhere -D 10 --plain in.vcf >plain.vcf
grep -v '^#' out.vcf >a && grep -v '^#' plain.vcf >b && same a b
fails 1 "--mask is of splice sites" "$GODWIT" score -q -m model -f g.fa --anywhere -M 1 in.vcf

# Another genome goes on with the head; attention reads a context on either side.
"$GODWIT" finetune -m model --task bases -d set -f g.fa --batch 4 --steps 2 -o next 2>notes
grep -q "the model has these labels already: training continues with its head" notes || die "a new head: $(cat notes)"
"$GODWIT" finetune -q --from-scratch --size dna-mini --task bases -d set --valid set -f g.fa --batch 4 --steps 2 --context 20 -o attends
grep -q '"window": 340' attends/config.json && grep -q '"bin": 300' attends/config.json || die "windows: $(cat attends/config.json)"
"$GODWIT" eval -q -m attends -d set -f g.fa | grep -q '^model' || die "attention is not rated"
"$GODWIT" score -q -m attends -f g.fa --anywhere -D 10 in.vcf | grep -q 'GW_BASES=' || die "attention is not scored"

# Without global rows changes of as many bases share REF's layers.
"$GODWIT" finetune -q --from-scratch --size dna-mini -p window:3+block:16 --task bases -d set -f g.fa --batch 4 --steps 2 --context 60 -o near
for way in "" --plain; do
    # shellcheck disable=SC2086 # no word, or one
    "$GODWIT" score -v -m near -f g.fa --anywhere -D 10 $way in.vcf 2>"notes$way" | grep -v '^##' >"near$way.txt"
done
grep -q "an allele computes [0-9.]* % of its window's products" notes || die "nothing is shared: $(cat notes)"
! grep -q "an allele computes" notes--plain || die "--plain shares"
grep -q 'GW_BASES=' near.txt || die "nothing is scored"
same near.txt near--plain.txt

# Weights and focus of the loss: kept in the folder, where the first come off the logits again.
tune() { # OUTPUT OPTIONS...
    "$GODWIT" finetune --from-scratch --size splice-80 --stem letters:32+skip+leaky-unit:9@1+skip --task bases -d set --valid set -f g.fa \
        --batch 8 --steps 35 --lr 0.003 --metric loss --seed 3 -o "$@"
}
tune weighed --class-weights root 2>notes
grep -q 'class none weighs 0\.' notes && grep -q 'class site weighs [1-9]' notes || die "weights: $(cat notes)"
tr -d ' \n' <weighed/config.json | grep -q '"positive_weight":\[0\.' || die "weights are not kept"
"$GODWIT" eval -q -m weighed -d set -f g.fa | awk -F '\t' '$2 == "site" { exit !($5 > 0.9 && $7 > 0.7) }' || die "weighed classes"
tune focal -q --focal 2
"$GODWIT" eval -q -m focal -d set -f g.fa | awk -F '\t' '$2 == "site" { exit !($5 > 0.9) }' || die "focal loss"
fails 2 "--class-weights '1' are not 2 numbers between commas" tune x --class-weights 1
fails 2 "--class-weights 'much'" tune x --class-weights much

# Classes that overlap: each by itself. The second one covers sites and the bases around them.
awk -F '\t' -v OFS='\t' '{ print } { print $1, $2 - 2, $3 + 2, "around", 0, $6 }' sites.bed >both.bed
"$GODWIT" labels -q -f g.fa --bed both.bed --overlap all --window 300 --valid c3 --test c4 -o both
equal "$(gzip -dc both.classes.bed.gz | grep -c .)" "$(grep -c . both.bed)" "intervals of classes that overlap"
"$GODWIT" finetune -q --from-scratch --size splice-80 --stem letters:32+skip+leaky-unit:9@1+skip --task bases -d both --valid both -f g.fa \
    --batch 8 --steps 120 --lr 0.005 --metric loss --seed 3 -o overlap
grep -q '"overlap": true' overlap/config.json || die "the folder does not say that classes overlap"
"$GODWIT" eval -q -m overlap -d both -f g.fa >table
awk -F '\t' -v n="$sites" '$2 == "site" { a = $4 == n && $5 > 0.9 } $2 == "around" { b = $4 == 5 * n && $5 > 0.9 } END { exit !(a && b) }' table ||
    die "figures: $(cat table)"
"$GODWIT" predict -q -m overlap -f g.fa -r c4 -o found.bed
awk -F '\t' '$4 == "around" { for (i = $2; i < $3; i++) at[i $6] = 1 } $4 == "site" { n++; both += at[$2 $6] } END { exit !(n > 5 && both > 0.8 * n) }' \
    found.bed found.bed || die "stretches that overlap: $(head -4 found.bed)"
"$GODWIT" score -q -m overlap -f g.fa --anywhere -D 10 in.vcf | grep -v '^#' | head -1 | sed 's/.*GW_BASES=\([^;]*\).*/\1/' |
    awk -F '[|,]' '{ exit !($2 == "+" && ($4 > 0.4 || $6 > 0.4)) }' || die "a loss where classes overlap"
"$GODWIT" labels -q -f g.fa --bed both.bed --window 300 --test c4 -o last
"$GODWIT" finetune -q --from-scratch --size splice-80 --task bases -d last -f g.fa --batch 2 --steps 1 -o last-model
fails 1 "classes of the set overlap, and classes of the model exclude each other" "$GODWIT" eval -q -m last-model -d both -f g.fa
fails 2 "--focal needs classes that exclude each other" \
    "$GODWIT" finetune -q --from-scratch --size splice-80 --task bases -d both -f g.fa --focal 2 -o x

# Open reading frames, where the set has coding sequence.
awk "$DRAW"'BEGIN { seed = 5; s = "ATG"; for (i = 0; i < 120; i++) s = s "GCC"; print ">c1\n" bases(39) "TAACTAACTAA" s "TAATTAGTTAGTTA" bases(39) }' >orf.fa
printf 'c1\t53\t413\tCDS\t0\t+\nc1\t50\t53\tstart\t0\t+\nc1\t413\t416\tstop\t0\t+\n' >orf.bed
"$GODWIT" labels -q -f orf.fa --bed orf.bed --window 500 -o orf
"$GODWIT" finetune -q --from-scratch --size splice-80 --task bases -d orf -f orf.fa --batch 2 --steps 1 -o coding
"$GODWIT" eval -q -m coding -d orf -f orf.fa --split train --orfs | grep ORF | cut -f2,4- | tr '\t\n' ' ;' >orfs
equal "$(cat orfs)" "CDS 360 1.000000 1.000000 1.000000 1.000000;start 3 1.000000 1.000000 1.000000 1.000000;\
stop 3 1.000000 1.000000 1.000000 1.000000;" "open reading frames"

fails 2 "--task bases needs the genome of its sets" "$GODWIT" finetune --from-scratch --size splice-80 --task bases -d set -o x
fails 2 "--metric auroc is not one of --task bases" \
    "$GODWIT" finetune --from-scratch --size splice-80 --task bases -d set -f g.fa --metric auroc -o x
fails 1 "the set has 2 classes (none among them), the model 4" "$GODWIT" eval -q -m coding -d set -f g.fa
fails 2 "labels of bases need a genome" "$GODWIT" predict -q -m model -d set
fails 2 "--at-least" "$GODWIT" predict -q -m model -f g.fa --at-least 2
fails 1 "ends with a row for 2 bases" \
    "$GODWIT" finetune -q --from-scratch --size dna-mini --stem conv:5+pool:2+attention --task bases -d set -f g.fa -o x
printf 'c1\t0\t10\tsite\t0\t+\nc1\t5\t10\tsite\t0\t+\n' | gzip >set.classes.bed.gz
fails 1 "overlaps line 1 of the same class and strand" "$GODWIT" eval -q -m model -d set -f g.fa
printf 'c1\t0\t10\tother\t0\t+\n' | gzip >set.classes.bed.gz
fails 1 "set.classes.bed.gz:1: the class 'other' is none of the set's labels" "$GODWIT" eval -q -m model -d set -f g.fa
