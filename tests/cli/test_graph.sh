# godwit graph: measures, block lists and pictures.
. "$ROOT/tests/cli/lib.sh"

# measure NAME FILE
measure() {
    awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$2"
}

"$GODWIT" graph -p full -n 640 >full.tsv
equal "$(head -n 1 full.tsv)" "measure	value" header
equal "$(measure full_attention full.tsv)" yes
equal "$(measure blocks full.tsv)" 10
equal "$(measure edges full.tsv)" 100
equal "$(measure density full.tsv)" 1
equal "$(measure mean_path full.tsv)" 1
equal "$(measure clustering full.tsv)" 1
equal "$(measure spectral_gap full.tsv)" 1.11111 # of a complete graph of n nodes n / (n - 1)

"$GODWIT" graph -p window -n 600 --edges >rows
equal "$(sed -n 2p rows)" "0	0,1" "first row"
equal "$(sed -n 11p rows)" "9	8,9" "last row"
equal "$(wc -l <rows)" 11

# itc: up to 704 tokens full, then transformers' tables; a block that is listed twice says so
equal "$("$GODWIT" graph -n 704 --edges | sed -n 3p)" "1	0,1,2,3,4,5,6,7,8,9,10" "704 tokens"
equal "$("$GODWIT" graph -n 705 --edges | sed -n 3p)" "1	0,1,2,4,6,7,11" "705 tokens"
equal "$("$GODWIT" graph -n 1024 --layer 1 --edges | sed -n 5p)" "3	0,2,3,4,7,9,15*2" "layer 1"
equal "$("$GODWIT" graph -p itc+global:2@start -n 1024 --layer 1 --edges | sed -n 5p)" "3	0,1,2,3,4,7,9,15" "globals at the start"
equal "$("$GODWIT" graph -p itc+global:2@start -n 1024 --layer 1 --edges | sed -n 17p)" "15	0,1,14,15" "their last row"
equal "$("$GODWIT" graph -n 4096 --head 11 --edges | sed -n 3p)" "1	0,1,2,5,7,13,63" "head 11"
"$GODWIT" graph -n 1024 --layer 1 >itc.tsv
"$GODWIT" graph -n 1024 --layer 1 --edges | awk -F '\t' 'NR > 1 { n = split($2, key, ","); edges += n
    for (i = 1; i <= n; i++) listed += split(key[i], times, "*") > 1 ? times[2] : 1 } END { print edges, listed }' >counted
equal "$(measure edges itc.tsv) $(measure edges_listed itc.tsv)" "$(cat counted)" "edges"
equal "$(measure longest_path itc.tsv)" 2

# without global blocks and randomness, information travels a block a layer
"$GODWIT" graph -p window:3 -n 4096 >window.tsv
equal "$(measure longest_path window.tsv)" 63
equal "$(measure mean_path window.tsv)" 21.6667 # the mean of |i - j| over 64 blocks, 65 / 3

# causality cuts blocks and, on the diagonal, tokens; a band is exact to the token; queries after kept keys
equal "$("$GODWIT" graph -p full+causal -n 200 --edges | sed -n 4p)" "2	0,1,2/causal" "causal row"
"$GODWIT" graph -p full+causal -n 200 >causal.tsv
equal "$(measure token_pairs causal.tsv)" 20100
equal "$(measure unreachable_pairs causal.tsv)" 6
equal "$(measure token_pairs full.tsv)" 409600
"$GODWIT" graph -p band:10 -n 100 >band.tsv
equal "$(measure token_pairs band.tsv)" 1990
equal "$("$GODWIT" graph -p band:64+causal -n 1000 --offset 992 --edges | sed -n 2p)" "0	14/band,15/band" "one block from 992 on"
"$GODWIT" graph -p full+causal -n 200 --offset 150 -o cached.svg >cached.tsv
equal "$(measure token_pairs cached.tsv)" 8775
equal "$(measure offset cached.tsv)" 150
equal "$(measure mean_path cached.tsv)" "" "no paths of a rectangle"

"$GODWIT" graph -p itc -o picture.png >with.tsv
"$GODWIT" graph -p itc >without.tsv
same with.tsv without.tsv
equal "$(head -c 8 picture.png | od -An -tx1)" " 89 50 4e 47 0d 0a 1a 0a" "PNG signature"
"$GODWIT" graph -n 1024 --layer 1 -o picture.svg >drawn
grep -q '<svg ' picture.svg || die "no SVG"
inside picture.svg
! grep -q "BigBird's code draws" picture.svg || die "random blocks all over the picture are explained"
"$GODWIT" graph -p itc -n 2048 -o side.svg >drawn
grep -q "^BigBird's code draws$" side.svg && grep -q "^here none beyond block 9.$" side.svg || die "random blocks on one side are not explained"
[ "$(grep -Ec '<path .*fill[:=]"?rgb\(90.196078%, *62.352941%, *0%\)' picture.svg)" -ge 35 ] || die "random blocks are missing"
"$GODWIT" graph -p full -n 1 -o one.png >drawn

# curves: a random graph's paths grow as ln n, a ring's rewired links keep its clusters
"$GODWIT" graph -q -p window:3+random:3 --curves curves.svg >curves.tsv
awk -F '\t' '$1 == "Erdos-Renyi" && $2 == "mean_path" { exit !($5 > 0.99 && $4 > 0.35 && $4 < 0.5) }' curves.tsv ||
    die "Erdos and Renyi's paths: $(cat curves.tsv)"
awk -F '\t' '$1 == "Watts-Strogatz" && $2 == 1024 { exit !($4 > 0.45 && $4 < 0.55) }' curves.tsv || die "clustering"
equal "$(grep -c '^Watts-Strogatz' curves.tsv)" 8 "rows of a model"
grep -q '<svg ' curves.svg || die "no curves"
inside curves.svg
fails 2 "pattern '+window:3': unknown part ''" timeout 20 "$GODWIT" graph -p +window:3
fails 2 "must end in .svg or .png" "$GODWIT" graph --curves curves.pdf

fails 2 "unknown part 'itcc'" "$GODWIT" graph -p itcc
fails 2 "heads are numbered 0 to 11" "$GODWIT" graph --head 12
fails 2 "no query is left" "$GODWIT" graph -n 100 --offset 100
fails 1 "begin a block of 64" "$GODWIT" graph -n 1000 --offset 100
fails 2 "--tokens" "$GODWIT" graph --tokens 0
fails 2 "unexpected argument" "$GODWIT" graph itc
fails 2 "must end in .svg or .png" "$GODWIT" graph -o picture.pdf
fails 1 "does not fit a model of 4096 positions" "$GODWIT" graph -n 4097
fails 1 "missing/picture.png" "$GODWIT" graph -o missing/picture.png
fails 1 "cannot draw 4096 blocks" "$GODWIT" graph -p window -n 262144 -o large.png
[ ! -e large.png ] || die "a refused picture left a file"

# a full disk: no picture, no remains
for suffix in png svg; do
    result=0
    (trap '' XFSZ && ulimit -f 1 && exec "$GODWIT" graph -o "torn.$suffix" >/dev/null 2>torn.err) || result=$?
    equal "$result" 1 "exit status on a full disk"
    grep -q "cannot write torn.$suffix" torn.err || die "$(cat torn.err)"
    [ -z "$(ls torn.*[gt] torn*.tmp.* 2>/dev/null)" ] || die "remains of a torn picture: $(ls)"
done
if [ -e /dev/full ]; then
    result=0
    "$GODWIT" graph >/dev/full 2>err || result=$?
    equal "$result" 1 "exit status on a full standard output"
fi
