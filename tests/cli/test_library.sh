# SPDX-License-Identifier: MIT
# The shared library as it is installed: what it exports, how others find it, and its results beside the commands'.
. "$ROOT/tests/cli/lib.sh"
[ -z "${SAN:-}" ] || { echo "a shared library under the sanitizers needs their run time first"; exit 77; }
prepared small

# A classifier of three labels that has learnt something: how often A, C and G come.
awk "$DRAW"'BEGIN { seed = 5; OFS = "\t"; print "sequence", "A", "C", "G"
    for (i = 0; i < 120; i++) {
        s = bases(50)
        print s, (gsub("A", "A", s) > 12), (gsub("C", "C", s) > 12), (gsub("G", "G", s) > 12)
    } }' >three.tsv
"$GODWIT" finetune -q -m model --task profiles -d three.tsv -o three --steps 60 --lr 1e-2 -@ 1

cc=${CC:-cc} pkg_config=${PKG_CONFIG:-pkg-config}
make -s -C "$ROOT" install BUILD="$BUILD" PREFIX="$PWD/prefix" DESTDIR= LIBDIR="$PWD/prefix/lib64" >make.log 2>&1 ||
    die "$(tail -5 make.log)"
lib="$PWD/prefix/lib64"
PKG_CONFIG_PATH="$lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
LD_LIBRARY_PATH="$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export PKG_CONFIG_PATH LD_LIBRARY_PATH

# What the header declares is exported, and nothing else.
sed -n 's/^GW_[A-Z]* .*[ *]\(gw_[a-z_]*\)(.*/\1/p' "$ROOT/lib/godwit.h" | sort >declared
nm -D --defined-only "$lib/libgodwit.so" | awk '{ print $3 }' | sort >exported
equal "$(grep -c '^GW_[A-Z]* ' "$ROOT/lib/godwit.h")" "$(grep -c . declared)" "declarations that were recognised"
same declared exported

# A packager's questions.
version=$("$GODWIT" --version | sed -n 's/^godwit //p')
equal "$(readlink "$lib/libgodwit.so")" libgodwit.so.1
equal "$(readlink "$lib/libgodwit.so.1")" "libgodwit.so.$version"
equal "$("$pkg_config" --modversion godwit)" "$version"
equal "$("$pkg_config" --variable=libdir godwit)" "$lib"
objdump -p "$lib/libgodwit.so" >headers
grep -q 'SONAME *libgodwit.so.1$' headers || die "$(cat headers)"
! grep -q 'NEEDED.*cairo' headers || die "the library needs what only the program draws with"
equal "$(prefix/bin/godwit --version | head -n 1)" "godwit $version" "version installed"
[ -e prefix/share/man/man1/godwit-score.1 ] || die "no man pages are installed"

# shellcheck disable=SC2046
$cc -std=c99 -D_POSIX_C_SOURCE=200112L -Wall -Wextra -pedantic -Werror "$ROOT/tests/cli/library.c" -o library \
    $("$pkg_config" --cflags --libs godwit) -lpthread -lm
# Every refusal, and nothing printed by the library.
./library misuse profiles g.fa >out 2>err
equal "$(cat out)" "$version"
[ ! -s err ] || die "the library printed: $(cat err)"

# Predictions: any batch, any threads and either choice of strands as the command has them.
printf 'sequence\tx\n' >inputs.tsv
sed -n '2,60p' g.fa | sed 's/$/\t1/' >>inputs.tsv
inputs=$(sed -n '2,60p' g.fa)
for strands in one both; do
    "$GODWIT" predict -m three -d inputs.tsv --$strands-strand$([ $strands = one ] || echo s) -o expected.tsv 2>log
    for threads in 1 2; do
        # shellcheck disable=SC2086
        ./library predict three $([ $strands = one ] && echo 1 || echo 2) $threads $inputs >got.tsv
        same got.tsv expected.tsv
    done
done
# A folder's temperature, and another one.
cp -r three warm
sed 's/"task": "profiles"/"task": "profiles", "temperature": 2.5/' three/config.json >warm/config.json
for temperature in "" 1 0.3; do
    "$GODWIT" predict -q -m warm -d inputs.tsv ${temperature:+--temperature $temperature} -o expected.tsv
    # shellcheck disable=SC2086
    ${temperature:+env TEMPERATURE=$temperature} ./library predict warm 0 0 $inputs >got.tsv
    same got.tsv expected.tsv
    cp got.tsv "warm$temperature.tsv"
done
"$GODWIT" predict -q -m three -d inputs.tsv -o expected.tsv
same warm1.tsv expected.tsv
cmp -s warm.tsv warm1.tsv && die "a folder's temperature is without effect"
./library predict three 0 0 acgtu >lower
./library predict three 2 0 ACGTT >upper
same lower upper

# shellcheck disable=SC2086
equal "$(./library logits three $inputs | sort -u)" 1 "logits are those of the probabilities"
# shellcheck disable=SC2086
equal "$(./library together three $inputs)" 1 "two threads at once find the same"

# Embeddings: the bytes of the command's arrays, whose heads have 128.
printf '>a\nACGTTGCA\n>b\nACGTNACCA\n>c\nA\n' >three.fa
for pool in cls mean max; do
    "$GODWIT" embed -q -m model --pool $pool --layer 1 -o $pool.npy three.fa
    number=$(printf 'cls\nmean\nmax\n' | grep -n $pool | cut -c 1)
    ./library embed model $((number - 1)) 1 "" "" 0 ACGTTGCA ACGTNACCA A >rows
    tail -c +129 $pool.npy >expected
    same rows expected
done
"$GODWIT" embed -q -m model --pool none -o tokens.npy three.fa
for sequence in ACGTTGCA ACGTNACCA A; do ./library hidden model $sequence; done >rows
tail -c +129 tokens.npy >expected
same rows expected

# The options that say how a model is run, of one with sparse attention.
cp -r three sparse
sed -e 's/"original_full"/"block_sparse"/' -e 's/"block_size": 64/"block_size": 4/' -e '/"pattern"/d' \
    -e 's/"num_random_blocks": 0/"num_random_blocks": 1/' three/config.json >sparse/config.json
sed -n '1,61p' g.fa | awk 'NR > 1 { print ">" NR; print }' >lines.fa
# run NAME ATTENTION DTYPE PAD_TO: the same array from the command and the library.
run() {
    "$GODWIT" embed -m sparse --pool mean ${2:+--attention $2} ${3:+--dtype $3} --pad-to $4 -o expected.npy lines.fa \
        2>log || die "$(cat log)"
    tail -c +129 expected.npy >expected
    # shellcheck disable=SC2086
    ./library embed sparse 1 -1 "$2" "$3" $4 $(sed -n '2,61p' g.fa) >"$1.rows"
    same "$1.rows" expected
}
run seeded "" "" 0
run hf-eval hf-eval f32 0
run full full "" 0
run padded set "" 100
if "$GODWIT" embed -m sparse --dtype bf16 -o expected.npy lines.fa 2>log; then run bf16 "" bf16 0
else fails 1 "no bf16 instructions" ./library embed sparse 1 -1 "" bf16 0 ACGT; fi
equal "$(md5sum ./*.rows | cut -d ' ' -f 1 | sort | uniq -d)" "" "settings that make no difference"

# A model of text takes it as it is, on one strand.
cp -r model text
cat >text/tokenizer.json <<'E2'
{"version": "1.0", "added_tokens": [
  {"id": 0, "content": "<s>", "special": true}, {"id": 1, "content": "<pad>", "special": true},
  {"id": 2, "content": "</s>", "special": true}, {"id": 3, "content": "<unk>", "special": true},
  {"id": 4, "content": "<mask>", "special": true, "lstrip": true}],
 "normalizer": null, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true},
 "post_processor": {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0], "trim_offsets": true,
  "add_prefix_space": false},
 "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true},
 "model": {"type": "BPE", "unk_token": "<unk>", "vocab": {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "<mask>": 4,
  "h": 5, "i": 6, "\u0120": 7, "!": 8, "\u010a": 9, "hi": 10}, "merges": ["h i"]}}
E2
printf '>a\nhi hi!\n>b\nih\n' >texts
"$GODWIT" embed -q -m text --pool mean -o expected.npy texts
tail -c +129 expected.npy >expected
./library embed text 1 -1 "" "" 0 "hi hi!" ih >rows
same rows expected
fails 1 "no classifier head" ./library predict text 1 1 "hi hi!"
fails 1 "both strands need a vocabulary of DNA" ./library predict text 2 1 "hi hi!"

./library masked model ACGTTGCAACGGT >out
equal "$(cut -f 3 out | sort -u)" 1 "together, alone, and as logits"
equal "$(sed -n '1p;$p' out | cut -f 1 | tr '\n' ' ')" "[CLS] [SEP] "

# Scores: what `godwit score` writes, for every kind of model and every status that these variants have.
{
    cat in.vcf
    printf 'c1\t900\t.\tN\tA\t.\t.\t.\nc1\t3\t.\t%s\tACGT\t.\t.\t.\n' "$(sed -n 2p g.fa | cut -c 3)"
    printf 'c3\t5\t.\tA\tC\t.\t.\t.\nchrc1\t1005\t.\tA\tR\t.\t.\t.\nc1\t1006\t.\tA\t<INS>\t.\t.\t.\n'
    for position in 1020 1031 1500 1990; do
        base=$(sed -n "$(((position - 1) / 50 + 2))p" g.fa | cut -c $(((position - 1) % 50 + 1)))
        printf 'c1\t%s\t.\t%s\t%sTA\t.\t.\t.\n' $position "$base" "$base"
    done
} >all.vcf
grep -v '^#' all.vcf | cut -f 1,2,4,5 >variants
# values FILE KEY...: the columns of `library score` from INFO; a key that is missing gives an empty column.
values() {
    file=$1
    shift
    grep -v '^#' "$file" | awk -F '\t' -v keys="$*" 'BEGIN { n = split(keys, key, " ") } {
        line = $1 "\t" $2 "\t" $4 "\t" $5
        delete value
        for (i = split($8, info, ";"); i > 0; i--) { split(info[i], pair, "="); value[pair[1]] = pair[2] }
        for (i = 1; i <= n; i++) line = line "\t" value["GW_" key[i]]
        print line
    }'
}
# scores MODEL SITES WINDOW PHASES KEY...: the same from both.
scores() {
    model=$1 sites=$2 window=$3 phases=$4
    shift 4
    "$GODWIT" score -q -m "$model" -f g.fa ${sites:+--sites "$sites"} --window "$window" --phases "$phases" \
        $([ "$model" = model ] || echo --raw) -o scored.vcf all.vcf
    values scored.vcf "$@" >expected
    ./library score "$model" g.fa "$sites" "$window" "$phases" <variants >got
    same got expected
    grep -w PASS expected | cut -f 5-6 | sort -u | wc -l >distinct
    [ "$(cat distinct)" -gt 9 ] || die "too few different values: $(cat expected)"
}
scores three '' 0 1 DIFF LOGIT TOPI MEAN PREF PALT TOP STATUS
scores promoter tss.bed 0 1 DIFF LOGIT TOPI MEAN PREF PALT SITE STATUS
scores model '' 60 1 LLR STATUS
scores three '' 0 3 DIFF LOGIT TOPI MEAN PREF PALT TOP SD STATUS
scores model '' 60 3 LLR SD STATUS
