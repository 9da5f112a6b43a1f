# SPDX-License-Identifier: MIT
"""Trainings of godwit with their processor time and memory, for the scripts beside this one. DEVICE=cuda runs all on the GPU, without a time."""
import os
import pathlib
import subprocess
import sys

ON_DEVICE = ["--device", os.environ["DEVICE"]] if "DEVICE" in os.environ else []


def train(model, *command):
    """Runs `command -o model` on one thread, its notes in model.log, and goes on with what was broken off: (processor seconds, MB at the
    most), NA of one that went on or was whole before."""
    done = pathlib.Path(f"{model}.done")
    if done.exists():
        return "NA", "NA"
    resume = ["--resume"] if pathlib.Path(f"{model}.checkpoints").exists() else []
    with open(f"{model}.log", "w") as log:
        child = subprocess.Popen([*map(str, command), "-o", model, "-@", "1", *ON_DEVICE, *resume], stdout=log, stderr=log)
        _, status, used = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"a training failed, see {model}.log")
    done.touch()
    return ("NA", "NA") if resume or ON_DEVICE else (f"{used.ru_utime + used.ru_stime:.0f}", f"{used.ru_maxrss / 1024:.0f}")
