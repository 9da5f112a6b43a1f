# SPDX-License-Identifier: MIT
"""Copies a shared library with another name for itself in its dynamic section (DT_SONAME).

    plain_soname.py LIBRARY NAME COPY     NAME: no longer than the one that is there, whose place it takes

Repaired wheels give the libraries inside names of their own (libgomp-e985bcbb.so.1.0.0); what was linked against the
plain one looks for that. The string table keeps its length: what is left of the old name is zeroed.
"""

import pathlib
import struct
import sys

SECTION = "<IIQQQQIIQQ"
DYNAMIC, DT_NULL, DT_SONAME = 6, 0, 14


def soname_at(image: bytes) -> int:
    """Where in the file the name stands (64-bit little-endian ELF)."""
    assert image[:6] == b"\x7fELF\x02\x01", "no 64-bit ELF file"
    (table,), (size, count) = struct.unpack_from("<Q", image, 40), struct.unpack_from("<HH", image, 58)
    sections = [struct.unpack_from(SECTION, image, table + i * size) for i in range(count)]
    dynamic = next(s for s in sections if s[1] == DYNAMIC)
    strings = sections[dynamic[6]][4]
    for at in range(dynamic[4], dynamic[4] + dynamic[5], 16):
        tag, value = struct.unpack_from("<qQ", image, at)
        if tag == DT_SONAME:
            return strings + value
        if tag == DT_NULL:
            break
    raise SystemExit("the library has no DT_SONAME")


def main() -> None:
    library, name, copy = sys.argv[1:4]
    image = bytearray(pathlib.Path(library).read_bytes())
    at = soname_at(bytes(image))
    length = image.index(b"\0", at) - at
    assert len(name) <= length, "the name does not fit"
    image[at : at + length] = name.encode().ljust(length, b"\0")
    pathlib.Path(copy).write_bytes(image)


main()
