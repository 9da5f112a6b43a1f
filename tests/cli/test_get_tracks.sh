# godwit models --get of models of tracks: folders of the hub and files by their address, from a server on this machine.
. "$ROOT/tests/cli/lib.sh"
command -v python3 >/dev/null || { echo "needs python3 for its server" && exit 77; }
data=$ROOT/tests/data
genome 1 400 c >genome.fa

mkdir www
start python3 "$ROOT/tests/cli/loopback.py" www port log
trap 'kill $run' EXIT
await [ -e port ]
url=http://127.0.0.1:$(cat port)
export GODWIT_MODELS="$PWD/mine" HF_ENDPOINT="$url"
get() { "$GODWIT" models -q --get "$@" 2>notes; }
clean() { [ -z "$(find mine -mindepth 1 -maxdepth 1 ! -name '.*.part' 2>/dev/null)" ] || die "left: $(ls -a mine)"; }
layout() { mkdir -p "www/$1/resolve/main" && cp "$2"/config.json "$2"/pytorch_model.bin "www/$1/resolve/main/"; }

# The hub's folders of borzoi-pytorch and enformer-pytorch are converted as they come.
layout johahi/borzoi-small "$data/borzoi/mouse"
layout johahi/flashzoi-small "$data/borzoi/flashzoi"
for model in borzoi flashzoi; do
    get hf:johahi/$model-small || die "$(cat notes)"
    folder=$model
    [ $model = flashzoi ] || folder=mouse
    "$GODWIT" convert -q --from borzoi -m "$data/borzoi/$folder" -o direct 2>notes
    cmp mine/$model-small/model.safetensors direct/model.safetensors || die "$model is not what convert makes"
    rm -r direct
done
"$GODWIT" score -q -m borzoi-small -f genome.fa --all-snvs -r c1:10000-10000 --track mouse_1 -o one.vcf.gz 2>notes
equal "$(gzip -dc one.vcf.gz | grep -v '^#' | grep -c 'GW_TRACK=mouse_1;')" 3 "a track by its name"
grep -q "^config.json	$url/johahi/borzoi-small/resolve/main/config.json	" mine/borzoi-small/sources.tsv || die "no sources"

# Enformer's official weights need the gammas that TensorFlow had, which their folder's name tells, and config.json may tell.
layout EleutherAI/enformer-official-rough "$data/enformer"
layout somebody/enformer "$data/enformer"
get hf:EleutherAI/enformer-official-rough || die "$(cat notes)"
get hf:somebody/enformer || die "$(cat notes)"
gammas() { sed -n 's/.*"use_tf_gamma": \([01]\).*/\1/p' "mine/$1/config.json"; }
equal "$(gammas enformer-official-rough) $(gammas enformer)" "1 0" gammas
for model in enformer-official-rough enformer; do
    "$GODWIT" score -q -m $model -f genome.fa --all-snvs -r c1:10000-10000 -o $model.vcf.gz 2>notes
    gzip -dc $model.vcf.gz | grep -v '^#' >$model.txt
    equal "$(grep -c '|human_2|' $model.txt)" 3 "variants scored by $model"
done
! cmp -s enformer.txt enformer-official-rough.txt || die "both gammas give the same scores"
"$GODWIT" score -q -m enformer -f genome.fa --all-snvs -r c1:10000-10000 --track mouse_1,human_2 -o some.vcf.gz 2>notes
for track in mouse_1 human_2; do
    equal "$(gzip -dc some.vcf.gz | grep -v '^#' | grep -o "|$track|[^,;]*")" "$(grep -o "|$track|[^,;]*" enformer.txt)" "$track alone"
done
rm -r mine

# A file of ChromBPNet by its address: what it must be is said by its checksum.
cp "$data/bpnet/keras/chrombpnet_nobias.h5" www
sha=$(sha256sum www/chrombpnet_nobias.h5 | cut -d ' ' -f 1)
address=$url/chrombpnet_nobias.h5
get "$address" --kind bpnet --sha256 "$sha" --as k562 || die "$(cat notes)"
"$GODWIT" convert -q --from bpnet -m "$data/bpnet/keras/chrombpnet_nobias.h5" -o direct 2>notes
cmp mine/k562/model.safetensors direct/model.safetensors || die "not what convert makes"
cp "$data/bpnet/genome.fa" bpnet.fa
"$GODWIT" score -q -m k562 -f bpnet.fa "$data/bpnet/variants.vcf" 2>notes | grep -c 'GW_LFC=-*[0-9]' >found
equal "$(cat found)" 6 "scored variants"
rm -r mine

# An archive with a network and a bias model for each fold, as ENCODE has them.
cp "$data/bpnet/keras/bias_model_scaled.h5" www
"$GODWIT" convert -q --from bpnet -m www -o direct2 2>notes || die "$(cat notes)"
long=a_folder_whose_name_is_so_long_that_a_header_of_tar/has_no_room_for_the_name_of_the_file_itself_in_one_field
for fold in 0 1; do
    mkdir -p archive/$long/fold_$fold archive/fold_$fold
    cp www/chrombpnet_nobias.h5 archive/fold_$fold/model.chrombpnet_nobias.fold_$fold.ENCSR000AAA.h5
    cp www/bias_model_scaled.h5 archive/fold_$fold/model.bias_scaled.fold_$fold.ENCSR000AAA.h5
    echo x >archive/fold_$fold/model.chrombpnet_nobias.fold_$fold.ENCSR000AAA.tar
done
cp www/chrombpnet_nobias.h5 archive/$long/fold_0/chrombpnet_nobias.h5
fetch() { # FILE [OPTION...]
    file=$1
    shift
    get "$url/$file" --kind bpnet --sha256 "$(sha256sum "www/$file" | cut -d ' ' -f 1)" --as k562 "$@"
}
for format in ustar gnu pax; do
    tar -C archive --format $format -czf www/archive.tar.gz fold_1 fold_0
    fetch archive.tar.gz || die "$format: $(cat notes)"
    cmp mine/k562/model.safetensors direct2/model.safetensors || die "$format: not what convert makes of the unpacked files"
    grep -qx 'The network in the archive: fold_0/model.chrombpnet_nobias.fold_0.ENCSR000AAA.h5.' mine/k562/README.md || die "$format: another fold"
    rm -r mine
    # Names longer than a field; the network alone, without a bias model; not compressed.
    tar -C archive --format $format -cf www/archive.tar $long
    fetch archive.tar || die "$format: $(cat notes)"
    cmp mine/k562/model.safetensors direct/model.safetensors || die "$format: not the network alone"
    rm -r mine
done
fetch archive.tar.gz --member fold_1 || die "$(cat notes)"
grep -q 'archive: fold_1/' mine/k562/README.md || die "--member took another fold"
rm -r mine
refuses() { # TEXT FILE [OPTION...]
    text=$1
    shift
    ! fetch "$@" || die "took $*"
    grep -qF -e "$text" notes || die "no word of '$text': $(cat notes)"
    clean
}
refuses "none of its 2 networks has 'fold_7' in its name" archive.tar.gz --member fold_7
head -c 20000 www/archive.tar >www/short.tar
refuses "short.tar: the archive is cut off" short.tar
head -c 3000 www/archive.tar.gz >www/short.tar.gz
refuses "short.tar.gz" short.tar.gz
tar -C archive -cf www/none.tar fold_0/model.bias_scaled.fold_0.ENCSR000AAA.h5
refuses "the archive has no file whose name holds chrombpnet_nobias" none.tar
refuses "--member chooses from a tar archive" chrombpnet_nobias.h5 --member fold_1
fails 2 "--member chooses from an archive at a URL" "$GODWIT" models -q --get hf:a/b --member fold_1
wrong=$(printf '%064d' 1)
fails 1 "the SHA-256 of the downloaded file is $sha, expected $wrong; it was removed" "$GODWIT" models -q --get "$address" --kind bpnet --sha256 "$wrong" --as k562
clean
fails 1 "there is no $url/none.h5" "$GODWIT" models -q --get "$url/none.h5" --kind bpnet --sha256 "$sha" --as k562
fails 2 "a URL needs --kind, --sha256 and --as" "$GODWIT" models -q --get "$address" --kind bpnet --as k562
clean
head -c 9000 www/chrombpnet_nobias.h5 >www/cut.h5
fails 1 "cut.h5" "$GODWIT" models -q --get "$url/cut.h5" --kind bpnet --sha256 "$(sha256sum www/cut.h5 | cut -d ' ' -f 1)" --as k562
clean
