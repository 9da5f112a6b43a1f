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
