# godwit explain: contributions beside tangermeme's (tests/oracle/explain_oracle.py), its files, models of each kind, bad input.
. "$ROOT/tests/cli/lib.sh"
data=$ROOT/tests/data
models=$ROOT/share/godwit/models
cp "$data/bpnet/genome.fa" genome.fa
"$GODWIT" convert -q --from bpnet -m "$data/bpnet/bpnet.pt" -o bpnet 2>notes

# numbers FILE: the float32 of an array in a .npz, one a line.
numbers() { "$PYTHON" -c 'import struct, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None and z.namelist() == ["arr_0.npy"]
b = z.read("arr_0.npy")
assert b[:8] == b"\x93NUMPY\x01\x00" and b"(1, 4, %d)" % (len(b[128:]) // 16) in b[:128], b[:128]
print("\n".join("%.9g" % v for v in struct.unpack("<%df" % (len(b[128:]) // 4), b[128:])))' "$1"; }

# near FILE FILE SIZE: numbers that differ by no more.
near() {
    paste "$1" "$2" | awk -v most="$3" 'NF != 2 { print; next } { d = $1 - $2; if (d > most || d < -most) print }' >wrong
    [ ! -s wrong ] || die "$1 is not $2: $(head -n 3 wrong)"
    [ -s "$1" ] || die "$1 is empty"
}

for method in ism gradient shap; do
    "$GODWIT" explain -q -m bpnet -f genome.fa -r c1:3001-3060 --method $method --references-file "$data/explain/references.fa" \
        --pictures 0 -o $method
    numbers $method/shap.npz >found
    for column in 3 4 5 6; do
        awk -F '\t' -v m=$method -v c=$column '$1 == m { print $c }' "$data/explain/contributions.tsv"
    done >expected
    near found expected 5e-7
done
start=$(awk '$1 == "start" { print $3 }' "$data/explain/designs.tsv")
equal "$(awk 'NR == 2 { print $6 }' ism/regions.tsv)" "$start" "ln(1 + counts)"

# The track has the number of the base that stands there; parts of windows are as whole ones.
numbers ism/ohe.npz >ohe
numbers ism/shap.npz >found
paste ohe found | awk '$1 == 1 { print (NR - 1) % 60, $2 }' | sort -n | cut -d ' ' -f 2 >of_bases
gzip -dc ism/contributions.bedgraph.gz | awk '!/^track/ { print $4 }' >of_track
near of_track of_bases 1e-6
"$GODWIT" explain -q --plain -m bpnet -f genome.fa -r c1:3001-3060 --pictures 0 -o plain
numbers plain/shap.npz >plain.txt
near plain.txt found 1e-6

# Contributions of shap add up to the difference from the references on average; shuffles keep their dinucleotides, so they differ.
"$GODWIT" explain -q -m bpnet -t 0 -f genome.fa -r c1:3001-3060 --method shap --references 2 --pictures 0 -o strand 2>notes
[ ! -s notes ] || die "$(cat notes)"

# A number of 80 bp, read whole; both strands of a region are the same model's; pictures.
awk 'NR > 1' genome.fa | tr -d '\n' | cut -c 101-180 | sed '1i >one' >one.fa
"$GODWIT" explain -q -m "$models/yeast-expression" -t complex -f one.fa -o expression
"$GODWIT" predict -q -m "$models/yeast-expression" -f one.fa | awk 'NR == 2 { print $3 }' >predicted
awk 'NR == 2 { print $6 }' expression/regions.tsv >explained
near explained predicted 1e-4
inside expression/1_one_1_80.svg
[ -s expression/1_one_1_80.png ] || die "no PNG"
{ echo ">back" && sed 1d one.fa | rev | tr ACGT TGCA; } >back.fa
printf 'back\t0\t80\tx\t0\t-\n' >back.bed
"$GODWIT" explain -q -m "$models/yeast-expression" -t 1 -f back.fa -R back.bed --pictures 0 -o back 2>notes
gzip -dc expression/contributions.bedgraph.gz | awk '{ print $4 }' >forward
gzip -dc back/contributions.bedgraph.gz | awk '{ a[NR] = $4 } END { while (NR) print a[NR--] }' >backward
near backward forward 1e-5

# Saturation by hand: what `score` says of every change.
printf 'one\t30\t40\n' >ten.bed
"$GODWIT" explain -q -m "$models/yeast-expression" -t defined -f one.fa -R ten.bed --pictures 0 -o ten 2>notes
gzip -dc ten/contributions.bedgraph.gz | wc -l >rows
equal "$(cat rows)" 10 rows

# Likelihoods: minus the mean of the three ratios of `score`, and the base's own.
awk "$DRAW"'BEGIN { seed = 5; print ">s"; print bases(1500) }' >s.fa
"$GODWIT" explain -q -m "$models/yeast" --window 200 -f s.fa -r s:700-702 --pictures 0 -o likelihood 2>notes
"$GODWIT" mutate -q -f s.fa -r s:700-702 | "$GODWIT" score -q -m "$models/yeast" --window 200 -f s.fa - 2>notes |
    sed -n 's/.*GW_LLR=\([-0-9.e]*\).*/\1/p' | awk '{ s += $1 } NR % 3 == 0 { print -s / 4; s = 0 }' >by_score
gzip -dc likelihood/contributions.bedgraph.gz | awk '{ print $4 }' >by_explain
near by_explain by_score 2e-3

# A splice site: its base is the region's middle one.
"$GODWIT" explain -q -m "$models/human-splice" -t donor -f s.fa -r s:740-761 --pictures 0 -o donor 2>notes
grep -q "N stands for what is" notes || die "no word of the sequence's end"
equal "$(awk 'NR == 2 { print NF }' donor/regions.tsv)" 8 columns

# N has no contribution; regions of several lengths have no arrays; those that overlap one track.
sed '2s/^\(.\{20\}\)..../\1NNNN/' one.fa >n.fa
"$GODWIT" explain -m "$models/yeast-expression" -t tiles -f n.fa --pictures 0 -o n 2>notes
grep -q "4 of 80 bases are N, which have no contribution" notes || die "$(cat notes)"
equal "$(gzip -dc n/contributions.bedgraph.gz | wc -l)" 76 "bases with a contribution"
printf 'c1\t2990\t3020\nc1\t3000\t3040\n' >two.bed
"$GODWIT" explain -m bpnet -f genome.fa -R two.bed --pictures 1 --picture-type png -o two 2>notes
for word in "regions differ in length" "1 regions overlap another" "the first 1 of 2"; do
    grep -q "$word" notes || die "no word of '$word': $(cat notes)"
done
equal "$(gzip -dc two/contributions.bedgraph.gz | wc -l)" 50 "bases of two regions"
[ ! -e two/ohe.npz ] && [ -e two/1_c1_2991_3020.png ] && [ ! -e two/2_c1_3001_3040.png ] || die "files of two regions"

# Seqlets: of a yeast promoter with a site of Reb1 the strongest is that site, by the name of the motif that it is like.
printf '>tile\n%s\n' GAATGGTAAATCCAGCAAGGATCGTTACCCGGTAAACTATTTATACTACGCCTGCCTCTTTCGTTCTTCGACTACATGCT >tile.fa
motif() { # NAME CONSENSUS
    printf 'MOTIF M_%s %s\nletter-probability matrix: alength= 4 w= %s nsites= 20 E= 0\n' "$1" "$1" "${#2}"
    echo "$2" | fold -w 1 | awk '{ for (i = 1; i <= 4; i++) printf " %s", substr("ACGT", i, 1) == $1 ? "0.97" : "0.01"; print "" }'
}
{ printf 'MEME version 4\n\nALPHABET= ACGT\n\nstrands: + -\n\n' && motif reb TTACCCGG && motif cbf GTCACGTGAC &&
    motif rap ACACCCATACATT && motif abf ATCACTATACACG && motif gcn ATGACTCAT && motif tata TATAAAAG &&
    motif mcm CCTAATTAGGAA; } >some.meme
"$GODWIT" explain -q -m "$models/yeast-expression" -t complex -f tile.fa --motifs some.meme --motif-p 0.05 --picture-type svg -o reb
sort -k8,8g reb/seqlets.bed | head -n 1 >strongest
equal "$(cut -f 4,10 strongest | tr '\t' ' ')" "reb M_reb" "name of the strongest seqlet"
cut -f 9 strongest | grep -q TTACCCG || die "the strongest seqlet is $(cut -f 9 strongest)"
grep -q '^reb$' reb/1_tile_1_80.svg || die "the picture does not name it"
"$GODWIT" report -q reb -o page.html
for part in '>Explanations<' '1 table of explained regions' '<td>reb<td>' "<td>$(cut -f 9 strongest)" 'image/svg'; do
    grep -qF "$part" page.html || die "the report lacks '$part'"
done

# Bad input.
explain() { "$GODWIT" explain -q -o bad "$@"; }
fails 1 "region c1:1-3000: 3000 bases, more than the 2188 that the model reads" explain -m bpnet -f genome.fa -r c1:1-3000
fails 1 "the model has no target 'x'; it has counts," explain -m bpnet -t x -f genome.fa -r c1:3000
fails 2 "choose one with --target: tiles, complex, defined" explain -m "$models/yeast-expression" -f one.fa
fails 1 "the model is pretrained and has no target 'x'" explain -m "$models/yeast" -t x -f s.fa -r s:700
fails 1 "need --method ism" explain -m "$models/yeast" --method shap -f s.fa -r s:700
fails 1 "no base has a whole window of" explain -m "$models/yeast" -f s.fa -r s:1-3
fails 1 "models of polyadenylation have signals" explain -m "$models/human-polya" -f s.fa -r s:700
sed "s/^>one/>r0/" one.fa >r0.fa
fails 1 "r0 has 80 bases, and the window 2188" explain -m bpnet -f genome.fa -r c1:3000 --method shap --references-file r0.fa
{ echo ">n" && printf 'NNNNNNNNNN\n'; } >alln.fa
fails 1 "the region has no base but N" explain -m "$models/yeast-expression" -t tiles -f alln.fa
[ ! -e bad ] || die "a failed run left its folder"
