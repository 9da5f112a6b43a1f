# docs/background/gpu.md lists what stays on the processor: every op without a kernel, and every source by which a running network waits for numbers
# of the GPU. The list and the sources agree.
cd "$ROOT"
sed -n '/^## What the processor does/,/^## /p' docs/background/gpu.md | sed -n 's/^| `\([^`]*\)`.*/\1/p' | sort >"$OLDPWD/listed"
sed -n 's/^GW_OP(\([a-z_]*\),.*/\1/p' kernels/ops.def | while read -r op; do
    grep -qE "^GW_CUDA_OP\($op, [a-z_]*\) ?\{" kernels/cuda/*.cu || echo "$op"
done >"$OLDPWD/without"
grep -lE '(->|\.)to_host\(|gw_mirror_to_host\(' lib/nn/*.c lib/network/*.c >"$OLDPWD/waits"
cd "$OLDPWD"
[ "$(grep -c . waits)" -gt 0 ] || { echo "no source waits for the GPU: what this looks for has another name"; exit 1; }
sort without waits | cmp -s - listed || {
    echo "docs/background/gpu.md lists:" $(cat listed)
    echo "ops without a kernel, and sources that wait:" $(sort without waits)
    exit 1
}
