#!/bin/sh
# What a training step costs on 1, 2 and 4 ranks of this machine: over shared memory, and over network namespaces whose
# links carry so many bits a second (Open MPI; the latter as root with iproute2). tests/bench/scale_model.py fits a
# model to the rows and says what it gives for more machines.   tests/bench/scale.sh BUILD [shared|RATE...] >rows.tsv
#
# A row: link, ranks, threads of each, how gradients are summed, and medians over the steps behind the first two, in
# seconds: of a step, of its sums, and of what was left of them after the backward pass.
set -eu
GODWIT=$(cd "$1" && pwd)/godwit
shift
[ $# -gt 0 ] || set -- shared 10gbit 1gbit 300mbit
scratch=$(mktemp -d "${TMPDIR:-/tmp}/godwit-bench.XXXXXX")
nodes=4
remove_network() {
    for i in $(seq 1 $nodes) switch; do ip netns del "gw$i" 2>/dev/null || true; done
}
trap 'remove_network; rm -rf "$scratch"' EXIT
cd "$scratch"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMP_WAIT_POLICY=passive
cores=$(nproc)

# make_network RATE: node i is 10.93.0.i, on a switch; every port sends that much each way.
make_network() {
    remove_network
    ip netns add gwswitch
    ip -n gwswitch link add bridge type bridge
    ip -n gwswitch link set bridge up
    for i in $(seq 1 $nodes); do
        ip netns add "gw$i"
        ip link add eth0 netns "gw$i" type veth peer name "port$i" netns gwswitch
        ip -n gwswitch link set "port$i" master bridge up
        ip -n "gw$i" addr add "10.93.0.$i/24" dev eth0
        ip -n "gw$i" link set eth0 up
        ip -n "gw$i" link set lo up
        tc -n "gw$i" qdisc add dev eth0 root tbf rate "$1" burst 512kb latency 100ms
        tc -n gwswitch qdisc add dev "port$i" root tbf rate "$1" burst 512kb latency 100ms
    done
}

# How mpirun starts what it would start by ssh.
cat >agent <<'END'
#!/bin/sh
node=${1##*.}
shift
exec ip netns exec "gw$node" unshare --uts sh -c "hostname gw$node; $*"
END
chmod +x agent

# launch LINK RANKS COMMAND...
launch() {
    link=$1 ranks=$2
    shift 2
    if [ "$link" = shared ]; then
        [ "$ranks" -gt 1 ] || { "$@" && return; }
        mpirun.openmpi --bind-to none -n "$ranks" "$@"
        return
    fi
    hosts=$(seq -f '10.93.0.%g' -s , 1 "$ranks")
    ip netns exec gw1 unshare --uts sh -c 'hostname gw1; exec "$@"' - mpirun.openmpi --bind-to none -n "$ranks" --host "$hosts" \
        --mca plm_rsh_agent "$scratch/agent" --mca btl tcp,self --mca btl_tcp_if_include 10.93.0.0/24 --mca oob_tcp_if_include 10.93.0.0/24 \
        -x OMP_WAIT_POLICY -x GODWIT_OVERLAP "$@"
}

median() {
    sort -g | awk '{ v[NR] = $1 } END { printf "%.4f", NR ? (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 : 0 }'
}
column() {
    sed -n "s/.*\"$1\":\([0-9.e+-]*\).*/\1/p" run.metrics | tail -n +3
}

# measure LINK RANKS THREADS HOW OPTIONS...
measure() {
    link=$1 ranks=$2 threads=$3 how=$4
    shift 4
    rm -rf model*
    GODWIT_OVERLAP=$([ "$how" = after ] && echo 0 || echo 1)
    export GODWIT_OVERLAP
    launch "$link" "$ranks" "$GODWIT" pretrain -q -d data -o model --size small --length 512 --steps 6 --batch-tokens 4096 --save-every 0 \
        -@ "$threads" "$@" >log 2>&1 || { cat log >&2; exit 1; }
    cp model/metrics.jsonl run.metrics
    steps=$(sed -n 's/.*"seconds":\([0-9.e+-]*\).*/\1/p' run.metrics | awk 'NR > 2 { print $1 - before } { before = $1 }' | median)
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$link" "$ranks" "$threads" "$how" "$steps" "$(column sum_seconds | median)" "$(column sum_wait_seconds | median)"
}

awk 'BEGIN { srand(1); print ">g"; for (i = 0; i < 300000; i++) { printf "%s", substr("ACGT", 1 + int(4 * rand()), 1); if (i % 60 == 59) print "" } }' >g.fa
"$GODWIT" corpus -q -f g.fa -n 1 -o corpus.txt
"$GODWIT" bpe -q -v 10 -o t.json corpus.txt
"$GODWIT" encode -q -m t.json -o data corpus.txt
printf 'link\tranks\tthreads\thow\tstep\tsum\twait\n'
for link; do
    if [ "$link" = shared ]; then
        measure shared 1 1 alone
        measure shared 1 "$cores" alone
        measure shared 1 "$cores" twelve --groups 12
    else
        make_network "$link"
    fi
    for ranks in 2 4; do
        threads=$((cores > ranks ? cores / ranks : 1))
        measure "$link" $ranks $threads during
        measure "$link" $ranks $threads after
        measure "$link" $ranks $threads library --all-reduce
        [ "$link" = shared ] || continue
        [ "$ranks" = 2 ] || continue
        measure "$link" $ranks $threads twelve --groups 12
        measure "$link" $ranks $threads split --split-moments
    done
done
printf '# gradient %s cores %s\n' "$(wc -c <model/model.safetensors)" "$cores"
