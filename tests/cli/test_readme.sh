# The commands of README.md that score a human variant run as they are written. The genome has the bases of BRCA1's place, and N before.
. "$ROOT/tests/cli/lib.sh"
sed -n '/^```sh$/,/^```$/p' "$ROOT/README.md" | grep '^godwit score -m human-splice' >commands.sh
equal "$(wc -l <commands.sh)" 2 "commands of README.md"
has bgzip || exit 0
mkdir bin && ln -s "$GODWIT" bin/godwit
{
    echo ">chr17"
    { head -c 43098999 /dev/zero | tr '\0' N && sed 1d "$ROOT/tests/data/splice/brca1.fa" | tr -d '\n'; } | fold -w 100
    echo
} | bgzip >GRCh38.fa.gz
printf '##fileformat=VCFv4.2\n##contig=<ID=chr17>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nchr17\t43104121\t.\tC\tG\t.\t.\t.\n' | bgzip >in.vcf.gz
PATH=$PWD/bin:$PATH GODWIT_MODELS="$ROOT/share/godwit/models" sh -eu commands.sh >scored.vcf 2>notes || die "$(cat notes)"
equal "$(grep -v '^#' scored.vcf | grep -c 'GW_SPLICE=')" 1 "the variant of the command line"
equal "$(gzip -dc out.vcf.gz | grep -v '^#' | grep -c 'GW_SPLICE=')" 1 "the variant of the file"
