# The commands of README.md that score a yeast promoter run as they are written where no checkout is near; the download is a file here.
. "$ROOT/tests/cli/lib.sh"
sed -n '/^```sh$/,/^```$/p' "$ROOT/README.md" | grep -v '^```' | grep -A2 '^curl' >commands.sh
equal "$(wc -l <commands.sh)" 3 "commands of README.md"
mkdir bin && ln -s "$GODWIT" bin/godwit
cat >bin/curl <<END
#!/bin/sh
[ "\$*" = "-s https://ftp.ensembl.org/pub/release-110/fasta/saccharomyces_cerevisiae/dna/Saccharomyces_cerevisiae.R64-1-1.dna.chromosome.I.fa.gz" ] &&
    exec cat "$ROOT/tests/data/yeast_I.fa.gz"
END
chmod +x bin/curl
PATH=$PWD/bin:$PATH GODWIT_MODELS="$ROOT/share/godwit/models" sh -eu commands.sh >scored.vcf 2>notes || die "$(cat notes)"
equal "$(grep -v '^#' scored.vcf | grep -c 'GW_LLR=[-0-9.]')" 9 "changes with a ratio"
