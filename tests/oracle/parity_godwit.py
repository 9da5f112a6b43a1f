# SPDX-License-Identifier: MIT
"""godwit's side of parity_oracle.py: runs the program and the library, and keeps what was found."""
import json
import subprocess

import numpy as np

from compiled import BUILD, compile_program


def godwit(*arguments):
    subprocess.run([BUILD / "godwit", *map(str, arguments)], check=True, capture_output=True)


def compile_dump():
    compile_program("parity_dump.c", "parity_dump")


def run(folder, **request):
    """What the library computes for a batch: arrays by name, those of one name joined. Fields of the request are those of parity_dump.c."""
    with open("request", "w", encoding="ascii") as out:
        for name, value in request.items():
            if value is None:
                continue
            values = [value] if isinstance(value, str) else np.asarray(value).reshape(-1).tolist()
            print(name, len(values), *values, file=out)
    listed = subprocess.run(["./parity_dump", folder, "request", "out"], check=True, capture_output=True, text=True)
    values, arrays, at = np.fromfile("out", "<f4"), {}, 0
    for line in listed.stdout.splitlines():
        name, count = line.split()
        part = values[at : at + int(count)]
        arrays[name] = np.concatenate((arrays[name], part)) if name in arrays else part
        at += int(count)
    return arrays


COLUMNS = {"hidden": "hidden states", "pair": "NSP or pooled", "pooled": "NSP or pooled",
           "ours": "ours", "theirs": "theirs"}


def cell(head, values):
    """The values of a column in one cell: of many architectures their number."""
    return str(len(values)) if head == "architecture" and len(values) > 3 else " ".join(values)


class Report:
    """Largest relative differences by row and column of a table, and what exceeds its bound.

    The tables of every part stay in BUILD/parity.json, so that parts can be measured one by one.
    """

    def __init__(self):
        self.path, self.faults = BUILD / "parity.json", []
        self.parts = json.loads(self.path.read_text()) if self.path.exists() else {}

    def begin(self, part):
        self.tables = self.parts[part] = {}

    def end(self):
        self.path.write_text(json.dumps(self.parts))

    def fault(self, text):
        self.faults.append(text)
        print("FAULT", text, flush=True)

    def add(self, table, row, length, output, difference, bound):
        """row: the cells that name it; the largest difference of each column follows."""
        cells = self.tables.setdefault(table, {}).setdefault(" | ".join(row), {})
        column = COLUMNS.get(output, "logits")
        cells[column] = max(cells.get(column, 0.0), float(difference))
        print(f"{table}: {' | '.join(row)} | {length} | {output} {difference:.1e}", flush=True)
        if not difference <= bound:
            self.fault(f"{' '.join(row)}: {output} at {length} differs by {difference:.1e}")

    def compare(self, table, row, length, output, found, expected, bound, least_scale=0.0):
        """The largest difference by the largest value, or by `least_scale` where that is larger."""
        found, expected = np.asarray(found, np.float64).reshape(-1), np.asarray(expected, np.float64).reshape(-1)
        if found.shape != expected.shape:
            self.fault(f"{' '.join(row)}: {output} at {length}: {found.size} values, expected {expected.size}")
            return
        scale = max(np.abs(expected).max(), least_scale)
        self.add(table, row, length, output, np.abs(found - expected).max() / scale, bound)

    def markdown(self, table, heads, by, columns):
        """A line for each value of the head `by`: the other heads' values, the worst of each column.

        columns: heads of the last columns by the names they have in add(). Text behind a comma in a value is left out.
        """
        groups = {}
        for tables in self.parts.values():
            for row, cells in tables.get(table, {}).items():
                values = dict(zip(heads, row.split(" | ")))
                groups.setdefault(values[by], []).append((values, cells))
        others = [head for head in heads if head not in (by, "tensors")]
        lines = [[by, *others, *columns.values()], ["---"] * (1 + len(others) + len(columns))]
        for name, rows in groups.items():
            together = [cell(head, list(dict.fromkeys(values[head].split(",")[0] for values, _ in rows))) for head in others]
            worst = [[cells[column] for _, cells in rows if column in cells] for column in columns]
            figures = [f"{max(values):.1e}" if values else "" for values in worst]
            lines.append([name, *together, *figures])
        return "".join("| " + " | ".join(line) + " |\n" for line in lines)
