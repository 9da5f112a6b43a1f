# What the single-base changes of a VCF (mutate's) do to a gene on the forward strand. With marks: a BED of the codons that one
# change turns into a stop. Of scored records (GW_LLR): the mean of changes that make a stop codon and of those that keep the amino
# acid, and how often the first is the lower (the area under a ROC curve; ties count half).
#   awk -v start=POSITION_OF_ATG [-v marks=FILE.bed] -f codons.awk in.vcf
BEGIN {
    FS = "\t"
    split("T C A G", base, " ")
    amino = "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"
    for (a = 1; a <= 4; a++) for (b = 1; b <= 4; b++) for (c = 1; c <= 4; c++)
        code[base[a] base[b] base[c]] = substr(amino, 16 * (a - 1) + 4 * (b - 1) + c, 1)
}
/^#/ { next }
{
    contig = $1
    ref[$2] = $4
    position[++changes] = $2
    alt[changes] = $5
    if (match($8, /GW_LLR=[^;]*/)) score[changes] = substr($8, RSTART + 7, RLENGTH - 7) + 0
}
END {
    for (i = 1; i <= changes; i++) {
        place = (position[i] - start) % 3
        first = position[i] - place
        if (!(first in ref) || !(first + 1 in ref) || !(first + 2 in ref)) continue
        codon = ref[first] ref[first + 1] ref[first + 2]
        changed = substr(codon, 1, place) alt[i] substr(codon, place + 2)
        if (code[changed] == "*" && marks && !(first in marked)) {
            print contig "\t" first - 1 "\t" first + 2 "\t" changed > marks
            marked[first] = 1
        }
        if (!(i in score)) continue
        if (code[changed] == "*") stop[++stops] = score[i]
        else if (code[changed] == code[codon]) same[++sames] = score[i]
    }
    if (!stops || !sames) exit
    for (i = 1; i <= stops; i++) stop_sum += stop[i]
    for (j = 1; j <= sames; j++) same_sum += same[j]
    for (i = 1; i <= stops; i++) for (j = 1; j <= sames; j++)
        lower += stop[i] < same[j] ? 1 : stop[i] == same[j] ? 0.5 : 0
    printf "  %d changes that make a stop codon: mean GW_LLR %.2f bits\n", stops, stop_sum / stops
    printf "  %d changes that keep the amino acid: mean GW_LLR %.2f bits\n", sames, same_sum / sames
    printf "  of two, one of each, the stop is the lower in %.0f %% (50 by chance)\n", 100 * lower / stops / sames
}
