# godwit score on many records: parts that are put together again, and runs that go on where one was killed.
. "$ROOT/tests/cli/lib.sh"
prepared small

# Every sixth record has two ALTs and every seventh lies where no window fits.
"$GODWIT" mutate -q -f g.fa -r c1:101-600,c2:1-300 -o changes.vcf
awk -F'\t' -v OFS='\t' '/^#/ { print; next } { n++; $3 = "v" n; if (n % 6 == 0) $5 = $5 ",G" $4 "T"; print }' changes.vcf >many.vcf
records=$(grep -vc '^#' many.vcf)
score() { "$GODWIT" score -m profiles -f g.fa "$@"; }
score -q -o whole.vcf --profiles whole.npy --reasons whole.tsv many.vcf

# Shards: the records of one run in its order, under the same header but for what names the output.
for n in 1 4; do
    for i in $(seq $n); do score -q --shard "$i/$n" -o part.vcf many.vcf && cat part.vcf >>parts.$n; done
    grep '^#' part.vcf >found
    grep '^#' whole.vcf | sed 's/ --profiles whole.npy --reasons whole.tsv//' >expected
    same found expected
    grep -v '^#' whole.vcf >expected
    grep -v '^#' parts.$n >found
    same found expected
done
equal "$(score -q -t c1:201-250 --shard 2/4 many.vcf | grep -v '^#' | cut -f2 | sort -un | tr '\n' ' ')" \
    "213 214 215 216 217 218 219 220 221 222 223 224 225 " "the second quarter of a target"
equal "$(score -q --shard 3/9000 many.vcf | grep -vc '^#')" 0 "records of a shard that is empty"
if has bcftools; then
    for i in 1 2 3; do score -q --shard "$i/3" -o "part.$i.bcf" many.vcf && bcftools index "part.$i.bcf"; done
    bcftools concat --no-version part.1.bcf part.2.bcf part.3.bcf >together.vcf 2>err || die "concat: $(cat err)"
    score -q -o one.bcf many.vcf
    bcftools view --no-version one.bcf >one.vcf
    same together.vcf one.vcf
fi
for shard in 0/3 4/3 3 x/3 3/ -1/3 2/0; do
    fails 2 "'$shard' is not I/N with I from 1 to N" "$GODWIT" score -q -m profiles -f g.fa --shard=$shard many.vcf
done
fails 1 "shards need a file" "$GODWIT" score -q -m profiles -f g.fa --shard 1/2 - <many.vcf

# The task of a job array; only where it is asked for.
fails 2 "SLURM_ARRAY_TASK_ID is not set" "$GODWIT" score -q -m profiles -f g.fa --shard slurm many.vcf
export SLURM_ARRAY_TASK_ID=6 SLURM_ARRAY_TASK_MIN=2 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_STEP=2
score -q --shard slurm many.vcf | grep -v '^#' >found
score -q --shard 3/3 many.vcf | grep -v '^#' >expected
same found expected
equal "$(score -q many.vcf | grep -vc '^#')" "$records" "records without --shard in a job array"
SLURM_ARRAY_TASK_ID=5
fails 2 "an array of evenly spaced numbers, such as --array=1-3" "$GODWIT" score -q -m profiles -f g.fa --shard slurm many.vcf

# Killed again and again, the same command ends with the bytes of one run, side files too.
killed_run() { # OUTPUT RECORDS BYTES: reads so many and waits for more, and is killed when its journal has grown by so much
    before=$(journal_size "$1")
    exec 3<>fed # stays open, and so the run does not end by itself
    awk -v records="$2" '/^#/ || n++ < records' many.vcf >fed 3>&- &
    "$GODWIT" score -q -m profiles -f g.fa -o "$1" --profiles x.npy --reasons x.tsv -@ 1 fed 3>&- &
    run=$!
    await journal_exceeds "$1" $((before + $3))
    kill -9 $run
    wait $run || true
    exec 3>&-
    wait
}
journal_size() { if [ -e "$1.journal" ]; then wc -c <"$1.journal"; else echo 0; fi; }
# shellcheck disable=SC2317 # called below
journal_exceeds() { [ "$(journal_size "$1")" -gt "$2" ]; }
resumed() { # OUTPUT RECORDS: the last run, at least so many records of which come from the journal
    score --profiles x.npy --reasons x.tsv -@ 1 -o "$1" many.vcf 2>notes
    from=$(sed -n 's/^godwit: \([0-9]*\) records had been scored by a run that was stopped.*/\1/p' notes)
    [ "${from:-0}" -ge "$2" ] || die "resumed ${from:-0} records, expected $2 or more: $(cat notes)"
    grep -v '^##godwit_scoreCommand' "$1" >found
    grep -v '^##godwit_scoreCommand' whole.vcf >expected
    same found expected
    same x.npy whole.npy
    same x.tsv whole.tsv
    [ ! -e "$1.journal" ] || die "the journal stays"
    for left in *.tmp.*; do [ ! -e "$left" ] || die "left $left"; done
}
mkfifo fed
# A block of the journal has about 40000 bytes, and the last one may be cut.
killed_run k.vcf 500 40000
killed_run k.vcf "$records" 90000
[ ! -e k.vcf ] || die "a killed run left its output"
cp k.vcf.journal full.journal
resumed k.vcf 500

# A journal whose last block is cut, or has another byte, answers up to there.
size=$(wc -c <full.journal | tr -d ' ')
head -c $((size - 100)) full.journal >k.vcf.journal
resumed k.vcf 250
{ head -c $((size - 100)) full.journal && printf x && tail -c 99 full.journal; } >k.vcf.journal
resumed k.vcf 250
printf 'something else' >k.vcf.journal
score -q --profiles x.npy --reasons x.tsv -@ 1 -o k.vcf many.vcf
grep -v '^##godwit_scoreCommand' k.vcf >found
grep -v '^##godwit_scoreCommand' whole.vcf >expected
same found expected

# Another model's arithmetic, other records: nothing is taken over.
cp full.journal k.vcf.journal
awk -F'\t' -v OFS='\t' '!/^#/ && !done { $5 = $4 "C"; done = 1 } { print }' many.vcf >other.vcf
mv many.vcf kept.vcf && cp other.vcf many.vcf
score --profiles x.npy --reasons x.tsv -@ 1 -o k.vcf many.vcf 2>notes
grep -q 'had been scored' notes && die "scores of other records: $(cat notes)"
mv kept.vcf many.vcf
if grep -qw avx512_bf16 /proc/cpuinfo && "$GODWIT" --version | grep -Eq '^cpu: .*(avx512|amx) \(in use\)'; then
    cp full.journal k.vcf.journal
    score --dtype bf16 --profiles x.npy --reasons x.tsv -@ 1 -o k.vcf many.vcf 2>notes
    ! grep -q 'had been scored' notes || die "scores of another model: $(cat notes)"
else
    echo "left out: a journal of f32 beside bf16, for which this processor has no instructions"
fi

# A link in the journal's place is not followed.
echo precious >victim
ln -s victim linked.vcf.journal
fails 1 "linked.vcf.journal is a link, which a journal never is" "$GODWIT" score -q -m profiles -f g.fa -o linked.vcf many.vcf
equal "$(cat victim)" precious "what a link points to"
[ ! -e linked.vcf ] || die "a refused run left its output"

# A run that fails says where its scores are; one that writes the same output meanwhile is refused.
{ cat many.vcf && printf 'c1\t5\n'; } >bad.vcf
mkfifo pipe
cat bad.vcf >pipe &
fails 1 "2 columns, but the header has 8" "$GODWIT" score -m profiles -f g.fa -o bad.out.vcf pipe
grep -q 'the scores so far are kept in bad.out.vcf.journal; the same command continues from there' fails.err || die "note: $(cat fails.err)"
cat many.vcf >pipe &
"$GODWIT" score -m profiles -f g.fa -o bad.out.vcf pipe 2>notes
grep -q 'records had been scored by a run that was stopped' notes || die "a repaired input: $(cat notes)"

# Records out of order, where an index is wanted: of a file said before anything is scored, of a stream with what goes on.
sort='an index needs sorted records: run bcftools sort on the input'
awk '/^c1\t300\t/ { held = held $0 "\n"; next } { print } /^c1\t400\t/ && held != "" { printf "%s", held; held = "" }' many.vcf >mixed.vcf
line=$(grep -n '^c1.300.' mixed.vcf | head -1 | cut -d: -f1)
fails 1 "mixed.vcf:$line: POS 300 comes after POS 400; $sort" "$GODWIT" score -m profiles -f g.fa -o mixed.vcf.gz --write-index mixed.vcf
! grep -q 'kept in' fails.err || die "a file is scored before its order is known: $(cat fails.err)"
fails 1 "POS 300 comes after POS 400" "$GODWIT" score -q -m profiles -f g.fa -o mixed.vcf.gz --write-index --shard 2/2 mixed.vcf
{ cat many.vcf && grep '^c1' many.vcf | head -1; } >back.vcf
fails 1 "contig c1 comes back after others; $sort" "$GODWIT" score -q -m profiles -f g.fa -o mixed.vcf.gz --write-index back.vcf
cat back.vcf >pipe &
fails 1 "contig c1 comes back after others; $sort" "$GODWIT" score -m profiles -f g.fa -o back.vcf.gz --write-index pipe
grep -q 'are kept in back.vcf.gz.journal; the same command without --write-index continues from there' fails.err || die "note: $(cat fails.err)"
cat back.vcf >pipe &
score -o back.vcf.gz pipe 2>notes
grep -q 'records had been scored by a run that was stopped' notes || die "without an index nothing is resumed: $(cat notes)"
exec 3<>pipe # stays open, and so the first run waits for more
cat many.vcf >&3 &
"$GODWIT" score -q -m profiles -f g.fa -o busy.vcf pipe 3>&- &
run=$!
await [ -s busy.vcf.journal ]
got=0
score -q -o busy.vcf many.vcf 2>err || got=$?
equal "$got" 1 "status of a second run"
grep -q 'busy.vcf.journal is in use: another run writes the same output' err || die "a second run: $(cat err)"
exec 3>&-
wait
exit 0
