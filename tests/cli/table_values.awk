# Compares a scored VCF with its table: every allele has its row, in order, and a cell has what the INFO key has of that allele; '.' is empty.
# Keys of several values are left out; commas of texts are not codes in the table.   awk -v tag=GW -f table_values.awk scored.vcf scores.tsv
function fail(what) { print FILENAME ":" FNR ": " what; bad = 1; exit 1 }
BEGIN { FS = "\t" }
FNR == NR {
    if (/^#/) next
    alts = $5 == "." ? 0 : split($5, alt, ",")
    delete value
    fields = split($8, field, ";")
    for (i = 1; i <= fields; i++) {
        equals = index(field[i], "=")
        value[substr(field[i], 1, equals - 1)] = substr(field[i], equals + 1)
    }
    for (a = 1; a <= (alts > 0 ? alts : 1); a++) {
        rows++
        place[rows] = $1 FS $2 FS ($3 == "." ? "" : $3) FS $4 FS (alts > 0 ? alt[a] : "")
        for (key in value) {
            n = split(value[key], each, ",")
            for (k = 1; k <= n; k++) gsub(/%2C/, ",", each[k])
            if (index(key, tag "_") == 1 && n == alts && key !~ /_BCSQ$|_HAP$/) cell[rows, key] = each[a] == "." ? "" : each[a]
        }
        if (alts == 0) cell[rows, tag "_STATUS"] = "NOALT"
    }
    next
}
FNR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; columns = NF; next }
{
    row = FNR - 1
    if (NF != columns) fail(NF " cells, the first line has " columns)
    if ($1 FS $2 FS $3 FS $4 FS $5 != place[row]) fail("the place is " $1 FS $2 FS $3 FS $4 FS $5 ", in the VCF " place[row])
    for (i = 6; i <= NF; i++)
        if ((row, name[i]) in cell) {
            compared++
            if ($i != cell[row, name[i]]) fail(name[i] " is '" $i "', in the VCF '" cell[row, name[i]] "'")
        }
}
END {
    if (bad) exit 1
    if (row != rows) { print row " rows, the VCF has " rows " alleles"; exit 1 }
    if (compared < rows) { print compared " cells were compared"; exit 1 }
}
