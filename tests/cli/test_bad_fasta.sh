# Genomes, regions and indices that are wrong: exit status 1, a message that says where, and no output.
. "$ROOT/tests/cli/lib.sh"
lambda="$ROOT/tests/data/lambda.fa.gz"
corpus() { "$GODWIT" corpus -f "$@" -o out.txt; }
refused() {
    fails 1 "$@"
    [ ! -e out.txt ] || die "an output was left: $*"
}

# FASTA.
: >empty.fa
refused "empty.fa: no sequence found: the FASTA is empty" corpus empty.fa
refused "empty.fa: no sequence found: the FASTA is empty" corpus empty.fa -r a
printf '' | gzip >empty.fa.gz
refused "empty.fa.gz: no sequence found: the FASTA is empty" corpus empty.fa.gz
printf '>a\nACGT\n>b\nAC\n>a\nAC\n' >twice.fa
refused "twice.fa:5: contig 'a' occurs twice, first in line 1" corpus twice.fa
refused "twice.fa:5: contig 'a' occurs twice, first in line 1" corpus twice.fa -r b
printf 'a\t4\t3\t4\t5\na\t2\t11\t2\t3\n' >twice.fa.fai
printf '>a\nACGT\n>a\nAC\n' >twice.fa
touch twice.fa.fai
refused "twice.fa: contig 'a' occurs twice" corpus twice.fa
printf '>a\nAC\nA;C\n' >letters.fa
refused "letters.fa:3: expected sequence letters, found ';'" corpus letters.fa
printf 'VCF\n' >other.fa
refused "other.fa:1: expected a FASTA header ('>'), found 'V'" corpus other.fa
refused "cannot open absent.fa: No such file or directory" corpus absent.fa
mkdir folder.fa
refused "cannot open folder.fa: Is a directory" corpus folder.fa

# Compressed files that are cut short: plain gzip, BGZF within a block, BGZF at the end of a block.
gzip -dc "$lambda" >plain.fa
gzip -c plain.fa | head -c 9000 >cut.fa.gz
refused "cut.fa.gz: the compressed file is truncated or damaged" corpus cut.fa.gz
refused "standard input: the compressed file is truncated or damaged" corpus - <cut.fa.gz
head -c 9000 "$lambda" >cutb.fa.gz
refused "cutb.fa.gz: the compressed file is truncated or damaged" corpus cutb.fa.gz
refused "cutb.fa.gz: the compressed file is truncated or damaged" corpus cutb.fa.gz -r lambda
head -c "$(($(wc -c <"$lambda") - 28))" "$lambda" >noend.fa.gz
refused "noend.fa.gz: the BGZF file lacks its end-of-file block" corpus noend.fa.gz
refused "noend.fa.gz: the BGZF file lacks its end-of-file block" corpus noend.fa.gz -r lambda
refused "standard input: the BGZF file lacks its end-of-file block" corpus - <noend.fa.gz

# No random access.
gzip -c plain.fa >gzip.fa.gz
refused "recompress it as BGZF: gunzip -c gzip.fa.gz | bgzip > new.fa.gz" corpus gzip.fa.gz -r lambda
refused "standard input has no random access" corpus - -t lambda <plain.fa

# Indices.
header=$(head -n 1 plain.fa | wc -c)
printf 'lambda\t48400\t%s\t70\t71\n' "$header" >plain.fa.fai
touch plain.fa.fai
refused "plain.fa.fai contradicts its FASTA at contig 'lambda'" corpus plain.fa
refused "plain.fa.fai contradicts its FASTA at contig 'lambda'" corpus plain.fa -r lambda:1-10
touch -t 200001010000 plain.fa.fai
"$GODWIT" corpus -f plain.fa -r lambda:1-50 -n 1 --max-offset 0 >older.txt 2>err
equal "$(cat older.txt)" "$(sed -n 2p plain.fa | cut -c 1-50)" "bases in spite of an older index"
grep -q "warning: plain.fa.fai is older than its FASTA" err || die "an older index is not mentioned: $(cat err)"
rm plain.fa.fai

# Regions.
printf 'lambda\t0\t100\nlambda\t48000\t48503\n' >past.bed
refused "past.bed:2: the region ends at 48503, past the end of contig 'lambda' (48502 bp)" corpus plain.fa -R past.bed
printf 'chrL\t0\t100\n' >unknown.bed
refused "unknown.bed:1: no contig 'chrL' in plain.fa, whose contigs are lambda" corpus plain.fa -R unknown.bed
printf 'lambda\t0\tten\n' >words.bed
refused "words.bed:1: column 3, the end: 'ten' is not a whole number" corpus plain.fa -T ^words.bed
gzip -c past.bed | head -c 40 >cut.bed.gz
refused "cut.bed.gz: the compressed file is truncated or damaged" corpus plain.fa -R cut.bed.gz
refused "region 'lambda:48000-48503': the region ends at 48503, past the end" corpus plain.fa -r lambda:48000-48503
printf 'old\tnone\n' >map.tsv
refused "map.tsv:1: the FASTA has no contig 'none'" corpus plain.fa -r old --chr-map map.tsv

# Lower case and other letters are not faults.
printf '>a\nacgtuNrykm-*\n' >letters.fa
equal "$("$GODWIT" corpus -q -f letters.fa -n 1 --max-offset 0)" ACGTTNNNNNNN "letters"
