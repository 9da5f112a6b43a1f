# BPNet and ChromBPNet: state dicts as models, scores beside those of bpnet-lite (tests/oracle/bpnet_oracle.py), control tracks, active
# allele quantiles, and what cannot be scored.
. "$ROOT/tests/cli/lib.sh"
data=$ROOT/tests/data/bpnet
cp "$data/genome.fa" genome.fa
value() { awk -F '\t' -v id="$1" '$3 == id { print $8 }' "$3" | tr ';' '\n' | sed -n "s/^$2=//p"; }

beside() { # MODEL FILE [EXPECTED]
    if [ $# -gt 2 ]; then sed 1d "$3" | tr '\t' ' ' | sort >expected
    else awk -F '\t' -v m="$1" '$1 == m { print $2, $3, $4, $5, $6 }' "$data/expected.tsv" | sort >expected; fi
    awk -F '\t' '!/^#/ { n = split($8, key, ";"); for (i = 1; i <= n; i++) { split(key[i], k, "="); has[k[1]] = k[2] } split(has["GW_TRACKS"], f, "|"); print $3, f[3], f[4], has["GW_LFC"], has["GW_JSD"] }' "$2" | sort >found
    equal "$(cut -d ' ' -f 1 found)" "$(cut -d ' ' -f 1 expected)" "variants of $2"
    paste -d ' ' found expected | awk '{ for (k = 2; k <= 5; k++) { d = $k - $(k + 5); if (!(d < 1e-4 && d > -1e-4)) print } }' >wrong
    [ ! -s wrong ] || die "$2 has other scores than bpnet-lite: $(head -n 3 wrong)"
}
for model in bpnet chrombpnet; do
    "$GODWIT" convert -q --from bpnet -m "$data/$model.pt" -o $model 2>notes
    "$GODWIT" score -q -m $model -f genome.fa -o $model.vcf "$data/variants.vcf" 2>notes
    beside $model $model.vcf
    "$GODWIT" score -q -m $model -f genome.fa --plain -o $model.plain.vcf "$data/variants.vcf" 2>notes
    beside $model $model.plain.vcf
    # The folder that was written reads as the file did.
    "$GODWIT" convert -q -m $model -o again
    "$GODWIT" score -q -m again -f genome.fa -o again.vcf "$data/variants.vcf" 2>notes
    beside $model again.vcf
    rm -r again
done
equal "$(value v4 GW_STATUS bpnet.vcf)" PADDED "status beside the end of a contig"

# The same networks in the files of Keras that ChromBPNet writes (tests/oracle/chrombpnet_keras.py): a folder of both, or one.
"$GODWIT" convert -q --from bpnet -m "$data/keras" -o keras 2>notes
cmp keras/model.safetensors chrombpnet/model.safetensors || die "files of Keras are read otherwise"
"$GODWIT" convert -q --from bpnet -m "$data/keras/chrombpnet_nobias.h5" -o nobias 2>notes
"$GODWIT" score -q -m nobias -f genome.fa -o nobias.vcf "$data/variants.vcf" 2>notes
beside chrombpnet nobias.vcf
"$GODWIT" convert -q --from bpnet -m "$data/keras/bias_model_scaled.h5" -o bias 2>notes
grep -q '"n_filters": 4' bias/config.json || die "the bias model alone: $(cat bias/config.json)"
# A whole module of bpnet-lite, as torch.save(model) keeps it, has the weights of its state dict.
"$GODWIT" convert -q --from bpnet -m "$data/control.pt" -o state 2>notes
"$GODWIT" convert -q --from bpnet -m "$data/control.torch" -o module 2>notes
cmp state/model.safetensors module/model.safetensors || die "a module has other weights than its state dict"

# Saturation: parts of windows are as whole windows.
for way in '' --plain; do
    "$GODWIT" score -q -m chrombpnet -f genome.fa --all-snvs -r c1:3000-3040 $way -o "all$way.vcf.gz" 2>notes
    gzip -dc "all$way.vcf.gz" | grep -v '^#' | sed 's/GW_VALUES=[^;]*;//' | tr ',;|=\t' '\n\n\n\n\n' >"all$way.txt"
done
paste all.txt all--plain.txt | awk '$1 != $2 { d = $1 - $2; if (d > 2e-5 || d < -2e-5 || $1 !~ /[0-9]/) print }' >wrong
[ ! -s wrong ] || die "parts of windows are not as whole windows: $(head -n 3 wrong)"
[ "$(wc -l <all.txt)" -gt 1000 ] || die "few values"

# Control tracks: their reads join the profile and the counts of both alleles, as bpnet-lite has it.
"$GODWIT" convert -q --from bpnet -m "$data/control.pt" -o control 2>notes
plus=$data/control.plus.bedgraph minus=$data/control.minus.bedgraph
"$GODWIT" score -q -m control -f genome.fa --control "$plus" --control "$minus" -o control.vcf "$data/variants.vcf" 2>notes
beside control control.vcf "$data/expected.control.tsv"
"$GODWIT" score -q -m control -f genome.fa -o zeros.vcf "$data/variants.vcf" 2>notes
[ "$(value v0 GW_JSD zeros.vcf)" != "$(value v0 GW_JSD control.vcf)" ] || die "control tracks change nothing"
grep -q '^##godwit_scoreControls=' control.vcf || die "the header does not say what control tracks there were"
"$GODWIT" predict -q -m control -f genome.fa --control "$plus" --control "$minus" -r c1:2454-4461 --bedgraph tracks 2>notes
for strand in plus minus; do gzip -dc tracks/$strand.bedgraph.gz | awk '{ print $2, $4 }' >$strand.txt; done
awk 'FILENAME == ARGV[3] { p = $2; m = $3; n++; d = value[0, $1] / p - 1; e = value[1, $1] / m - 1; if (d > 2e-5 || d < -2e-5 || e > 2e-5 || e < -2e-5) print }
    FILENAME != ARGV[3] { value[FILENAME == ARGV[2], $1] = $2 } END { if (n != 101) print n " bases" }' plus.txt minus.txt "$data/expected.profile.tsv" >wrong
[ ! -s wrong ] || die "another profile than bpnet-lite's: $(head -n 3 wrong)"
# The other strand of a window reads the tracks backwards, and each as the other.
printf 'c1\t2000\t2001\tx\t0\t-\n' >minus.bed
printf 'c1\t3999\t4000\tx\t0\t+\n' >plus.bed
tr -d '\n' <genome.fa | sed 's/>c1//' | rev | tr ACGT TGCA | { printf '>c1\n' && cat && echo; } >turned.fa
turn() { awk -v OFS='\t' '{ print $1, 6000 - $3, 6000 - $2, -$4 }' "$1" | sort -k 2,2n; }
turn "$minus" >turned.plus.bedgraph
turn "$plus" >turned.minus.bedgraph
"$GODWIT" predict -q -m control -f genome.fa --control "$plus" --control "$minus" -d minus.bed 2>notes | tail -n 1 | cut -f 3 >one
"$GODWIT" predict -q -m control -f turned.fa --control turned.plus.bedgraph --control turned.minus.bedgraph -d plus.bed 2>notes | tail -n 1 | cut -f 3 >other
same one other
if "$GODWIT" predict -q -m control -f genome.fa -r c1:1-6000 --bigwig big 2>notes; then # a bigWig is read as well
    "$GODWIT" score -q -m control -f genome.fa --control big/plus.bw --control big/minus.bw -o big.vcf "$data/variants.vcf" 2>notes
    [ "$(value v0 GW_JSD big.vcf)" != "$(value v0 GW_JSD zeros.vcf)" ] || die "a bigWig of control counts changes nothing"
fi

# The active allele quantile: the share of the places with less signal than the stronger allele. The signal of a place is
# that of REF of a variant there.
awk -v OFS='\t' 'BEGIN { for (i = 0; i < 150; i++) print "c1", 1080 + i * 26, 1080 + i * 26 + 31 }' >peaks.bed
"$GODWIT" background -m chrombpnet -f genome.fa --places peaks.bed -o places.tsv 2>notes
grep -q "3 of 150 places were left out: their windows leave the contig" notes || die "places beside the contig's end: $(cat notes)"
equal "$(head -n 1 places.tsv) $(grep '^##places' places.tsv)" "##godwit_background=4 ##places=147" "head of a background with places"
sed 1d genome.fa | tr -d '\n' | awk -v OFS='\t' 'BEGIN { print "##fileformat=VCFv4.2\n##contig=<ID=c1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO" }
    { for (i = 0; i < 147; i++) { at = 1080 + i * 26 + 15; r = substr($0, at + 1, 1); print "c1", at + 1, ".", r, r == "A" ? "C" : "A", ".", ".", "." } }' >at.vcf
"$GODWIT" score -q -m chrombpnet -f genome.fa at.vcf 2>notes | grep -v '^#' | sed 's/.*GW_TRACKS=//' | cut -d '|' -f 3 >signals
"$GODWIT" score -q -m chrombpnet -f genome.fa --background places.tsv -o aaq.vcf "$data/variants.vcf" 2>notes
quantiles() { grep -v '^#' "$1" | sed 's/.*GW_AAQ=\([^;]*\);.*GW_TRACKS=[^|]*|[^|]*|\([^|]*\)|\([^|]*\)|.*/\1 \2 \3/'; }
quantiles aaq.vcf | awk 'NR == FNR { s[NR] = $1; n = NR; next } { m = $2 > $3 ? $2 : $3; below = 0; for (i = 1; i <= n; i++) below += s[i] < m
    d = $1 - below / n; if (d > 1.01 / n || d < -1.01 / n) print } END { if (n != 147 || FNR != 6) print n, FNR }' signals - >wrong
[ ! -s wrong ] || die "active allele quantiles: $(cat wrong)"
awk -F '\t' -v OFS='\t' '$1 == "0" { $5 = "8:50,8.15:50,9:47" } { print }' places.tsv >made.tsv # 8.1431, 8.15545 and 10.879
"$GODWIT" score -q -m chrombpnet -f genome.fa --background made.tsv -o made.vcf "$data/variants.vcf" 2>notes
equal "$(for v in v0 v1 v4; do value $v GW_AAQ made.vcf; done | tr '\n' ' ')" "0.340136 0.680272 1 " "quantiles that were counted by hand"
! grep -q GW_PCT made.vcf || die "a background without alleles has percentiles"
awk -v OFS='\t' '{ print $0, "p", 0, ".", 0, 0, 0, NR % 2 ? 15 : -1 }' peaks.bed >peaks.narrowPeak
"$GODWIT" background -q -m chrombpnet -f genome.fa --places peaks.narrowPeak -o narrow.tsv 2>notes
same narrow.tsv places.tsv
"$GODWIT" background -q -m chrombpnet -f genome.fa --places peaks.bed -o both.tsv.gz at.vcf 2>notes
"$GODWIT" score -q -m chrombpnet -f genome.fa --background both.tsv.gz -o both.vcf "$data/variants.vcf" 2>notes
equal "$(value v1 GW_AAQ both.vcf)" "$(value v1 GW_AAQ aaq.vcf)" "quantile beside percentiles"
grep -q 'GW_PCT=[0-9]' both.vcf || die "no percentile"
head -n 99 peaks.bed >few.bed
"$GODWIT" background -q -m chrombpnet -f genome.fa --places few.bed -o few.tsv 2>notes
"$GODWIT" score -m chrombpnet -f genome.fa --background few.tsv -o few.vcf "$data/variants.vcf" 2>notes
grep -q 'few.tsv has 9[0-9] places, fewer than 100: quantiles are missing' notes || die "few places: $(cat notes)"
equal "$(value v1 GW_AAQ few.vcf)" "." "quantile among few places"

# Why a record has no score; none is lost.
{ sed 1q "$data/variants.vcf" && printf '##contig=<ID=c1,length=6000>\n##contig=<ID=other>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    printf 'c1\t3000\tsymbolic\t%s\t<INS>\t.\t.\t.\n' "$(sed 1d genome.fa | tr -d '\n' | cut -c 3000)"
    printf 'other\t5\tcontig\tA\tC\t.\t.\t.\n'; } >odd.vcf
"$GODWIT" score -q -m bpnet -f genome.fa -o odd_out.vcf odd.vcf 2>notes
equal "$(value symbolic GW_STATUS odd_out.vcf) $(value contig GW_STATUS odd_out.vcf)" "SYMBOLIC NOCONTIG" statuses

# What is refused.
refused() { # MESSAGE COMMAND...
    message=$1
    shift
    ! "$@" >out 2>notes || die "not refused: $*"
    grep -qF -- "$message" notes || die "expected '$message' in: $(cat notes)"
}
refused "--around is of tracks; the model has counts of a whole window" "$GODWIT" score -m bpnet -f genome.fa --around 100 "$data/variants.vcf"
refused "the model has no tracks to choose from" "$GODWIT" score -m bpnet -f genome.fa --track x "$data/variants.vcf"
refused "no --anywhere or --mask" "$GODWIT" score -m bpnet -f genome.fa --anywhere "$data/variants.vcf"
refused "--places is for models of tracks; this one has none" "$GODWIT" background -m yeast -f genome.fa --places peaks.bed
refused "an input file is missing, or places of a model of tracks (--places)" "$GODWIT" background -m chrombpnet -f genome.fa
refused "has no place whose window of 2188 bases lies on its contig: 150 rows were read" \
    sh -c 'sed "s/c1/other/" peaks.bed >no.bed && "$0" background -m chrombpnet -f genome.fa --places no.bed' "$GODWIT"
sed '7s/15$/x/' peaks.narrowPeak >odd.narrowPeak
refused "odd.narrowPeak:7: the summit (column 10) is 'x', expected -1 to 30" "$GODWIT" background -m chrombpnet -f genome.fa --places odd.narrowPeak
sed 's/,8.15:50,/,7:50,/' made.tsv >odd.tsv
refused "the signal 7 does not ascend" "$GODWIT" score -m chrombpnet -f genome.fa --background odd.tsv "$data/variants.vcf"
sed 's/9:47/9:46/' made.tsv >odd.tsv
refused "146 places are counted, not 147" "$GODWIT" score -m chrombpnet -f genome.fa --background odd.tsv "$data/variants.vcf"
sed '$d' made.tsv >odd.tsv
refused "ends too early: the model has 1 tracks" "$GODWIT" score -m chrombpnet -f genome.fa --background odd.tsv "$data/variants.vcf"
refused "the background of another model" "$GODWIT" score -m bpnet -f genome.fa --background places.tsv "$data/variants.vcf"
refused "--control: the model has no control tracks" "$GODWIT" score -m bpnet -f genome.fa --control "$plus" "$data/variants.vcf"
refused "--control: the model has 2 control tracks (n_control_tracks), and 1 are given" "$GODWIT" score -m control -f genome.fa --control "$plus" "$data/variants.vcf"
refused "--control: the model has 2 control tracks" "$GODWIT" predict -m control -f genome.fa --control "$plus" -r c1:1-100 --bedgraph no
refused "no.bedgraph" "$GODWIT" score -m control -f genome.fa --control "$plus" --control no.bedgraph "$data/variants.vcf"
refused "a track is named .bw, .bigwig, .bedgraph or .bedgraph.gz" "$GODWIT" score -m control -f genome.fa --control "$plus" --control genome.fa "$data/variants.vcf"
printf 'c1\t10\t11\t2\nc1\t12\t13\t-1\n' >signs.bedgraph
refused "signs.bedgraph: the count of c1:13 is -1, and others have the other sign" "$GODWIT" score -m control -f genome.fa --control "$plus" --control signs.bedgraph "$data/variants.vcf"
{ cat genome.fa && sed 's/c1/c2/' genome.fa; } >two.fa
sed 's/^c1/c2/' "$data/variants.vcf" >second.vcf
"$GODWIT" score -q -m control -f two.fa --control "$plus" --control "$minus" -o second.out.vcf second.vcf 2>notes
grep -q "control.plus.bedgraph has no value on c2: zeros are read there" notes || die "a contig without a value: $(cat notes)"
equal "$(value v0 GW_JSD second.out.vcf)" "$(value v0 GW_JSD zeros.vcf)" "a contig without a value"
mkdir broken && cp "$data/keras/chrombpnet_nobias.h5" broken && head -c 9000 "$data/keras/bias_model_scaled.h5" >broken/bias_model_scaled.h5
refused "bias_model_scaled.h5" "$GODWIT" convert --from bpnet -m broken -o none
[ ! -e none ] || die "a failed conversion left its folder"
refused "no tensor model_weights/bpnet_1st_conv/bpnet_1st_conv/kernel:0" sh -c 'cp broken/chrombpnet_nobias.h5 broken/bias_model_scaled.h5 && "$0" convert --from bpnet -m broken -o none' "$GODWIT"
sed 's/"n_layers": 2/"n_layers": 12/' bpnet/config.json >config.json && mv config.json bpnet/config.json
refused '"input_length" is 2114, expected more than' "$GODWIT" score -m bpnet -f genome.fa "$data/variants.vcf"
