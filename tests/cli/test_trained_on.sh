# Which genomes a model was trained on: its folder says so, score notes another genome, and a model that does not say is
# taken as it is.
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

# The note: of another genome, whatever its contigs are called; not of a part, of other names, or under -q.
for genome in genome other named part; do
    "$GODWIT" mutate -q -f $genome.fa -r "$(sed -n '1s/>//p' $genome.fa):500-501" -o $genome.vcf
    "$GODWIT" score -m model -f $genome.fa --window 40 $genome.vcf 2>notes >out.vcf
    case $genome in
    other) grep -q "other.fa is not a genome that model was trained on (0 % of its bases" notes || die "no note: $(cat notes)" ;;
    *) ! grep -q 'trained on' notes || die "a note of $genome: $(cat notes)" ;;
    esac
    grep -q GW_LLR= out.vcf || die "$genome is not scored"
done
"$GODWIT" background -m model -f other.fa --window 40 -o b.tsv other.vcf 2>notes
grep -q 'other.fa is not a genome that model was trained on' notes || die "background says nothing: $(cat notes)"
"$GODWIT" score -q -m model -f other.fa --window 40 other.vcf 2>notes >out.vcf
[ ! -s notes ] || die "a note under -q: $(cat notes)"

# Models that are made of it know its genomes too; of the same contigs there is one line.
"$GODWIT" convert -m model -o half --dtype f16
same half/training.chrom.sizes model/training.chrom.sizes
train -m model -f genome.fa,other.fa -o both
equal "$(tr '\t\n' ': ' <both/training.chrom.sizes)" "one:3000 two:900 chr9:2000 " "two genomes"
printf 'chr9\t%s\t%s\n' 300 320 600 620 900 920 1200 1220 >peaks.bed
"$GODWIT" profiles -q -f other.fa --bin 20 --window 60 --label midpoint -o set peaks.bed
"$GODWIT" finetune -q -m model --task profiles -d set -f other.fa -o tuned --steps 1 -@ 1
same both/training.chrom.sizes tuned/training.chrom.sizes

# What else a model was trained on nobody knows.
"$GODWIT" corpus -q -f genome.fa -n 2 --sentences 3-5 --sentence-length 20-40 --max-offset 10 -o corpus.txt
"$GODWIT" bpe -q -v 16 -o tok.json corpus.txt
"$GODWIT" encode -q -m tok.json -o sh corpus.txt
train -c config.json -d sh -o again
[ ! -e again/training.chrom.sizes ] || die "a genome of shards"
"$GODWIT" score -m again -f other.fa --window 40 other.vcf 2>notes >out.vcf
! grep -q 'trained on' notes || die "a model that does not say: $(cat notes)"
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

# The model in the box knows yeast.
"$GODWIT" mutate -q -f "$ROOT/tests/data/yeast_I.fa.gz" -r I:71134 -o yeast.vcf
"$GODWIT" score -m yeast -f "$ROOT/tests/data/yeast_I.fa.gz" -o out.vcf yeast.vcf 2>notes
! grep -q 'trained on' notes || die "yeast is strange to its model: $(cat notes)"
"$GODWIT" score -m yeast -f other.fa -o out.vcf other.vcf 2>notes
grep -q 'other.fa is not a genome that yeast was trained on' notes || die "no note: $(cat notes)"
