# Sourced by the tests of several ranks, after lib.sh: skips the script where no MPI's plugin was built or no mpirun runs it.
# on N COMMAND...: by N ranks of the first implementation that there is, one thread each, also as root and on fewer processors.
export OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
unset OMPI_COMM_WORLD_RANK PMI_RANK PMIX_RANK
mpis=''
for mpi in openmpi mpich; do
    [ ! -e "$BUILD/libgodwit-mpi-$mpi.so" ] || ! command -v mpirun.$mpi >/dev/null 2>&1 || mpis="$mpis $mpi"
done
if [ -z "$mpis" ]; then
    echo "needs mpirun.openmpi or mpirun.mpich and a build with its plugin (make MPI=1)"
    exit 77
fi
mpi=${mpis#" "}
mpi=${mpi%% *}
on() {
    ranks=$1
    shift
    ${background:+exec} "mpirun.$mpi" -n "$ranks" "$@"
}

# metrics FOLDER: without what the clock says.
metrics() {
    sed 's/,"[a-z_]*second[a-z]*":[^,}]*//g' "$1/metrics.jsonl"
}

# same_run A B: equal weights and metrics.
same_run() {
    same "$1/model.safetensors" "$2/model.safetensors"
    metrics "$1" >"$1.rows"
    metrics "$2" >"$2.rows"
    same "$1.rows" "$2.rows"
}
