# The answers that tests/real/splicing holds (made by answers.sh) beside godwit's, entry for entry: scores within 1e-4, two
# digits the same but for scores that lie so near a rounding edge, places the same where a score is not 0.00. SPLICEAI_MODELS is the
# folder of spliceai's networks, SPLICEAI_ANSWERS what spliceai_answers.py wrote of them; without these they are left out.
# Scored are all insertions and deletions, records of two genes, records with a score of 0.01 or more, the first record of each
# gene and every eighth of the others, which are SNVs that change nothing.
. "$ROOT/tests/cli/lib.sh"
needs_data splice/openspliceai-mane-10000nt/model_10000nt_rs14.pt
answers="$ROOT/tests/real/splicing"

# chosen ANSWERS: those that are scored
chosen() {
    awk -F '\t' '{
        n = split($5, entry, ","); most = 0; new = 0
        for (e = 1; e <= n; e++) {
            split(entry[e], a, "|"); new += !seen[a[2]]++
            for (i = 3; i <= 6; i++) if (a[i] > most) most = a[i]
        }
    }
    n > 1 || new || most >= 0.01 || length($3 $4) > 2 || ++others % 8 == 0' "$1"
}

# compare MODEL KEY ANSWERS: scores the records of ANSWERS, slice by slice, and compares
compare() {
    chosen "$3" >wanted
    for slice in chr20 chr17; do
        contig=z fasta=chr20_1M-2M length=1000000
        [ $slice = chr20 ] || contig=chr17_slice fasta=chr17_42425000-43600000 length=1175001
        {
            printf '##fileformat=VCFv4.2\n##contig=<ID=%s,length=%s>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n' $contig $length
            awk -F '\t' -v OFS='\t' -v of=$contig '$1 == of { print $1, $2, ".", $3, $4, ".", ".", "." }' wanted | sort -n -k2,2
        } >in.vcf
        "$GODWIT" score -q -m "$1" -f "$GODWIT_DATA/human/$fasta.fa.gz" --genes "$GODWIT_DATA/splice/genes_${slice}_slice.txt" --digits 6 \
            -o $slice.vcf in.vcf
    done
    grep -hv '^#' chr20.vcf chr17.vcf | awk -F '\t' -v key="$2" -v OFS='\t' '{ match($8, key "=[^;]*")
        print $1, $2, $4, $5, substr($8, RSTART + length(key) + 1, RLENGTH - length(key) - 1) }' >found
    awk -F '\t' 'function abs(x) { return x < 0 ? -x : x }
        { id = $1 " " $2 " " $3 " " $4 }
        NR == FNR { found[id] = $5; next }
        {
            n = split($5, wanted, ","); m = split(found[id], have, ",")
            if (n != m) { print "entries of " id ": " n " and " m; wrong++ }
            for (e = 1; e <= n; e++) {
                split(wanted[e], a, "|"); split(have[e], b, "|"); entries++; same = 1
                unit = length(a[3]) < 6 ? 0.005 : 0 # scores of two digits
                for (i = 3; i <= 6; i++) {
                    off = abs(a[i] - b[i]) - unit
                    if (off > worst) worst = off
                    if (off > 1e-4 || a[1] != b[1] || a[2] != b[2]) { print id ": " wanted[e] " and " have[e]; wrong++ }
                    near = abs(a[i] * 100 - int(a[i] * 100) - 0.5) < 0.01 + 100 * unit
                    if (sprintf("%.2f", a[i]) != sprintf("%.2f", b[i])) { edges++; if (!near) { print id ": digits of " wanted[e] " and " have[e]; wrong++ } }
                    if (a[i + 4] != b[i + 4]) { same = 0; if (abs(a[i]) > 0.005) { print id ": places of " wanted[e] " and " have[e]; wrong++ } }
                }
                alike += same
            }
        }
        END { printf "%d entries, largest difference %.1e, digits differ of %d, all places the same of %d\n", entries, worst, edges, alike
            exit wrong > 0 || entries == 0 }' found wanted || die "$2: entries differ"
}

"$GODWIT" convert --from openspliceai -m "$GODWIT_DATA/splice/openspliceai-mane-10000nt" -o openspliceai
compare openspliceai OpenSpliceAI "$answers/openspliceai.tsv"
[ -n "${SPLICEAI_MODELS:-}" ] && [ -n "${SPLICEAI_ANSWERS:-}" ] || {
    echo "left out: SpliceAI's networks, whose licence keeps them out of the data sets (SPLICEAI_MODELS, SPLICEAI_ANSWERS)"
    exit 0
}
"$GODWIT" convert --from spliceai -m "$SPLICEAI_MODELS" -o spliceai
compare spliceai SpliceAI "$SPLICEAI_ANSWERS"
