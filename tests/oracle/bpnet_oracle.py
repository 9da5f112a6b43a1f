# Makes tests/data/bpnet with bpnet-lite: small models with random weights, variants, and what they are to score.
# usage: bpnet_oracle.py FOLDER   (needs torch and bpnet-lite)
import os, sys
import numpy as np
import torch
from bpnetlite.bpnet import BPNet
from bpnetlite.chrombpnet import ChromBPNet

folder = sys.argv[1]
torch.manual_seed(1)
random = np.random.default_rng(1)
os.makedirs(folder, exist_ok=True)


def network(filters, layers, outputs, controls=0):
    made = BPNet(n_filters=filters, n_layers=layers, n_outputs=outputs, n_control_tracks=controls, verbose=False).eval()
    for values in made.parameters():
        if values.dim() > 1:
            values.data.mul_(2.5)
    made.linear.bias.data.fill_(3.0)
    return made


stranded = network(6, 2, 2)
accessible, bias = network(8, 2, 1), network(4, 1, 1)
torch.save(stranded.state_dict(), f"{folder}/bpnet.pt")
torch.save(ChromBPNet(bias, accessible).state_dict(), f"{folder}/chrombpnet.pt")
genome = "".join(random.choice(list("ACGT"), 6000))
with open(f"{folder}/genome.fa", "w") as out:
    out.write(">c1\n" + "\n".join(genome[i : i + 60] for i in range(0, len(genome), 60)) + "\n")
WINDOW = 2114


def one_hot(text):
    out = np.zeros((4, len(text)), np.float32)
    for i, letter in enumerate(text):
        if letter in "ACGT":
            out["ACGT".index(letter), i] = 1
    return out


def window(text, begin):
    return "".join(text[i] if 0 <= i < len(text) else "N" for i in range(begin, begin + WINDOW))


variants = []  # a change, an insertion, a deletion, one at a contig's end
for position, length, new in [(3000, 1, None), (3010, 1, None), (3100, 1, "AGGT"), (3200, 5, None), (40, 1, None), (5980, 1, None)]:
    ref = genome[position : position + length]
    alt = new if new else ref[0] if length > 1 else "ACGT"[("ACGT".index(ref) + 1) % 4]
    variants.append((position, ref, alt if not new else ref + new[1:]))
with open(f"{folder}/variants.vcf", "w") as out:
    out.write("##fileformat=VCFv4.2\n##contig=<ID=c1,length=6000>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n")
    for i, (position, ref, alt) in sorted(enumerate(variants), key=lambda v: v[1]):
        out.write(f"c1\t{position + 1}\tv{i}\t{ref}\t{alt}\t.\t.\t.\n")
with open(f"{folder}/expected.tsv", "w") as out:
    out.write("model\tid\tref\talt\tlfc\tjsd\n")
    for name, model in [("bpnet", stranded), ("chrombpnet", accessible)]:
        for i, (position, ref, alt) in enumerate(variants):
            begin = position - WINDOW // 2
            other = genome[:position] + alt + genome[position + len(ref) :]
            x = torch.tensor(np.stack([one_hot(window(genome, begin)), one_hot(window(other, begin))]))
            with torch.no_grad():
                profile, counts = model(x)
            p = profile.double().reshape(2, -1).softmax(-1).numpy()
            counts = counts.double().numpy()[:, 0]
            mean = p.mean(0)
            distance = np.sqrt(sum((q * np.log2(q / mean)).sum() for q in p) / 2)
            out.write(f"{name}\tv{i}\t{np.expm1(counts[0]):.7g}\t{np.expm1(counts[1]):.7g}\t{(counts[1] - counts[0]) / np.log(2):.7g}\t{distance:.7g}\n")

# With control tracks: counts of two strands, in one stretch of the genome and beside a contig's end.
control = network(6, 2, 2, controls=2)
control.linear.weight.data[0, -1] = 0.3
torch.save(control.state_dict(), f"{folder}/control.pt")
reads = random.poisson(0.05, (2, len(genome))).astype(np.float32)
reads[:, 3300:3400] = 0
for strand, name in enumerate(("plus", "minus")):
    with open(f"{folder}/control.{name}.bedgraph", "w") as out:
        for i in np.flatnonzero(reads[strand]):
            out.write(f"c1\t{i}\t{i + 1}\t{reads[strand, i] * (1 - 2 * strand):g}\n")
with open(f"{folder}/expected.control.tsv", "w") as out:
    out.write("id\tref\talt\tlfc\tjsd\n")
    for i, (position, ref, alt) in enumerate(variants):
        begin = position - WINDOW // 2
        other = genome[:position] + alt + genome[position + len(ref) :]
        x = torch.tensor(np.stack([one_hot(window(genome, begin)), one_hot(window(other, begin))]))
        beside = np.zeros((2, WINDOW), np.float32)
        inside = slice(max(begin, 0), min(begin + WINDOW, len(genome)))
        beside[:, inside.start - begin : inside.stop - begin] = reads[:, inside]
        with torch.no_grad():
            profile, counts = control(x, torch.tensor(np.stack([beside, beside])))
        p = profile.double().reshape(2, -1).softmax(-1).numpy()
        counts = counts.double().numpy()[:, 0]
        mean = p.mean(0)
        distance = np.sqrt(sum((q * np.log2(q / mean)).sum() for q in p) / 2)
        out.write(f"v{i}\t{np.expm1(counts[0]):.7g}\t{np.expm1(counts[1]):.7g}\t{(counts[1] - counts[0]) / np.log(2):.7g}\t{distance:.7g}\n")
# What `predict` writes of one window: the logarithm of counts, and the expected count of each base of +.
begin = 2400
x = torch.tensor(one_hot(genome[begin : begin + WINDOW])[None])
with torch.no_grad():
    profile, counts = control(x, torch.tensor(reads[None, :, begin : begin + WINDOW]))
p = profile.double().reshape(-1).softmax(-1).reshape(profile.shape[1:]).numpy() * np.expm1(counts.item())
first = (WINDOW - p.shape[1]) // 2 + begin
with open(f"{folder}/expected.profile.tsv", "w") as out:
    for i in range(0, p.shape[1], 20):
        out.write(f"{first + i}\t{p[0, i]:.7g}\t{p[1, i]:.7g}\n")
# The same network as bpnet-lite keeps it: the whole module.
torch.save(control, f"{folder}/control.torch")
