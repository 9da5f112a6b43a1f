#!/bin/sh
# The site in a real browser, without network: search finds sections, light and dark change, pictures are drawn, and pages fit a phone.
#   tests/browser/site.sh SITE [FOLDER]      SITE: what tools/site/build.sh made; FOLDER gets screenshots
#   needs Chromium (CHROMIUM names it); no part of make test
set -eu
chromium=$(command -v "${CHROMIUM:-chromium}") || {
    echo "there is no ${CHROMIUM:-chromium}"
    exit 77
}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/godwit-site.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
pictures=${2:+$(mkdir -p "$2" && cd "$2" && pwd)}
cp -r "$1" "$scratch/site"
cd "$scratch"
browse() { "$chromium" --headless --no-sandbox --disable-gpu --hide-scrollbars --host-resolver-rules="MAP * ~NOTFOUND" --virtual-time-budget=5000 "$@" 2>>browser.log; }

# watched PAGE: PAGE with a script behind its own that does what a reader would, and writes into the title what it then sees.
watched() {
    cat "site/$1" - >"site/${1%.html}.watched.html" <<'END'
<script>
const faults = [];
window.onerror = message => faults.push(message);
window.onload = () => {
  const input = document.querySelector("input"), results = () => [...document.querySelectorAll(".search li a")];
  input.value = "performer"; input.dispatchEvent(new Event("input"));
  const found = results().length > 0 && results()[0].textContent.toLowerCase().includes("performer");
  const there = results().every(a => a.href.includes(".html"));
  input.value = "zzzzqq"; input.dispatchEvent(new Event("input"));
  const nothing = results().length === 0;
  input.value = ""; input.dispatchEvent(new Event("input"));
  const color = () => getComputedStyle(document.body).backgroundColor, before = color();
  document.querySelector(".theme").click();
  const changed = color() !== before;
  document.querySelector(".theme").click();
  const images = [...document.querySelectorAll("main img")], drawn = images.every(i => i.complete && i.naturalWidth > 50);
  const wide = document.documentElement.scrollWidth > innerWidth;
  document.title = `found ${found && there && nothing} changed ${changed} drawn ${drawn} wide ${wide} faults ${faults.length}`;
};
</script>
END
}
faults=0
for page in index docs/reference/patterns docs/background/performance docs/background/sbm docs/guides/tutorial docs/reference/formats; do
    watched "$page.html"
    for size in 1400,900 500,900; do
        seen=$(browse --window-size=$size --dump-dom "file://$scratch/site/$page.watched.html" | sed -n 's/.*<title>\(found.*\)<\/title>.*/\1/p')
        [ "$seen" = "found true changed true drawn true wide false faults 0" ] || { echo "$page at $size: $seen" && faults=1; }
        [ -z "$pictures" ] || browse --window-size=$size --screenshot="$pictures/$(echo "$page-$size" | tr '/,' '__').png" "file://$scratch/site/$page.html" >/dev/null
    done
done
[ "$faults" -eq 0 ] && echo "site in $("$chromium" --version 2>/dev/null): search, themes, pictures and widths are right"
exit $faults
