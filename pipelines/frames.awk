# Windows of 200 bases of the genes of a genome, by its open reading frames of at least 150 codons on either strand: every other one
# is read along its gene (gene 1), the others against it (gene 0). Those of frames that begin behind `border` go into `valid`.
#   gzip -dc genome.fa.gz | awk -v border=180000 -v train=train.tsv -v valid=valid.tsv -f frames.awk
function reverse(s,  i, out) {
    for (i = length(s); i > 0; i--) out = out substr("TGCA", index("ACGT", substr(s, i, 1)), 1)
    return out
}
function cut(strand, first, last, turned,  at, window, along, file) {
    for (at = first; at + 199 <= last; at += 200) {
        window = substr(strand, at, 200)
        along = ++windows % 2
        file = (turned ? length(strand) - last : first) > border ? valid : train
        print along ? window : reverse(window), along > file
    }
}
function find(strand, turned,  frame, at, codon, start) {
    for (frame = 1; frame <= 3; frame++) {
        start = 0
        for (at = frame; at + 2 <= length(strand); at += 3) {
            codon = substr(strand, at, 3)
            if (codon == "ATG" && !start) start = at
            if (codon !~ /^(TAA|TAG|TGA)$/) continue
            if (start && at - start >= 450) cut(strand, start, at + 2, turned)
            start = 0
        }
    }
}
/^>/ { next }
{ bases = bases toupper($0) }
END {
    OFS = "\t"
    print "sequence", "gene" > train
    print "sequence", "gene" > valid
    find(bases, 0)
    find(reverse(bases), 1)
}
