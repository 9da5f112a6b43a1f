# Kernels stay within the registers and spilled bytes of budgets.txt, as this nvcc's ptxas tells, and as many of their blocks fit a
# multiprocessor, as cuda_occupancy.h counts them. A round of a main loop has no more instructions for each product on tensor cores,
# where there is an nvdisasm (part of CUDA, or PyPI's nvidia-cuda-nvdisasm).
nvcc=${NVCC:-nvcc} nvdisasm=${NVDISASM:-$(command -v nvdisasm || "${PYTHON:-python3}" -c 'import importlib.metadata as m
print(*[f.locate() for f in m.files("nvidia-cuda-nvdisasm") if f.name == "nvdisasm"])' 2>/dev/null || echo nvdisasm)}
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
# instructions: of a round for each product, of the kernel's with most; nothing where they cannot be counted.
instructions() {
    [ -e "$disassembly" ] || "$nvdisasm" -c "$cubin" >"$disassembly" || exit 1
    "${PYTHON:-python3}" "$ROOT/tests/cuda/round.py" "$disassembly" "$kernel" | awk '$2 / $3 > most { most = $2 / $3 } END { printf "%.2f", most }'
}
counts=yes
command -v "$nvdisasm" >/dev/null || counts=''
while read -r source kernel architecture most threads dynamic least per_product most_spilled; do
    case $source in '#'*) continue ;; esac
    "$nvcc" --list-gpu-arch | grep -qx "compute_${architecture%a}" || continue
    log=$source.$architecture.log cubin=$source.$architecture.cubin disassembly=$source.$architecture.sass
    [ -e "$log" ] || "$nvcc" -std=c++17 -O2 -arch="sm_$architecture" -I"$ROOT" -I"$ROOT/lib" -cubin -Xptxas -v -o "$cubin" \
        "$ROOT/kernels/cuda/$source.cu" >"$log" 2>&1 || { cat "$log"; exit 1; }
    if grep -i serialized "$log"; then failed=1; fi # wgmmas that ptxas makes wait for each other
    awk -v kernel="$kernel" '/Compiling entry function/ { here = kernel == "-" || index($0, kernel) } here' "$log" >of_kernel
    registers=$(largest 'Used \([0-9]*\) registers') spilled=$(largest ' \([0-9]*\) bytes spill stores') shared=$(largest ' \([0-9]*\) bytes smem')
    blocks=$(./occupancy "${architecture%a}" "$registers" "$shared" "$dynamic" "$threads")
    [ -z "${BUDGETS_SHOW:-}" ] || echo "$source $kernel sm_$architecture: $registers registers, $((shared + dynamic)) bytes of shared memory, $blocks blocks of $threads threads"
    if [ -n "$counts" ] && [ "$per_product" != - ]; then
        counted=$(instructions)
        [ -z "${BUDGETS_SHOW:-}" ] || echo "    $counted instructions a product"
        awk -v counted="$counted" -v most="$per_product" 'BEGIN { exit !(counted > 0 && counted <= most) }' || {
            echo "$source $kernel for sm_$architecture: $counted instructions a product; budget: $per_product"
            failed=1
        }
    fi
    [ "$registers" -gt 0 ] && [ "$registers" -le "$most" ] && [ "$spilled" -le "${most_spilled:-0}" ] && [ "$blocks" -ge "$least" ] && continue
    echo "$source $kernel for sm_$architecture: $registers registers, $spilled bytes spilled, $blocks blocks; budget: $most, ${most_spilled:-none}, $least"
    failed=1
done <"$ROOT/tests/cuda/budgets.txt"
[ -n "$counts" ] || echo "left out: instructions a product, which need nvdisasm"
exit "$failed"
