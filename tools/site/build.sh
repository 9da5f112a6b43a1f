#!/bin/sh
# The documents as a site that needs no network: README.md, CHANGELOG.md, docs, the cards of shipped models, by pandoc.
#   tools/site/build.sh FOLDER      `make site` calls it
# Pages are grouped by their folders. Navigation stands on every page. search.js has the text of every section. Links that lead
# nowhere are an error.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
command -v pandoc >/dev/null || { echo "make site needs pandoc (apt-get install pandoc)" >&2 && exit 1; }
rm -rf "$1" && mkdir -p "$1"
site=$(cd "$1" && pwd)
cd "$root"

# Guides in the order in which a newcomer needs them; pages that are not named follow by name.
first="docs/guides/install.md docs/guides/tutorial.md docs/guides/choose-model.md docs/guides/score-human.md docs/guides/score-microbe.md
    docs/guides/chromatin.md docs/guides/train.md docs/guides/pretrain.md docs/guides/explain.md docs/guides/embed.md docs/guides/long-texts.md
    docs/guides/cluster.md docs/guides/python.md docs/guides/library.md docs/guides/gallery.md docs/reference/commands.md
    docs/reference/models.md docs/reference/scores.md docs/reference/formats.md docs/background/results.md docs/background/performance.md
    docs/lab/README.md"
pages_of() { # FOLDER...: its pages in order
    for page in $first; do git ls-files "$@" | grep -xF "$page" || true; done
    for page in $(git ls-files "$@"); do case " $(echo $first) " in *" $page "*) ;; *) echo "$page" ;; esac; done
}
target() { echo "$1" | sed 's/README\.md$/index.md/; s/\.md$/.html/'; }
title() { # of a page; a model's card has the model's name
    case $1 in
    share/*) basename "$(dirname "$1")" ;;
    *) sed -n 's/^# //p' "$1" | head -n 1 | sed 's/`//g' ;;
    esac
}

# group NAME ID FOLDER...: a part of the navigation, with links from the site's root, and the same as Markdown for contents.html
group() {
    name=$1 id=$2
    shift 2
    printf '<details%s><summary>%s</summary><ul>\n' "$([ "$id" = trials ] || echo ' open')" "$name" >>"$site/nav.html"
    printf '\n## %s\n\n' "$name" >>"$site/contents.md"
    for page in $(pages_of "$@"); do
        printf '<li><a href="@%s">%s</a></li>\n' "$(target "$page")" "$(title "$page")" >>"$site/nav.html"
        printf -- '- [%s](%s)\n' "$(title "$page")" "$(target "$page")" >>"$site/contents.md"
        echo "$page" >>"$site/pages"
    done
    printf '</ul></details>\n' >>"$site/nav.html"
}
echo "# All pages" >"$site/contents.md"
group Guides guides 'docs/guides/*.md'
group Reference reference 'docs/reference/*.md'
group "Shipped models" models 'share/*.md'
group Background background 'docs/background/*.md' tools/packaging/README.md CONTRIBUTING.md CHANGELOG.md
group Trials trials 'docs/lab/*.md'

# render PAGE TARGET [OPTION...]: headings are named as GitHub names them, as the documents' links do
render() {
    page=$1 to=$2
    shift 2
    mkdir -p "$site/$(dirname "$to")"
    up=$(echo "$to" | sed 's|[^/]*$||; s|[^/]*/|../|g')
    nav=$(sed "s|href=\"@$to\"|href=\"@$to\" aria-current=\"page\"|; s|href=\"@|href=\"$up|" "$site/nav.html")
    SITE_PAGE=$to SITE_INDEX=$site/sections pandoc -f gfm -t html --toc --toc-depth=3 --template tools/site/page.html \
        --lua-filter tools/site/page.lua -V root="$up" -V nav="$nav" "$@" -o "$site/$to" "$page"
}
render README.md index.html -V home=1
while read -r page; do render "$page" "$(target "$page")"; done <"$site/pages"
render "$site/contents.md" contents.html
{ echo "const sections = [" && cat "$site/sections" && echo "];" && cat tools/site/search.js; } >"$site/search.js"
cp tools/site/style.css "$site"
for file in $(git ls-files 'docs/*.png' 'docs/*.svg' 'docs/*.ipynb' 'docs/*.c'); do
    mkdir -p "$site/$(dirname "$file")"
    cp "$file" "$site/$file"
done
rm "$site/nav.html" "$site/contents.md" "$site/pages" "$site/sections"
sh tools/site/check.sh "$site"
