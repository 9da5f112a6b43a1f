# SPDX-License-Identifier: MIT
"""Programs over the library that oracles compile for themselves."""
import os
import pathlib
import shlex
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build")


def compile_program(source, program):
    """Compiles tests/oracle/SOURCE against the static library, with the libraries that the Makefile names."""
    flags = subprocess.check_output(["make", "-s", "-C", ROOT, "link-flags"], text=True).split()
    subprocess.check_call([*shlex.split(os.environ.get("CC", "cc")), "-D_GNU_SOURCE", "-I", ROOT, "-I", ROOT / "lib",
                           ROOT / "tests/oracle" / source, BUILD / "libgodwit.a", "-o", program, *flags])
