# Completion for bash, zsh and fish: every command and option is offered, with what its value can be. zsh and fish are
# asked where they are installed.
. "$ROOT/tests/cli/lib.sh"

PATH=$(dirname "$GODWIT"):$PATH
mkdir folder && : >file.txt && : >"a file.txt"
for shell in bash zsh fish; do "$GODWIT" completion $shell >completion.$shell || die "no completion for $shell"; done
fails 2 "name a shell: bash, zsh or fish" "$GODWIT" completion tcsh
fails 2 "name a shell: bash, zsh or fish" "$GODWIT" completion

# Every long option of every command's help stands in each script.
for command in $("$GODWIT" list); do
    for option in $("$GODWIT" "$command" --help-all | sed -n 's/^  \(-.,\|   \) --\([a-z0-9-]*\).*/\2/p'); do
        grep -q -- "^ *$command:.*--$option[=)]\|^ *$command) words='.* --$option[ ']" completion.bash || die "bash lacks $command --$option"
        sed -n "/^    $command) _arguments/,/;;/p" completion.zsh | grep -q -- "--$option[=[:punct:]]" || die "zsh lacks $command --$option"
        grep -q "from $command' .*-l $option " completion.fish || die "fish lacks $command --$option"
    done
done

# bash_offers WORD...: what Tab offers for the last word, cut as bash cuts words.
bash_offers() {
    bash -c '. ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _godwit; printf "%s\n" "${COMPREPLY[@]}"' - "$@" |
        sort | tr '\n' ,
}
equal "$(bash_offers godwit pro)" "profiles,promoters," "commands"
equal "$(bash_offers godwit help pro)" "profiles,promoters," "commands to help with"
equal "$(bash_offers godwit score --att)" "--attention," "a long option"
equal "$(bash_offers godwit score --attention f)" "full," "a choice"
equal "$(bash_offers godwit score --attention = see)" "seeded," "a choice behind an equals sign"
equal "$(bash_offers godwit score -O '')" "b,u,v,z," "choices of a letter"
equal "$(bash_offers godwit score --write-index = '')" "csi,tbi," "an optional value"
equal "$(bash_offers godwit score --write-index fo)" "folder," "what follows an option without its value"
equal "$(bash_offers godwit score -m f)" "folder," "a folder"
equal "$(bash_offers godwit score -f a)" "a file.txt," "a file with a blank"
equal "$(bash_offers godwit score --fasta = fi)" "file.txt," "a file behind an equals sign"
equal "$(bash_offers godwit score --window '')" "," "a number"
equal "$(bash_offers godwit corpus f)" "," "a command without operands"

if command -v fish >/dev/null 2>&1; then
    export HOME="$PWD/home" XDG_CONFIG_HOME="$PWD/home" XDG_DATA_HOME="$PWD/home"
    fish_offers() {
        fish --no-config -c 'source completion.fish; complete -C $argv' "$1" | cut -f1 | sort | tr '\n' ,
    }
    equal "$(fish_offers 'godwit pro')" "profiles,promoters," "fish: commands"
    equal "$(fish_offers 'godwit score --attention f')" "full," "fish: a choice"
    equal "$(fish_offers 'godwit score --att')" "--attention," "fish: a long option"
    equal "$(fish_offers 'godwit score -m f')" "folder/," "fish: a folder"
    equal "$(fish_offers 'godwit score --write-index=t')" "--write-index=tbi," "fish: an optional value"
fi
if command -v zsh >/dev/null 2>&1; then
    zsh -fn completion.zsh || die "zsh cannot read its script"
    zsh -fc 'autoload -U compinit; compinit -D -u; . ./completion.zsh; [[ $_comps[godwit] == _godwit ]]' || die "zsh does not take its script"
fi
