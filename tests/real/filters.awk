# Random filter expressions, a line each: "i" or "e", as the options are called, and the expression. What docs/reference/variants.md says differs
# from bcftools is not drawn: arithmetic of lists, indices past a list's end, lists with missing whole numbers among others,
# a-b-c, 0/0, STRLEN of missing texts, != of a text with a comma, extended regular expressions and those that match ".".
#   awk -v count=N -v seed=N -f filters.awk
function draw(n) { seed = (seed * 16807) % 2147483647; return int(seed / 65536) % n }
function pick(words,  w) { return w[1 + draw(split(words, w, " "))] }

function number() { return pick("0 1 2 3 5 7 10 20 30.5 50 0.1 0.25 0.5 -1 1e3") }
function scalar() { return pick("QUAL POS DP INFO/DP FS N_ALT V[0] V[1] V[2]") }
function atom(depth,  kind) {
    kind = draw(depth > 0 ? 8 : 4)
    if (kind == 0) return number()
    if (kind < 4) return scalar()
    if (kind == 4) return "(" sum(depth - 1) "/" pick("2 0.5 -3 POS") ")"
    if (kind == 5) return "(" pick("DP POS N_ALT V[1]") "%" pick("2 3 5") ")"
    return (kind == 6 ? "ABS" : "") "(" sum(depth - 1) ")"
}
function sum(depth,  kind) {
    kind = draw(6)
    if (kind == 0) return atom(depth) pick("+ -") atom(depth) "*" atom(depth)
    if (kind == 1) return atom(depth) "*" atom(depth) pick("+ -") atom(depth)
    return kind == 2 ? atom(depth) : atom(depth) pick("+ - *") atom(depth)
}
function order() { return pick("< <= > >= = == !=") }
function texts() { return pick("foo bar Foo a b A C G AT rs1 rs x q . <DEL>") }
function quoted(text) { return draw(2) ? "\"" text "\"" : "'" text "'" }
function filters() { return pick("q10 s50 PASS q10;s50 s50;q10 .") }
function types() { return pick("snp mnp indel other ref bnd overlap") }

function comparison(kind) {
    kind = draw(12)
    if (kind < 3) return sum(2) order() sum(1)
    if (kind == 3) return pick("AC AC[*] AC[0] AF AF[0] AF[*] V V[*]") order() number()
    if (kind == 4) return pick("MAX MIN SUM AVG MEAN") "(" pick("AC V DP QUAL") ")" order() number()
    if (kind == 5) return pick("QUAL DP AF AC FS S SS ID FILTER") pick("= !=") quoted(".")
    if (kind == 6 && draw(4) == 0) return pick("ALT S SS TX") pick("= ==") quoted("foo,C,bar")
    if (kind == 6) return pick("ID REF ALT S SS S[0] TX TX[0] ALT[0]") pick("= == !=") quoted(texts())
    if (kind == 7) return pick("ID REF ALT S") pick("~ !~") quoted(pick("^f o a rs foo$ ^A T D [fb] /i") (draw(4) ? "" : "/i"))
    if (kind == 8) return "FILTER" pick("= != ~ !~") quoted(filters())
    if (kind == 9) return "TYPE" pick("= != ~ !~") quoted(types())
    if (kind == 10) return "FL=" draw(2)
    return "STRLEN(" pick("REF ALT TX TX[0]") ")" order() draw(5)
}
function expression(depth,  text, n) {
    text = depth > 0 && draw(3) == 0 ? "(" expression(depth - 1) ")" : comparison()
    for (n = draw(3); n > 0 && depth > 0; n--) text = text pick("&& & || |") (draw(3) ? comparison() : "(" expression(depth - 1) ")")
    return text
}
BEGIN { while (count-- > 0) print draw(4) ? "i" : "e", expression(2) }
