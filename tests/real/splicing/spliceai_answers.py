# SPDX-License-Identifier: MIT
"""What spliceai's own code says with its five networks, whose Keras graphs torch computes here, layer by layer as their
files describe them: spliceai_answers.py FOLDER [RECORDS [SECONDS]], with GODWIT_DATA, of the records that records.py put
there. FOLDER/spliceai.tsv is as answers.sh has it, scores with two digits; what it has is not asked for again. Needs spliceai
1.3.1, h5py, pysam and torch.
"""
import json
import os
import sys
import time

import h5py
import numpy as np
import pysam
import torch
from spliceai.utils import Annotator, get_delta_scores
import spliceai.utils as utils

DATA, FOLDER = os.environ["GODWIT_DATA"], sys.argv[1]
RECORDS = int(sys.argv[2]) if len(sys.argv) > 2 else 300
END = time.time() + (float(sys.argv[3]) if len(sys.argv) > 3 else 1e9)
BATCH, PIECE = 4, 12


class Network:
    def __init__(self, path):
        self.file = h5py.File(path)
        text = self.file.attrs["model_config"]
        self.layers = json.loads(text if isinstance(text, str) else text.decode())["config"]["layers"]
        self.weights = self.file["model_weights"] if "model_weights" in self.file else self.file

    def tensors(self, name):
        group = self.weights[name]
        return [torch.from_numpy(np.array(group[w])) for w in group.attrs["weight_names"]]

    def layer(self, kind, config, name, x):
        if kind == "Conv1D":
            kernel, bias = self.tensors(name)  # [taps][in][out]
            (dilation,) = config["dilation_rate"]
            reach = (kernel.shape[0] - 1) // 2 * dilation if config["padding"] == "same" else 0
            y = torch.nn.functional.conv1d(x[0], kernel.permute(2, 1, 0).contiguous(), bias, padding=reach, dilation=dilation)
            return torch.softmax(y, 1) if config["activation"] == "softmax" else y
        if kind == "BatchNormalization":
            gamma, beta, mean, variance = (t[:, None] for t in self.tensors(name))
            return (x[0] - mean) / torch.sqrt(variance + config["epsilon"]) * gamma + beta
        if kind == "Activation":
            return torch.relu(x[0])
        if kind == "Add":
            return sum(x[1:], x[0])
        begin, end = config["cropping"]
        return x[0][:, :, begin : x[0].shape[2] - end]

    @torch.no_grad()
    def __call__(self, x):  # [windows][bases][4] to [windows][rows][3]
        values, left = {}, list(self.layers)
        while left:  # a layer stands behind what it reads, or is tried again
            at = next(i for i, l in enumerate(left) if all(n[0] in values for n in (l["inbound_nodes"] or [[]])[0]))
            layer = left.pop(at)
            name, read = layer["config"]["name"], [values[n[0]] for n in (layer["inbound_nodes"] or [[]])[0]]
            values[name] = self.layer(layer["class_name"], layer["config"], name, read) if read else x.permute(0, 2, 1)
        return values[name].permute(0, 2, 1).numpy()


class Later:
    """Notes windows first, and then says what the network made of them in batches."""

    def __init__(self, path):
        self.network, self.wanted, self.made = Network(path), {}, {}

    def predict(self, x, **_):
        key = (x.shape[1], x.tobytes())
        if key in self.made:
            return self.made[key][None]
        self.wanted[key] = np.ascontiguousarray(x[0], np.float32)
        return np.zeros((1, x.shape[1] - 10000, 3))

    def run(self):
        self.made = {}
        for length in {key[0] for key in self.wanted}:
            keys = [key for key in self.wanted if key[0] == length]
            for i in range(0, len(keys), BATCH):
                batch = keys[i : i + BATCH]
                self.made.update(zip(batch, self.network(torch.from_numpy(np.stack([self.wanted[k] for k in batch])))))
        self.wanted = {}


utils.load_model = Later
np.fromstring = lambda text, kind: np.frombuffer(text.encode(), kind)  # as numpy had it in spliceai's time
torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
sets = [("near", "chr20", RECORDS // 2), ("random20", "chr20", RECORDS // 4), ("random17", "chr17", RECORDS // 4)]
path = f"{FOLDER}/spliceai.tsv"
there = {tuple(line.split("\t")[:4]) for line in open(path)} if os.path.exists(path) else set()
with open(path, "a") as out:
    todo = []
    for name, slice_name, count in sets:
        annotator = Annotator(f"{FOLDER}/{slice_name}.fa", f"{DATA}/splice/genes_{slice_name}_slice.txt")
        with pysam.VariantFile(f"{FOLDER}/{name}.vcf") as records:
            records = [record for record, _ in zip(records, range(count))]
        records = [r for r in records if (r.chrom, str(r.pos), r.ref, ",".join(r.alts)) not in there]
        todo += [(i, annotator, records[i : i + PIECE]) for i in range(0, len(records), PIECE)]
    for _, annotator, records in sorted(todo, key=lambda item: item[0]):
        if time.time() > END:
            break
        for record in records:
            get_delta_scores(record, annotator, 50, 0)
        for model in annotator.models:
            model.run()
        for record in records:
            entries = get_delta_scores(record, annotator, 50, 0)
            if entries:
                print(record.chrom, record.pos, record.ref, ",".join(record.alts), ",".join(entries), sep="\t", file=out)
        for model in annotator.models:
            model.made = model.wanted = {}
        out.flush()
