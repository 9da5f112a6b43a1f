# SPDX-License-Identifier: MIT
# The public header and docs/guides/example.c, built as another program would, against the static library.
. "$ROOT/tests/cli/lib.sh"

cc=${CC:-cc}
flags="-D_GNU_SOURCE ${SAN:+-fsanitize=$SAN}"
libraries="$BUILD/libgodwit.a $(make -s -C "$ROOT" link-flags BUILD="$BUILD" CC="$cc")"

# The header by itself, in both languages and without the project's other headers in sight.
mkdir include
cp "$ROOT/lib/godwit.h" include
echo '#include <godwit.h>' >alone.c
cp alone.c alone.cc
$cc -std=c99 -Wall -Wextra -pedantic -Werror -Iinclude -fsyntax-only alone.c
if has "${CXX:-c++}"; then
    "${CXX:-c++}" -std=c++11 -Wall -Wextra -pedantic -Werror -Iinclude -fsyntax-only alone.cc
fi

# shellcheck disable=SC2086
$cc $flags -std=c11 -Wall -Wextra -pedantic -Werror -Iinclude "$ROOT/docs/guides/example.c" -o example $libraries

# A pretrained model of single letters, and a classifier.
awk "$DRAW"'BEGIN { seed = 1; OFS = "\t"; print "sequence", "one", "two", "three" >"set.tsv"
    for (i = 0; i < 40; i++) { s = bases(50); print s; print s, i % 2, i % 3 == 0, i % 5 == 0 >"set.tsv" } }' >corpus.txt
cat >config.json <<'E'
{"architectures": ["BigBirdForPreTraining"], "model_type": "big_bird", "hidden_size": 16, "num_hidden_layers": 1,
 "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 128, "attention_type": "original_full"}
E
"$GODWIT" bpe -q -v 10 -o tokenizer.json corpus.txt
"$GODWIT" encode -q -m tokenizer.json -o shards corpus.txt
"$GODWIT" pretrain -q -d shards -c config.json -o pretrained --steps 1 --batch-tokens 256
"$GODWIT" finetune -q -m pretrained --task profiles -d set.tsv -o classifier --steps 1

./example pretrained acgtNNACGTTGCA >out
equal "$(wc -l <out)" 6 lines
equal "$(head -n 1 out)" "token 8 of 16 is C"
awk -F '\t' 'NR > 1 { if ($2 <= 0 || $2 > 1 || (last && $2 > last)) exit 1; last = $2 }' out || die "$(cat out)"

# Both strands are averaged: the reverse complement gives the same.
./example classifier AACCGTGT >out
./example classifier ACACGGTT >reverse
same out reverse
equal "$(cut -f 2 out | tr '\n' ' ')" "one two three "
awk -F '\t' '$3 <= 0 || $3 >= 1 { exit 1 }' out || die "$(cat out)"

fails 1 "no model 'nowhere' is installed" ./example nowhere ACGT
fails 1 "5002 tokens; the model takes 1 to 128" ./example pretrained "$(head -c 5000 /dev/zero | tr '\0' A)"
