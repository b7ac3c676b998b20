"""Compare submissions with the gold by similarity of their texts: evaluate.py SUBMISSION.json GOLD.json."""

import difflib
import json
import sys
from pathlib import Path


def similarity(predicted, expected):
    return difflib.SequenceMatcher(None, str(predicted).lower(), str(expected).lower()).ratio()


if __name__ == "__main__":
    submissions, gold = (json.loads(Path(name).read_text(encoding="utf-8")) for name in sys.argv[1:3])
    for submission, record in zip(submissions, gold, strict=False):
        print(sum(max(similarity(v, g) for v in submission.values()) for g in record.values()) / len(record))
