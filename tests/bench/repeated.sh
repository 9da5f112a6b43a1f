#!/bin/sh
# Finding repeated tokens by pattern: the curves of bench_repeated as tables and a picture, Figure 4 of SBM-Transformer.
#   repeated.sh BUILD FOLDER [STEPS [BATCH [N [K [BLOCK]]]]]   (the paper's task: 2000 256 256 128; blocks of 16 tokens)
# The sampled patterns are learnt by equation 9, the exact one also by the mask's gradient, and all once more with a
# price of -0.3 of the expected density, which pays for edges.
# LIST, where it is set, names others to run and draw: SPEC[,GRADIENT[,PRICE[,SEED]]] each. A table that is there is not
# made again, so that a run which was stopped goes on, and one may be cut short.
set -u
build=$1 folder=$2 steps=${3:-2000} batch=${4:-256} n=${5:-256} k=${6:-128} block=${7:-16}
mkdir -p "$folder"
list="sbm:$k/exact sbm:$k/fastrg sbm:$k/bernoulli sbm:$k/exact,mask full sbm:$k/exact,score,-0.3 sbm:$k/fastrg,score,-0.3
    sbm:$k/bernoulli,score,-0.3 itc+block:$block window:3+block:$block"
list=$(echo ${LIST:-$list}) tables=
for spec in $list; do
    table=$folder/$(echo "$spec" | tr '/:+,' '____').tsv
    tables="$tables $table"
    [ -s "$table" ] && continue
    IFS=,
    set -- $spec
    unset IFS
    "$build/bench/bench_repeated" "$1" "$steps" "$batch" "$n" "${4:-1}" "${2:-score}" "${3:-0}" >"$table.part" || exit 1
    mv "$table.part" "$table"
done

# Loss (0 to 0.7) and, where a graph is sampled, its density: means of 20 steps.
awk -v list="$list" -v steps="$steps" -v title="Repeated tokens: N = $n, $batch sequences a step" '
    function x(step, panel) { return 60 + panel * 420 + 340 * step / steps }
    function y(value, most) { return 290 - 230 * (value > most ? most : value) / most }
    function close_mean() {
        if (count == 0) return
        points[file, 0] = points[file, 0] sprintf("%.1f,%.1f ", x(last, 0), y(loss / count, 0.7))
        if (sampled) points[file, 1] = points[file, 1] sprintf("%.1f,%.1f ", x(last, 1), y(density / count, 1))
        loss = density = count = 0
    }
    function text(at_x, at_y, what, more) {
        printf "<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>\n", at_x, at_y, more, what
    }
    function dashes(f) { return name[f] ~ /,score,-/ ? " stroke-dasharray=\"5 2\"" : "" }
    # One for each pattern, paid or not and whatever its seed.
    function colour_of(f, base) {
        base = name[f]
        sub(/,score.*/, "", base)
        if (!(base in chosen)) chosen[base] = colour[1 + colours++ % 8]
        return chosen[base]
    }
    function axes(panel, name, most, i) {
        printf "<path d=\"M%.1f 60V290H%.1f\" fill=\"none\" stroke=\"#888\"/>\n", x(0, panel), x(steps, panel)
        for (i = 0; i <= 4; i++) {
            text(x(0, panel) - 6, y(most * i / 4, most) + 4, sprintf("%.2g", most * i / 4), "text-anchor=\"end\"")
            text(x(steps * i / 4, panel), 306, steps * i / 4, "text-anchor=\"middle\"")
        }
        text(x(0, panel), 48, name, "font-weight=\"bold\"")
    }
    BEGIN { panels = 1 }
    FNR == 1 { close_mean(); file++; next }
    { loss += $2; density += $4; sampled = $4 != "nan" && $4 != "-nan"; panels = sampled ? 2 : panels; last = $1; if (++count == 20) close_mean() }
    END {
        close_mean()
        split("#0072b2 #d55e00 #009e73 #56b4e9 #000000 #cc79a7 #e69f00 #888888", colour, " ")
        files = split(list, name, " ")
        printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d 385\" font-family=\"sans-serif\" font-size=\"12\">\n", 420 * panels
        print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
        text(60, 24, title, "font-size=\"14\"")
        axes(0, "loss (training, nats)", 0.7)
        if (panels == 2) axes(1, "density of the sampled graph", 1)
        for (f = 1; f <= files; f++) {
            for (panel = 0; panel < panels; panel++)
                if (points[f, panel] != "")
                    printf "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s/>\n", points[f, panel], colour_of(f), dashes(f)
            at_x = 60 + 195 * ((f - 1) % (2 * panels))
            at_y = 332 + 18 * int((f - 1) / (2 * panels))
            printf "<path d=\"M%d %dh18\" stroke=\"%s\" stroke-width=\"3\"%s/>\n", at_x, at_y, colour_of(f), dashes(f)
            sub(/,score,-.*/, ", paid", name[f])
            sub(/,score,0,/, ", seed ", name[f])
            text(at_x + 22, at_y + 4, name[f], "")
        }
        print "</svg>"
    }' $tables >"$folder/repeated.svg"
