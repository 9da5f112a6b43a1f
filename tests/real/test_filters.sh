# Random filter expressions choose the records that bcftools chooses: FILTERS of them (500).
. "$ROOT/tests/cli/lib.sh"
command -v bcftools >/dev/null || { echo "needs bcftools"; exit 77; }
# shellcheck disable=SC2046,SC2086 # lists of words
${CC:-cc} -std=c17 -D_GNU_SOURCE ${SAN:+-fsanitize=$SAN} -I"$ROOT/lib" -I"$ROOT" -o filters "$ROOT/tests/real/filters.c" "$BUILD/libgodwit.a" \
    $(make -s -C "$ROOT" BUILD="$BUILD" link-flags) || die "tests/real/filters.c does not compile"

awk "$DRAW"'
    function pick(words,  w) { return w[1 + draw(split(words, w, " "))] }
    function value(key, values) { if (draw(4)) info = info (info == "" ? "" : ";") key "=" values }
    function list(n, words,  s) { for (s = pick(words); n > 1; n--) s = s "," pick(words); return s }
    BEGIN {
        seed = 11; OFS = "\t"
        print "##fileformat=VCFv4.2\n##contig=<ID=c,length=3000>\n##FILTER=<ID=q10,Description=\"q\">\n##FILTER=<ID=s50,Description=\"s\">"
        split("AC A Integer,AF A Float,DP 1 Integer,FS 1 Float,V 3 Integer,S 1 String,SS . String,TX 1 String,FL 0 Flag", keys, ",")
        for (k = 1; k <= 9; k++) { split(keys[k], p, " ")
            printf "##INFO=<ID=%s,Number=%s,Type=%s,Description=\"d\">\n", p[1], p[2], p[3] }
        print "#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO"
        for (i = 1; i <= 60; i++) {
            alt = pick("C G C,G T ATT GC <DEL> . *,C A[c:5[ AG,T"); n = split(alt, alts, ","); info = ""
            value("AC", list(n, "0 1 2 5 9")); value("AF", list(n, "0 0.1 0.25 0.5 1")); value("DP", pick("5 10 20 30 ."))
            value("FS", pick("0.5 1.5 3 -1 .")); value("V", list(3, "0 1 2 7")); value("S", pick("foo bar Foo foo,bar q ."))
            value("TX", pick("a foo foo,bar ab,c")); value("SS", pick("a b a,b b,a foo .")); if (draw(2)) info = info (info == "" ? "" : ";") "FL"
            print "c", i * 7, pick(". . rs1 rs" i " x x;rs5"), pick("A A AT AC"), alt, pick(". 0 10 20 30.5 50"), pick(". PASS q10 s50 q10;s50"),
                info == "" ? "." : info
        }
    }' >sites.vcf
awk -v count="${FILTERS:-500}" -v seed="${FILTERS_SEED:-1}" -f "$ROOT/tests/real/filters.awk" >expressions
./filters sites.vcf <expressions >found
while read -r way expression; do
    bcftools query "-$way" "$expression" -f '%POS ' sites.vcf 2>errors | tr -d '\n' && echo
done <expressions >expected
cmp -s found expected || die "$(paste -d '\n' expressions found expected | awk 'NR % 3 == 1 { text = $0 } NR % 3 == 2 { ours = $0 }
    NR % 3 == 0 && ours != $0 { print text "\n  found    " ours "\n  expected " $0; if (++n == 10) exit }')"
