# The model of human splicing in the box beside the authors' networks, converted here: torch's probabilities, and what 16 bits change of scores.
. "$ROOT/tests/cli/lib.sh"
needs_data human_models/spliceai10k_mit_rnaseq/LICENSE
needs_data splice/genes_chr20_slice.txt
dicts=$GODWIT_DATA/human_models/spliceai10k_mit_rnaseq golden=$ROOT/tests/data/splice/brca1.tsv
"$GODWIT" convert --from spliceformer -m "$dicts" -o wide
"$GODWIT" convert --from spliceformer -m "$dicts" -o half --dtype f16
same half/model.safetensors "$ROOT/share/godwit/models/human-splice/model.safetensors"
same half/config.json "$ROOT/share/godwit/models/human-splice/config.json"
same "$dicts/LICENSE" "$ROOT/share/godwit/models/human-splice/LICENSE"

# The authors' weights of 32 bits (tests/oracle/spliceformer_oracle.py).
cp "$ROOT/tests/data/splice/brca1.fa" brca1.fa
"$GODWIT" predict -q -m wide -f brca1.fa -r brca1:5001-6050 --bedgraph tracks 2>notes
for class in acceptor donor; do
    for strand in plus minus; do
        gzip -dc "tracks/$class.$strand.bedgraph.gz" | awk -v c=$class -v s=$strand '{ for (i = $2; i < $3; i++) print i + 1, s, c, $4 }'
    done
done >found
awk 'NR == FNR { p[$1, $2, $3] = $4; next } FNR > 1 { s = $2 == "+" ? "plus" : "minus"; rows++
    for (k = 3; k <= 4; k++) { off = p[$1, s, k % 2 ? "acceptor" : "donor"] - $k; if (off < 0) off = -off
        if (off > 2e-5) print $0 ": off by " off } } END { if (rows < 100) print rows " rows" }' found "$golden" >wrong
[ ! -s wrong ] || die "other probabilities than torch's: $(head -n 3 wrong)"

# Scores of real variants, in the genes that hold them.
gzip -dc "$GODWIT_DATA/human/chr20_1M-2M.fa.gz" >z.fa
for model in wide half; do
    "$GODWIT" score -q -m $model -f z.fa --genes "$GODWIT_DATA/splice/genes_chr20_slice.txt" --digits 6 -t z:264160-264950,z:266300-266410,z:288500-289400 \
        -o $model.vcf "$GODWIT_DATA/human/chr20_1M-2M.1000G.vcf.gz" 2>notes
    grep -v '^#' $model.vcf | cut -f 8 | tr ';' '\n' | sed -n 's/^SpliceAI=//p' | tr ',' '\n' >$model.txt
done
paste -d '|' wide.txt half.txt | awk -F '|' '{ for (k = 3; k <= 6; k++) { d = $k - $(k + 10); if (d < 0) d = -d; if (d > most) most = d } }
    END { printf "%d entries, largest difference of a score %.6f\n", NR, most; exit !(NR > 50 && most < 0.003) }' >said || die "f16 changes scores: $(cat said)"
cat said

# Files of others are refused by the name of what they lack.
fails 1 "model_10000nt_rs10.pt: no tensor module.res_layers.0.comboBlock.0.bn1.weight: not a state dict of Spliceformer's SpliceAI-10k" \
    "$GODWIT" convert --from spliceformer -m "$GODWIT_DATA/splice/openspliceai-mane-10000nt" -o x
fails 1 "no tensor residual_units.0.batchnorm1.weight: not a state dict of OpenSpliceAI" "$GODWIT" convert --from openspliceai -m "$dicts" -o x
fails 1 "no file in the folder is named *.pt" "$GODWIT" convert --from spliceformer -m "$GODWIT_DATA/human_models/aparent2" -o x
head -c 100000 "$dicts/spliceai_encoder_10k_finetune_rnasplice-blood_050623_0.pt" >cut.pt
fails 1 "cut.pt" "$GODWIT" convert --from spliceformer -m cut.pt -o x
[ ! -e x ] || die "something was written"
