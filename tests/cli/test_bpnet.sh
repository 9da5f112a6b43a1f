# BPNet and ChromBPNet: state dicts as models, scores beside those of bpnet-lite (tests/oracle/bpnet_oracle.py), and what cannot be scored.
. "$ROOT/tests/cli/lib.sh"
data=$ROOT/tests/data/bpnet
cp "$data/genome.fa" genome.fa
value() { awk -F '\t' -v id="$1" '$3 == id { print $8 }' "$3" | tr ';' '\n' | sed -n "s/^$2=//p"; }

beside() { # MODEL FILE
    awk -F '\t' -v m="$1" '$1 == m { print $2, $3, $4, $5, $6 }' "$data/expected.tsv" | sort >expected
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

# Saturation: parts of windows are as whole windows.
for way in '' --plain; do
    "$GODWIT" score -q -m chrombpnet -f genome.fa --all-snvs -r c1:3000-3040 $way -o "all$way.vcf.gz" 2>notes
    gzip -dc "all$way.vcf.gz" | grep -v '^#' | sed 's/GW_VALUES=[^;]*;//' | tr ',;|=\t' '\n\n\n\n\n' >"all$way.txt"
done
paste all.txt all--plain.txt | awk '$1 != $2 { d = $1 - $2; if (d > 2e-5 || d < -2e-5 || $1 !~ /[0-9]/) print }' >wrong
[ ! -s wrong ] || die "parts of windows are not as whole windows: $(head -n 3 wrong)"
[ "$(wc -l <all.txt)" -gt 1000 ] || die "few values"

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
sed 's/"n_layers": 2/"n_layers": 12/' bpnet/config.json >config.json && mv config.json bpnet/config.json
refused '"input_length" is 2114, expected more than' "$GODWIT" score -m bpnet -f genome.fa "$data/variants.vcf"
