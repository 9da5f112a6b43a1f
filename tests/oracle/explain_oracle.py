# Makes tests/data/explain with tangermeme: contributions, seqlets and greedy edits of the BPNet of tests/data/bpnet.
# usage: explain_oracle.py [FOLDER]   (needs torch, bpnet-lite and tangermeme)
import os, sys

try:
    import numpy as np
    import torch
    from bpnetlite.bpnet import BPNet
    from tangermeme.deep_lift_shap import deep_lift_shap
    from tangermeme.design import greedy_substitution
    from tangermeme.ersatz import dinucleotide_shuffle
    from tangermeme.saturation_mutagenesis import saturation_mutagenesis
    from tangermeme.seqlet import recursive_seqlets
except ImportError as error:
    print(error)
    sys.exit(77)

folder = sys.argv[1] if len(sys.argv) > 1 else "."
data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "bpnet")
os.makedirs(folder, exist_ok=True)
WINDOW, BEGIN, END = 2114, 3000, 3060  # the region that is explained
net = BPNet(n_filters=6, n_layers=2, n_outputs=2, n_control_tracks=0, verbose=False).eval()
net.load_state_dict(torch.load(f"{data}/bpnet.pt"))


class Counts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net(x)[1]


model = Counts().eval()
genome = "".join(line.strip() for line in open(f"{data}/genome.fa") if line[0] != ">")


def one_hot(text):
    return torch.tensor(np.stack([[letter == base for letter in text] for base in "ACGT"]).astype(np.float32))


def write_fasta(path, records):
    with open(path, "w") as out:
        for name, bases in records:
            out.write(f">{name}\n{bases}\n")


# godwit's window has so many bases more on either side, which profiles depend on and counts do not.
MORE = 37
start = (BEGIN + END) // 2 - WINDOW // 2
before, behind = genome[start - MORE : start], genome[start + WINDOW : start + WINDOW + MORE]
window = genome[start : start + WINDOW]
x = one_hot(window)[None]
begin, end = BEGIN - start, END - start
shuffled = dinucleotide_shuffle(x, n=3, random_state=1).float()
references = ["".join("ACGT"[i] for i in row.argmax(0)) for row in shuffled[0]]
write_fasta(f"{folder}/references.fa", [(f"r{i}", before + r + behind) for i, r in enumerate(references)])
ism = saturation_mutagenesis(model, x, start=begin, end=end, hypothetical=True, device="cpu")[0]
shap = deep_lift_shap(model, x, references=shuffled, hypothetical=True, device="cpu")[0, :, begin:end]
x.requires_grad_(True)
model(x).sum().backward()
gradient = x.grad[0]
gradient = (gradient - gradient.mean(0, keepdim=True))[:, begin:end]
with open(f"{folder}/contributions.tsv", "w") as out:
    out.write("method\tposition\tA\tC\tG\tT\n")
    for name, values in (("ism", ism), ("gradient", gradient), ("shap", shap)):
        for i in range(END - BEGIN):
            out.write("\t".join([name, str(BEGIN + i + 1)] + [f"{float(values[b, i]):.7g}" for b in range(4)]) + "\n")

# Seqlets of drawn numbers with stretches of higher ones, both ways.
random = np.random.default_rng(2)
values = random.normal(0, 0.1, (4, 150)).astype(np.float32)
for row, at, length, size in ((0, 20, 8, 1), (0, 90, 12, 0.7), (1, 40, 6, -1), (2, 100, 9, 0.8), (2, 30, 9, -0.9), (3, 5, 5, 1.2)):
    values[row, at : at + length] += random.uniform(0.5, 1, length).astype(np.float32) * size
values = np.array([[np.float32(f"{v:.6g}") for v in row] for row in values], np.float32)
up, down = recursive_seqlets(values), recursive_seqlets(-values)
names = list(up.columns)
with open(f"{folder}/seqlets.tsv", "w") as out:
    for row in values:
        out.write("values\t" + "\t".join(f"{v:.6g}" for v in row) + "\n")
    for sign, found in ((1, up), (-1, down)):
        for s in found.itertuples(index=False):
            i, b, e, total, p = s
            if sign < 0 and any(u[0] == i and u[1] < e and b < u[2] for u in up.itertuples(index=False)):
                continue
            out.write(f"seqlet\t{i}\t{b}\t{e}\t{sign * total:.9g}\t{p:.9g}\n")

# Greedy edits of 60 bases in the middle of a window.
mask = torch.zeros(WINDOW, dtype=torch.bool)
mask[begin:end] = True
x = one_hot(window)[None]
write_fasta(f"{folder}/start.fa", [("start", before + window + behind)])
with torch.no_grad():
    now = float(model(x))
with open(f"{folder}/designs.tsv", "w") as out:
    out.write("goal\tedits\tvalue\tbases\n")
    for goal in ("max", "value"):
        y = None if goal == "max" else torch.tensor([[now - 0.02]])
        made = greedy_substitution(model, x, y=y, input_mask=mask, max_iter=5, tol=0, device="cpu")
        bases = "".join("ACGT"[i] for i in made[0].argmax(0))
        with torch.no_grad():
            out.write(f"{goal}\t{sum(a != b for a, b in zip(bases, window))}\t{float(model(made)):.7g}\t{bases[begin:end]}\n")
    out.write(f"start\t0\t{now:.7g}\t{window[begin:end]}\n")
