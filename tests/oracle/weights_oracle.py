# SPDX-License-Identifier: MIT
"""Weights: what torch, safetensors and transformers write is read equally, and what `godwit convert` writes opens there
with equal tensors, in every type; BERT and RoBERTa become BigBird.   GODWIT=program weights_oracle.py"""
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

import torch
import transformers
from safetensors import safe_open
from safetensors.torch import load_file, save_file

GODWIT = os.environ["GODWIT"]
TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
SIZES = dict(vocab_size=120, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64)
checks = 0
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()


def check(truth, what):
    global checks
    checks += 1
    if not truth:
        sys.exit(f"weights_oracle: {what}")


def convert(source, target, *options):
    subprocess.run([GODWIT, "convert", "-q", "-m", source, "-o", target, *options], check=True)


def read(folder):
    return load_file(os.path.join(folder, "model.safetensors"))


def check_tensors(what, found, expected, kind=None):
    check(sorted(found) == sorted(expected), f"{what}: names differ: {sorted(set(found) ^ set(expected))}")
    for name, tensor in expected.items():
        wanted = tensor.to(kind) if kind and tensor.is_floating_point() else tensor
        check(found[name].dtype == wanted.dtype, f"{what}: {name} is {found[name].dtype}, expected {wanted.dtype}")
        check(found[name].shape == wanted.shape, f"{what}: {name} has shape {list(found[name].shape)}")
        check(torch.equal(found[name], wanted), f"{what}: {name} differs")


def write_config(folder):
    os.makedirs(folder)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump({"model_type": "big_bird"}, file)


def odd_tensors():
    """Views, shared storages, scalars, empty tensors, parameters, whole numbers."""
    base = torch.randn(7, 11)
    tensors = collections.OrderedDict(
        base=base, transposed=base.t(), part=base[2:5, 3:9], column=base[:, 4], reverse=base.permute(1, 0)[3:, 1:],
        one=base[6, 10], scalar=torch.tensor(-2.5), empty=torch.zeros(0, 3), expanded=torch.randn(3, 1).expand(3, 4),
        deep=torch.randn(2, 3, 1, 2).permute(3, 1, 0, 2), parameter=torch.nn.Parameter(torch.randn(3)),
        ids=torch.arange(9).reshape(3, 3).t(), mask=torch.tensor([True, False]), bytes=torch.arange(5, dtype=torch.uint8),
        small=torch.tensor([1e-8, 6e-8, 3.1e-5, 60000.0, -0.0]), many=torch.randn(300, 41))
    return collections.OrderedDict((name, tensor.data) for name, tensor in tensors.items())


def check_torch_files(work):
    tensors = odd_tensors()
    variants = {
        "protocol 2": lambda path: torch.save(tensors, path),
        "protocol 4": lambda path: torch.save(tensors, path, pickle_protocol=4),
        "dict": lambda path: torch.save(dict(tensors), path),
        "state_dict": lambda path: torch.save({"epoch": 3, "state_dict": tensors}, path),
        "f16": lambda path: torch.save({k: v.half() if v.is_floating_point() else v for k, v in tensors.items()}, path),
        "bf16": lambda path: torch.save({k: v.bfloat16() if v.is_floating_point() else v for k, v in tensors.items()},
                                        path),
    }
    for name, save in variants.items():
        source = os.path.join(work, "torch " + name)
        write_config(source)
        save(os.path.join(source, "pytorch_model.bin"))
        stored = torch.load(os.path.join(source, "pytorch_model.bin"), weights_only=False)  # for protocol 4
        stored = stored.get("state_dict", stored)
        for options in ([], ["--dtype", "f32"], ["--dtype", "f16"], ["--dtype", "bf16"]):
            target = os.path.join(work, f"from torch {name} {' '.join(options)}")
            convert(source, target, *options)
            kind = TYPES[options[options.index("--dtype") + 1]] if "--dtype" in options else None
            check_tensors(f"{name} {options}", read(target), stored, kind)


def check_safetensors(work):
    tensors = {name: tensor.contiguous().clone() for name, tensor in odd_tensors().items()}
    tensors["short"] = torch.arange(3, dtype=torch.int16)
    source = os.path.join(work, "safetensors")
    write_config(source)
    save_file(tensors, os.path.join(source, "model.safetensors"), metadata={"format": "pt"})
    for options in ([], ["--dtype", "f16"], ["--dtype", "bf16"]):
        target = os.path.join(work, "from safetensors " + " ".join(options))
        convert(source, target, *options)
        kind = TYPES[options[1]] if options[:1] == ["--dtype"] else None
        check_tensors(f"safetensors {options}", read(target), tensors, kind)
    with safe_open(os.path.join(work, "from safetensors ", "model.safetensors"), "pt") as file:
        check(file.metadata() == {"format": "pt"}, "safetensors: metadata differ")


def check_many(work):
    """So many tensors that the pickle comes in batches and keeps more values than a byte can number."""
    tensors = collections.OrderedDict((f"n{i:04d}", torch.randn(i % 4, 3) if i % 5 else torch.randn(i % 300))
                                      for i in range(1100))
    source, target = os.path.join(work, "many"), os.path.join(work, "from many")
    write_config(source)
    torch.save(tensors, os.path.join(source, "pytorch_model.bin"))
    convert(source, target)
    check_tensors("many tensors", read(target), tensors)


def check_exact_return(work):
    """All f16 and bf16 values come back from f32 to the bit."""
    for name, kind in (("f16", torch.float16), ("bf16", torch.bfloat16)):
        bits = torch.arange(-32768, 32768, dtype=torch.int32).to(torch.int16)
        source, wide, back = (os.path.join(work, f"{step} {name}") for step in ("all", "wide", "back"))
        write_config(source)
        torch.save({"all": bits.view(kind)}, os.path.join(source, "pytorch_model.bin"))
        convert(source, wide, "--dtype", "f32")
        convert(wide, back, "--dtype", name)
        check(torch.equal(read(back)["all"].view(torch.int16), bits), f"{name} does not come back")
        finite = torch.isfinite(bits.view(kind).float())
        check(torch.equal(read(wide)["all"][finite], bits.view(kind).float()[finite]), f"{name} is widened wrongly")


def check_rounding(work):
    """f32 -> f16 and bf16 as torch rounds, ties and subnormals too."""
    bits = torch.randint(-2**31, 2**31 - 1, (400000,), dtype=torch.int64).to(torch.int32)
    ties = torch.arange(0, 2**18, dtype=torch.int64) * 4096
    values = torch.cat([bits.view(torch.float32), ties.to(torch.int32).view(torch.float32)])
    for name, kind, largest in (("f16", torch.float16, 65504), ("bf16", torch.bfloat16, 3.3e38)):
        kept = values[torch.isfinite(values) & (values.abs() <= largest)]
        source, target = os.path.join(work, "exact " + name), os.path.join(work, "rounded " + name)
        write_config(source)
        save_file({"x": kept}, os.path.join(source, "model.safetensors"))
        convert(source, target, "--dtype", name)
        check(torch.equal(read(target)["x"], kept.to(kind)), f"{name} is rounded otherwise")


def check_loading(kind, folder):
    model, report = kind.from_pretrained(folder, output_loading_info=True, dtype=torch.float32)
    check(not any(report.values()), f"{kind.__name__} of {folder}: {report}")
    return model.eval()


def check_pretrained(work):
    """save_pretrained, whole and in shards, and back."""
    config = transformers.BigBirdConfig(**SIZES, max_position_embeddings=256, block_size=8)
    model = transformers.BigBirdForPreTraining(config).eval()
    ids = torch.randint(5, 120, (1, 24))
    with torch.no_grad():
        expected = model(ids).prediction_logits
    for shards in ("5GB", "20KB"):
        source = os.path.join(work, "saved " + shards)
        model.save_pretrained(source, max_shard_size=shards)
        check(os.path.exists(os.path.join(source, "model.safetensors.index.json")) == (shards == "20KB"), "no shards")
        for number, options in enumerate(([], ["--dtype", "bf16"])):
            target = os.path.join(work, f"from saved {shards} {number}")
            convert(source, target, *options)
            again = check_loading(transformers.BigBirdForPreTraining, target)
            with torch.no_grad():
                found = again(ids).prediction_logits
            bound = 0 if "bf16" not in options else 0.02
            check((found - expected).abs().max() <= bound * expected.abs().max(), f"other logits from {target}")
    check_bin_shards(work, model)


def check_bin_shards(work, model):
    """pytorch_model.bin in shards, as transformers wrote them; the decoder is tied, as it was stored."""
    source, target = os.path.join(work, "bin shards"), os.path.join(work, "from bin shards")
    os.makedirs(source)
    model.config.save_pretrained(source)
    state, files = model.state_dict(), {}
    names = list(state)
    for number, part in enumerate((names[:20], names[20:])):
        file = f"pytorch_model-{number + 1:05d}-of-00002.bin"
        torch.save({name: state[name] for name in part}, os.path.join(source, file))
        files.update({name: file for name in part})
    with open(os.path.join(source, "pytorch_model.bin.index.json"), "w", encoding="utf-8") as file:
        json.dump({"metadata": {}, "weight_map": files}, file)
    convert(source, target)
    kept = {name: tensor for name, tensor in state.items() if ".decoder." not in name}
    check_tensors("bin shards", read(target), kept)
    check_loading(transformers.BigBirdForPreTraining, target)


def check_bigbird(work):
    """BERT and RoBERTa as BigBird: up to the source's positions both compute the same with full attention."""
    sources = [
        (transformers.BertForPreTraining, transformers.BertConfig, transformers.BigBirdForPreTraining, 0),
        (transformers.BertForMaskedLM, transformers.BertConfig, transformers.BigBirdForMaskedLM, 0),
        (transformers.BertModel, transformers.BertConfig, transformers.BigBirdModel, 0),
        (transformers.RobertaForMaskedLM, transformers.RobertaConfig, transformers.BigBirdForMaskedLM, 2),
        (transformers.RobertaModel, transformers.RobertaConfig, transformers.BigBirdModel, 2),
    ]
    for number, (kind, config, becomes, unused) in enumerate(sources):
        roberta = dict(type_vocab_size=1, pad_token_id=1, layer_norm_eps=1e-5) if unused else {}
        torch.manual_seed(number)
        model = kind(config(**SIZES, max_position_embeddings=64 + unused, **roberta)).eval()
        for parameter in model.parameters():
            torch.nn.init.normal_(parameter.data, std=0.2)
        source, target = os.path.join(work, f"source {number}"), os.path.join(work, f"bigbird {number}")
        model.save_pretrained(source)
        convert(source, target, "--to", "big_bird", "--positions", "192")
        bigbird = check_loading(becomes, target)
        check(bigbird.config.hidden_act == "gelu" and bigbird.config.max_position_embeddings == 192, "config differs")
        check(bigbird.config.layer_norm_eps == model.config.layer_norm_eps, "layer_norm_eps differs")
        theirs = model.base_model.embeddings.position_embeddings.weight[unused:]
        ours = bigbird.base_model.embeddings.position_embeddings.weight
        check(torch.equal(ours, theirs.repeat(3, 1)), "positions are not repeated")
        check(bigbird.base_model.embeddings.token_type_embeddings.weight.shape == (2, 32), "token types")
        ids = torch.randint(5, 120, (1, 64))
        with torch.no_grad():
            expected, found = model(ids)[0], bigbird(ids)[0]
        difference = ((found - expected).abs().max() / expected.abs().max()).item()
        check(difference < 1e-5, f"{kind.__name__} and its BigBird differ by {difference:.1e}")


def main():
    torch.manual_seed(1)
    work = tempfile.mkdtemp(prefix="godwit-weights-")
    try:
        for part in (check_torch_files, check_safetensors, check_many, check_exact_return, check_rounding,
                     check_pretrained, check_bigbird):
            part(work)
            print(f"{part.__name__[6:]}: equal", flush=True)
    finally:
        shutil.rmtree(work)
    print(f"weights_oracle: {checks} checks passed")


main()
