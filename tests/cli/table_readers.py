"""Reads a table of text and the same as Parquet by the libraries of data frames that are installed, and compares them.

    table_readers.py TSV PARQUET      columns are those of `score`; what is not installed is named as left out
"""

import csv
import importlib.util
import math
import struct
import sys

tsv, parquet = sys.argv[1:3]
with open(tsv, newline="", encoding="utf-8") as file:
    header, *rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
TEXTS = [name for name in header if name in {"CHROM", "ID", "REF", "ALT", "GW_TOP", "GW_TOP1", "GW_TOP2", "GW_STATUS"}]
expected = {name: [row[i] for row in rows] for i, name in enumerate(header)}


def single(value: float) -> float:
    return struct.unpack("f", struct.pack("f", value))[0]


def as_text(value) -> str:
    """A value of a data frame as the table of text has it."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return "%g" % value if isinstance(value, float) else str(value)


def compare(reader: str, columns: dict, exact: bool) -> None:
    assert list(columns) == header, f"{reader}: columns {list(columns)}"
    for name, values in columns.items():
        values = list(values)
        assert len(values) == len(rows), f"{reader}: {len(values)} rows"
        for found, text in zip(values, expected[name]):
            if name not in TEXTS and found is not None:
                assert not isinstance(found, str), f"{reader}: {name} is text: {found!r}"
            if name not in TEXTS and isinstance(found, float) and not exact:
                assert (text == "" and math.isnan(found)) or single(found) == single(float(text)), f"{reader}: {name}: {found!r}, {text!r}"
            else:
                if name not in TEXTS and isinstance(found, float) and found.is_integer() and "." not in text and "e" not in text:
                    found = int(found)
                assert as_text(found) == text, f"{reader}: {name}: {found!r}, {text!r}"


def there(name: str) -> bool:
    if importlib.util.find_spec(name):
        return True
    print(f"left out: a check by {name}, which is not installed")
    return False


if there("pandas"):
    import pandas

    frame = pandas.read_csv(tsv, sep="\t")
    compare("pandas of text", {name: frame[name].tolist() for name in frame}, False)
if parquet and there("pyarrow"):
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(parquet)
    compare("pyarrow", table.to_pydict(), True)
    kinds = {name: str(table.schema.field(name).type) for name in header}
    assert kinds["POS"] == "int64" and kinds["CHROM"] == "string" and kinds["GW_DIFF"] == "float", kinds
    if there("pandas"):
        frame = pandas.read_parquet(parquet)
        compare("pandas", {name: frame[name].astype(object).tolist() for name in frame}, True)
if there("polars"):
    import polars

    compare("polars of text", polars.read_csv(tsv, separator="\t", quote_char=None, infer_schema_length=None).to_dict(as_series=False), False)
    if parquet:
        compare("polars", polars.read_parquet(parquet).to_dict(as_series=False), True)
if there("duckdb"):
    import duckdb

    for path in (tsv, parquet) if parquet else (tsv,):
        found = duckdb.sql(f"select * from '{path}'")
        compare(f"duckdb of {path}", dict(zip(found.columns, zip(*found.fetchall()))), path == parquet)
