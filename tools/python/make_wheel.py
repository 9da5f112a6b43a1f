# SPDX-License-Identifier: MIT
"""Writes a wheel of the Python package with the shared library and the program inside, by the standard library alone.

    make_wheel.py LIBRARY PROGRAM FOLDER [TAG [FILES]]     writes FOLDER/godwit_genomics-VERSION-py3-none-TAG.whl and prints its path

A wheel is a zip file: the package, the models that are known by a name, a script that starts the program, and a folder
.dist-info with METADATA, WHEEL and RECORD, the hashes of all the rest (packaging.python.org, "Binary distribution
format"). Any Python 3 takes it, since ctypes compiles nothing. TAG is the platform; without it that of this machine,
whose libraries libgodwit then needs. FILES is a folder with lib (libraries that go inside) and licences (their words), as
tools/packaging/portable/build.sh makes it. The Parquet plugin goes along where it lies beside PROGRAM; it finds its library in
the package pyarrow, of the version that it was built with. The same input gives the same bytes.
"""

import base64
import hashlib
import pathlib
import re
import sys
import sysconfig
import zipfile
from typing import Optional

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tools/python/godwit"
SCRIPT = ROOT / "tools/python/godwit.py"
MODELS = ROOT / "share/godwit/models"
LIBRARY, PROGRAM = "godwit/libgodwit.so.1", "godwit/bin/godwit"
PARQUET = "libgodwit-parquet.so"
NAME = "godwit_genomics"


def version() -> str:
    return re.search(r'#define GW_VERSION "(.*)"', (ROOT / "lib/godwit.h").read_text()).group(1)


def record_line(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def below(folder: pathlib.Path, place: str) -> dict:
    """The files below a folder, by their names below `place`."""
    return {f"{place}/{path.relative_to(folder)}": path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def pyarrow(plugin: pathlib.Path) -> str:
    """The extra that brings the Parquet plugin's library: of libarrow.so.2600 pyarrow 26. Nothing without a plugin."""
    soname = re.search(rb"libarrow\.so\.(\d+)", plugin.read_bytes()) if plugin.exists() else None
    needed = f"Requires-Dist: pyarrow=={int(soname[1]) // 100}.*; extra == 'parquet'\n" if soname else ""
    return needed and "Provides-Extra: parquet\n" + needed


def metadata(plugin: pathlib.Path) -> bytes:
    fields = (
        f"Metadata-Version: 2.1\nName: {NAME.replace('_', '-')}\nVersion: {version()}\n"
        "Summary: Sparse-attention transformers for genomes: a program and a library\nLicense: MIT\n"
        "Requires-Python: >=3.8\nRequires-Dist: numpy>=1.21\n" + pyarrow(plugin) + "Description-Content-Type: text/markdown\n\n"
    )
    return fields.encode() + (ROOT / "docs/guides/python.md").read_bytes()


def files(library: pathlib.Path, program: pathlib.Path, tag: str, others: Optional[pathlib.Path]) -> dict:
    """What the wheel holds, by name; RECORD last, as pip wants it."""
    data, info = f"{NAME}-{version()}.data", f"{NAME}-{version()}.dist-info"
    held = {f"godwit/{path.name}": path.read_bytes() for path in sorted(PACKAGE.iterdir()) if path.is_file()}
    held[LIBRARY], held[PROGRAM] = library.read_bytes(), program.read_bytes()
    plugin = program.with_name(PARQUET)
    if plugin.exists():
        held[f"godwit/bin/{PARQUET}"] = plugin.read_bytes()
    held[f"{data}/scripts/godwit"] = SCRIPT.read_bytes()
    held.update(below(MODELS, f"godwit/{MODELS.relative_to(ROOT)}"))
    held[f"{info}/METADATA"] = metadata(plugin)
    held[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: godwit\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    held[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    if others:
        inside = below(others / "lib", "godwit/lib")
        held.update({name: content for name, content in inside.items() if not name.endswith("/" + library.name)})
        held.update(below(others / "licences", f"{info}/licences"))
    record = "".join(record_line(*file) for file in held.items()) + f"{info}/RECORD,,\n"
    held[f"{info}/RECORD"] = record.encode()
    return held


def main() -> None:
    library, program, folder = map(pathlib.Path, sys.argv[1:4])
    platform = sys.argv[4] if len(sys.argv) > 4 else re.sub(r"[-.]", "_", sysconfig.get_platform())
    others = pathlib.Path(sys.argv[5]) if len(sys.argv) > 5 else None
    tag = "py3-none-" + platform
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{NAME}-{version()}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for file, content in files(library, program, tag, others).items():
            entry = zipfile.ZipInfo(file, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if content.startswith((b"\x7fELF", b"#!")) else 0o100644) << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED)
    print(path)


main()
