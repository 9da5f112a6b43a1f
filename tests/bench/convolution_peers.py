#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Figures of bench_convolution.sh:   convolution_peers.py PROGRAM

torch's conv1d on the shapes of bench_convolution, each in the layouts that it has (NCL; channels last, as a conv2d of
height 1), with its allocator tuned; milliseconds, the fastest of some runs, forward (inference) and forward with backward.
The program runs before and after, and its better figures count.
"""
import os
import subprocess
import sys
import time

TUNED = {"MALLOC_MMAP_THRESHOLD_": "4294967296", "MALLOC_TRIM_THRESHOLD_": "8589934592", "MALLOC_TOP_PAD_": "1073741824"}
if "MALLOC_TOP_PAD_" not in os.environ:
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **TUNED})
try:
    import torch
    from torch.nn.functional import conv1d, conv2d
except ImportError:
    sys.exit(f"{sys.executable} has no torch: no peers")

SEQUENCES, LENGTH, TAPS, REPEATS = 32, 512, 9, 3


def fastest(run):
    times = []
    for _ in range(REPEATS + 1):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times[1:])


def layouts(width, dilation, dtype):
    """Of each layout its name, the input, the weight and the function of both and a bias."""
    x, weight = torch.randn(SEQUENCES, width, LENGTH).to(dtype), torch.randn(width, width, TAPS).to(dtype)
    reach = TAPS // 2 * dilation
    yield "NCL", x, weight, lambda x, w, b: conv1d(x, w, b, padding=reach, dilation=dilation)
    x, weight = (t.unsqueeze(2).contiguous(memory_format=torch.channels_last) for t in (x, weight))
    yield "channels last", x, weight, lambda x, w, b: conv2d(x, w, b, padding=(0, reach), dilation=(1, dilation))


def torch_times(width, dilation, dtype):
    """Milliseconds of (forward, both) by layout."""
    times = {}
    for name, x, weight, function in layouts(width, dilation, dtype):
        bias = torch.randn(width).to(dtype)
        with torch.inference_mode():
            forward = fastest(lambda: function(x, weight, bias))
        leaves = [t.requires_grad_() for t in (x, weight, bias)]
        gradient = torch.randn_like(function(*leaves).detach())
        times[name] = forward, fastest(lambda: torch.autograd.grad(function(*leaves), leaves, gradient))
    return times


def program_times(program):
    """Milliseconds of (forward, both) by (type, width, dilation)."""
    times = {}
    for line in subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()[1:]:
        words = line.split()
        work = 2e-6 * SEQUENCES * LENGTH * TAPS * int(words[1]) ** 2  # MFLOP: milliseconds times GFLOP/s
        forward, backward = work / float(words[8]), 2 * work / float(words[10])
        times[words[0], int(words[1]), int(words[2])] = forward, forward + backward
    return times


def main():
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    before = program_times(sys.argv[1])
    peers = {key: torch_times(key[1], key[2], torch.bfloat16 if key[0] == "bf16" else torch.float32) for key in before}
    after = program_times(sys.argv[1])
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads; ms forward and with backward; best of torch / godwit")
    for key, layouts_of in peers.items():
        ours = [min(times) for times in zip(before[key], after[key])]
        best = [min(times) for times in zip(*layouts_of.values())]
        text = "  ".join(f"{name} {forward:.1f} {both:.1f}" for name, (forward, both) in layouts_of.items())
        print(f"{key[0]:<5}{key[1]:>4}{key[2]:>4}  godwit {ours[0]:.1f} {ours[1]:.1f}  {text}  "
              f"{best[0] / ours[0]:.2f} {best[1] / ours[1]:.2f}", flush=True)


main()
