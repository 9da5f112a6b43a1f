# SPDX-License-Identifier: MIT
"""Launches that the emulation wrote down (EMU_RECORD), by what nvcc made of their kernels: an interpreter of PTX must leave
in memory what the emulation left there.

usage: replay.py PLUGIN LAUNCHES PTX [KERNEL]

PLUGIN is the library that holds the emulated kernels, PTX a folder of nvcc's output. Kernels in it of which no launch was
written down are an error. KERNEL: those alone whose names have this part.
"""
import pathlib
import re
import struct
import subprocess
import sys

import numpy as np

from interpreter import Kernel, Run

ROUNDED = 2e-2  # results of numbers that were rounded to bf16: one may be rounded to either side
EXACT = 2e-4


def canonical(name):
    """A kernel's name without that of its source, by which nvcc tells what is static apart."""
    return re.sub(r"^_ZN\d+_GLOBAL__N__[0-9a-f]+_\d+_\w+?_cu_[0-9a-f]{8}", "_ZN12_GLOBAL__N_1", name).replace("_ZL", "_Z", 1)


def entries(folder):
    found = {}
    for path in sorted(folder.glob("*.ptx")):
        text = path.read_text()
        for name in re.findall(r"\.entry (\w+)", text): found[canonical(name)] = (path.stem, text, name)
    return found


def symbols(plugin):
    lines = subprocess.run(["nm", plugin], check=True, capture_output=True, text=True).stdout.splitlines()
    return {int(words[0], 16): canonical(words[2]) for words in map(str.split, lines) if len(words) == 3}


class Launch:
    def __init__(self, path):
        data = path.read_bytes()
        length, self.kernel, *numbers = struct.unpack_from("<11Q", data)
        self.grid, self.block, (self.shared, parameters, ranges) = numbers[:3], numbers[3:6], numbers[6:]
        at = 88 + parameters
        self.parameters, self.before, self.after = data[88:at], [], []
        for _ in range(ranges):
            address, size = struct.unpack_from("<2Q", data, at)
            for which in self.before, self.after:
                start = at + 16 + (which is self.after) * size
                which.append((address, data[start:start + size]))
            at += 16 + 2 * size

    def run(self, code, eager):
        machine = Run(code, self.before, self.shared, self.block, eager)
        assert len(self.parameters) <= code.param_bytes < len(self.parameters) + 16, (len(self.parameters), code.param_bytes)
        parameters = self.parameters.ljust(code.param_bytes, b"\0")
        for z in range(self.grid[2]):
            for y in range(self.grid[1]):
                for x in range(self.grid[0]): machine.run_block((x, y, z), parameters, self.grid)
        return machine.memory


def apart(got, want):
    """How far numbers are apart, as parts of the larger or of 1; infinite where they are not two finite ones."""
    got, want = got.astype(np.float64), want.astype(np.float64)
    error = np.abs(got - want) / np.maximum(np.maximum(np.abs(got), np.abs(want)), 1)
    return np.where(np.isfinite(error), error, np.inf)


def difference(got, want):
    """The largest of two ranges that should be alike. What type a word has is not known: one that differs is taken for the number
    that is closest, of those of four bytes, two or eight; words that would be denormal are whole numbers, and must be the same, but
    for those with a sign."""
    size = len(want) // 8 * 8
    if bytes(got[size:]) != bytes(want[size:]): return np.inf
    a, b = (np.frombuffer(bytes(x[:size]), np.uint64) for x in (got, want))
    a, b = a[a != b], b[a != b]
    worst = np.full(a.shape, np.inf)
    for word, number, normal in ((np.uint64, np.float64, 0x7ff << 52), (np.uint32, np.float32, 0xff << 23), (np.uint16, None, 0xff << 7)):
        x, y = a.view(word), b.view(word)
        numbers = [v.view(number) if number else (v.astype(np.uint32) << 16).view(np.float32) for v in (x, y)]
        kind = word(normal)
        counted = [((v & kind) == 0) & (v != 0) & (v <= kind) for v in (x, y)]
        error = np.where(x == y, 0, np.where(counted[0] | counted[1], np.inf, apart(*numbers)))
        worst = np.minimum(worst, error.reshape(len(a), 8 // x.itemsize).max(1))
    return worst.max(initial=0)


def check(name, launch, found):
    """Whether PTX and emulation leave the same; copies to shared memory come as late or as early as they may."""
    source, text, entry = found
    code = Kernel(text, entry)
    products = any(s in instruction for s in ("mma.sync", "bf16x2") for instruction in code.code)
    bound = ROUNDED if products else EXACT
    for eager in (False, True) if any(c.startswith("cp.async") for c in code.code) else (False,):
        try:
            memory = launch.run(code, eager)
        except (IndexError, RuntimeError) as error:
            print(f"{source}: {name} is wrong: {error}")
            return False
        worst, changed = 0.0, False
        for (at, want), (_, before) in zip(launch.after, launch.before):
            first = memory.first[np.searchsorted(memory.start, at)]
            worst = max(worst, difference(memory.bytes[first:first + len(want)], want))
            changed |= want != before
        how = ", copies as early as they may come" if eager else ""
        if not (worst <= bound and changed):
            print(f"{source}: {name}{how} is wrong: {'differs by %.2g' % worst if changed else 'leaves memory as it was'}")
            return False
        print(f"{source}: {name}{how}: largest difference {worst:.2g}, bound {bound:g}", flush=True)
    return True


def main():
    plugin, launches, ptx = (pathlib.Path(p) for p in sys.argv[1:4])
    only = sys.argv[4] if len(sys.argv) > 4 else ""
    names, found, good = symbols(plugin), entries(ptx), True
    recorded = {names[launch.kernel]: launch for launch in map(Launch, launches.glob("*.launch"))}
    for name in sorted(found):
        if only not in name: continue
        if name not in recorded:
            print(f"{found[name][0]}: no launch of {name} was written down")
            good = False
        else:
            good &= check(name, recorded[name], found[name])
    sys.exit(not good)


if __name__ == "__main__":
    main()
