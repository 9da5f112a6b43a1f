#!/bin/sh
# Commands with their options, as their man pages show them: what tests/data/options.tsv keeps of a released version.
#   tests/options.sh GODWIT
for command in $("$1" list); do
    "$1" man "$command" | sed -n 's/^\.B //p' | sed 's/\\//g' | tr ',' '\n' | grep -oE '^ *(--[a-z][a-z0-9-]*|-[A-Za-z@])' | tr -d ' ' |
        sort -u | sed "s/^/$command	/"
done
