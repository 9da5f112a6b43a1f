#!/bin/sh
# Facts that meet through two hops: the curves of bench_hops as tables and a picture.
#   hops.sh BUILD FOLDER [TOKENS [STEPS [BATCH]]]   (1024 780 4)
# LIST, where it is set, names what is run and drawn: SPEC[,SEED] each. A table that is there is not made again, so that a run
# which was stopped goes on.
set -u
build=$1 folder=$2 tokens=${3:-1024} steps=${4:-780} batch=${5:-4}
mkdir -p "$folder"
etc=etc:2+hard+block:32+distance:4
list=$(echo ${LIST:-$etc,1 $etc,2 $etc,3 band:16+block:16,1 itc+block:16,1 full,1}) tables=
for spec in $list; do
    table=$folder/$(echo "$spec" | tr '/:+,' '____').tsv
    tables="$tables $table"
    [ -s "$table" ] && continue
    case $spec in *,*) seed=${spec##*,} ;; *) seed=1 ;; esac
    "$build/bench/bench_hops" "${spec%,*}" "$tokens" "$steps" "$batch" "$seed" >"$table.part" || exit 1
    mv "$table.part" "$table"
done

# Two panels: the share of right answers over one hop, and over two, which is asked for once there are four layers. A line
# stands where paragraphs get their 128 tokens.
awk -v list="$list" -v steps="$steps" -v title="Two hops: $tokens tokens, $batch sequences a step" '
    function x(step, panel) { return 60 + panel * 420 + 340 * step / steps }
    function y(value) { return 290 - 230 * value }
    function text(at_x, at_y, what, more) { printf "<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>\n", at_x, at_y, more, what }
    function axes(panel, name, i) {
        printf "<path d=\"M%.1f 60V290H%.1f\" fill=\"none\" stroke=\"#888\"/>\n", x(0, panel), x(steps, panel)
        for (i = 0; i <= 4; i++) {
            text(x(0, panel) - 6, y(i / 4) + 4, i / 4, "text-anchor=\"end\"")
            text(x(steps * i / 4, panel), 306, steps * i / 4, "text-anchor=\"middle\"")
        }
        text(x(0, panel), 48, name, "font-weight=\"bold\"")
        printf "<path d=\"M%.1f 60V290\" stroke=\"#bbb\" stroke-dasharray=\"4 3\"/>\n", x(long, panel)
    }
    FNR == 1 { file++; next }
    $1 == "test" { next }
    {
        points[file, 0] = points[file, 0] sprintf("%.1f,%.1f ", x($1, 0), y($6))
        if ($2 == 4) points[file, 1] = points[file, 1] sprintf("%.1f,%.1f ", x($1, 1), y($5))
        if ($3 < 128) long = $1
    }
    END {
        split("#0072b2 #d55e00 #009e73 #56b4e9 #000000 #cc79a7 #e69f00", colour, " ")
        files = split(list, name, " ")
        print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 840 385\" font-family=\"sans-serif\" font-size=\"12\">"
        print "<rect width=\"840\" height=\"385\" fill=\"white\"/>"
        text(60, 24, title, "font-size=\"15\"")
        axes(0, "right over one hop")
        axes(1, "right over two hops")
        for (f = 1; f <= files; f++) {
            for (panel = 0; panel < 2; panel++)
                printf "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"/>\n", points[f, panel], colour[f]
            at_x = 60 + 400 * ((f - 1) % 2)
            at_y = 332 + 18 * int((f - 1) / 2)
            printf "<path d=\"M%d %dh18\" stroke=\"%s\" stroke-width=\"3\"/>\n", at_x, at_y, colour[f]
            sub(/,/, ", seed ", name[f])
            text(at_x + 22, at_y + 4, name[f], "")
        }
        print "</svg>"
    }' $tables >"$folder/hops.svg"
