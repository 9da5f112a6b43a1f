# godwit models --get: models by name and of the hub from a server on this machine: checked, resumed, whole or not at all.
. "$ROOT/tests/cli/lib.sh"
command -v python3 >/dev/null || { echo "needs python3 for its server" && exit 77; }
prepared small

mkdir www
start python3 "$ROOT/tests/cli/loopback.py" www port log
trap 'kill $run' EXIT
await [ -e port ]
url=http://127.0.0.1:$(cat port)
export GODWIT_MODELS="$PWD/mine" HF_ENDPOINT="$url"
get() { "$GODWIT" models -q --get "$@"; }
asked() { grep -c "$1" log || true; }
clean() { # nothing was installed, or is left but what goes on
    [ -z "$(find mine -mindepth 1 -maxdepth 1 ! -name available.tsv ! -name '.*.part' 2>/dev/null)" ] || die "left: $(ls -a mine)"
}

# The hub's layout: config.json, weights, what there is of a tokenizer.
layout() { mkdir -p "www/$1/resolve/$2" && cp model/*.json model/*.safetensors "www/$1/resolve/$2/"; }
layout godwit/tiny main
get hf:godwit/tiny
equal "$("$GODWIT" models | grep '^tiny' | cut -f 1,4,6)" "tiny	pretrain	godwit/tiny at main of the Hugging Face hub" list
grep -q "^config.json	$url/godwit/tiny/resolve/main/config.json	" mine/tiny/sources.tsv || die "no sources: $(cat mine/tiny/sources.tsv)"
equal "$(grep '^model.safetensors' mine/tiny/sources.tsv | cut -f 4)" "$(sha256sum model/model.safetensors | cut -d ' ' -f 1)" SHA-256
for m in tiny "$PWD/model"; do "$GODWIT" score -q -m "$m" -f g.fa in.vcf | grep -v '^##'; done >scores
equal "$(sort scores | uniq -c | awk '$1 != 2' | wc -l)" 0 "scores of the same model"
[ ! -e mine/.tiny.part ] || die "files are left"
before=$(asked .)
get hf:godwit/tiny # is there already
equal "$(asked .)" "$before" requests
get hf:godwit/tiny --as other
[ -e mine/other/config.json ] || die "no other name"
# The card that comes along, behind its metadata.
layout godwit/card main
printf -- '---\nlicense: mit\ntags:\n- dna\n---\n\n# A card\nText.\n' >www/godwit/card/resolve/main/README.md
get hf:godwit/card
equal "$("$GODWIT" models | grep '^card' | cut -f 6)" "A card" title
equal "$("$GODWIT" models card | sed -n 2p)" "license: mit" "a card's licence"
rm -r mine

# A folder of sentence-transformers comes with its modules, whose folders are names: its vectors are those that they list.
layout godwit/sentences main
st=www/godwit/sentences/resolve/main
mkdir $st/1_Pooling $st/3_Dense
cat >$st/modules.json <<'E'
[{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
 {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
 {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}]
E
echo '{"pooling_mode_mean_tokens": true}' >$st/1_Pooling/config.json
echo '{"max_seq_length": 20}' >$st/sentence_bert_config.json
echo '{"prompts": {}}' >$st/config_sentence_transformers.json
get hf:godwit/sentences
for file in 1_Pooling/config.json modules.json sentence_bert_config.json config_sentence_transformers.json; do
    cmp $st/$file mine/sentences/$file || die "$file is not that of the hub"
done
grep -q "^1_Pooling/config.json	$url/godwit/sentences/resolve/main/1_Pooling/config.json	" mine/sentences/sources.tsv || die "no source of a module"
[ ! -e mine/.sentences.part ] || die "files of modules are left: $(ls -R mine/.sentences.part)"
"$GODWIT" embed -q -m $st -o there.npy g.fa
"$GODWIT" embed -q -m sentences -o come.npy g.fa
same come.npy there.npy
"$GODWIT" convert -q -m $st -o converted
"$GODWIT" embed -q -m converted -o converted.npy g.fa
same converted.npy there.npy
mkdir -p precious mine/.second.part && ln -s ../../precious mine/.second.part/1_Pooling
fails 1 "1_Pooling is a link or a file, expected a folder of godwit's own" "$GODWIT" models -q --get hf:godwit/sentences --as second
[ -z "$(ls precious)" ] || die "written behind a link"
rm -r mine precious
sed 's/1_Pooling/3_Dense/; s/Pooling/Dense/' $st/modules.json >edited && cp edited $st/modules.json
echo '{}' >$st/3_Dense/config.json && cp model/model.safetensors $st/3_Dense
get hf:godwit/sentences
cmp $st/3_Dense/model.safetensors mine/sentences/3_Dense/model.safetensors || die "no weights of a module"
rm -r mine
for bad in ../up a/b .hidden /root .; do
    sed "s|3_Dense|$bad|" edited >$st/modules.json
    fails 1 "\"path\" is \"$bad\"" "$GODWIT" models -q --get hf:godwit/sentences
done
sed 's/"path": ""/"path": "0_BERT"/' edited >$st/modules.json
fails 1 'the network is in the folder "0_BERT"' "$GODWIT" models -q --get hf:godwit/sentences
rm -r mine

# Redirected, as the hub does with large files; another revision.
HF_ENDPOINT="$url/moved" get hf:godwit/tiny@main
layout godwit/tiny v1.0
get hf:godwit/tiny@v1.0 --as second
grep -q "resolve/v1.0/" mine/second/sources.tsv || die "no revision"
rm -r mine

# Sizes and hashes that the hub says: of the server that asked, not of the one where it sends us.
HF_ENDPOINT="$url/hub" get hf:godwit/tiny
[ -e mine/tiny/model.safetensors ] || die "no weights"
rm -r mine
config=$url/hub-etag/godwit/tiny/resolve/main/config.json weights=resolve/main/model.safetensors
wrong() { fails 1 "$2" env HF_ENDPOINT="$url/$1" "$GODWIT" models -q --get hf:godwit/tiny && clean; }
wrong hub-etag "$config: the SHA-1 of git of the downloaded file is "
wrong hub-hash "$url/hub-hash/godwit/tiny/$weights: the SHA-256 of the downloaded file is $(sha256sum model/model.safetensors | cut -d ' ' -f 1), expected "
wrong hub-size "$url/hub-size/godwit/tiny/$weights broke off after $(wc -c <model/model.safetensors) bytes: the server closed it"
wrong round "cannot fetch $url/round/godwit/tiny/resolve/main/config.json: Maximum (5) redirects followed"
rm -rf mine

# A card without end.
layout godwit/endless main && echo x >www/godwit/endless/resolve/main/README.md
fails 1 "README.md is longer than 16777216 bytes, the limit" env HF_ENDPOINT="$url/endless" \
    timeout 300 "$GODWIT" models -q --get hf:godwit/endless
[ ! -e mine/.endless.part/README.md.part ] || die "a card without end stays"
rm -r mine

# What stands where files gather is a folder of this user's own: links lead to files of others.
mkdir -p mine precious && echo x >precious/config.json
for end in new part; do
    ln -s ../precious mine/.tiny.$end
    fails 1 "mine/.tiny.$end is a link or a file, expected a folder of godwit's own" "$GODWIT" models -q --get hf:godwit/tiny
    equal "$(cat precious/config.json)" x "a file behind a link"
    rm mine/.tiny.$end
done
mkdir -p mine/.tiny.part && ln -s ../../precious/config.json mine/.tiny.part/config.json.part
fails 1 "cannot write config.json.part" "$GODWIT" models -q --get hf:godwit/tiny
ln -f precious/config.json mine/.tiny.part/config.json.part
fails 1 "cannot write config.json.part: it is not a regular file" "$GODWIT" models -q --get hf:godwit/tiny
equal "$(cat precious/config.json)" x "a file behind a second name"
rm -r mine

# Variant files and tables are read from an address.
cp in.vcf g.fa www
"$GODWIT" score -q -m model --window 60 -f g.fa in.vcf | grep -v '^##' >here.vcf
"$GODWIT" score -q -m model --window 60 -f g.fa "$url/in.vcf" | grep -v '^##' >away.vcf
same away.vcf here.vcf

# What there is not, and what is not a model: nothing is installed.
fails 1 "there is no $url/godwit/none/resolve/main/config.json" "$GODWIT" models -q --get hf:godwit/none
[ ! -e mine/.none.part ] || die "an empty folder is left"
fails 1 "cannot fetch $url/busy/godwit/tiny/resolve/main/config.json: the server answers 503" env HF_ENDPOINT="$url/busy" "$GODWIT" models -q --get hf:godwit/tiny
for address in preload: mem:x "file://$PWD/www" nowhere; do
    fails 1 "is not an address that begins with http:// or https://" env HF_ENDPOINT="$address" "$GODWIT" models -q --get hf:godwit/tiny
done
layout godwit/bare main && rm www/godwit/bare/resolve/main/model.safetensors
fails 1 "the model has no weights to read" "$GODWIT" models -q --get hf:godwit/bare
layout godwit/odd main && sed 's/"model_type": "[a-z_]*"/"model_type": "nobody"/' model/config.json >www/godwit/odd/resolve/main/config.json
fails 1 nobody "$GODWIT" models -q --get hf:godwit/odd
for bad in hf: hf:a hf:a/ hf:a/../b hf:a/b@ hf:a/b@x/y hf:/b; do fails 1 "expected hf:OWNER/NAME" "$GODWIT" models -q --get "$bad"; done
for name in ../x -rf .x; do fails 1 "'$name' is not a name" "$GODWIT" models -q --get hf:godwit/tiny --as "$name"; done
fails 1 "expected hf:OWNER/NAME" "$GODWIT" models -q --get hf:godwit/-rf
fails 2 "give only one of --get, --available and a name" "$GODWIT" models --get hf:a/b tiny
fails 2 "--as, --kind, --sha256 and --member need --get" "$GODWIT" models --as b
clean

# A commit is taken up where it broke off; what is not there any more is not asked for; "main" begins anew.
commit=$(printf '%040d' 7)
layout godwit/tiny $commit
bytes=$(wc -c <model/model.safetensors)
rm -r mine
fails 1 "broke off after " env HF_ENDPOINT="$url/cut/1000" "$GODWIT" models -q --get hf:godwit/tiny@$commit
clean
head -c 1000 model/model.safetensors >mine/.tiny.part/model.safetensors.part
get hf:godwit/tiny@$commit
grep -q "$commit/.* bytes=1000-" log || die "not resumed: $(cat log)"
equal "$(grep '^model.safetensors' mine/tiny/sources.tsv | cut -f 3,4)" "$bytes	$(sha256sum model/model.safetensors | cut -d ' ' -f 1)" "a resumed file"
rm -r mine

# By name: a table with sizes and hashes. The 80-nt network of OpenSpliceAI where it is at hand; else what fails before it is read.
network=splice/openspliceai-mane-80nt/model_80nt_rs10.pt
real=${GODWIT_DATA:-}/$network
if [ -e "$real" ]; then cp "$real" www/net.pt; else head -c 100000 /dev/urandom >www/net.pt; fi
size=$(wc -c <www/net.pt) sha=$(sha256sum www/net.pt | cut -d ' ' -f 1)
table() { # URL [SHA-256] [BYTES]
    mkdir -p mine
    printf 'name\tfile\tbytes\tsha256\tkind\tlicence\turl\tpurpose\nnet\tnet.pt\t%s\t%s\topenspliceai\tGPL-3.0\t%s\tsplice sites\n' \
        "${3:-$size}" "${2:-$sha}" "$1" >mine/available.tsv
}
table "$url/net.pt"
equal "$("$GODWIT" models --available | grep '^net')" "net	$(awk -v n="$size" 'BEGIN { printf "%.1f", n / 1e6 }')	no	GPL-3.0	splice sites" available
"$GODWIT" models --available | grep -q '^openspliceai-human-10000nt' || die "the program's own table is not listed"
fails 1 "no model 'nett' is known; there are: net," "$GODWIT" models -q --get nett
table "$url/net.pt" "$(printf '%064d' 1)"
fails 1 "the SHA-256 of the downloaded file is $sha, expected $(printf '%064d' 1); it was removed" "$GODWIT" models -q --get net
[ ! -e mine/.net.part ] || die "a wrong file stays"
table "$url/net.pt" "$sha" $((size - 1))
fails 1 "is longer than $((size - 1)) bytes" "$GODWIT" models -q --get net
table "$url/net.pt" "$sha" $((size + 1))
fails 1 "broke off after $size of $((size + 1)) bytes" "$GODWIT" models -q --get net
rm -r mine/.net.part
table "$url/cut/5000/net.pt"
fails 1 "of $size bytes" "$GODWIT" models -q --get net
clean

# Each run brings more of what breaks off again and again.
rm -r mine/.net.part
head -c 2000000 /dev/urandom >www/large.pt
table "$url/cut/600000/large.pt" "$(sha256sum www/large.pt | cut -d ' ' -f 1)" 2000000
last=-1
for _ in 1 2; do
    fails 1 "of 2000000 bytes" "$GODWIT" models -q --get net
    now=$(wc -c <mine/.net.part/net.pt.part)
    [ "$now" -gt "$last" ] && [ "$now" -ge $((last + 400000)) ] && [ "$now" -le 1200000 ] || die "$last, then $now bytes"
    last=$now
done
cmp -n "$last" mine/.net.part/net.pt.part www/large.pt || die "other bytes"
rm -r mine/.net.part
table "$url/none.pt"
fails 1 "there is no $url/none.pt" "$GODWIT" models -q --get net
table "http://127.0.0.1:1/net.pt"
fails 1 "cannot fetch http://127.0.0.1:1/net.pt: Failed to connect to 127.0.0.1 port 1" "$GODWIT" models -q --get net
table net.pt
fails 1 "'net.pt' is not an address that begins with http:// or https://" "$GODWIT" models -q --get net
table "$url/net.pt" abc
fails 1 "available.tsv:2: sha256 is 'abc'" "$GODWIT" models --available
clean
! lacks=$(lacks_data $network) || { echo "left out: the network of OpenSpliceAI by name, which $lacks" && exit 0; }

# Resumed, from a server that cannot, over a beginning of something else, and from a file.
installed() {
    equal "$("$GODWIT" models | grep '^net' | cut -f 1,6)" "net	net: splice sites" "$1"
    cmp -s mine/net/model.safetensors direct/model.safetensors || die "$1: not what convert makes"
    rm -r mine/net
}
"$GODWIT" convert --from openspliceai -m "$real" -o direct
begun() { mkdir -p mine/.net.part && head -c 10000 "$1" >mine/.net.part/net.pt.part; }
begun "$real" && : >log
table "$url/net.pt" && get net && installed resumed
equal "$(cat log)" "/net.pt bytes=10000-" requests
begun "$real" && table "$url/plain/net.pt" && get net && installed "from its beginning"
begun /dev/zero && table "$url/net.pt" && get net && installed "over another beginning"
mkdir -p mine/.net.part && cp "$real" mine/.net.part/net.pt && : >log && get net && installed "fetched before"
equal "$(asked .)" 0 requests
mkdir -p mine/.net.new && echo x >mine/.net.new/config.json && get net && installed "after a run that was killed"

# A model of several files: members in the order of their names.
mkdir two && cp "$real" two/a.pt && cp "${real%10.pt}11.pt" two/b.pt && cp two/*.pt www/
"$GODWIT" convert --from openspliceai -m two -o joined
row() { printf 'pair\t%s\t%s\t%s\topenspliceai\tGPL-3.0\t%s\tsplice sites\n' "$1" "$(wc -c <"two/$1")" "$(sha256sum "two/$1" | cut -d ' ' -f 1)" "$url/$1"; }
{ printf 'name\tfile\tbytes\tsha256\tkind\tlicence\turl\tpurpose\n' && row a.pt && row b.pt; } >mine/available.tsv
get pair
cmp -s mine/pair/model.safetensors joined/model.safetensors || die "not what convert makes of the folder"
equal "$(wc -l <mine/pair/sources.tsv)" 2 sources
