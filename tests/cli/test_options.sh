# Options go with a word first: each that version 1.0 took is taken, and one by the name that it had says so.
. "$ROOT/tests/cli/lib.sh"

# tests/data/options.tsv is what tests/options.sh printed of it. A row goes with a major version alone.
while IFS='	' read -r command option; do
    "$GODWIT" "$command" "$option" --help </dev/null >/dev/null 2>err || :
    ! grep -qE 'unknown (option|command)' err || echo "$command $option"
done <"$ROOT/tests/data/options.tsv" >gone
[ ! -s gone ] || die "what 1.0 took, this program does not: $(cat gone)"
[ "$(wc -l <"$ROOT/tests/data/options.tsv")" -gt 400 ] || die "too few options are known"

# A name that an option had.
"$GODWIT" predict --tokens-per-pass 64 --help >/dev/null 2>err
grep -qx 'godwit predict: warning: --tokens-per-pass is called --batch-tokens; the old name is taken until version 2' err || die "$(cat err)"
"$GODWIT" predict --batch-tokens 64 --help >/dev/null 2>err
[ ! -s err ] || die "the new name: $(cat err)"
"$GODWIT" man predict | grep -q 'tokens-per-pass' && die "the manual shows an old name" || :

# The version's numbers are those of its text.
"$GODWIT" --version | head -n 1 >version
equal "$(cat version)" "godwit $(awk '/GW_VERSION_MAJOR/ { a = $3 } /GW_VERSION_MINOR/ { b = $3 } /define GW_VERSION "/ { split($3, v, "[\".]"); c = v[4] } END { print a "." b "." c }' "$ROOT/lib/godwit.h")"
