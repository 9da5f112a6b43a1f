# Tables for data frames: `score --table`, and -o of predict, embed and eval, as text and, where the plugin was built, as Parquet: their values are
# those of the VCF and of the tables of text, readers take numbers as numbers, and what cannot be written is refused before any work.
. "$ROOT/tests/cli/lib.sh"

python=${PYTHON:-python3}
prepared windows
bases() { tail -n +2 g.fa | tr -d '\n' | cut -c"$1-$2"; }
other() { [ "$1" = A ] && echo C || echo A; }
r=$(bases 100 100) r3=$(bases 200 202)
{
    printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    printf 'c1\t10\t.\t%s\tA\t.\t.\t.\n' "$(bases 10 10)"
    printf 'c1\t100\trs1\t%s\t%s\t.\tPASS\t.\n' "$r" "$(other "$r")"
    printf 'c1\t100\t.\t%s\t.\t.\t.\t.\n' "$r"
    printf 'c1\t200\t.\t%s\tA%s,C,*,<DEL>\t.\t.\t.\n' "$r3" "$(bases 201 202)A"
    printf 'nowhere\t100\tid2\tA\tT\t.\t.\t.\n'
    for p in 300 400 500 600 700; do printf 'c1\t%s\t.\t%s\t%s\t.\t.\t.\n' "$p" "$(bases $p $p)" "$(other "$(bases $p $p)")"; done
} >in.vcf
score() { "$GODWIT" score -q -m model -f g.fa "$@"; }

# Beside a variant file, and instead of it.
score --raw --top 2 --table out.tsv -o out.vcf in.vcf >stdout
[ ! -s stdout ] || die "wrote to standard output"
awk -v tag=GW -f "$ROOT/tests/cli/table_values.awk" out.vcf out.tsv >found || die "$(cat found)"
equal "$(head -1 out.tsv | tr '\t' ' ')" "CHROM POS ID REF ALT GW_DIFF GW_LOGIT GW_TOPI GW_TOP GW_MEAN GW_PREF GW_PALT GW_TOP1 GW_TOP1_DIFF GW_TOP2 GW_TOP2_DIFF GW_STATUS" columns
equal "$(cut -f17 out.tsv | tr '\n' ' ')" "GW_STATUS EDGE PASS NOALT PASS PASS SPANNING NOLENGTH NOCONTIG PASS PASS PASS PASS PASS " "reasons"
awk -F '\t' 'NR > 1 && $17 == "PASS" && ($9 != $13 || $6 != $14 || $15 == "" || $16 == "") { exit 1 }' out.tsv || die "the listed profiles: $(cat out.tsv)"
grep -q '[|{]' out.tsv && die "a cell with several values"
grep -q 'scoreCommand=.*--table' out.vcf && die "the header names --table"
score --raw --top 2 --table alone.tsv in.vcf >stdout
[ ! -s stdout ] || die "a variant file that nothing asked for"
same alone.tsv out.tsv
[ ! -e alone.tsv.journal ] || die "left its journal"
score --raw --top 2 --table - in.vcf >found
same found out.tsv
score --raw --top 2 --table found.tsv.gz -o - in.vcf | grep -v '^##' >found
grep -v '^##' out.vcf >expected
same found expected
gzip -dc found.tsv.gz >found
same found out.tsv
score --tag X --table found in.vcf
equal "$(head -1 found | cut -f6)" X_DIFF "another prefix"
printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n' >empty.vcf
score --table found.tsv empty.vcf
equal "$(wc -l <found.tsv | tr -d ' ')" 1 "a file without records"

# The gravest consequence of an allele, and each of its haplotypes.
{
    echo '##gff-version 3'
    row() { printf 'c1\t.\t%s\t%s\t%s\t.\t+\t%s\t%s\n' "$@"; }
    for t in t1 t2; do
        [ $t = t2 ] || row gene 289 420 . 'ID=gene:g1;Name=g%2C1;biotype=protein_coding'
        row mRNA 289 420 . "ID=transcript:$t;Parent=gene:g1;biotype=protein_coding"
        row exon 289 420 . "Parent=transcript:$t"
        if [ $t = t1 ]; then row CDS 289 417 0 "ID=CDS:$t;Parent=transcript:$t"; else row CDS 294 419 0 "ID=CDS:$t;Parent=transcript:$t"; fi
    done
} >g.gff3
{
    printf '##fileformat=VCFv4.2\n##contig=<ID=c1,length=2000>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tone\n'
    for p in 330 335 800; do printf 'c1\t%s\t.\t%s\t%s\t.\t.\t.\tGT\t0|1\n' "$p" "$(bases $p $p)" "$(other "$(bases $p $p)")"; done
} >h.vcf
score --genes g.gff3 --consequence --haplotypes --table h.tsv -o h.out.vcf h.vcf
awk -v tag=GW -f "$ROOT/tests/cli/table_values.awk" h.out.vcf h.tsv >found || die "$(cat found)"
cell() { awk -F '\t' -v row="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == row + 1 { print at ? $at : "no column" }' h.tsv; }
info() { grep -v '^#' h.out.vcf | sed -n "$1p" | cut -f8 | tr ';' '\n' | sed -n "s/^$2=//p"; }
info 1 GW_BCSQ | grep -q , || die "one transcript alone: $(info 1 GW_BCSQ)"
info 1 GW_BCSQ | grep -q '^synonymous.*,missense' || die "the first transcript: $(info 1 GW_BCSQ)"
gravest=$(info 1 GW_BCSQ | cut -d, -f2)
equal "$(for n in Consequence gene transcript biotype strand amino_acid_change dna_change; do cell 1 GW_$n; done | tr '\n' '|' | sed 's/,/%2C/; s/|*$//')" "$gravest" "the gravest consequence"
equal "$(cell 3 GW_Consequence)" "" "no consequence"
equal "2:$(cell 1 GW_HAP2_POSITIONS):$(cell 1 GW_HAP2_SCORE):$(cell 1 GW_HAP2_X)" "$(info 1 GW_HAP)" "a haplotype"
equal "$(cell 1 GW_HAP1_SCORE)$(cell 3 GW_HAP2_SCORE)" "" "no haplotype"

# Models of splicing: a row for each allele and gene.
awk 'BEGIN { seed = 5; for (i = 0; i < 600; i++) { seed = (seed * 16807) % 2147483647
        s = s substr("ACGT", 1 + int(seed / 65536) % 4, 1) } print ">c\n" s }' >s.fa
printf '#NAME\tCHROM\tSTRAND\tTX_START\tTX_END\tEXON_START\tEXON_END\nB,b\tc\t-\t200\t500\t200,400,\t320,500,\nA\tc\t+\t0\t300\t0,100,\t60,300,\n' >genes.txt
{
    printf '##fileformat=VCFv4.2\n##contig=<ID=c,length=600>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    printf 'c\t251\t.\tC\tA,CAT\t.\t.\t.\nc\t251\t.\tCACG\tC,*\t.\t.\t.\nc\t400\t.\tA\t.\t.\t.\t.\nc\t550\t.\tG\tC\t.\t.\t.\n'
} >s.vcf
"$GODWIT" score -q -m "$ROOT/tests/data/splice" -f s.fa --genes genes.txt -D 20 --raw --digits 6 --table s.tsv -o scored.vcf s.vcf
equal "$(head -1 s.tsv | cut -f6- | tr '\t' ' ')" "GW_SPLICE GW_SPLICE_AT REF_AG REF_AL REF_DG REF_DL ALT_AG ALT_AL ALT_DG ALT_DL SYMBOL DS_AG DS_AL DS_DG DS_DL DP_AG DP_AL DP_DG DP_DL GW_STATUS" "columns of splicing"
# The entries of the VCF again, from the rows.
awk -F '\t' 'NR > 1 && $16 != "" { gsub(",", "%2C", $16); printf "%s %s|%s", $2, $5, $16
    for (i = 17; i <= 20; i++) printf "|%.6f", $i
    for (i = 21; i <= 24; i++) printf "|%s", $i
    print "" }' s.tsv >found
grep -v '^#' scored.vcf | awk -F '\t' '{ n = split($8, f, ";"); for (i = 1; i <= n; i++) if (f[i] ~ /^OpenSpliceAI=/) {
    m = split(substr(f[i], 14), e, ","); for (j = 1; j <= m; j++) print $2, e[j] } }' >expected
[ -s expected ] || die "no entries"
awk 'FNR == NR { want[FNR] = $0; next } { n = split($0, a, "|"); split(want[FNR], b, "|")
    for (i = 1; i <= n; i++) if (a[i] != b[i] && (i < 3 || i > 6 || a[i] - b[i] > 1.5e-6 || b[i] - a[i] > 1.5e-6)) exit 1 }' expected found || die "$(diff found expected)"
equal "$(wc -l <found)" "$(wc -l <expected)" "entries"
equal "$(cut -f2,25 s.tsv | sed 1d | tr '\t\n' ' ;')" "251 PASS;251 PASS;251 PASS;251 PASS;251 PASS;251 PASS;251 SPANNING;400 NOALT;550 NOGENE;" "rows of splicing"

# What cannot be written is refused before any work, and nothing is left half-written.
fails 2 "cannot write x.xlsx: its name must end in .tsv, .tsv.gz, .txt, .txt.gz or .parquet" score --table x.xlsx in.vcf
fails 2 "cannot write x.parquet: its name must end in .vcf" score -o x.parquet in.vcf
fails 2 "-o and --table name the same file, x" score -o x --table x in.vcf
fails 2 "-O is the format of the variant file" score -O z --table x.tsv in.vcf
fails 2 "--table" "$GODWIT" score -m model --constructs in.vcf --table x.tsv
mkdir none
for command in "score -m nothing -f g.fa --table x.parquet in.vcf" "predict -m nothing -d set -o x.parquet" "embed -m nothing -o x.parquet g.fa" \
    "eval -m nothing -d set -o x.parquet"; do
    # shellcheck disable=SC2086 # words
    fails 1 "cannot write x.parquet: Parquet needs a plugin over Apache Arrow's C++ library (GODWIT_PLUGIN_PATH: $PWD/none has no libgodwit-parquet.so)" \
        env GODWIT_PLUGIN_PATH="$PWD/none" "$GODWIT" $command
done
fails 1 "No space left on device" score --table /dev/full in.vcf
score --raw --top 2 --table out.tsv in.vcf
: >"read only.tsv" && chmod a-w "read only.tsv"
[ -w "read only.tsv" ] || fails 1 "read only.tsv" score --table "read only.tsv" in.vcf

# A run that is stopped leaves its journal alone, and the same command goes on from it.
awk '/^#/ { print; next } { line[++n] = $0 } END { for (i = 0; i < 400; i++) for (j = 1; j <= n; j++) print line[j] }' in.vcf >many.vcf
slow() { ${background:+exec} "$GODWIT" score -q --batch-tokens 64 -@ 1 -m model -f g.fa --table many.tsv many.vcf 2>/dev/null; }
waits() { [ -s many.tsv.journal ]; }
start slow
await waits
kill -TERM "$run"
wait "$run" && die "a run that was stopped ended well"
ls many.tsv many.tsv.tmp.* 2>/dev/null && die "left a part of the table"
slow
equal "$(wc -l <many.tsv | tr -d ' ')" 5201 "rows after going on"

# The tables of the other commands.
"$GODWIT" predict -q -m model -d set -f g.fa -o p.tsv
"$GODWIT" embed -q -m model -o e.npy g.fa
"$GODWIT" embed -q -m model -o e.tsv g.fa
cut -f1-8 e.tsv >found
same found e.rows.tsv
"$GODWIT" embed -q -m model --pool none -o n.tsv g.fa
equal "$(head -1 n.tsv | cut -f9-11 | tr '\t' ' ')" "position token e1" "columns of tokens"
fails 2 "--rows needs an array" "$GODWIT" embed -m model -o e.tsv --rows r.tsv g.fa
"$GODWIT" eval -q -m model -d set -f g.fa --split all >v.tsv
"$GODWIT" eval -q -m model -d set -f g.fa --split all --per-target t.tsv -o found.tsv >stdout
same found.tsv v.tsv
[ ! -s stdout ] || die "eval -o wrote to standard output"

if [ ! -e "$BUILD/libgodwit-parquet.so" ]; then
    "$GODWIT" --version | grep -q '^parquet: this build left it out' || die "$("$GODWIT" --version)"
    "$python" "$ROOT/tests/cli/table_readers.py" out.tsv "" || die "a reader of the table"
    echo "left out: Parquet, whose plugin this build left out"
    exit 0
fi
"$GODWIT" --version | grep -q '^parquet: Arrow [0-9]' || die "$("$GODWIT" --version)"
score --raw --top 2 --table out.parquet in.vcf
"$python" "$ROOT/tests/cli/table_readers.py" out.tsv out.parquet || die "a reader of the table"
fails 1 "No space left on device" sh -c 'ln -sf /dev/full full.parquet && "$GODWIT" score -q -m model -f g.fa --table full.parquet in.vcf'
score --table found.parquet empty.vcf
"$GODWIT" predict -q -m model -d set -f g.fa -o p.parquet
"$GODWIT" embed -q -m model -o e.parquet g.fa
"$GODWIT" eval -q -m model -d set -f g.fa --split all --per-target t.parquet -o v.parquet
if "$python" -c 'import pyarrow' 2>/dev/null; then
    cat >same.py <<'END'
import sys
import pyarrow.parquet as parquet

for name, missing in (("p", "."), ("e", ""), ("v", "NA"), ("t", "NA")):
    columns = parquet.read_table(name + ".parquet").to_pydict()
    header, *rows = [line.rstrip("\n").split("\t") for line in open(name + ".tsv", encoding="utf-8")]
    assert list(columns) == header, (name, list(columns))
    for i, column in enumerate(header):
        assert len(columns[column]) == len(rows), name
        for found, row in zip(columns[column], rows):
            text = None if row[i] == missing else row[i]
            alike = found == text if text is None or isinstance(found, str) else abs(found - float(text)) <= 1e-6 * max(1, abs(found))
            assert alike, (name, column, found, text)
empty = parquet.read_table("found.parquet")
assert empty.num_rows == 0
lines = [line.rstrip("\n") for line in open("out.vcf", encoding="utf-8") if line.startswith("##godwit_score")]
made = empty.schema.metadata[b"godwit"].decode().splitlines()
assert [line for line in lines if "Command" not in line] == [line for line in made if "Command" not in line], made
END
    "$python" same.py || die "Parquet of predict, embed or eval"
else
    echo "left out: a check by pyarrow, which is not installed"
fi
if has Rscript && Rscript -e 'library(arrow)' >/dev/null 2>&1; then
    Rscript -e 't <- as.data.frame(arrow::read_parquet("out.parquet")); stopifnot(nrow(t) == 13, is.numeric(t$GW_DIFF), is.na(t$GW_DIFF[1]), t$GW_STATUS[3] == "NOALT")' ||
        die "R's arrow"
else
    echo "left out: a check by R's package arrow, which is not installed"
fi
