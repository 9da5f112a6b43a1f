# godwit convert: folders come back from other types, score alike, and what is wrong is named and leaves nothing.
. "$ROOT/tests/cli/lib.sh"
prepared small

"$GODWIT" convert -q -m promoter/model.safetensors -o back
same promoter/model.safetensors back/model.safetensors
same promoter/tokenizer.json back/tokenizer.json

# What torch.save() and safetensors' save_file() wrote of the same tensors: views, scalars, whole numbers, every type.
torch=$ROOT/tests/data/torch
"$GODWIT" convert -q -m "$torch" -o from-torch
"$GODWIT" convert -q -m "$torch/expected.safetensors" -o expected
same expected/model.safetensors from-torch/model.safetensors
[ ! -e from-torch/pytorch_model.bin ] || die "a .bin was written"

"$GODWIT" convert -q -m model -o half --dtype f16
"$GODWIT" convert -q -m half -o wide --dtype f32
"$GODWIT" convert -q -m wide -o again --dtype f16
same half/model.safetensors again/model.safetensors
grep -q '"torch_dtype": "float16"' half/config.json || die "config.json does not name the type"
[ "$(wc -c <half/model.safetensors)" -lt "$(wc -c <model/model.safetensors)" ] || die "f16 is not smaller"
"$GODWIT" eval -q -m wide -d sh >wide.tsv

# shards, the second named first
mkdir shards
cp model/config.json model/tokenizer.json shards
cp model/model.safetensors shards/b
printf '\002\0\0\0\0\0\0\0{}' >shards/a
names=$(head -c 100000 model/model.safetensors | tr '{}' '\n\n' | sed -n 's/^[,]*"\([a-z][a-zA-Z0-9_.]*\)":$/"\1": "b"/p' | paste -sd, -)
echo "{\"weight_map\": {$names}}" >shards/model.safetensors.index.json
"$GODWIT" convert -q -m shards -o whole
same model/model.safetensors whole/model.safetensors
sed 's/"b"/"..\/model\/model.safetensors"/' shards/model.safetensors.index.json >shards/index
mv shards/index shards/model.safetensors.index.json
fails 1 "which is not a name inside the folder" "$GODWIT" convert -q -m shards -o out

# a pickle that calls, in an archive that is otherwise whole: the names have one length
mkdir bad
cp model/config.json model/tokenizer.json bad
sed 's/OrderedDict/orderedDict/' "$torch/pytorch_model.bin" >bad/pytorch_model.bin
fails 1 "bad/pytorch_model.bin: its pickle calls collections.orderedDict, which weights never need" \
    "$GODWIT" convert -q -m bad -o out
fails 1 "its pickle calls collections.orderedDict" "$GODWIT" eval -q -m bad -d sh
cp model/model.safetensors bad/pytorch_model.bin
head -c 3000 "$torch/pytorch_model.bin" >bad/pytorch_model.bin
fails 1 "not a whole zip archive: its end record is missing" "$GODWIT" convert -q -m bad -o out
rm bad/config.json
cp "$torch/pytorch_model.bin" bad
fails 1 "cannot open bad/config.json" "$GODWIT" convert -q -m bad -o out
fails 1 "cannot become a BigBird" "$GODWIT" convert -q -m model -o out --to big_bird
fails 1 "bad/pytorch_model.bin exists already" "$GODWIT" convert -q -m model -o bad
fails 1 "cannot" "$GODWIT" convert -q -m model -o /dev/full/out
fails 2 "--positions goes with --to" "$GODWIT" convert -q -m model -o out --positions 512
fails 2 "--dtype" "$GODWIT" convert -q -m model -o out --dtype f64
# a header without tensors, and files of a tokenizer that are no JSON
rm -r bad && cp -r model bad
printf '\002\0\0\0\0\0\0\0{}' >bad/model.safetensors
fails 1 "bad holds no tensor" "$GODWIT" convert -q -m bad -o out
for file in tokenizer_config.json special_tokens_map.json; do
    rm -r bad && cp -r model bad
    echo '{"model_max_length": ' >bad/$file
    fails 1 "bad/$file:2: not valid JSON" "$GODWIT" convert -q -m bad -o out
done
[ ! -e out ] || die "a failure left the folder out"
mkdir out
fails 1 "not valid JSON" "$GODWIT" convert -q -m bad -o out
[ -d out ] || die "a failure took away a folder that was there"
