# SPDX-License-Identifier: MIT
"""An interpreter of the PTX that nvcc makes of a kernel, on numpy.

The emulation of tests/cuda/emulator replaces the wrappers of single instructions in kernels/cuda/gpu.h, so that it
cannot see a wrong operand in one of them, nor what nvcc makes of a source. This runs nvcc's own output. All threads of a
block are lanes of arrays; those at the lowest instruction step together, which brings diverged threads together again,
and bar.sync waits for all. cp.async copies when it is waited for, as late as it may, or at once where `eager`.
"""
import bisect
import re
import struct

import numpy as np

SHARED = 1 << 56  # where generic addresses of shared memory begin
MODULE = 1 << 40  # and those of a module's own arrays
ALL = object()
np.seterr(all="ignore")
KIND = {"pred": np.bool_, "b8": np.uint8, "u8": np.uint8, "s8": np.int8, "b16": np.uint16, "u16": np.uint16, "s16": np.int16,
        "b32": np.uint32, "u32": np.uint32, "s32": np.int32, "f32": np.float32, "b64": np.uint64, "u64": np.uint64,
        "s64": np.int64, "f64": np.float64, "bf16x2": np.uint32}


WORD = {size: np.dtype(f"V{size}") for size in (1, 2, 4, 8, 16)}  # of so many bytes, aligned


def split(text):  # at commas outside of braces and brackets
    out, depth, word = [], 0, ""
    for c in text:
        depth += c in "{[("
        depth -= c in "}])"
        if c == "," and depth == 0:
            out.append(word.strip())
            word = ""
        else:
            word += c
    return out + [word.strip()] if word.strip() else out


def quotient(a, b):  # of whole numbers, towards 0; of what diverged lanes hold anything
    b = np.where(b == 0, b.dtype.type(1), b)
    down = a // b
    return np.where((down < 0) & (down * b != a), down + down.dtype.type(1), down) if a.dtype.kind == "i" else down


def round_away(wide, kind, beyond):
    """wide in a narrower kind, moved by one where it was rounded so that beyond(narrow, wide) holds."""
    narrow = wide.astype(kind)
    return np.where(beyond(narrow, wide), np.nextafter(narrow, kind.type(-np.inf)), narrow)


def toward_zero(wide, kind):
    narrow = wide.astype(kind)
    return np.where(np.abs(narrow) > np.abs(wide), np.nextafter(narrow, kind.type(0)), narrow)


ROUND = {"rzi": np.trunc, "rni": np.rint, "rmi": np.floor, "rpi": np.ceil}


def whole(x, kind):  # a number in a kind of whole numbers, the nearest that there is, 0 for NaN
    kind = np.dtype(kind)
    low, high = float(np.iinfo(kind).min), float(np.iinfo(kind).max)
    inside = np.where(np.isnan(x) | (x < low) | (x >= high), 0, x).astype(kind)
    return np.where(x >= high, np.iinfo(kind).max, np.where(x < low, np.iinfo(kind).min, inside)).astype(kind)


class Memory:
    """Ranges of global memory by their addresses, each an array of bytes; an access lies within one of them."""

    def __init__(self, ranges):
        ranges = sorted(ranges, key=lambda r: r[0])
        self.starts = [at for at, _ in ranges]
        self.start = np.array(self.starts, np.int64)
        self.size = np.array([len(b) for _, b in ranges], np.int64)
        padded = [b.ljust(-(-len(b) // 16) * 16, b"\0") for _, b in ranges]
        self.first = np.concatenate([[0], np.cumsum([len(b) for b in padded])[:-1]])
        self.bytes = np.concatenate([np.frombuffer(b, np.uint8) for b in padded])

    def index(self, a, bytes_):
        if not a.size: return a
        one = bisect.bisect(self.starts, a[0]) - 1  # most often all are in the range of the first
        off = a - self.start[one]
        if off.min() >= 0 and off.max() + bytes_ <= self.size[one]: return self.first[one] + off
        i = np.searchsorted(self.start, a, "right") - 1
        off = a - self.start[i]
        if i.min() < 0 or (off + bytes_ > self.size[i]).any(): raise IndexError("out of bounds")
        return self.first[i] + off


class Kernel:
    def __init__(self, text, name):
        text = re.sub(r"//[^\n]*", "", text)
        self.arrays = {m[0]: bytes(int(x) for x in m[1].split(","))
                       for m in re.findall(r"\.global\s+\.align\s+\d+\s+\.b8\s+(\w+)\[\d+\]\s*=\s*\{([^}]*)\}", text)}
        start = re.search(r"\.entry\s+" + name + r"\s*\(", text).end()
        head = text[start:text.index(")", start)]
        self.params, at = {}, 0
        for p in split(head):
            m = re.match(r"\.param\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+(?:\.ptr\s+)?(?:\.align\s+\d+\s+)?([\w$]+)(?:\[(\d+)\])?", p)
            size = int(m[4] or 1) * np.dtype(KIND[m[2]]).itemsize
            align = int(m[1] or size)
            at = (at + align - 1) // align * align
            self.params[m[3]] = at
            at += size
        self.param_bytes = at
        self.shared, self.static_bytes = {}, 0
        for align, kind, name, count in re.findall(r"(?<!extern )\.shared\s+\.align\s+(\d+)\s+\.(\w+)\s+([\w$]+)(?:\[(\d+)\])?\s*;", text):
            self.static_bytes = -(-self.static_bytes // int(align)) * int(align)
            self.shared[name] = self.static_bytes
            self.static_bytes += int(count or 1) * np.dtype(KIND[kind]).itemsize
        body = text.index("{", start) + 1
        depth, end = 1, body
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        self.kinds, self.labels, self.code, self.used = {}, {}, [], {}
        for part in text[body:end - 1].split(";"):
            part = part.strip()
            while True:
                m = re.match(r"([$\w]+):\s*|[{}]", part)
                if not m: break
                if m[1]: self.labels[m[1]] = len(self.code)
                part = part[m.end():].strip()
            m = re.match(r"\.reg\s+\.(\w+)\s+(.*)", part, re.S)
            if m:
                for r in split(m[2]):
                    n = re.match(r"(%\w+?)<(\d+)>", r)
                    for i in ([n[1] + str(i) for i in range(int(n[2]))] if n else [r]): self.kinds[i] = KIND[m[1]]
            elif part and not part.startswith((".pragma", ".loc", ".shared", ".local", ".param")):
                self.code.append(part)


class Run:
    def __init__(self, kernel, ranges, shared_bytes, block, eager):
        self.k, self.eager = kernel, eager
        self.arrays, at = {}, MODULE
        for name, data in kernel.arrays.items():
            self.arrays[name] = at
            ranges = ranges + [(at, data)]
            at += -(-len(data) // 256) * 256
        self.memory = Memory(ranges)
        threads = block[0] * block[1] * block[2]
        self.n = -(-threads // 32) * 32
        self.tid = np.arange(self.n, dtype=np.uint32)
        self.absent = self.tid >= threads  # lanes of the last warp
        self.block = block
        self.dynamic = -(-kernel.static_bytes // 128) * 128  # where dynamic shared memory begins
        self.shared = np.full(-(-(self.dynamic + shared_bytes) // 16) * 16, 0xff, np.uint8)
        self.mix = {}
        self.steps = [self.compile(s) for s in kernel.code]

    # ---- operands
    def value(self, text, kind):
        kind = np.dtype(kind)
        if re.match(r"^0[fF][0-9a-fA-F]{8}$", text):
            v = np.array([int(text[2:], 16)], np.uint32).view(np.float32)[0]
            full = np.full(self.n, v, np.float32).view(kind)
            return lambda: full
        if re.match(r"^0[dD][0-9a-fA-F]{16}$", text):
            full = np.full(self.n, struct.unpack(">d", bytes.fromhex(text[2:]))[0], np.float64).view(kind)
            return lambda: full
        if re.match(r"^-?(0x)?[0-9a-fA-F]+U?$", text) and text[0] != "%":
            v = int(text.rstrip("U"), 0)
            if kind == np.bool_: full = np.full(self.n, bool(v))
            else: full = np.full(self.n, v & ((1 << 8 * kind.itemsize) - 1), np.dtype(f"u{kind.itemsize}")).view(kind)
            return lambda: full
        m = re.match(r"%(ntid|ctaid|nctaid)\.([xyz])$", text)
        if m:
            return lambda: np.full(self.n, {"ntid": self.block, "ctaid": self.at, "nctaid": self.grid}[m[1]]["xyz".index(m[2])], np.uint32)
        if text == "%tid.x": return lambda: self.tid % self.block[0]
        if text not in self.k.kinds:  # a symbol: of a parameter, an array or shared memory
            full = np.full(self.n, self.k.params.get(text, self.arrays.get(text, self.k.shared.get(text, self.dynamic))), kind)
            return lambda: full
        own = np.dtype(self.k.kinds[text])
        if own == kind: return lambda: self.r[text]
        if own.itemsize == kind.itemsize and own != np.bool_: return lambda: self.r[text].view(kind)
        return lambda: self.r[text].astype(f"u{own.itemsize}").astype(f"u{kind.itemsize}").view(kind)

    def store(self, name, v, mask):
        if name == "_": return
        kind = np.dtype(self.k.kinds[name])
        if v.dtype != kind:
            if v.dtype.itemsize == kind.itemsize: v = v.view(kind)
            elif v.dtype.kind == "i": v = v.astype(f"i{kind.itemsize}").view(kind)  # narrower results are extended
            else: v = v.astype(f"u{kind.itemsize}").view(kind)
        self.r[name] = v if mask is ALL else np.where(mask, v, self.r[name])

    def address(self, text):
        m = re.match(r"\[\s*([%$\w.]+)\s*(?:\+\s*(-?\w+))?\s*\]", text)
        off = int(m[2] or "0", 0)
        if m[1] in self.k.params: return ("param", self.k.params[m[1]] + off)
        base = self.value(m[1], np.uint64)
        return ("reg", lambda: base().astype(np.int64) + off)

    def space(self, where, a, bytes_):  # which array, and indices into it
        if (a % bytes_ != 0).any(): raise IndexError("misaligned")
        if where == "param": return np.frombuffer(self.params, np.uint8), a
        if where != "shared" and not (a.size and a[0] >= SHARED): return self.memory.bytes, self.memory.index(a, bytes_)
        at = a if where == "shared" else a - SHARED
        if at.size and (at.min() < 0 or at.max() + bytes_ > self.shared.size): raise IndexError("out of bounds of shared memory")
        return self.shared, at

    def gather(self, where, a, bytes_, mask):
        array, at = self.space(where, a if mask is ALL else a[mask], bytes_)
        out = array.view(WORD[bytes_])[at // bytes_]
        if mask is not ALL:
            some, out = out, np.zeros(self.n, WORD[bytes_])
            out[mask] = some
        return out.view(np.uint8).reshape(self.n, bytes_)

    def scatter(self, where, a, data, mask):
        array, at = self.space(where, a if mask is ALL else a[mask], data.shape[1])
        array.view(WORD[data.shape[1]])[at // data.shape[1]] = (data if mask is ALL else data[mask]).view(WORD[data.shape[1]])[:, 0]

    def need_warps(self, mask, what):
        if mask is not ALL: mask = mask | self.absent
        if mask is not ALL and (mask.reshape(-1, 32).any(1) != mask.reshape(-1, 32).all(1)).any():
            raise RuntimeError(f"{what} of diverged lanes")

    # ---- instructions
    def compile(self, text):
        guard = None
        m = re.match(r"@(!?)(%\w+)\s+(.*)", text, re.S)
        if m: guard, text = (m[2], m[1] == "!"), m[3]
        op, _, rest = text.partition(" ") if " " in text else (text, "", "")
        op, args = op.strip(), split(rest.strip().replace("\t", " ").replace("\n", " "))
        return guard, op, getattr(self, "op_" + op.split(".")[0])(op.split("."), args)

    def plain(self, op, args, f, kinds=None):
        kind = KIND[op[-1]]
        get = [self.value(a, k) for a, k in zip(args[1:], kinds or [kind] * len(args))]
        return lambda mask: self.store(args[0], f(*[g() for g in get]), mask)

    def op_mov(self, op, args):
        size = np.dtype(KIND[op[-1]]).itemsize
        whole_, half = np.dtype(f"u{size}"), np.dtype(f"u{max(size // 2, 1)}")
        if args[0].startswith("{"):
            to, g = split(args[0][1:-1]), self.value(args[1], whole_)
            def f(mask):
                for i, t in enumerate(to): self.store(t, np.ascontiguousarray(g().view(half)[i::2]), mask)
            return f
        if args[1].startswith("{"):
            get = [self.value(a, half) for a in split(args[1][1:-1])]
            return lambda mask: self.store(args[0], np.stack([g() for g in get], 1).reshape(-1).view(whole_), mask)
        return self.plain(op, args, lambda a: a)
    op_cvta = lambda self, op, args: self.plain(op, args, (lambda a: a + np.uint64(SHARED)) if "shared" in op and "to" not in op
                                                else (lambda a: np.where(a >= SHARED, a - np.uint64(SHARED), a)) if "shared" in op else (lambda a: a))
    def op_add(self, op, args):
        if "cc" in op: return self.carried(op, args, lambda a, b, carry: a + b)
        if "rz" in op: return self.plain(op, args, lambda a, b: toward_zero(a.astype(np.float64) + b, a.dtype))
        return self.plain(op, args, lambda a, b: a + b)

    def op_sub(self, op, args):
        return self.carried(op, args, lambda a, b, carry: a - b) if "cc" in op else self.plain(op, args, lambda a, b: a - b)

    def carried(self, op, args, f):
        """Whole numbers of 32 bits by f in 64, and what is carried or borrowed, which is 0 or 1."""
        assert op[-1] == "u32", op
        get = [self.value(a, np.uint32) for a in args[1:]]
        def step(mask):
            wide = f(*[g().astype(np.int64) for g in get], self.carry)
            self.store(args[0], (wide & 0xffffffff).astype(np.uint32), mask)
            if "cc" in op: self.carry = np.where(mask if mask is not ALL else True, np.where(wide < 0, 1, wide >> 32), self.carry)
        return step
    op_addc = lambda self, op, args: self.carried(op, args, lambda a, b, carry: a + b + carry)
    op_subc = lambda self, op, args: self.carried(op, args, lambda a, b, carry: a - b - carry)

    def op_madc(self, op, args):
        part = (lambda p: p >> np.uint64(32)) if "hi" in op else (lambda p: p & np.uint64(0xffffffff))
        return self.carried(op, args, lambda a, b, c, carry: part(a.astype(np.uint64) * b.astype(np.uint64)).astype(np.int64) + c
                            + (carry if op[0] == "madc" else 0))

    op_copysign = lambda self, op, args: self.plain(op, args, lambda a, b: np.copysign(b, a))
    op_clz = lambda self, op, args: self.plain([*op[:-1], "u32"], args, lambda a: sum(
        ((a >> np.uint64(i)) == 0).astype(np.uint32) for i in range(8 * a.dtype.itemsize)), [KIND[op[-1]]])
    op_sqrt = lambda self, op, args: self.plain(op, args, np.sqrt)
    op_brev = lambda self, op, args: self.plain(op, args, lambda a: sum((a >> np.uint32(i) & np.uint32(1)) << np.uint32(31 - i)
                                                                        for i in range(32)).astype(np.uint32))
    op_and = lambda self, op, args: self.plain(op, args, lambda a, b: a & b)
    op_or = lambda self, op, args: self.plain(op, args, lambda a, b: a | b)
    op_xor = lambda self, op, args: self.plain(op, args, lambda a, b: a ^ b)
    op_not = lambda self, op, args: self.plain(op, args, lambda a: ~a)
    op_neg = lambda self, op, args: self.plain(op, args, lambda a: -a)

    def op_prmt(self, op, args):
        """Each byte of the result is one of the eight of a and b, as its four bits of c choose; the fourth bit copies that byte's sign."""
        def f(a, b, c):
            both, to = a.astype(np.uint64) | b.astype(np.uint64) << np.uint64(32), np.zeros(a.shape, np.uint64)
            for i in range(4):
                choice = c.astype(np.uint64) >> np.uint64(4 * i) & np.uint64(15)
                byte = both >> (choice & np.uint64(7)) * np.uint64(8) & np.uint64(255)
                byte = np.where(choice & np.uint64(8), np.where(byte & np.uint64(128), np.uint64(255), np.uint64(0)), byte)
                to |= byte << np.uint64(8 * i)
            return to.astype(np.uint32)
        return self.plain(op, args, f)

    def op_vote(self, op, args):
        if "any" in op:
            g = self.value(args[1], np.bool_)
            def f(mask):
                self.need_warps(mask, "vote")
                there = g() if mask is ALL else g() & mask
                self.store(args[0], np.repeat(there.reshape(-1, 32).any(1), 32), mask)
            return f
        p = self.value(args[1].lstrip("!"), np.bool_)
        turned = args[1].startswith("!")
        def f(mask):
            self.need_warps(mask, "vote")
            bits = (p() ^ turned).reshape(-1, 32) << np.arange(32, dtype=np.uint64)
            self.store(args[0], np.repeat(bits.sum(1).astype(np.uint32), 32), mask)
        return f

    def op_bfind(self, op, args):  # .shiftamt: by how much the highest 1 is below the top
        return self.plain(op, args, lambda a: np.where(a == 0, 0xffffffff, 31 - np.floor(np.log2(np.maximum(a, 1)))).astype(np.uint32))
    op_abs = lambda self, op, args: self.plain(op, args, lambda a: np.abs(a))
    op_max = lambda self, op, args: self.plain(op, args, lambda a, b: np.fmax(a, b) if a.dtype.kind == "f" else np.maximum(a, b))
    op_min = lambda self, op, args: self.plain(op, args, lambda a, b: np.fmin(a, b) if a.dtype.kind == "f" else np.minimum(a, b))
    op_shl = lambda self, op, args: self.plain(op, args, lambda a, b: a << b.astype(a.dtype), [KIND[op[-1]], np.uint32])
    op_shr = lambda self, op, args: self.plain(op, args, lambda a, b: a >> b.astype(a.dtype), [KIND[op[-1]], np.uint32])
    op_div = lambda self, op, args: self.plain(op, args, lambda a, b: a / b if a.dtype.kind == "f" else quotient(a, b))
    op_rem = lambda self, op, args: self.plain(op, args, lambda a, b: a - quotient(a, b) * b)
    op_rcp = lambda self, op, args: self.plain(op, args, lambda a: a.dtype.type(1) / a)
    op_ex2 = lambda self, op, args: self.plain(op, args, lambda a: np.where((y := np.exp2(a)) < np.float32(1.17549435e-38), np.float32(0), y))
    op_lg2 = lambda self, op, args: self.plain(op, args, np.log2)
    def op_fma(self, op, args):
        if op[-1] == "f64": return self.plain(op, args, lambda a, b, c: a * b + c)
        wide = lambda a, b, c: a.astype(np.float64) * b + c
        if "rm" in op: return self.plain(op, args, lambda a, b, c: round_away(wide(a, b, c), a.dtype, np.greater))
        return self.plain(op, args, lambda a, b, c: wide(a, b, c).astype(np.float32))
    op_selp = lambda self, op, args: self.plain(op, args, lambda a, b, p: np.where(p, a, b), [KIND[op[-1]]] * 2 + [np.bool_])

    def op_mul(self, op, args):
        if "wide" in op:
            wide = np.dtype(f"{np.dtype(KIND[op[-1]]).kind}{2 * np.dtype(KIND[op[-1]]).itemsize}")
            return self.plain(op, args, lambda a, b: a.astype(wide) * b.astype(wide))
        if "hi" in op:
            assert op[-1] == "u32", op
            return self.plain(op, args, lambda a, b: (a.astype(np.uint64) * b >> np.uint64(32)).astype(np.uint32))
        return self.plain(op, args, lambda a, b: a * b)

    def op_mad(self, op, args):
        if "cc" in op: return self.op_madc(op, args)
        kind = KIND[op[-1]]
        if "wide" in op:
            wide = np.dtype(f"{np.dtype(kind).kind}{2 * np.dtype(kind).itemsize}")
            return self.plain(op, args, lambda a, b, c: a.astype(wide) * b.astype(wide) + c, [kind, kind, wide])
        return self.plain(op, args, lambda a, b, c: a * b + c)

    def op_bfi(self, op, args):  # the low bits of a into b
        at, count = int(args[3], 0), int(args[4], 0)
        kind = np.dtype(KIND[op[-1]]).type
        field = kind(((1 << count) - 1) << at)
        return self.plain(op, args[:3], lambda a, b: (a << kind(at)) & field | b & ~field)

    def op_setp(self, op, args):
        kind, how = np.dtype(KIND[op[-1]]), op[1]
        a, b = self.value(args[1], kind), self.value(args[2], kind)
        base = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
                "ls": np.less_equal, "hi": np.greater, "lo": np.less, "hs": np.greater_equal}
        other = self.value(args[3], np.bool_) if len(args) > 3 else None
        def f(mask):
            x, y = a(), b()
            v = base[how](x, y) if how in base else {"num": ~(np.isnan(x) | np.isnan(y)), "nan": np.isnan(x) | np.isnan(y)}[how] if how in ("num", "nan") \
                else base[how[:-1]](x, y) | np.isnan(x) | np.isnan(y)  # "equ": or unordered
            if kind.kind == "f" and how == "ne": v = v & ~(np.isnan(x) | np.isnan(y))
            if other is not None: v = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}[op[2]](v, other())
            self.store(args[0], v, mask)
        return f

    def op_cvt(self, op, args):
        to, source = op[-2], op[-1]
        if to == "bf16x2":
            def half(x):
                u = x.view(np.uint32)
                return np.where(np.isnan(x), np.uint32(0x7fff), (u + np.uint32(0x7fff) + (u >> 16 & 1)) >> 16)
            hi, lo = self.value(args[1], np.float32), self.value(args[2], np.float32)
            return lambda mask: self.store(args[0], (half(hi()) << 16 | half(lo())).astype(np.uint32), mask)
        g, rounded = self.value(args[1], KIND[source]), next((ROUND[how] for how in op if how in ROUND), lambda x: x)
        def f(mask):
            x = rounded(g())
            if "sat" in op: x = np.where(np.isnan(x), 0, np.clip(x, 0, 1)).astype(x.dtype)
            self.store(args[0], whole(x, KIND[to]) if source[0] == "f" and to[0] != "f" else x.astype(KIND[to]), mask)
        return f

    def op_ld(self, op, args):
        where = op[1]
        size = np.dtype(KIND[op[-1]]).itemsize
        to = split(args[0][1:-1]) if args[0].startswith("{") else [args[0]]
        if args[1].startswith("[retval0"): return lambda mask: self.store(to[0], self.returned, mask)
        how, a = self.address(args[1])
        if how == "param":
            def f(mask):
                for i, t in enumerate(to):
                    v = np.frombuffer(self.params[a + i * size:a + (i + 1) * size], KIND[op[-1]])
                    self.store(t, np.repeat(v, self.n), mask)
            return f
        def f(mask):
            words = self.gather(where, a(), size * len(to), mask).view(KIND[op[-1]])
            for i, t in enumerate(to): self.store(t, np.ascontiguousarray(words[:, i]), mask)
        return f

    def op_st(self, op, args):
        if op[1] == "param":
            g = self.value(args[1], KIND[op[-1]])
            return lambda mask: self.passed.__setitem__(re.match(r"\[(\w+)", args[0])[1], g())
        _, a = self.address(args[0])
        get = [self.value(x, KIND[op[-1]]) for x in (split(args[1][1:-1]) if args[1].startswith("{") else [args[1]])]
        def f(mask):
            data = np.stack([g() for g in get], 1).view(np.uint8)
            self.scatter(op[1], a(), data, mask)
        return f

    def op_call(self, op, args):
        """The one function that CUDA's library does not put inline and that numbers of these kernels come to."""
        name = args[1]
        def f(mask):
            if name != "__internal_accurate_pow": raise RuntimeError(f"{name} is called")
            self.returned = np.power(self.passed["param0"], self.passed["param1"])
        return f

    def op_shfl(self, op, args):
        how, (d, _, p) = op[2], args[0].partition("|")
        v, b, c = self.value(args[1], np.uint32), self.value(args[2], np.uint32), self.value(args[3], np.uint32)
        def f(mask):
            self.need_warps(mask, "shfl")
            assert ((c() & 0x1f00) == 0).all(), "a shuffle of less than a warp"
            lane = self.tid & 31
            if how == "bfly": source = lane ^ (b() & 31)
            elif how == "idx": source = b() & 31
            elif how == "down": source = lane + (b() & 31)
            else: source = lane - (b() & 31)
            inside = source <= 31
            source = np.where(inside, source, lane)
            self.store(d.strip(), v()[(self.tid & ~np.uint32(31)) + source], mask)
            if p: self.store(p.strip(), inside, mask)
        return f

    def op_ldmatrix(self, op, args):
        to, (_, a) = split(args[0][1:-1]), self.address(args[1])
        def f(mask):
            if mask is not ALL: raise RuntimeError("ldmatrix of diverged lanes")
            row = self.gather("shared", a(), 16, ALL).view(np.uint16).reshape(-1, 4, 8, 8)  # warp, matrix, row, column
            if "trans" in op: row = row.swapaxes(2, 3)
            pairs = np.ascontiguousarray(row).view(np.uint32).reshape(-1, 4, 32)  # lane: row lane / 4, pair lane % 4
            for i, t in enumerate(to): self.store(t, np.ascontiguousarray(pairs[:, i]).reshape(-1), mask)
        return f

    def op_mma(self, op, args):
        assert ".".join(op) == "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", op
        d = split(args[0][1:-1])
        a = [self.value(x, np.uint32) for x in split(args[1][1:-1])]
        b = [self.value(x, np.uint32) for x in split(args[2][1:-1])]
        c = [self.value(x, np.float32) for x in split(args[3][1:-1])]
        lane = np.arange(32)
        g, t = lane >> 2, lane & 3
        def f(mask):
            if mask is not ALL: raise RuntimeError("mma of diverged lanes")
            w = self.n // 32
            A, B, C = np.zeros((w, 16, 16), np.float32), np.zeros((w, 16, 8), np.float32), np.zeros((w, 16, 8), np.float32)
            for i in range(4):
                for h in range(2):
                    x = ((a[i]() >> (16 * h) & 0xffff) << 16).astype(np.uint32).view(np.float32).reshape(w, 32)
                    A[:, g + 8 * (i & 1), 2 * t + h + 8 * (i >> 1)] = x
                C[:, g + 8 * (i >> 1), 2 * t + (i & 1)] = c[i]().reshape(w, 32)
            for i in range(2):
                for h in range(2):
                    x = ((b[i]() >> (16 * h) & 0xffff) << 16).astype(np.uint32).view(np.float32).reshape(w, 32)
                    B[:, 2 * t + h + 8 * i, g] = x
            for k in range(16): C += A[:, :, k:k + 1] * B[:, k:k + 1, :]
            for i in range(4): self.store(d[i], np.ascontiguousarray(C[:, g + 8 * (i >> 1), 2 * t + (i & 1)]).reshape(-1), mask)
        return f

    def op_cp(self, op, args):
        if "commit_group" in op:
            def f(mask): self.groups.append([])
            return f
        if "wait_group" in op or "wait_all" in op:
            left = int(args[0], 0) if args else 0
            def f(mask):  # whole blocks run in step here, so groups are the block's
                while len(self.groups) - 1 > left: self.copy(self.groups.pop(0))
            return f
        (_, to), (_, source) = self.address(args[0]), self.address(args[1])
        size = int(args[2], 0)
        valid = self.value(args[3], np.uint32) if len(args) > 3 else self.value(str(size), np.uint32)
        def f(mask):
            one = (to().copy(), source().copy(), valid().copy(), mask if mask is ALL else mask.copy(), size)
            if self.eager: self.copy([one])
            else: self.groups[-1].append(one)
        return f

    def copy(self, list_):
        for to, source, valid, mask, size in list_:
            some = valid > 0 if mask is ALL else mask & (valid > 0)
            data = self.gather("global", source, size, some)
            data[np.arange(size)[None, :] >= valid[:, None]] = 0
            self.scatter("shared", to, data, mask)

    def op_bar(self, op, args): return (lambda mask: None) if "warp" in op else "barrier"  # a warp's lanes are in step
    op_barrier = op_bar
    def op_bra(self, op, args): return ("branch", self.k.labels[args[0]])
    def op_ret(self, op, args): return "return"
    op_exit = op_ret

    # ---- the machine
    def run_block(self, at, params, grid=(1, 1, 1)):
        self.grid = grid
        self.at, self.params = at, params.ljust(-(-len(params) // 16) * 16, b"\0")
        self.shared[:] = 0xff
        self.groups = [[]]
        self.carry, self.passed, self.returned = np.zeros(self.n, np.int64), {}, None
        self.r = {n: np.zeros(self.n, k) for n, k in self.k.kinds.items()}
        END = len(self.steps)
        pc = np.where(self.absent, END, 0)
        waits = np.zeros(self.n, bool)
        count = 0
        while True:
            runnable = ~waits & (pc < END)
            if not runnable.any():
                if not waits.any(): return count
                if (pc[waits] != pc[waits][0]).any() or (pc[~waits] < END).any(): raise RuntimeError("barrier divergence")
                waits[:] = False
                pc[pc < END] += 1
                continue
            low = pc[runnable].min()
            active = runnable & (pc == low)
            together = bool(active.all())
            others = pc[runnable & ~active]
            meet = END if together else int(others.min(initial=END))  # where those that wait there go on with them
            here = int(low)
            while here < END:  # as long as the active lanes stay together
                guard, op, f = self.steps[here]
                count += 1
                self.mix[op] = self.mix.get(op, 0) + 1
                mask = ALL if together else active
                if guard:
                    p = self.r[guard[0]]
                    p = ~p if guard[1] else p
                    mask = active & p
                    if mask.all(): mask = ALL
                if callable(f):
                    if mask is ALL or mask.any(): f(mask)
                    here += 1
                    if here == meet: break
                    continue
                on = active if mask is ALL and not guard else (active if mask is ALL else mask)
                if f == "barrier":
                    waits |= on
                    pc[active] = here
                    here = None
                    break
                target = END if f == "return" else f[1]
                if together and (mask is ALL or not guard):
                    here = target
                    continue
                if together and not on.any():
                    here += 1
                    continue
                pc[active] = here + 1
                pc[on] = target
                here = None
                break
            if here is not None: pc[active] = here
