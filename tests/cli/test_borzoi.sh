# Borzoi and Flashzoi: folders of borzoi-pytorch as models (tests/oracle/borzoi_oracle.py), parts of windows beside whole ones, and what is refused.
. "$ROOT/tests/cli/lib.sh"
data=$ROOT/tests/data/borzoi
genome 1 400 c >genome.fa
for model in borzoi flashzoi; do
    "$GODWIT" convert -q --from borzoi -m "$data/$model" -o $model 2>notes
    for way in '' --plain; do
        "$GODWIT" score -v -m $model -f genome.fa --all-snvs -r c1:10000-10004 $way -o "$model$way.vcf.gz" 2>"$model$way.notes"
        gzip -dc "$model$way.vcf.gz" | grep -v '^#' >"$model$way.txt"
    done
    cmp $model.txt $model--plain.txt || die "$model: parts of windows are not as whole windows"
    equal "$(grep -c 'GW_LFC=-*[0-9]' $model.txt)" 15 "scored alleles of $model"
    grep -q 'an allele computes [0-9.]* % of its window' $model.notes || die "$model: no share: $(cat $model.notes)"
done

# Some tracks alone are as among all; scores of other tracks, or of fewer bins, are not taken as known ones.
"$GODWIT" score -q -m borzoi -f genome.fa --all-snvs -r c1:10000-10001 --track 1 --top 1 -o one.vcf.gz 2>notes
gzip -dc borzoi.vcf.gz | grep -v '^##' | awk 'NR == 2' | grep -o '|LABEL_1|[^,;]*' >all
gzip -dc one.vcf.gz | grep -v '^##' | awk 'NR == 2' | grep -o '|LABEL_1|[^,;]*' >one
[ -s one ] && cmp one all || die "a track alone: $(cat one), among all: $(cat all)"
for other in '--track 0' '--track 1 --around 64'; do
    ! "$GODWIT" score -q -m borzoi -f genome.fa --all-snvs -r c1:10000-10001 $other --known one.vcf.gz -o no.vcf.gz 2>notes || die "taken as known: $other"
done
! "$GODWIT" score -q -m borzoi -f genome.fa --all-snvs -r c1:10000-10001 --track x -o no.vcf.gz 2>notes || die "no such track"
grep -q "the model has no track 'x' among its" notes || die "$(cat notes)"

# A mouse head, whose tracks stand behind those of human: here copies of two of these (tests/oracle/borzoi_oracle.py).
"$GODWIT" convert -q --from borzoi -m "$data/mouse" -o mouse 2>notes
"$GODWIT" score -q -m mouse -f genome.fa --all-snvs -r c1:10000-10001 -o mouse.vcf.gz 2>notes
track() { gzip -dc "$1" | grep -v '^#' | grep -o "|$2|[^,;]*" | sed 's/^|[^|]*//'; }
equal "$(gzip -dc mouse.vcf.gz | grep -v '^#' | head -n 1 | grep -o '|[hm][a-z]*_[0-9]|' | sort | tr -d '\n')" "|human_0||human_1||human_2||human_3||human_4||mouse_0||mouse_1|" "tracks of two species"
equal "$(track mouse.vcf.gz mouse_0)" "$(track mouse.vcf.gz human_2)" "a track of mouse"
equal "$(track mouse.vcf.gz mouse_1)" "$(track borzoi.vcf.gz LABEL_0 | head -n 6)" "another, beside the model without mouse"
"$GODWIT" score -q -m mouse -f genome.fa --all-snvs -r c1:10000-10001 --track mouse_1,human_3 -o some.vcf.gz 2>notes
for name in mouse_1 human_3; do equal "$(track some.vcf.gz $name)" "$(track mouse.vcf.gz $name)" "$name alone"; done
! "$GODWIT" score -q -m mouse -f genome.fa --all-snvs -r c1:10000-10001 --track '~_' -o no.vcf.gz 2>notes || die "more tracks than the first head has"
grep -q "at most 5 tracks can be chosen of this model; the list has 7" notes || die "$(cat notes)"

# Start sites of genes: rows around them, of the genes whose rows are all predicted. Position 10001 lies in the bin of 9985 to 10016.
bases=$(sed 1d genome.fa | tr -d '\n')
at=$(printf %s "$bases" | cut -c 10001)
variant=c1:10001:$at:$(printf %s "$at" | tr ACGT CATA)
gff() { awk -v OFS='\t' '{ print "c1", "made", "gene", $2, $3, ".", $4, ".", "ID=" $1 ";Name=" $1 }'; }
score() { "$GODWIT" score -q -m borzoi -f genome.fa --variants "$variant" "$@" 2>notes | grep -v '^#' | cut -f 8 | tr ';' '\n'; }
printf 'here 10001 11000 +\nbehind 9000 10200 -\nbefore 9700 9900 +\nedge 10640 10700 +\nfar 12000 13000 +\nnone 10100 10200 .\n' | gff >genes.gff3
score --genes genes.gff3 --around 128 --around-tss 128 --top 1 >found
equal "$(sed -n 's/^GW_TSS=//p' found | tr ',' '\n' | cut -d '|' -f 2,3 | tr '\n' ' ')" "here|0 behind|199 before|-301 " "genes, the nearest first"
equal "$(sed -n 's/^GW_TSS=//p' found | tr ',' '\n' | sed -n 1p | cut -d '|' -f 4-)" "$(sed -n 's/^GW_TRACKS=//p' found | cut -d '|' -f 2-)" "signal at a start site and at a variant in its bin"
equal "$(score --genes genes.gff3 --top 5 | grep -o '|before|' | wc -l | tr -d ' ')" 5 "tracks of a gene"
equal "$(sed -n 's/^GW_GENE=//p' found)" "behind&here" "genes that the variant lies in"
awk 'BEGIN { for (i = 0; i < 40; i++) print "g" i, 9985 - 640 + 32 * i + 7, 20000, "+" }' | gff >bins.gff3
score --genes bins.gff3 --around-tss 32 --track 1 >found
sed -n 's/^GW_TSS=//p' found | tr ',' '\n' | awk -F '|' '{ ref += $5; alt += $6 } END { print NR, ref, alt }' >sums
sed -n 's/^GW_TRACKS=//p' found | awk -F '|' '{ print 40, $3, $4 }' | paste -d ' ' sums - | awk '$1 != $4 || ($2 / $5 - 1) ^ 2 > 1e-10 || ($3 / $6 - 1) ^ 2 > 1e-10' >wrong
[ -s sums ] && [ ! -s wrong ] || die "the bins of all start sites are not all bins: $(cat wrong)"
variant=c1:10001:$at:$at$(printf %032d | tr 0 A) # behind 32 more bases ALT has a start site a bin further
score --genes bins.gff3 --around-tss 32 --track 1 | sed -n 's/^GW_TSS=//p' | tr ',' '\n' | grep -c '|g' >found
equal "$(cat found)" 39 "start sites with an insertion of a bin: the last one's bin is not predicted"
"$GODWIT" score -q -m borzoi -f genome.fa --variants "$variant" --genes genes.gff3 --table genes.tsv 2>notes
equal "$(head -n 1 genes.tsv | tr '\t' '\n' | grep GW_TSS | tr '\n' ' ')" "GW_TSS_GENE GW_TSS_AT GW_TSS_TRACK GW_TSS_REF GW_TSS_ALT GW_TSS_LFC " "columns of start sites"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } NR == 2 { print $c["GW_TSS_GENE"], $c["GW_TSS_AT"] }' genes.tsv >found
equal "$(cat found)" "here 0" "the nearest gene in a table"
fails 2 "--around-tss is of the start sites of --genes" "$GODWIT" score -m borzoi -f genome.fa --around-tss 64 --variants "$variant"
printf 'none 10100 10200 .\n' | gff >strandless.gff3
fails 1 "has no gene with a strand" "$GODWIT" score -m borzoi -f genome.fa --genes strandless.gff3 --variants "$variant"

# What is refused.
refused() { # MESSAGE FOLDER
    ! "$GODWIT" convert --from borzoi -m "$2" -o refused >out 2>notes || die "not refused: $1"
    grep -qF -- "$1" notes || die "expected '$1' in: $(cat notes)"
    [ ! -e refused ] || die "half a folder"
}
cp -r "$data/borzoi" odd
change() { sed "$1" "$data/borzoi/config.json" >odd/config.json; }
change 's/"input_length": 4096/"input_length": 4100/'
refused '"input_length" is 4100, expected a multiple of 128' odd
change 's/"bins_to_return": 40/"bins_to_return": 400/'
refused '"bins_to_return" is 400; a window of 4096 bases has 128 bins of 32' odd
change 's/"depth": 2/"depth": 3/'
refused 'no tensor transformer.2.0.fn.0.weight: not weights of Borzoi or Flashzoi' odd
change 's/"dim": 24/"dim": 32/'
refused 'has the shape' odd
