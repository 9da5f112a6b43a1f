#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What words alone say of texts: logistic regression on counts of words, beside which docs/background/results.md puts models.

  text_baseline.py baseline TRAIN.tsv TEST.tsv [WORDS]     accuracy, F1 (of the last class, mean), MCC on the test set;
                                                           of each text its first WORDS alone
  text_baseline.py hyperpartisan FOLDER OUT                OUT/{train,dev,test}.tsv (text, label) of the XML of SemEval 2019
                                                           task 4, by the splits of hp-splits.json
  text_baseline.py lead FILE.jsonl.gz SOURCE TARGET OUT [N] OUT/lead.txt and OUT/references.txt: a line a row, the first N (3)
                                                           sentences of the source, and the (first) target
Tables have the columns text and label. The penalty is chosen by five-fold cross-validation on the training set.
"""
import csv
import gzip
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

csv.field_size_limit(1 << 30)


def open_text(path):
    return gzip.open(path, "rt", encoding="utf-8") if str(path).endswith(".gz") else open(path, encoding="utf-8")


def read_table(path, words):
    with open_text(path) as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [" ".join(row["text"].split()[:words]) for row in rows], [row["label"] for row in rows]


def baseline(train, test, words=None):
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegressionCV
    from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import Normalizer
    words = int(words) if words else None
    (texts, labels), (test_texts, test_labels) = read_table(train, words), read_table(test, words)
    model = make_pipeline(CountVectorizer(binary=True, min_df=2), Normalizer(),
                          LogisticRegressionCV(Cs=[1, 10, 100], cv=5, max_iter=1000, scoring="accuracy"))
    model.fit(texts, labels)
    found = model.predict(test_texts)
    last = f1_score(test_labels, found, average=None)[-1]
    print(f"rows {len(test_labels)} accuracy {accuracy_score(test_labels, found):.4f} f1 {last:.4f} "
          f"macro-f1 {f1_score(test_labels, found, average='macro'):.4f} mcc {matthews_corrcoef(test_labels, found):.4f}")


def hyperpartisan(folder, out):
    folder, out = pathlib.Path(folder), pathlib.Path(out)
    articles = ElementTree.parse(gzip.open(next(folder.glob("articles-*.xml.gz")))).getroot()
    truth = ElementTree.parse(gzip.open(next(folder.glob("ground-truth-*.xml.gz")))).getroot()
    labels = {int(item.get("id")): item.get("hyperpartisan") for item in truth}
    texts = {int(item.get("id")): re.sub(r"\s+", " ", item.get("title", "") + ". " + "".join(item.itertext())).strip()
             for item in articles}
    out.mkdir(parents=True, exist_ok=True)
    for split, ids in json.loads((folder / "hp-splits.json").read_text()).items():
        with open(out / f"{split}.tsv", "w", encoding="utf-8") as table:
            table.write("label\ttext\n" + "".join(f"{labels[int(i)]}\t{texts[int(i)]}\n" for i in ids))


def sentences_of(text):
    """Of a list its items; of a text what ends with . ? or ! before a blank, headings of capitals left out."""
    if isinstance(text, list):
        return text
    lines = [line for line in text.split("\n") if line.strip() and not line.isupper()]
    return [s for line in lines for s in re.split(r"(?<=[.?!])\s+", line.strip())]


def lead(path, source, target, out, count="3"):
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    with open_text(path) as rows, open(out / "lead.txt", "w", encoding="utf-8") as leads, \
            open(out / "references.txt", "w", encoding="utf-8") as references:
        for row in map(json.loads, rows):
            leads.write("<n>".join(" ".join(s.split()) for s in sentences_of(row[source])[:int(count)]) + "\n")
            wanted = row[target][0] if isinstance(row[target], list) else row[target]
            references.write("<n>".join(" ".join(s.split()) for s in sentences_of(wanted)) + "\n")


if __name__ == "__main__":
    {"baseline": baseline, "hyperpartisan": hyperpartisan, "lead": lead}[sys.argv[1]](*sys.argv[2:])
