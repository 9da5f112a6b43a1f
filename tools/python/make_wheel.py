# SPDX-License-Identifier: MIT
"""Writes a wheel of the Python package with the shared library inside (`make wheel`), by the standard library alone.

    make_wheel.py LIBRARY FOLDER    writes FOLDER/godwit-VERSION-py3-none-PLATFORM.whl and prints its path

A wheel is a zip file: the package, the models that are known by a name, and a folder .dist-info with METADATA, WHEEL
and RECORD, the hashes of all the rest (packaging.python.org, "Binary distribution format"). The tag is that of any Python 3 on this platform, since ctypes
compiles nothing. The libraries that libgodwit needs are the system's. The same input gives the same bytes.
"""

import base64
import hashlib
import pathlib
import re
import sys
import sysconfig
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tools/python/godwit"
MODELS = ROOT / "share/godwit/models"
LIBRARY = "godwit/libgodwit.so.0"


def version() -> str:
    return re.search(r'#define GW_VERSION "(.*)"', (ROOT / "lib/godwit.h").read_text()).group(1)


def record_line(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def files(library: pathlib.Path, info: str, tag: str) -> dict:
    """What the wheel holds, by name; RECORD last, as pip wants it."""
    metadata = (
        f"Metadata-Version: 2.1\nName: godwit\nVersion: {version()}\n"
        "Summary: Sparse-attention transformers for genomes\nLicense: MIT\nRequires-Python: >=3.8\n"
        "Requires-Dist: numpy>=1.21\nDescription-Content-Type: text/markdown\n\n"
    )
    held = {f"godwit/{path.name}": path.read_bytes() for path in sorted(PACKAGE.iterdir()) if path.is_file()}
    held[LIBRARY] = library.read_bytes()
    models = (path for path in sorted(MODELS.rglob("*")) if path.is_file())
    held.update({f"godwit/{path.relative_to(ROOT)}": path.read_bytes() for path in models})
    held[f"{info}/METADATA"] = metadata.encode() + (ROOT / "docs/python.md").read_bytes()
    held[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: godwit\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    held[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = "".join(record_line(*file) for file in held.items()) + f"{info}/RECORD,,\n"
    held[f"{info}/RECORD"] = record.encode()
    return held


def main() -> None:
    library, folder = map(pathlib.Path, sys.argv[1:3])
    tag = "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
    name = f"godwit-{version()}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for file, content in files(library, f"{name}.dist-info", tag).items():
            entry = zipfile.ZipInfo(file, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if file == LIBRARY else 0o100644) << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED)
    print(path)


main()
