# SPDX-License-Identifier: MIT
"""A bill of materials of the portable build: CycloneDX 1.5 in JSON.

    sbom.py PARTS.TSV MACHINE SECONDS [FILE...]     PARTS.TSV: what portable/parts.sh wrote; SECONDS: when, since 1970

The parts are components of godwit, by package URL, version and licence (SPDX); FILEs are what is published, with their
SHA-256. The same input gives the same bytes: the serial number is drawn from them.
"""

import csv
import datetime
import hashlib
import json
import pathlib
import re
import sys
import uuid

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}  # Debian's names
ROOT = pathlib.Path(__file__).resolve().parents[2]


def version() -> str:
    return re.search(r'#define GW_VERSION "(.*)"', (ROOT / "lib/godwit.h").read_text()).group(1)


def package_url(how: str, name: str, version: str, machine: str) -> str:
    if how == "pypi":
        return f"pkg:pypi/{name.lower()}@{version}"
    # A colon belongs to an epoch, a plus to the packager's words: both are written as octets.
    written = version.replace(":", "%3A").replace("+", "%2B")
    return f"pkg:deb/debian/{name}@{written}?arch={'source' if how == 'source' else ARCHITECTURES[machine]}"


def component(row: dict, machine: str) -> dict:
    how, name = row["from"].split(" ", 1)
    url = package_url(how, name, row["version"], machine)
    return {
        "type": "library",
        "bom-ref": url,
        "name": row["name"],
        "version": row["version"],
        "purl": url,
        "licenses": [{"expression": row["licence"]}],
    }


def published(path: pathlib.Path) -> dict:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {"type": "file", "bom-ref": path.name, "name": path.name, "hashes": [{"alg": "SHA-256", "content": digest}]}


def main() -> None:
    with open(sys.argv[1], newline="", encoding="utf-8") as table:
        parts = [component(row, sys.argv[2]) for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)]
    files = [published(path) for path in map(pathlib.Path, sys.argv[4:])]
    url = f"pkg:generic/godwit@{version()}"
    when = datetime.datetime.fromtimestamp(int(sys.argv[3]), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    godwit = {"type": "application", "bom-ref": url, "name": "godwit", "version": version(), "purl": url}
    godwit["licenses"] = [{"expression": "MIT"}]
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"timestamp": when, "component": godwit},
        "components": parts + files,
        "dependencies": [{"ref": url, "dependsOn": [part["bom-ref"] for part in parts]}],
    }
    bill["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(bill, sort_keys=True))}"
    print(json.dumps(bill, indent=2))


main()
