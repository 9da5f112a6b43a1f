# tools/install-deps.sh, with an apt that writes down what it is asked for: what godwit needs, and what it can do without
# where that is packaged.
. "$ROOT/tests/cli/lib.sh"

mkdir bin
stub() { # NAME: its commands from stdin
    { echo '#!/bin/sh' && cat; } >"bin/$1"
    chmod +x "bin/$1"
}
stub apt-get <<'E2'
[ "$1" != update ] || exit 0
[ ! -e broken ] || exit 100
shift 4
echo "$*" >>installed
E2
stub apt-cache <<'E2'
! grep -qx "$2" unpackaged
E2
stub dpkg-query <<'E2'
grep -qx "$3" there && echo "install ok installed"
E2
stub id <<'E2'
cat user
E2
deps() {
    rm -f installed
    PATH="$PWD/bin:$PATH" sh "$ROOT/tools/install-deps.sh" >out 2>&1
}

echo 0 >user
: >there
: >unpackaged
deps || die "$(cat out)"
grep -q "libhts-dev.*libcriterion-dev" installed || die "what is needed: $(cat installed)"
grep -qx "libbigwig-dev libmatio-dev libhdf5-dev" installed || die "what is not: $(cat installed)"
PATH="$PWD/bin:$PATH" sh "$ROOT/tools/install-deps.sh" --development >out 2>&1 || die "$(cat out)"
grep -q "bcftools tabix" installed && grep -q "slurmctld slurmd" installed || die "what tests look for: $(cat installed)"

# One that is not packaged is named and left out.
echo libbigwig-dev >unpackaged
deps || die "$(cat out)"
grep -q "left out: libbigwig-dev is not packaged here" out || die "not named: $(cat out)"
grep -qx "libmatio-dev libhdf5-dev" installed || die "the others: $(cat installed)"

# What is there is left alone; what cannot be had, though godwit does without, is not a failure.
sed -n 's/^packages="\(.*\)"/\1/p' "$ROOT/tools/install-deps.sh" | tr ' ' '\n' >there
: >unpackaged && : >broken
deps || die "$(cat out)"
grep -q "left out: libbigwig-dev libmatio-dev libhdf5-dev, which could not be installed" out || die "$(cat out)"
printf 'libbigwig-dev\nlibmatio-dev\nlibhdf5-dev\n' >>there
deps || die "$(cat out)"
[ ! -s out ] || die "something was done: $(cat out)"
sed -i /libhts-dev/d there
! deps || die "a library that is needed could not be installed, and nothing was said"
