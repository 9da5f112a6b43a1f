# The documents as pages: each is there, readable without network, and no link or picture leads nowhere; a link that does is found.
. "$ROOT/tests/cli/lib.sh"
command -v pandoc >/dev/null || { echo "needs pandoc"; exit 77; }
git -C "$ROOT" ls-files README.md >/dev/null 2>&1 || { echo "needs a clone"; exit 77; }
sh "$ROOT/tools/site/build.sh" site 2>err || die "$(cat err)"
for page in index docs/guides/tutorial docs/reference/benchmarks docs/guides/gallery docs/reference/splicing docs/lab/index contents; do
    [ -s "site/$page.html" ] || die "no $page.html"
done
! grep -lE 'src="[a-z]*:?//|<link[^>]*href="[a-z]*:?//|@import|url\(' $(find site -name '*.html') site/style.css || die "a page wants the network"
grep -q '^\["docs/reference/patterns.html#length","Attention patterns","Length",".*full attention' site/search.js || die "the search does not know a section"
grep -q '<a href="../../docs/reference/patterns.html" aria-current="page">Attention patterns' site/docs/reference/patterns.html || die "navigation does not show its page"
grep -q '<img src="tutorial/lac.png"' site/docs/guides/tutorial.html || die "the tutorial shows no map"
printf '<a href="docs/nowhere.html">x</a><a href="docs/guides/tutorial.html#nothing">y</a>\n' >site/bad.html
fails 1 "./bad.html: there is no docs/nowhere.html" sh "$ROOT/tools/site/check.sh" site
grep -q "docs/guides/tutorial.html has no #nothing" fails.err || die "a heading that is not there is not found"
