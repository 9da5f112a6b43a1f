#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Instructions of a round of a kernel's main loop, and its products on tensor cores, from nvdisasm -c.

round.py DISASSEMBLY KERNEL [--list]: for each kernel whose name contains KERNEL a line: name, instructions, products.
--list prints the round's instructions by name, most frequent first.

The main loop is the smallest loop with the most products. A round is the shortest way through it among those with most
products and, of these, most copies to shared memory: it leaves out masks of edges that are read in part.
"""
import collections
import re
import sys

PRODUCTS = ("HMMA", "HGMMA")
COPIES = ("LDGSTS", "UBLKCP", "UTMALDG")
INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+\{?\s*(@!?U?P\w+)?\s*([A-Z][A-Z0-9_.]*)([^;]*);")
TARGET = re.compile(r"`\((\.L\w+)\)")


class Block:
    def __init__(self, label):
        self.label, self.names, self.next = label, [], []


def kernels(lines):
    """(name, lines) of each function."""
    name, own = None, []
    for line in lines:
        begin = re.match(r"^\.text\.(\S+):", line)
        if begin:
            if name:
                yield name, own
            name, own = begin.group(1), []
        elif line.startswith(".section") or "//-----" in line:
            if name:
                yield name, own
            name, own = None, []
        elif name:
            own.append(line)
    if name:
        yield name, own


def blocks_of(lines):
    """Basic blocks in order, with the numbers of those that may follow each."""
    blocks, at, jumps, falls = [Block("begin")], {}, [], []
    for line in lines:
        label = re.match(r"^(\.L\w+):", line)
        if label:
            if blocks[-1].names or len(blocks) == 1:
                falls.append(len(blocks) - 1)
                blocks.append(Block(label.group(1)))
            at[label.group(1)] = len(blocks) - 1
            continue
        found = INSTRUCTION.match(line)
        if not found:
            continue
        guard, name, operands = found.groups()
        blocks[-1].names.append(name)
        kind = name.split(".")[0]
        target = TARGET.search(operands)
        if kind == "BRA" and target:
            always = not guard and operands[: target.start()].strip() == ""
            jumps.append((len(blocks) - 1, target.group(1)))
            if not always:
                falls.append(len(blocks) - 1)
            blocks.append(Block(None))
        elif kind in ("EXIT", "RET"):
            if guard:
                falls.append(len(blocks) - 1)
            blocks.append(Block(None))
    for i in falls:
        if i + 1 < len(blocks):
            blocks[i].next.append(i + 1)
    for i, label in jumps:
        blocks[i].next.append(at[label])
    return blocks


def count(names, kinds):
    return sum(name.split(".")[0] in kinds for name in names)


def main_loop(blocks):
    """First and last block: a jump back to the first ends the last."""
    best = None
    for i, block in enumerate(blocks):
        for to in block.next:
            if to > i:
                continue
            body = [name for b in blocks[to : i + 1] for name in b.names]
            products = count(body, PRODUCTS)
            key = (products, -len(body))
            if products and (best is None or key > best[0]):
                best = (key, to, i)
    return best and best[1:]


def shortest_round(blocks, first, last):
    """Names of the instructions of the way with most products, then most copies, then fewest instructions."""
    ways = {}

    def way(i):
        if i not in ways:
            own = blocks[i].names
            ends = [([], (0, 0, 0))] if i == last else []
            for to in blocks[i].next:
                if i < to <= last and (rest := way(to)):
                    ends.append(rest)
            if not ends:
                ways[i] = None
            else:
                names, key = max(ends, key=lambda end: end[1])
                gain = (count(own, PRODUCTS), count(own, COPIES), -len(own))
                ways[i] = (own + names, tuple(a + b for a, b in zip(gain, key)))
        return ways[i]

    sys.setrecursionlimit(10000)
    found = way(first)
    return found and found[0]


def main():
    text, kernel = sys.argv[1:3]
    with open(text) as file:
        for name, lines in kernels(file):
            if kernel not in name and kernel != "-":
                continue
            blocks = blocks_of(lines)
            loop = main_loop(blocks)
            names = loop and shortest_round(blocks, *loop)
            if not names:
                continue
            print(name, len(names), count(names, PRODUCTS))
            if "--list" in sys.argv:
                for kind, times in collections.Counter(n.split(".")[0] for n in names).most_common():
                    print(f"  {times:4} {kind}")


if __name__ == "__main__":
    main()
