"""Other people's rows as one side of a comparison.

Wenlan published a row a question for 84 questions of LongMemEval-S, under the protocol that this laboratory calls
`wenlan`. They can be paired with a run of ours on those questions under that protocol, and with nothing else.
"""

from __future__ import annotations

from pathlib import Path

from wenlan_lab import InvalidRequest
from wenlan_lab.evals import datasets
from wenlan_lab.evals.receipts import Run, published_run, read_run

WORD = "published"
ROWS, DATASET, PROTOCOL = "wenlan_lme_s_90_rows", "longmemeval_s_published84", "wenlan"


def wenlan_rows(data: Path | str | None) -> Run:
    """Wenlan's published rows, from the folder that holds the datasets.

    Raises:
        InvalidRequest: no folder, or a file that isn't the registered one.
        NotFound: the folder doesn't hold the rows.
    """
    found = datasets.find(ROWS, data)
    digest = datasets.dataset(DATASET).sha256
    return published_run(found.path, dataset=DATASET, sha256=digest, protocol=PROTOCOL, by="Wenlan, as published")


def sides(a: Path | str, b: Path | str, data: Path | str | None = None) -> tuple[Run, Run]:
    """Two runs by their folders; the word `published` in place of one stands for Wenlan's rows.

    Raises:
        InvalidRequest: a side isn't named, or both are `published`.
        NotFound: a folder holds no run.
    """
    if not str(a) or not str(b):
        raise InvalidRequest("name two runs: the folders that `eval run` wrote, or one of them and `published`.")
    if str(a) == str(b) == WORD:
        raise InvalidRequest("the published rows can't be compared with themselves: name a run of yours as b.")
    left, right = (wenlan_rows(data) if str(side) == WORD else read_run(side) for side in (a, b))
    return left, right
