#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`make bench-gpu`: godwit beside its peers in torch (gpu_peers.py, score_peer.py) on one NVIDIA GPU, in one run.

    gpu.py [--device cuda|cpu] [--tiny] [--minutes N] [--tsv FILE] [SECTION...]

SECTION is attention, linear, step, graphs (godwit with CUDA graphs, beside itself without), scoring, compiled
(transformers' step by torch.compile) or, only where it is asked for,
length (steps of 4,096 to 1,048,576 tokens). A row of the table is a part, a shape and a peer; FILE has the same rows with
the peer's rate, memory and numbers of runs. A figure that is missing is a dot, and the row says why; the others follow.
Environment: GODWIT the program; GODWIT_DATA the folder of the data sets, for scoring.

Sides take turns: in each round godwit runs, then each peer; every turn has runs that are not counted first. Times are
medians of all runs (godwit's: of the medians that `godwit bench` prints). Ratio is the peer's time by godwit's. Attention
counts the blocks of the graph alone, 4 FLOPs a pair of tokens and head dimension, 10 in the backward pass, also for peers
that do more. Share is of the rate of a product of squares in torch, or in godwit where torch is missing. --tiny, small and
with few runs, shows that everything works; its times mean nothing.
"""
import argparse
import gzip
import json
import os
import pathlib
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).parent
GODWIT, DATA = os.environ["GODWIT"], pathlib.Path(os.environ.get("GODWIT_DATA") or ".")
FASTA, VARIANTS = DATA / "human/chr20_1M-2M.fa.gz", DATA / "human/chr20_1M-2M.1000G.vcf.gz"
TOKENIZER = DATA / "tokenizer/gena_human_BPE_32k.tokenizer.json"
LAYERS, WIDTH, BLOCK, WORDS, MASKED_SHARE = 12, 768, 64, 32000, 7  # of `godwit bench`
# The minute, of 12, at which a section must have ended. What one leaves is the next one's.
ENDS = {"attention": 4.5, "linear": 4.8, "step": 8, "graphs": 8.5, "scoring": 11, "compiled": 12, "length": 12}
SIZES = {
    False: {"rounds": 2, "runs": 7, "square": 8192, "attention": ((4, 4096), (16, 16384), (1, 65536)),
            "batches": (4, 4096), "graphs": ((4, 4096), (1, 256)), "windows": ((1000, 2000), (8000, 200)), "passes": 5},
    True: {"rounds": 1, "runs": 1, "square": 256, "attention": ((1, 1024),),
           "batches": (1, 64), "graphs": ((1, 64),), "windows": ((200, 2),), "passes": 1},
}
COLUMNS = ("part", "shape", "peer", "godwit_ms", "godwit_tflops", "peer_ms", "ratio", "share", "peer_tflops", "godwit_gb",
           "peer_gb", "godwit_runs", "peer_runs", "note")
args = size = tsv = None
limit = 0.0  # when the section must have ended
matrix_rate = None  # FLOPs a second


class Missing(Exception):
    """A figure that cannot be had, and why."""


def left():
    seconds = limit - time.monotonic()
    if seconds <= 0:
        raise Missing("no time was left")
    return seconds


# ---- rows

def row(part, shape, peer, work=None, mine=None, theirs=None, note="", gb=None, peer_gb=None, runs=(0, 0)):
    """Prints a row and writes it: times in seconds, work in FLOPs of one run."""
    rate = work / mine if work and mine else None
    values = (part, shape, peer, mine and mine * 1e3, rate and rate * 1e-12, theirs and theirs * 1e3,
              theirs / mine if mine and theirs else None, 100 * rate / matrix_rate if rate and matrix_rate else None,
              work / theirs * 1e-12 if work and theirs else None, gb, peer_gb, *runs, note)
    words = [value if isinstance(value, str) else "." if value is None else f"{value:.4g}" for value in values]
    print(f"{part:<19}{shape:<24}{peer:<23}" + "".join(f"{word:>11}" for word in words[3:8]) + "  " + note, flush=True)
    print(*words, sep="\t", file=tsv, flush=True)


def head_of_table():
    titles = ("godwit ms", "TFLOP/s", "peer ms", "ratio", "share %")
    print(f"{'part':<19}{'shape':<24}{'peer':<23}" + "".join(f"{title:>11}" for title in titles), flush=True)
    print(*COLUMNS, sep="\t", file=tsv, flush=True)


# ---- godwit

def run(command, variables=None):
    """Lines of standard output."""
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=left(),
                              env={**os.environ, **(variables or {})})
    except subprocess.TimeoutExpired:
        raise Missing("no time was left: stopped") from None
    except OSError as error:
        raise Missing(str(error)) from None
    if done.returncode != 0:
        said = [line for line in done.stderr.strip().splitlines() if not line.startswith("Try ")]
        raise Missing((said or [f"exit status {done.returncode}"])[-1][:200])
    return done.stdout.splitlines()


def godwit_bench(*words, repeats=None, variables=None):
    """What `godwit bench` printed: part -> (the text of its seconds, rate a second), peaks among them."""
    lines = run([GODWIT, "bench", "-q", "--device", args.device, "--dtype", args.dtype, "--repeats", repeats or size["runs"],
                 *words], variables)
    fields = [line.split() for line in lines if not line.startswith(("#", "part"))]
    return {f[0]: (f[2], float(f[3]) * 1e9) for f in fields if f[1] in (args.dtype, ".")}


def seconds_of(printed, work):
    """Seconds as printed; by the rate, which has one digit behind the point, godwit's work must be what was counted here."""
    text, rate = printed
    seconds, unsure = float(text), 0.51 * 10.0 ** -len(text.partition(".")[2])
    if abs(work / rate - seconds) > unsure + 0.051e9 / rate * seconds:
        raise Missing(f"godwit counts {seconds * rate:.4g} FLOPs, its graph has {work:.4g}")
    return work / rate


def graph_of(tokens, heads):
    """The key blocks of each row of each head, as godwit prints them, and the number of edges by its measures."""
    graph, edges = [], 0
    for head in range(heads):
        command = [GODWIT, "graph", "-p", "itc", "-n", tokens, "--positions", max(4096, tokens), "--heads", heads, "--head", head]
        rows = [line.split("\t")[1] for line in run([*command, "--edges"])[1:]]
        graph.append([[int(key.split("*")[0]) for key in kept.split(",")] for kept in rows])  # 7*2: listed twice
        edges += int(dict(line.split("\t") for line in run(command))["edges"])
    if sum(len(kept) for rows in graph for kept in rows) != edges:
        raise Missing("godwit graph counts other edges than it prints")
    return graph, edges


def linear_work(tokens, batch):
    return 2 * 12 * WIDTH * WIDTH * LAYERS * tokens * batch


def attention_work(edges, heads, batch):
    """FLOPs of one layer's attention, forward; edges are those of all heads."""
    return 4 * (WIDTH // heads) * edges * BLOCK ** 2 * batch


def step_work(tokens, batch, edges):
    masked = sum(i % MASKED_SHARE == 3 for i in range(tokens * batch))
    head = 2 * masked * WIDTH * (WIDTH + WORDS)
    return 3 * (linear_work(tokens, batch) + head) + 3.5 * LAYERS * attention_work(edges, 12, batch)


# ---- what the GPU says of itself

def smi(what):
    """A figure of the first GPU as nvidia-smi gives it, or None."""
    try:
        found = subprocess.run(["nvidia-smi", "-i", "0", f"--query-gpu={what}", "--format=csv,noheader,nounits"],
                               capture_output=True, text=True, check=True)
        return float(found.stdout.split()[0])
    except (OSError, subprocess.CalledProcessError, ValueError, IndexError):
        return None


class Watch:
    """The share of samples in which the GPU was busy, and by how much its memory rose (GB), while the block runs."""

    def __enter__(self):
        self.busy, self.done = [], threading.Event()
        self.memory = [smi("memory.used")] if args.device == "cuda" and shutil.which("nvidia-smi") else []
        self.thread = threading.Thread(target=self.sample)
        self.thread.start()
        return self

    def sample(self):
        while self.memory and self.memory[0] is not None and not self.done.wait(0.1):
            self.busy.append(smi("utilization.gpu") or 0)
            self.memory.append(smi("memory.used") or 0)

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()

    def rise(self):
        return (max(self.memory) - self.memory[0]) * 1.048576e-3 if len(self.memory) > 1 else None


# ---- peers: a process, which is begun anew where it ended

class Peers:
    def __init__(self):
        self.process, self.errors, self.answered = None, tempfile.TemporaryFile("w+"), False

    def start(self):
        self.errors.seek(0)
        self.errors.truncate()
        self.process = subprocess.Popen([sys.executable, HERE / "gpu_peers.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True, bufsize=1)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def ask(self, **request):
        """The answer to a request; Missing where there is none."""
        seconds = left()
        if not self.process:
            self.start()
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except OSError:
            pass  # it ended; there will be no answer
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            self.stop()
            raise Missing("no time was left: stopped")
        line = self.process.stdout.readline()
        answer = json.loads(line) if line else {"why": self.last_words(), "ended": True}
        if not line and not self.answered:
            lacks["peers"] = answer["why"]  # it does not start
        self.answered = True
        if answer.get("ended"):
            self.stop()
        if "why" in answer:
            raise Missing(answer["why"])
        return answer

    def last_words(self):
        if self.process.wait() < 0:
            return f"its process was ended by signal {-self.process.returncode}"
        self.errors.seek(0)
        lines = self.errors.read().strip().splitlines()
        return f"its process ended: {lines[-1] if lines else self.process.returncode}"[:200]


peers = Peers()
lacks = {}  # "godwit", "peers", "scoring": why they cannot run


class Task:
    """A row: a part of godwit, the work of one run, and a peer with its request. A run of the peer is `queue` of its calls."""

    def __init__(self, part, peer, work, queue=1, **request):
        self.part, self.peer, self.work, self.queue = part, peer, work, queue
        self.request = {"name": f"{part} {peer}", "peer": peer, "device": args.device, "dtype": args.dtype,
                        "compile": args.device == "cuda", **request}
        self.times, self.gb, self.why, self.ready, self.edges = [], None, "", False, None

    def prepare(self):
        if "peers" in lacks:
            raise Missing(lacks["peers"])
        answer = peers.ask(do="prepare", **self.request)
        if self.edges is not None and answer.get("edges", self.edges) != self.edges:
            raise Missing(f"its mask has {answer['edges']} blocks, godwit's graph {self.edges}")
        if answer.get("difference", 0) > 0.02:
            raise Missing(f"its result differs from that with a dense mask by {answer['difference']:.2g}")
        self.ready = True

    def time(self):
        answer = peers.ask(do="time", device=args.device, name=self.request["name"], runs=size["runs"], queue=self.queue)
        self.times += [seconds * self.queue for seconds in answer["seconds"]]
        self.gb = answer["gb"]


def attempt(task, what):
    """Does it; where it fails the task says why. Where the process ended, the others are prepared once more."""
    try:
        what()
    except Missing as missing:
        task.why, task.ready = str(missing), False
        return peers.process is not None
    return True


def compare(shape, tasks, own, calls=1):
    """Rows of tasks. own() measures godwit, as godwit_bench() does. Times are of one of `calls` calls."""
    mine, gone, why = {}, {}, lacks.get("godwit", "")
    for task in tasks:
        if not attempt(task, task.prepare):
            for other in tasks:
                other.ready = other.ready and attempt(other, other.prepare) and other.ready
    for _ in range(size["rounds"]):
        try:
            for part, printed in own().items() if not why else ():
                mine.setdefault(part, []).append(printed)
        except Missing as missing:
            why = str(missing)
        for task in tasks:
            if task.ready and not attempt(task, task.time):
                for other in tasks:
                    other.why, other.ready = other.why or f"lost with {task.request['name']}", False
    for task in tasks:
        times = None
        try:
            times = [seconds_of(printed, task.work) / calls for printed in mine.get(task.part, ())]
        except Missing as missing:
            gone[task.part] = str(missing)
        sides = (("godwit", gone.get(task.part) or (not times and why)), (task.peer, task.why))
        note = "; ".join(f"{who}: {text}" for who, text in sides if text)
        row(task.part, shape, task.peer, task.work / calls, statistics.median(times) if times else None,
            statistics.median(task.times) / calls if task.times else None, note, None, task.gb,
            (len(times or ()) * size["runs"], len(task.times)))
    if peers.process:
        attempt(tasks[0], lambda: peers.ask(do="drop"))


# ---- sections

def products():
    """The rate that shares are of."""
    global matrix_rate
    work, note, mine, theirs = 2 * size["square"] ** 3, [], None, []
    task = Task("products", "torch", work, job="products", square=size["square"])
    attempt(task, task.prepare)
    for _ in range(size["rounds"]):
        try:
            if "godwit" in lacks:
                raise Missing(lacks["godwit"])
            peaks = godwit_bench("-n", 64, "layer_norm")
            mine = peaks.get("squares", peaks.get("registers"))[1]
        except Missing as missing:
            note.append(f"godwit: {missing}")
        if task.ready:
            attempt(task, task.time)
    if task.why:
        note.append(f"torch: {task.why}")
    theirs = statistics.median(task.times) if task.times else None
    matrix_rate = work / theirs if theirs else mine
    row("products", f"squares of {size['square']}", "torch", work, work / mine if mine else None, theirs, "; ".join(note[-2:]),
        runs=(size["runs"] * bool(mine), len(task.times)))


def attention():
    for head in (64, 128):
        heads = WIDTH // head
        for batch, tokens in size["attention"]:
            shape = f"{batch} x {tokens:,}, head {head}"
            try:
                graph, edges = graph_of(tokens, heads)
            except Missing as missing:
                row("attention", shape, ".", note=f"godwit graph: {missing}")
                continue
            tasks = []
            for part, factor in (("attention", 1), ("attention_backward", 2.5)):
                work = factor * attention_work(edges, heads, batch) * LAYERS
                for peer in ("flex", "sdpa", "masked"):
                    more = {} if peer == "sdpa" else {"graph": graph}
                    task = Task(part, peer, work, LAYERS, job=part, tokens=tokens, batch=batch, head=head, **more)
                    task.edges = edges
                    tasks.append(task)
            options = () if head == 64 else ("--heads", heads)
            compare(shape, tasks, lambda n=tokens, b=batch, o=options: godwit_bench(
                "-n", n, "--batch", b, *o, "attention", "attention_backward"), LAYERS)


def linear():
    batch, tokens = size["batches"]
    task = Task("linear", "torch", linear_work(tokens, batch), LAYERS, job="linear", tokens=tokens, batch=batch)
    compare(f"{batch} x {tokens:,}, 12 layers", [task], lambda: godwit_bench("-n", tokens, "--batch", batch, "linear"))


def steps(*names):
    batch, tokens = size["batches"]
    shape = f"{batch} x {tokens:,}"
    try:
        graph, edges = graph_of(tokens, 12)
    except Missing as missing:
        row("step", shape, ".", note=f"godwit graph: {missing}")
        return
    tasks = [Task("step", peer, step_work(tokens, batch, edges), job="step", tokens=tokens, batch=batch,
                  **({"graph": graph} if peer == "torch" else {})) for peer in names]
    compare(shape, tasks, lambda: godwit_bench("-n", tokens, "--batch", batch, "step"))


def step():
    steps("transformers", "torch")
    batch, tokens = size["batches"]
    try:
        if args.device == "cuda" and "godwit" not in lacks:
            with Watch() as watch:
                godwit_bench("-n", tokens, "--batch", batch, "step", repeats=3)
            row("step, memory", f"{batch} x {tokens:,}", ".", gb=watch.rise(),
                note=f"{watch.rise():.1f} GB" if watch.rise() else "godwit: nvidia-smi does not tell")
    except Missing as missing:
        row("step, memory", f"{batch} x {tokens:,}", ".", note=f"godwit: {missing}")


def graphs():
    for batch, tokens in size["graphs"]:
        for part in ("forward", "step"):
            times, why = {"1": [], "0": []}, ""
            try:
                if "godwit" in lacks:
                    raise Missing(lacks["godwit"])
                for _ in range(size["rounds"]):
                    for on, seconds in times.items():
                        printed = godwit_bench("-n", tokens, "--batch", batch, part, variables={"GODWIT_CUDA_GRAPHS": on})
                        seconds.append(float(printed[part][0]))
            except Missing as missing:
                why = f"godwit: {missing}"
            mine, theirs = (statistics.median(times[on]) if times[on] else None for on in "10")
            row(part, f"{batch} x {tokens:,}", "godwit without graphs", None, mine, theirs, why,
                runs=tuple(len(times[on]) * size["runs"] for on in "10"))


def compiled():
    steps("transformers-compiled")


def write_variants(path, most):
    """The first plain alleles whose windows of 8 kb do not leave the contig."""
    count = 0
    with gzip.open(VARIANTS, "rt") as lines, open(path, "w") as out:
        for line in lines:
            words = line.split("\t")
            plain = line[0] != "#" and int(words[1]) > 5000 and not set(words[3] + words[4]) - set("ACGT")
            if line[0] == "#" or (plain and count < most):
                out.write(line)
                count += line[0] != "#"


def score_with_godwit(window, model, variants, out):
    start = time.perf_counter()
    run([GODWIT, "score", "-q", "--device", args.device, "-m", model, "-f", FASTA, "--attention", "hf-eval", "--dtype", args.dtype,
         "--window", window, "-o", out, variants])
    return time.perf_counter() - start


def score_with_peer(window, model, variants, out, batch):
    """Seconds a variant of each pass."""
    lines = run([sys.executable, HERE / "score_peer.py", "score", model, FASTA, variants, window, args.dtype, out],
                {"DEVICE": args.device, "BATCH": str(batch), "PASSES": str(size["passes"])})
    return [3600 / float(line) for line in lines]


def score_window(window, most, model, none, some, out):
    """The row of a window: milliseconds a variant. godwit's start, as an empty file shows it, is left out."""
    idle, busy, theirs, batches, notes = [], [], [], [256, 64, 16], []
    for _ in range(size["rounds"]):
        try:
            for _ in range(size["passes"] if "godwit" not in lacks else 0):
                idle.append(score_with_godwit(window, model, none, out))
                busy.append(score_with_godwit(window, model, some, out))
        except Missing as missing:
            notes.append(f"godwit: {missing}")
        while batches:
            try:
                theirs += score_with_peer(window, model, some, out, batches[0])
                break
            except Missing as missing:
                notes.append(f"transformers, batches of {batches.pop(0)}: {missing}")
    if "godwit" in lacks:
        notes.append(f"godwit: {lacks['godwit']}")
    if theirs:
        notes.append(f"batches of {batches[0] if batches else 'several sizes'}")
    try:
        if busy and args.device == "cuda":
            with Watch() as watch:
                score_with_godwit(window, model, some, out)
            if watch.busy:
                notes.append(f"GPU busy {statistics.mean(watch.busy):.0f} % of a run with its start")
    except Missing:
        pass
    if idle:
        row("scoring, start", f"window {window:,} bp", ".", None, statistics.median(idle), runs=(len(idle), 0))
    mine = (statistics.median(busy) - statistics.median(idle)) / most if busy else None
    if mine is not None and mine <= 0:
        notes.append("godwit: so few variants took no longer than its start")
    row("scoring, a variant", f"{most:,} of {window:,} bp", "transformers", None, mine if mine and mine > 0 else None,
        statistics.median(theirs) if theirs else None, "; ".join(notes), runs=(len(busy), len(theirs)))


def scoring():
    why = lacks.get("scoring") or lacks.get("peers")  # which makes the model
    with tempfile.TemporaryDirectory() as folder:
        model, none, some, out = (pathlib.Path(folder, name) for name in ("model", "none.vcf", "some.vcf", "out"))
        try:
            if why:
                raise Missing(why)
            run([sys.executable, HERE / "score_peer.py", "make", TOKENIZER, model])
            write_variants(none, 0)
            for window, most in size["windows"]:
                write_variants(some, most)
                score_window(window, most, model, none, some, out)
        except Missing as missing:
            row("scoring, a variant", ".", "transformers", note=str(missing))


def length():
    """Time a token must stay, and memory grow with the tokens alone."""
    tokens = 4096
    while tokens <= 1 << 20:
        try:
            if "godwit" in lacks:
                raise Missing(lacks["godwit"])
            _, edges = graph_of(tokens, 12)
            with Watch() as watch:
                printed = godwit_bench("-n", tokens, "step", repeats=2)["step"]
            work = step_work(tokens, 1, edges)
            seconds = seconds_of(printed, work)
            row("step", f"1 x {tokens:,}", ".", work, seconds, gb=watch.rise(), runs=(2, 0),
                note=f"{seconds / tokens * 1e9:.0f} ns a token")
        except Missing as missing:
            row("step", f"1 x {tokens:,}", ".", note=f"godwit: {missing}")
            return
        tokens *= 2


SECTIONS = {"attention": attention, "linear": linear, "step": step, "graphs": graphs, "scoring": scoring, "compiled": compiled,
            "length": length}


def find_lacks():
    """What godwit, the peers and scoring need and is not here."""
    state = [line for line in run([GODWIT, "--version"]) if line.startswith("cuda")]
    cuda = args.device == "cuda"
    print("# " + ("; ".join(state) if cuda else "on the processor"))
    about = "".join(state[:1])
    if cuda and ("; plugin for " not in about or "without kernels" in about or len(state) < 2):
        lacks["godwit"] = "no CUDA plugin with kernels (make CUDA=1), or no NVIDIA GPU with its driver"
    check = "import torch, transformers; print(torch.__version__, transformers.__version__, torch.cuda.is_available())"
    try:
        *versions, sees = run([sys.executable, "-c", check])[-1].split()
        print(f"# torch {versions[0]}, transformers {versions[1]}")
        if cuda and sees != "True":
            lacks["peers"] = f"torch {versions[0]} sees no GPU"
    except Missing as missing:
        lacks["peers"] = f"no torch with transformers: {missing}"
        print(f"# of {sys.executable}:")
    files = [str(file.relative_to(DATA)) for file in (FASTA, VARIANTS, TOKENIZER) if not file.exists()]
    if files:
        lacks["scoring"] = f"not in GODWIT_DATA: {', '.join(files)}"
    for who, why in lacks.items():
        print(f"# {who} left out: {why}")


def main():
    global args, size, tsv, limit
    parser = argparse.ArgumentParser()
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--dtype", choices=["bf16", "f32"])
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--minutes", type=float, default=12)
    parser.add_argument("--tsv", default="bench-gpu.tsv")
    args = parser.parse_args()
    args.dtype = args.dtype or ("bf16" if args.device == "cuda" else "f32")
    chosen = args.sections or os.environ.get("SECTIONS", "").split() or [name for name in SECTIONS if name != "length"]
    for name in chosen:
        if name not in SECTIONS:
            parser.error(f"unknown section '{name}'; known are {', '.join(SECTIONS)}")
    size, start = SIZES[args.tiny], time.monotonic()
    limit = start + 60 * args.minutes
    try:
        find_lacks()
    except Missing as missing:
        sys.exit(f"{GODWIT}: {missing}")
    if "godwit" in lacks and "peers" in lacks:
        print("nothing can be measured here")
        return
    with open(args.tsv, "w") as tsv:
        head_of_table()
        try:
            products()
            for name in chosen:
                limit = start + 60 * args.minutes * (ENDS[name] / 12 if len(chosen) > 1 else 1)
                SECTIONS[name]()
        finally:
            peers.stop()
    print(f"# {time.monotonic() - start:.0f} s; {args.tsv}")


if __name__ == "__main__":
    main()
