# Kernels stay within the registers of budgets.txt and spill none, as this nvcc's ptxas tells, and as many of their blocks fit a
# multiprocessor, as cuda_occupancy.h counts them.
nvcc=${NVCC:-nvcc}
command -v "$nvcc" >/dev/null || { echo "no nvcc"; exit 77; }
include=$(dirname "$(command -v "$nvcc")")/../include
[ -e "$include/cuda_occupancy.h" ] || include=/usr/include
${CXX:-g++} -std=c++17 -I"$include" -o occupancy "$ROOT/tests/cuda/occupancy.cc"
failed=0
# largest PATTERN: the largest number that it finds in what ptxas said of the kernels, or 0.
largest() {
    number=$(sed -n "s/.*$1.*/\1/p" of_kernel | sort -n | tail -n 1)
    echo "${number:-0}"
}
while read -r source kernel architecture most threads dynamic least; do
    case $source in '#'*) continue ;; esac
    "$nvcc" --list-gpu-arch | grep -qx "compute_$architecture" || continue
    log=$source.$architecture.log
    [ -e "$log" ] || "$nvcc" -std=c++17 -O2 -arch="sm_$architecture" -I"$ROOT" -I"$ROOT/lib" -cubin -Xptxas -v -o kernel.cubin \
        "$ROOT/kernels/cuda/$source.cu" >"$log" 2>&1 || { cat "$log"; exit 1; }
    awk -v kernel="$kernel" '/Compiling entry function/ { here = kernel == "-" || index($0, kernel) } here' "$log" >of_kernel
    registers=$(largest 'Used \([0-9]*\) registers') spilled=$(largest ' \([0-9]*\) bytes spill stores') shared=$(largest ' \([0-9]*\) bytes smem')
    blocks=$(./occupancy "$architecture" "$registers" "$shared" "$dynamic" "$threads")
    [ -z "${BUDGETS_SHOW:-}" ] || echo "$source $kernel sm_$architecture: $registers registers, $((shared + dynamic)) bytes of shared memory, $blocks blocks of $threads threads"
    [ "$registers" -gt 0 ] && [ "$registers" -le "$most" ] && [ "$spilled" -eq 0 ] && [ "$blocks" -ge "$least" ] && continue
    echo "$source $kernel for sm_$architecture: $registers registers, $spilled bytes spilled, $blocks blocks; budget: $most, none, $least"
    failed=1
done <"$ROOT/tests/cuda/budgets.txt"
exit "$failed"
