# godwit mat: files that SciPy and h5py wrote (tests/oracle/mat_oracle.py), every order of axes, what reads the result, and bad input.
. "$ROOT/tests/cli/lib.sh"

data="$ROOT/tests/data/mat"
if "$GODWIT" mat -q -o x "$data/plain.mat" 2>&1 | grep -q "without matio and HDF5"; then
    echo "this godwit was built without matio and HDF5"
    exit 77
fi

for file in plain.mat compressed.mat turned.mat train.mat rows.h5; do
    "$GODWIT" mat -o set "$data/$file" 2>notes || die "$file: $(cat notes)"
    grep -q "41 windows of 13 bp, 10 labels" notes || die "$file: $(cat notes)"
    for part in bases labels; do same set.$part "$data/expected.$part"; done
done
equal "$(head -2 set.names.tsv | tr '\t\n' ' ;')" "name positives;label_1 12;" names
"$GODWIT" mat -q --channels ACGT -o other "$data/plain.mat"
cmp -s other.bases set.bases && die "the order of channels makes no difference"

# What the set's readers make of it: letters by predict, labels by eval, both by finetune.
seq 10 | sed 's/^/target /' >names
"$GODWIT" mat -q --names names --bin 5 -o set "$data/train.mat"
"$GODWIT" finetune -q --from-scratch --size tiny --length 16 --task profiles -d set -o model --steps 2 -@ 1
"$GODWIT" predict -q -m model -d set -o all.tsv -@ 1
equal "$(wc -l <all.tsv | tr -d ' ')" 42 "rows of predict"
head -1 all.tsv | grep -q "target 1	target 2" || die "predict names its columns: $(head -1 all.tsv)"
"$GODWIT" eval -q -m model -d set.bases --per-target targets.tsv -@ 1 >eval.tsv
grep -q "^target 1	.*12" targets.tsv || die "eval counts other labels: $(head -3 targets.tsv)"
fails 1 "set.bases has no splits" "$GODWIT" eval -q -m model -d set --split test -@ 1
head -c 300 set.bases >cut.bases
cp set.labels cut.labels
cp set.names.tsv cut.names.tsv
fails 1 "does not fit its header: 41 rows of 13 bases" "$GODWIT" predict -q -m model -d cut -@ 1
cp set.bases cut.bases
head -5 set.names.tsv >cut.names.tsv
fails 1 "cut.labels has 10 targets, cut.names.tsv names 4" "$GODWIT" predict -q -m model -d cut -@ 1

# Bad input, of which nothing is left.
rm -f x.*
: >empty.mat
fails 1 "empty.mat is empty" "$GODWIT" mat -q -o x empty.mat
printf 'sequence,label\nACGT,1\n' >text.mat
fails 1 "text.mat is not a MATLAB file" "$GODWIT" mat -q -o x text.mat
fails 1 "missing.mat" "$GODWIT" mat -q -o x missing.mat
for file in plain.mat compressed.mat train.mat; do
    head -c $(($(wc -c <"$data/$file") / 2)) "$data/$file" >cut.mat
    fails 1 "cut.mat" "$GODWIT" mat -q -o x cut.mat
done
fails 1 "it lacks windows (an array of three axes, one of 4) named y; it has x 13 x 41 x 4" \
    "$GODWIT" mat -q --windows y -o x "$data/turned.mat"
fails 2 "'AGCC' is not A, C, G and T" "$GODWIT" mat --channels AGCC -o x "$data/plain.mat"
head -9 names >few
fails 1 "few:9: the end, where the set has 10 labels" "$GODWIT" mat -q --names few -o x "$data/plain.mat"
echo more >>names
fails 1 "names:11: more names than the 10 labels" "$GODWIT" mat -q --names names -o x "$data/plain.mat"
fails 1 "value.mat: x, example 2: a channel is neither 0 nor 1" "$GODWIT" mat -q -o x "$data/value.mat"
fails 1 "channels.mat: x, example 2: a base has more than one channel of 1" "$GODWIT" mat -q -o x "$data/channels.mat"
fails 1 "label.mat: y, example 1: a label is neither 0 nor 1" "$GODWIT" mat -q -o x "$data/label.mat"

# Every place where a file of version 5 can end.
for file in plain.mat compressed.mat; do
    bytes=$(wc -c <"$data/$file")
    for cut in 100 130 136 200 350 $((bytes / 3)) 640 $((bytes - 387)) $((bytes - 1)); do
        [ "$cut" -lt "$bytes" ] || continue
        head -c "$cut" "$data/$file" >cut.mat
        fails 1 "cut.mat is truncated or damaged" "$GODWIT" mat -q -o x cut.mat
    done
done

# copy FILE, put PLACE BYTES: a copy with other bytes.
copy() { cat "$data/$1" >patched.mat; }
put() { printf "$2" | dd of=patched.mat bs=1 seek="$1" conv=notrunc 2>/dev/null; }
copy plain.mat
put 160 '\000\377\377\177' # the windows' 41 examples as 2^31
fails 1 "patched.mat is truncated or damaged: an array has other values than its dimensions say" "$GODWIT" mat -q -o x patched.mat
copy train.mat
for place in 1360 1384 7136 7152; do put "$place" '\000\000\000\200'; done # the examples of both arrays
fails 1 "patched.mat: trainxdata has 111669149696 values by its sizes, but only 575 bytes are stored" "$GODWIT" mat -q -o x patched.mat
copy train.mat
put 1496 '\377' # HDF5 1.10 does not survive it
fails 1 "patched.mat" "$GODWIT" mat -q -o x patched.mat
# A tree of HDF5 to whose ends 32^14 ways lead.
cp "$ROOT/tests/fuzz/corpus/hdf5/tree_named_again" tree.mat
fails 1 "tree.mat is damaged: reading it exceeded the limit of processor time" timeout 120 "$GODWIT" mat -q -o x tree.mat

# Stopped while the file is read: 250 MB of zeros, which are windows of N, of 62,500 examples. No process is left.
{
    head -c 128 "$data/plain.mat"
    printf '\016\000\000\000\270\262\346\016\006\000\000\000\010\000\000\000\011\000\000\000\000\000\000\000'
    printf '\005\000\000\000\014\000\000\000\350\003\000\000\004\000\000\000\044\364\000\000\000\000\000\000'
    printf '\001\000\001\000w\000\000\000\002\000\000\000\200\262\346\016'
} >big.mat
truncate -s +250000000 big.mat
printf '\016\000\000\000\130\364\000\000\006\000\000\000\010\000\000\000\011\000\000\000\000\000\000\000' >>big.mat
printf '\005\000\000\000\010\000\000\000\044\364\000\000\001\000\000\000\001\000\001\000y\000\000\000' >>big.mat
printf '\002\000\000\000\044\364\000\000' >>big.mat
truncate -s +62504 big.mat
pack() { ${background:+exec} "$GODWIT" mat -q -o x big.mat 2>err; }
begun() { ls x.bases.tmp.* >/dev/null 2>&1; }
start pack
await begun
kill "$run"
got=0
wait "$run" || got=$?
equal "$got" 143 "exit status of a stopped run ($(cat err))"
for process in /proc/[0-9]*; do
    [ "$(readlink "$process/cwd")" != "$PWD" ] || ! grep -q big.mat "$process/cmdline" || die "a process was left"
done
rm big.mat
for file in x.*; do [ ! -e "$file" ] || die "a failed run left $file"; done
