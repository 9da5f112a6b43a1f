#!/bin/sh
# The page of godwit report in a real browser, without network: nothing fails, its pictures are drawn, its tables sort.
#   tests/browser/report.sh build/godwit [picture.png]      needs Chromium (CHROMIUM names it); no part of make test
set -eu
GODWIT=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=$(dirname "$GODWIT")
export GODWIT ROOT BUILD
picture=${2:+$(cd "$(dirname "$2")" && pwd)/$(basename "$2")}
chromium=$(command -v "${CHROMIUM:-chromium}") || {
    echo "there is no ${CHROMIUM:-chromium}"
    exit 77
}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/godwit-browser.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
sh -eu "$ROOT/tests/cli/test_report.sh" # leaves report.html here
browse() { "$chromium" --headless --no-sandbox --disable-gpu --host-resolver-rules="MAP * ~NOTFOUND" --virtual-time-budget=5000 "$@"; }

# A script behind the page's own does what a reader would, and writes what it then sees.
# The page's policy allows its own script alone: this one is named beside it, by a nonce.
{
    sed '$d; s/script-src /&'"'nonce-watch'"' /' report.html
    cat <<'END'
<script nonce="watch">
const faults = [];
window.onerror = message => faults.push(message);
window.onload = () => {
  const images = [...document.images];
  const drawn = images.filter(i => i.complete && i.naturalWidth > 100).length;
  const heading = [...document.querySelectorAll('th')].find(t => t.textContent === 'AUROC' && t.closest('table').rows[0].cells[0].textContent === 'target');
  const column = () => [...heading.closest('table').tBodies[0].rows].map(r => Number(r.cells[heading.cellIndex].textContent));
  heading.click();
  const falling = column().every((v, i, all) => i === 0 || all[i - 1] >= v);
  heading.click();
  const rising = column().every((v, i, all) => i === 0 || all[i - 1] <= v);
  const wide = document.documentElement.scrollWidth <= window.innerWidth;
  document.title = `images ${drawn}/${images.length} falling ${falling} rising ${rising} rows ${column().length} fits ${wide} faults ${faults.length}`;
};
</script></body></html>
END
} >watched.html
browse --window-size=1100,900 --dump-dom "file://$scratch/watched.html" >dom.html 2>browser.log
seen=$(sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p' dom.html)
echo "report in $("$chromium" --version): $seen"
[ "$seen" = "images 5/5 falling true rising true rows 2 fits true faults 0" ] || exit 1
[ -z "$picture" ] || browse --window-size=1100,4200 --screenshot="$picture" "file://$scratch/report.html" 2>>browser.log
