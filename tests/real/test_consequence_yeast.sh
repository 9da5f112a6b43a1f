# Natural variants of yeast (BY and RM): godwit score --consequence and bcftools csq on SGD's genes, entry for entry; the same from SGD's
# table as it is; and Ensembl VEP's terms of the same variants beside them.
. "$ROOT/tests/cli/lib.sh"
variants="$GODWIT_DATA/measured/yeast/by_rm.vcf.gz" vep="$GODWIT_DATA/measured/yeast/by_rm_consequences.tsv.gz"
table="$GODWIT_DATA/yeast/SGD_features_170331.tab.gz"
needs_data measured/yeast/by_rm.vcf.gz
case $(bcftools --version 2>/dev/null | awk 'NR == 1 { print $2 }') in
1.1[6-9] | 1.2[01]) ;;
*) echo "needs bcftools, of 1.16 to 1.21" && exit 77 ;;
esac
prepared small
zcat "$GODWIT_DATA/yeast/R64-1-1.fa.gz" >yeast.fa
# ORFs that are not dubious, as Ensembl's GFF3 has them, contigs called as in the genome
zcat "$table" | LC_ALL=C awk -F '\t' -v OFS='\t' '
    BEGIN { split("I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI Mito", names, " ") }
    $2 == "ORF" && $3 !~ /Dubious/ && $9 ~ /^[0-9]+$/ {
        orf[++n] = $4; gene[$4] = $5 == "" ? $4 : $5; contig[$4] = names[$9]; strand[$4] = $12 == "W" ? "+" : "-"
    }
    $2 == "CDS" && $10 != "" { begin[$7, ++count[$7]] = $10 < $11 ? $10 : $11; end[$7, count[$7]] = $10 < $11 ? $11 : $10 }
    END {
        for (i = 1; i <= n; i++) {
            f = orf[i]
            if (!(f in count)) continue
            for (a = 2; a <= count[f]; a++)   # in the order of the strand
                for (b = a; b > 1 && (strand[f] == "+" ? begin[f, b] < begin[f, b - 1] : begin[f, b] > begin[f, b - 1]); b--) {
                    t = begin[f, b]; begin[f, b] = begin[f, b - 1]; begin[f, b - 1] = t
                    t = end[f, b]; end[f, b] = end[f, b - 1]; end[f, b - 1] = t
                }
            low = high = begin[f, 1]
            for (a = 1; a <= count[f]; a++) { if (begin[f, a] < low) low = begin[f, a]; if (end[f, a] > high) high = end[f, a] }
            print contig[f], "SGD", "gene", low, high, ".", strand[f], ".", "ID=gene:" f ";Name=" gene[f] ";biotype=protein_coding"
            print contig[f], "SGD", "mRNA", low, high, ".", strand[f], ".", "ID=transcript:" f ";Parent=gene:" f ";biotype=protein_coding"
            bases = 0
            for (a = 1; a <= count[f]; a++) {
                print contig[f], "SGD", "exon", begin[f, a], end[f, a], ".", strand[f], ".", "Parent=transcript:" f
                print contig[f], "SGD", "CDS", begin[f, a], end[f, a], ".", strand[f], (3 - bases % 3) % 3, "Parent=transcript:" f
                bases += end[f, a] - begin[f, a] + 1
            }
        }
    }' >genes.gff3
zcat "$variants" | sed 's/^chrM\t/Mito\t/; s/^chr//; s/^\(##contig=<ID=\)chrM,/\1Mito,/; s/^\(##contig=<ID=\)chr/\1/' >by_rm.vcf

# POS and entries; a gene whose name has a comma ends csq's entry, and is DUR1%2C2 of godwit
told() { grep -v '^#' | awk -F'\t' -v key="$1" '{ b = ";" $8; if (!sub(".*;" key "=", "", b)) b = "-"; sub(/;.*/, "", b); print $1, $2, $4, $5, b }'; }
bcftools csq -l -p a -f yeast.fa -g genes.gff3 -o csq.vcf by_rm.vcf 2>log || die "bcftools csq: $(tail -n 1 log)"
"$GODWIT" score -q -@ 1 -m model --window 20 -f yeast.fa --genes genes.gff3 --consequence -o scored.vcf by_rm.vcf
told BCSQ <csq.vcf | sed 's/DUR1,2/DUR1%2C2/g' >expected
told GW_BCSQ <scored.vcf >found
same found expected
equal "$(wc -l <found) $(grep -vc ' -$' found)" "38364 22153" "records, and those with consequences"

# SGD's table says the same; RNA genes and pseudogenes stand in it too
"$GODWIT" score -q -@ 1 -m model --window 20 -f yeast.fa --genes "$table" --consequence -o table.vcf by_rm.vcf
told GW_BCSQ <table.vcf | sed 's/,\{0,1\}non_coding|[^,]*//; s/ $/ -/' >of_table
same of_table found

# VEP's rows of genes that both know: the same class of each change of a single base in nearly all
zcat "$vep" | awk -F'\t' -v OFS='\t' '
    NR == FNR { split($0, word, " "); n = split(word[5], entry, ","); for (i = 1; i <= n; i++) { split(entry[i], f, "|"); term[word[1] " " word[2] " " f[3]] = f[1] } next }
    $2 ~ /^(synonymous_variant|missense_variant|stop_gained)$/ {
        split($1, at, "[:_/]"); if (length(at[3]) != 1 || length(at[4]) != 1) next
        sub(/^chr/, "", at[1]); key = at[1] " " at[2] " " $3; sub(/_variant/, "", $2)
        if (!(key in term)) { unknown++; next }
        rows++; if (index(term[key], $2)) equal++
    }
    END { printf "%d rows of single bases in known genes, %.4f as VEP says, %d elsewhere\n", rows, equal / rows, unknown; exit !(rows > 15000 && equal > 0.99 * rows) }' found - ||
    die "VEP says otherwise"
