#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`make bench-cpu`: godwit beside its peers in torch (torch_peers.py) on the same processor, one after the other.

Environment: GODWIT the program; FULL=1 everything with medians of five (half an hour), otherwise forwards with medians of
three and one training step of each (9 minutes on two cores); TOKENS of a sequence (4096). Peers need torch and
transformers in the Python that runs this; what is absent is said. A peer with a tuned allocator runs with the MALLOC_
variables below: without them it spends most of its time on pages for its temporaries.
"""
import importlib.util
import os
import pathlib
import subprocess
import sys
import time

GODWIT, FULL, TOKENS = os.environ["GODWIT"], os.environ.get("FULL") == "1", int(os.environ.get("TOKENS", "4096"))
REPEATS, STEP_REPEATS, LIMIT = (5, 5, 1e9) if FULL else (3, 1, 10)
LAYERS, MANY, LONG = 12, 4, 16  # batch and length of FULL's other runs
TUNED = {"MALLOC_MMAP_THRESHOLD_": "4294967296", "MALLOC_TRIM_THRESHOLD_": "8589934592", "MALLOC_TOP_PAD_": "1073741824"}
# Processors of other years, by what runs on all of them: godwit's kernels and oneDNN's, which have names of their own.
OLDER = {"avx2": "AVX2", "baseline": "SSE41"}
# GB for a training step on 4,096 tokens, generously: one that does not fit would take the whole machine down.
STEP_MEMORY = {("transformers", "f32"): 18, ("transformers", "bf16"): 12, ("gather", "f32"): 9, ("gather", "bf16"): 5,
               ("indexed", "f32"): 9, ("indexed", "bf16"): 5}

seconds, share, memory = {}, {}, {}  # of (who, type, job), e.g. ("godwit", "f32", "forward")


def run(command, variables=None):
    """Lines of standard output, and peak memory in GB; a failure is said with its command."""
    child = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                             env={**os.environ, **(variables or {})})
    lines = child.stdout.read().splitlines()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    if status != 0:
        print(f"failed (status {os.waitstatus_to_exitcode(status)}): {' '.join(map(str, command))}")
    return lines, usage.ru_maxrss / 1e6


def note(key, time_taken, detail):
    seconds[key] = time_taken
    print(f"{key[0]:<24}{key[1]:<6}{key[2]:<24}{time_taken:10.3f} s   {detail}", flush=True)


def godwit(*parts, repeats=REPEATS, tokens=TOKENS, batch=1, suffix="", variables=None):
    lines, peak = run([GODWIT, "bench", "-q", "-n", tokens, "--batch", batch, "--repeats", repeats, *parts], variables)
    for line in lines:
        words = line.split()
        if len(words) == 6 and words[2] == ".":
            print(f"{words[0]} {words[1]}: {words[3]} {words[4]}")
        elif len(words) == 6 and words[0] != "part":
            key = ("godwit", words[1], words[0] + suffix)
            share[key] = float(words[5])
            memory[key] = peak
            note(key, float(words[2]), f"{words[3]} {words[4]}, {words[5]} % of the peak; {peak:.1f} GB")


def godwit_on_older():
    """Of f32 alone, against what such a processor's registers could do."""
    for name, isa in OLDER.items():
        godwit("--dtype", "f32", "linear", "attention", "attention_backward", "layer_norm", "forward", suffix=f" ({name})",
               variables={"GODWIT_BACKEND": name, "DNNL_MAX_CPU_ISA": isa, "ONEDNN_MAX_CPU_ISA": isa})


def has(package):
    return importlib.util.find_spec(package) is not None


def fits(who, dtype, batch):
    free = next(int(line.split()[1]) for line in open("/proc/meminfo") if line.startswith("MemAvailable")) / 1e6
    needs = STEP_MEMORY[who, dtype] * batch * TOKENS / 4096
    if needs > free:
        print(f"{who} {dtype}: no training step of batch {batch}: it needs {needs:.0f} GB, and {free:.0f} are free")
    return needs <= free


def peer(who, dtype, tuned, *jobs, batch=1, suffix="", tokens=TOKENS, options=(), name=None, runtime=None):
    name = name or (f"{who} in {runtime}" if runtime else who)
    options = (*options, "--runtime", runtime) if runtime else options
    jobs = [job for job in jobs if job != "step" or options or fits(who, dtype, batch)]
    if not jobs:
        return
    script = pathlib.Path(__file__).with_name("torch_peers.py")
    lines, _ = run([sys.executable, script, who, dtype, *jobs, "--tokens", tokens, "--batch", batch, "--repeats", REPEATS,
                    "--step-repeats", STEP_REPEATS, "--limit", LIMIT, *options], TUNED if tuned else None)
    for job, took, *rest in (line.split("\t") for line in lines):
        key = (name + (", tuned" if tuned else ""), dtype, job + suffix)
        if took == "failed":
            print(f"{key[0]:<24}{dtype:<6}{job:<24}failed: {rest[0]}")
        else:
            memory[key] = float(rest[0])
            note(key, float(took), f"{memory[key]:.1f} GB, {rest[1]} runs")


def run_transformers(tuned):
    peer("transformers", "f32", tuned, "forward", "step")
    peer("transformers", "bf16", tuned, *(["forward", "step"] if FULL else ["forward"]))


def run_peers():
    run_transformers(tuned=True)
    for dtype in ("f32", "bf16"):
        peer("gather", dtype, True, "forward", "step", *(["attention"] if FULL else []))
        if FULL or dtype == "bf16":  # in f32 it is as fast as the other gather
            peer("indexed", dtype, True, "forward", "step")
        peer("flex", dtype, True, "attention", *(["forward"] if FULL else []))
        for runtime in filter(has, ("openvino", "zentorch")):
            for who in ("gather", "dense"):
                jobs = ["attention", "forward"] if FULL or who == "gather" else ["forward"]
                peer(who, dtype, True, *jobs, runtime=runtime)
        if FULL:
            peer("gather", dtype, True, "forward", name="gather, max-autotune", options=("--compile", "max-autotune"))
        if FULL:
            peer("gather", dtype, True, "step", batch=MANY, suffix=f" x {MANY}")
    if FULL:
        peer("transformers", "f32", True, "step", batch=MANY, suffix=f" x {MANY}")
    run_transformers(tuned=False)


def ratio(text, values, above, below, goal, factor=1.0):
    if above in values and below in values:
        print(f"{text:<66}{values[above] * factor / values[below]:7.2f}   goal {goal}")


def own_ratios():
    for dtype, goal in (("f32", "at most 1.25"), ("bf16", "at most 1.4")):
        ratio(f"forward {dtype} / its linear layers alone", seconds, ("godwit", dtype, "forward"), ("godwit", dtype, "linear"),
              goal)
    ratio("step bf16 / three times its linear layers alone", seconds, ("godwit", "bf16", "step"), ("godwit", "bf16", "linear"),
          "-", 1 / 3)
    ratio("step f32 / three times its linear layers alone", seconds, ("godwit", "f32", "step"), ("godwit", "f32", "linear"),
          "at most 1.5", 1 / 3)
    for part, dtype, goal in (("attention", "f32", 70), ("attention", "bf16", 55), ("attention_backward", "f32", 50),
                              ("attention_backward", "bf16", "-")):
        if ("godwit", dtype, part) in share:
            print(f"{f'{part} {dtype}, % of the peak in registers':<66}{share['godwit', dtype, part]:7.1f}   goal {goal}")
        ratio(f"{part} {dtype} a token, {LONG * TOKENS} tokens / {TOKENS}", seconds, ("godwit", dtype, part + " long"),
              ("godwit", dtype, part), "0.9 to 1.1", 1 / LONG)


def peer_ratios():
    goals = {("transformers", "forward"): "6", ("transformers, tuned", "forward"): "3 on Zen 5",
             ("gather, tuned", "forward"): "2 on Zen 5, 1.3 elsewhere",
             ("indexed, tuned", "forward"): "2 on Zen 5, 1.3 elsewhere", ("flex, tuned", "forward"): "2 on Zen 5, 1.3 elsewhere",
             ("gather, max-autotune, tuned", "forward"): "2", ("gather in openvino, tuned", "forward"): "2",
             ("dense in openvino, tuned", "forward"): "-", ("gather in zentorch, tuned", "forward"): "2",
             ("dense in zentorch, tuned", "forward"): "-", ("transformers", "step"): "4", ("transformers, tuned", "step"): "2", ("gather, tuned", "step"): "2",
             ("indexed, tuned", "step"): "2"}
    for (who, job), goal in goals.items():
        for dtype in ("f32", "bf16"):
            ratio(f"{who} / godwit, {job} {dtype}", seconds, (who, dtype, job), ("godwit", dtype, job), goal)
            many = f"{job} x {MANY}"
            ratio(f"{who} / godwit, {many} {dtype}", seconds, (who, dtype, many), ("godwit", dtype, many), goal)
    for who in ("transformers", "transformers, tuned", "gather, tuned"):
        ratio(f"{who} / godwit, peak memory of a step f32", memory, (who, "f32", "step"), ("godwit", "f32", "step"), "2")
    for dtype in ("f32", "bf16"):
        for who in ("flex", "gather"):
            ratio(f"{who}, tuned / godwit, attention alone {dtype}", seconds, (who + ", tuned", dtype, "attention"),
                  ("godwit", dtype, "attention"), "3" if who == "flex" else "-", LAYERS)


def describe():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown")
    print(f"{model}, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}, {time.strftime('%Y-%m-%d %H:%M')}")


def main():
    start = time.time()
    describe()
    godwit("linear", "attention", "attention_backward", "layer_norm", "forward")
    for dtype in ("f32", "bf16"):  # each alone, for its peak memory
        if ("godwit", dtype, "forward") in seconds:
            godwit("--dtype", dtype, "step", repeats=REPEATS)
    if FULL:
        godwit("attention", "attention_backward", tokens=LONG * TOKENS, suffix=" long")
        godwit("step", batch=MANY, suffix=f" x {MANY}")
        godwit_on_older()
    if has("torch") and has("transformers"):
        run_peers()
    else:
        print(f"{sys.executable} has no torch and transformers: no peers (ORACLE_PYTHON names one that has them)")
    print(f"{time.time() - start:.0f} s in all; {TOKENS} tokens, medians; ratios:")
    own_ratios()
    peer_ratios()


if __name__ == "__main__":
    main()
