# Kernels stay within the registers of budgets.txt and spill none, as this nvcc's ptxas tells.
nvcc=${NVCC:-nvcc}
command -v "$nvcc" >/dev/null || { echo "no nvcc"; exit 77; }
failed=0
while read -r source architecture most; do
    case $source in '#'*) continue ;; esac
    "$nvcc" --list-gpu-arch | grep -qx "compute_$architecture" || continue
    "$nvcc" -std=c++17 -O2 -arch="sm_$architecture" -I"$ROOT" -I"$ROOT/lib" -cubin -Xptxas -v -o kernel.cubin \
        "$ROOT/kernels/cuda/$source.cu" >log 2>&1 || { cat log; exit 1; }
    registers=$(sed -n 's/.*Used \([0-9]*\) registers.*/\1/p' log | sort -n | tail -n 1)
    spilled=$(sed -n 's/.* \([0-9]*\) bytes spill stores.*/\1/p' log | sort -n | tail -n 1)
    [ "${registers:-999}" -le "$most" ] && [ "${spilled:-999}" -eq 0 ] && continue
    echo "$source for sm_$architecture: $registers registers, $spilled bytes spilled; budget: $most and none"
    failed=1
done <"$ROOT/tests/cuda/budgets.txt"
exit "$failed"
