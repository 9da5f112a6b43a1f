# The program itself: help, versions, exit statuses, and that every command's help and man page come out.
. "$ROOT/tests/cli/lib.sh"

"$GODWIT" --version | grep -q '^godwit [0-9]' || die "no version line"
"$GODWIT" --version | grep -q '^htslib [0-9]' || die "no htslib line"
"$GODWIT" --version | grep -q '^onednn [23][.][0-9]' || die "no onednn line"
"$GODWIT" help >overview
for command in $("$GODWIT" list); do
    grep -q "^  $command " overview || die "$command is not in the overview"
    "$GODWIT" "$command" --help >help.txt || die "$command --help failed"
    grep -q "^Usage: godwit $command" help.txt || die "$command --help has no usage line"
    words=$(awk 'NR < 4 || /^The manual says more/ { next } /^ +-/ { print n - (heading ~ /:$/ ? split(heading, words) : 0); exit } NF { n += NF; heading = $0 }' help.txt)
    [ "$words" -gt 0 ] && [ "$words" -le 120 ] || die "$command --help has $words words before its options"
    "$GODWIT" man "$command" >page.1 || die "man $command failed"
    grep -q '^.SH OPTIONS' page.1 || die "man $command has no options"
    if command -v man >/dev/null && command -v groff >/dev/null; then # as Debian's lintian looks at them
        LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z page.1 2>warnings >/dev/null || :
        [ ! -s warnings ] || die "man $command: $(cat warnings)"
    fi
    fails 2 "unknown option: --no-such-option" "$GODWIT" "$command" --no-such-option
    # --help fits a page and tells of the options that it leaves out; --help-all names every option of the manual.
    count=$(wc -l <help.txt)
    [ "$count" -le 60 ] || die "$command --help has $count lines, 60 are the most"
    "$GODWIT" "$command" --help-all >all.txt
    sed -n '/^\.SH OPTIONS/,/^\.SH FILES/s/^\.B //p' page.1 | sed 's/\\//g' | grep -oE '(^|, )--?[a-zA-Z0-9@][a-z0-9-]*' | sed 's/^, //' >manual.names
    for file in help all; do
        grep -oE '^  (-[a-zA-Z@0-9](, --[a-z0-9-]+)?|    --[a-z0-9-]+)' $file.txt | tr ',' '\n' | tr -d ' ' >$file.names
    done
    same manual.names all.names
    ! grep -vxF -f all.names help.names || die "$command --help names an option that --help-all lacks"
    left=$(($(grep -c '^--' all.names) - $(grep -c '^--' help.names)))
    if [ "$left" -gt 0 ]; then
        grep -q "^$left more options: godwit $command --help-all" help.txt || die "$command --help does not tell of $left options"
    else
        ! grep -q 'more options' help.txt || die "$command --help tells of options that it shows"
    fi
done
equal "$(grep ':$' overview | sort | uniq -d)" "" "headings that stand twice"
equal "$(awk '/^  [a-z]/ { print $1; exit }' overview)" score "the first command"
grep -q "^Start here: godwit score -m yeast" overview || die "nothing to start with: $(cat overview)"
fails 2 "unknown command: nonsense" "$GODWIT" nonsense
fails 2 "unknown command: pretrian; the nearest is pretrain" "$GODWIT" pretrian
fails 2 "unknown option: --stesp; the nearest is --steps" "$GODWIT" pretrain --stesp 3
fails 2 "unknown option: --moed=x; the nearest is --model" "$GODWIT" score --moed=x
fails 2 "unknown option: -l; the nearest is --lr" "$GODWIT" pretrain -lr 1e-3
fails 2 "unknown option: --thread; the nearest is --threads" "$GODWIT" score --thread 2
fails 2 "Usage: godwit <command>" "$GODWIT"
fails 2 "this option needs a value: --seed" "$GODWIT" corpus --seed
fails 2 "is not a whole number" "$GODWIT" corpus --seed=abc
status=0
"$GODWIT" help >/dev/full 2>err || status=$?
equal "$status" 1 "exit status on a full disk"
grep -q "standard output" err || die "a full disk is not named: $(cat err)"

# Options of one kind of model are shown with -m.
GODWIT_MODELS=$ROOT/share/godwit/models
export GODWIT_MODELS
for option in digits anywhere mask; do
    "$GODWIT" score --help -m human-splice | grep -q -e "--$option" || die "score --help -m human-splice lacks --$option"
    ! "$GODWIT" score --help | grep -q -e "--$option" || die "score --help shows --$option"
done
! "$GODWIT" score --help-all -m human-splice | grep -q -e '--share-windows' || die "--share-windows is of other models"
"$GODWIT" score --help -m yeast | grep -q -e '--share-windows' || die "score --help -m yeast lacks --share-windows"
"$GODWIT" predict --help -m "$ROOT/share/godwit/models/ecoli-promoter" >promoter.txt && ! grep -q -e '--max-question' promoter.txt || die "questions of a promoter model"
fails 1 "no model 'nonsense' is installed" "$GODWIT" score --help -m nonsense

# Of a command with several kinds of work, --help beside the kind shows the options of that alone.
"$GODWIT" finetune --help-all >all.txt
"$GODWIT" finetune --task summarize --help >summarize.txt
"$GODWIT" finetune --help --task promoter >promoter.txt
for option in max-source freeze-encoder tss-offset stride epochs; do
    grep -q -e "--$option " all.txt || grep -q -e "--$option$" all.txt || die "finetune --help-all lacks --$option"
done
grep -q -e '--max-source' summarize.txt && ! grep -q -e '--freeze-encoder' -e '--tss-offset' -e '--stride' summarize.txt || die "the options of --task summarize"
grep -q -e '--tss-offset' promoter.txt && ! grep -q -e '--max-source' -e '--stride' -e '^Texts about texts' promoter.txt || die "the options of --task promoter"
fails 2 '--max-source goes with --task summarize' "$GODWIT" finetune --task promoter -d set.csv -o model --max-source 9
fails 2 '--both-strands and --one-strand exclude each other' "$GODWIT" finetune --task promoter -d set.csv -o model --both-strands --one-strand
