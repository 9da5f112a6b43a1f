# Which genomes a model was trained on: its folder says so, score warns of another genome, and of a model that does not say
# there is a note.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/pretrain.sh"
{ echo ">one" && repetitive 3000 1 && echo ">two" && repetitive 900 2; } >genome.fa
{ echo ">chr9" && repetitive 2000 3; } >other.fa
sed 's/^>one/>NC_01.1/; s/^>two/>NC_02.1/' genome.fa >named.fa
awk '/^>two/ { exit } { print }' genome.fa >part.fa
cat >config.json <<'END'
{"model_type": "big_bird", "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
 "intermediate_size": 32, "max_position_embeddings": 66, "attention_type": "original_full"}
END
train() { "$GODWIT" pretrain -q --steps 1 --batch-tokens 256 -@ 1 "$@"; }
train -c config.json -f genome.fa -o model
equal "$(tr '\t\n' ': ' <model/training.chrom.sizes)" "one:3000 two:900 " "contigs of the genome"

# The warning: of another genome, whatever its contigs are called; not of some contigs of it, or of other names.
foreign='warning: This genome does not look like the one that the model was trained on; do not use these scores.'
for genome in genome other named part; do
    "$GODWIT" mutate -q -f $genome.fa -r "$(sed -n '1s/>//p' $genome.fa):500-501" -o $genome.vcf
    "$GODWIT" score -m model -f $genome.fa --window 40 $genome.vcf 2>notes >out.vcf
    case $genome in
    other) grep -qF "$foreign Only 0 % of the bases of other.fa lie on contigs as long as those of the genome of model" notes || die "no warning: $(cat notes)" ;;
    *) ! grep -q 'trained on' notes || die "a warning of $genome: $(cat notes)" ;;
    esac
    grep -q GW_LLR= out.vcf || die "$genome is not scored"
done
"$GODWIT" background -m model -f other.fa --window 40 -o b.tsv other.vcf 2>notes
grep -qF "$foreign" notes || die "background says nothing: $(cat notes)"
"$GODWIT" score -q -m model -f other.fa --window 40 other.vcf 2>notes >out.vcf
grep -qF "$foreign" notes || die "no warning under -q: $(cat notes)"
echo '{"id": 1, "region": "chr9:500-500"}' | "$GODWIT" serve -q -m model -f other.fa --window 40 2>notes >out.json
grep -qF "$foreign" notes || die "serve says nothing: $(cat notes)"

# Models that are made of it know its genomes too; of the same contigs there is one line.
"$GODWIT" convert -m model -o half --dtype f16
same half/training.chrom.sizes model/training.chrom.sizes
train -m model -f genome.fa,other.fa -o both
equal "$(tr '\t\n' ': ' <both/training.chrom.sizes)" "one:3000 two:900 chr9:2000 " "two genomes"
printf 'chr9\t%s\t%s\n' 300 320 600 620 900 920 1200 1220 >peaks.bed
"$GODWIT" profiles -q -f other.fa --bin 20 --window 60 --label midpoint -o set peaks.bed
"$GODWIT" finetune -q -m model --task profiles -d set -f other.fa -o tuned --steps 1 -@ 1
same both/training.chrom.sizes tuned/training.chrom.sizes
"$GODWIT" predict -q -m tuned -f genome.fa -r one:501-560 -o out.tsv 2>notes
[ ! -s notes ] || die "predict warns of its genome: $(cat notes)"
head -20 other.fa >shorter.fa
"$GODWIT" predict -q -m tuned -f shorter.fa -r chr9:501-560 -o out.tsv 2>notes
grep -qF "$foreign" notes || die "predict says nothing: $(cat notes)"

# Labelled sequences alone: those of the genome that the model began with, unless -f names another one.
table_row() { sed 1d other.fa | tr -d '\n' | cut -c"$1"; }
{ printf 'sequence\tlabel\n' && for i in 1 2 3 4 5 6; do printf '%s\t%s\n' "$(table_row "${i}01-${i}60")" $((i % 2)); done; } >rows.tsv
tune() { "$GODWIT" finetune --task promoter --tss-offset 10 -d rows.tsv --steps 1 -@ 1 "$@" 2>notes; }
tune -m model -o rows
same model/training.chrom.sizes rows/training.chrom.sizes
grep -q 'rows: the sequences are assumed to be from the genome that model was trained on; if they are from another genome, name it with -f' notes || die "no note of the genome: $(cat notes)"
tune -m model -f other.fa -o named
same both/training.chrom.sizes named/training.chrom.sizes
! grep -q 'with -f' notes || die "a note beside -f: $(cat notes)"
tune --from-scratch -c config.json -o fresh
[ ! -e fresh/training.chrom.sizes ] || die "a fresh model's genome from nowhere"
grep -q 'fresh does not record the genome of its sequences, so score cannot warn if it is given another genome: name the genome with -f' notes || die "no note: $(cat notes)"
tune --from-scratch -c config.json -f other.fa -o fresh2
equal "$(tr '\t' : <fresh2/training.chrom.sizes)" chr9:2000 "the genome of a fresh model"

# What else a model was trained on nobody knows.
"$GODWIT" corpus -q -f genome.fa -n 2 --sentences 3-5 --sentence-length 20-40 --max-offset 10 -o corpus.txt
"$GODWIT" bpe -q -v 16 -o tok.json corpus.txt
"$GODWIT" encode -q -m tok.json -o sh corpus.txt
train -c config.json -d sh -o again
[ ! -e again/training.chrom.sizes ] || die "a genome of shards"
"$GODWIT" score -m again -f other.fa --window 40 other.vcf 2>notes >out.vcf
grep -q 'godwit: again does not say which genome it was trained on: make sure that it was other.fa' notes || die "no note: $(cat notes)"
"$GODWIT" finetune -q -m again --task profiles -d set -f other.fa -o unknown --steps 1 -@ 1
[ ! -e unknown/training.chrom.sizes ] || die "a model that began with an unknown one"

# By hand: a .fai, or its first two columns; what is neither is an error.
printf 'x\t2000\t6\t60\t61\n' >again/training.chrom.sizes
"$GODWIT" score -m again -f other.fa --window 40 other.vcf 2>notes >out.vcf
! grep -q 'trained on' notes || die "a .fai: $(cat notes)"
printf 'x\t2000\ny\tlong\n' >again/training.chrom.sizes
fails 1 "again/training.chrom.sizes:2: the length of y: 'long'" "$GODWIT" score -q -m again -f other.fa --window 40 other.vcf
printf 'x 2000\n' >again/training.chrom.sizes
fails 1 "again/training.chrom.sizes:1: expected a contig's name, a tab and its length" "$GODWIT" score -q -m again -f other.fa --window 40 other.vcf

# Models in the box know their genomes.
"$GODWIT" mutate -q -f "$ROOT/tests/data/yeast_I.fa.gz" -r I:71134 -o yeast.vcf
"$GODWIT" score -m yeast -f "$ROOT/tests/data/yeast_I.fa.gz" -o out.vcf yeast.vcf 2>notes
! grep -q 'trained on' notes || die "yeast is strange to its model: $(cat notes)"
printf 'chr9\t500\t501\tsite\t0\t+\n' >site.bed
for folder in "$ROOT"/share/godwit/models/*/; do
    name=$(basename "$folder")
    case $name in
    *-promoter) sites="--sites site.bed" ;;
    *) sites='' ;;
    esac
    # shellcheck disable=SC2086
    "$GODWIT" score -q -m "$name" -f other.fa $sites -o out.vcf other.vcf 2>notes
    grep -qF "$foreign" notes || die "$name does not warn of another genome: $(cat notes)"
done
