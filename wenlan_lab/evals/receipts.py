"""What a run leaves behind, written before any figure is drawn: a header, a row a question, and the table of all rows.

A run is a folder: `header.json`, `rows.jsonl` (appended as questions finish) and `rows.parquet` (written at the end).
Rows hold ids and figures, never a dataset's text. A run that was killed goes on where it stopped: questions that have a
row are not asked again, and a last line that was cut off is dropped and said so. It goes on only under the very same
conditions; a folder that was begun under others is refused, since its rows would be of two kinds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TextIO

from wenlan_lab import InvalidRequest, NotFound

if TYPE_CHECKING:
    import polars as pl

HEADER, ROWS, TABLE = "header.json", "rows.jsonl", "rows.parquet"
FORMAT = 1
_TEXTS = ("case", "question", "kind", "error")
_FLAGS = ("graded", "abstention", "nothing_relevant")
_LISTS = ("retrieved", "gold")
_NUMBERS = ("latency_ms", "search_ms", "top_score")
FIXED_COLUMNS = frozenset({*_TEXTS, *_FLAGS, *_LISTS, *_NUMBERS})


@dataclass(frozen=True, slots=True)
class EvalRow:
    """One question of a run.

    `latency_ms` is the wall time of recall, `search_ms` the same without embedding the query; None where nothing was
    timed. `metrics` is empty for a question that the protocol doesn't grade. `error` is None unless recall failed.
    """

    case: str
    question: str
    kind: str
    graded: bool
    abstention: bool
    retrieved: tuple[str, ...]
    gold: tuple[str, ...]
    metrics: Mapping[str, float]
    latency_ms: float | None = None
    search_ms: float | None = None
    top_score: float | None = None
    nothing_relevant: bool | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Header:
    """Under which conditions a run was made. Times are ISO 8601 in UTC; `ended` is None while it isn't finished.

    `settings` are plain values; `code` is the digest of the package's own files, which a commit alone doesn't tell
    when the tree has uncommitted changes; `counts` say how many cases, turns, questions and errors there were.
    """

    dataset: str
    sha256: str
    protocol: str
    k: int
    settings: Mapping[str, Any]
    embedder: str
    reranker: str | None
    engine_version: str
    code: str
    seed: int
    started: str
    git_commit: str | None = None
    git_dirty: bool | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    machine: Mapping[str, str] = field(default_factory=dict)
    ended: str | None = None
    resumed: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    format: int = FORMAT

    @property
    def comparable(self) -> str:
        """Sixteen hex digits that two runs share when they measured the same thing in the same way."""
        return _key(self._measured())

    @property
    def same_run(self) -> str:
        """Sixteen hex digits that a run must still have to be gone on with: code, libraries and seed as well."""
        conditions = {"code": self.code, "seed": self.seed, "versions": dict(self.versions)}
        return _key({**self._measured(), **conditions})

    def _measured(self) -> dict[str, Any]:
        names = ("sha256", "protocol", "k", "embedder", "reranker", "engine_version", "format")
        return {**{name: getattr(self, name) for name in names}, "settings": dict(self.settings)}


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A run as it was read back: its header and a polars frame with a row a question and a column a figure."""

    header: Header
    rows: pl.DataFrame
    folder: Path | None = None

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the figures, in the order of their columns."""
        return tuple(name for name in self.rows.columns if name not in FIXED_COLUMNS)


class RunLog:
    """An open run: `append` rows, then `finish`. A context manager; leaving it early keeps what was appended.

    `done` holds the (case, question) pairs that have a row already; `dropped` is the cut-off line that was removed when
    the run was taken up again, or None.
    """

    def __init__(self, folder: Path, header: Header, rows: Sequence[EvalRow], dropped: str | None) -> None:
        self.folder = folder
        self.header = header
        self.dropped = dropped
        self._rows = list(rows)
        self._done = {(row.case, row.question) for row in rows}
        self._file: TextIO = (folder / ROWS).open("a", encoding="utf-8", newline="\n")

    @property
    def done(self) -> frozenset[tuple[str, str]]:
        return frozenset(self._done)

    @property
    def errors(self) -> int:
        """How many of the rows so far failed."""
        return sum(row.error is not None for row in self._rows)

    def append(self, row: EvalRow) -> None:
        """Write the row and hand it to the system at once, so that a killed process loses at most the line it wrote."""
        if (row.case, row.question) in self._done:
            raise InvalidRequest(f"{row.question} of {row.case} has a row already: skip what `done` names.")
        self._file.write(json.dumps(asdict(row), allow_nan=False) + "\n")
        self._file.flush()
        self._rows.append(row)
        self._done.add((row.case, row.question))

    def finish(self, ended: str, counts: Mapping[str, int]) -> Run:
        """Write the table, then the header with its end and counts. The log is closed afterwards."""
        self.close()
        frame = rows_frame(self._rows)
        part = self.folder / f".{TABLE}.part"
        frame.write_parquet(part)
        part.replace(self.folder / TABLE)
        self.header = replace(self.header, ended=ended, counts=dict(counts))
        _write_header(self.folder, self.header)
        return Run(self.header, frame, self.folder)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def begin_run(folder: Path | str, header: Header) -> RunLog:
    """Open a run folder: a new one, or one that was begun under the same conditions and stopped.

    Raises:
        InvalidRequest: the folder was begun under other conditions (the message names them), or its rows are broken.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / HEADER).is_file():
        if (folder / ROWS).exists():
            raise InvalidRequest(f"{folder} holds rows without a header: nobody knows of what. Choose another folder.")
        _write_header(folder, header)
        return RunLog(folder, header, (), None)
    before = read_header(folder)
    if before.same_run != header.same_run:
        raise InvalidRequest(
            f"{folder} holds a run under other conditions ({', '.join(differing(before, header))}): "
            "choose another folder, or remove that one."
        )
    rows, dropped = _take_up(folder / ROWS)
    resumed = replace(before, resumed=before.resumed + (before.ended is None))
    _write_header(folder, resumed)
    return RunLog(folder, resumed, rows, dropped)


def differing(a: Header, b: Header) -> tuple[str, ...]:
    """What two headers disagree on, of all that says what was measured and how: `protocol: turns and wenlan`."""
    left, right = _flat(a), _flat(b)
    return tuple(
        f"{name}: {left.get(name)} and {right.get(name)}"
        for name in dict.fromkeys([*left, *right])
        if left.get(name) != right.get(name)
    )


def read_run(folder: Path | str) -> Run:
    """A run from its folder: the table when it is finished, else the rows so far.

    Raises:
        NotFound: the folder holds no run.
        InvalidRequest: a row can't be read.
    """
    import polars as pl

    folder = Path(folder)
    header = read_header(folder)
    if header.ended is not None and (folder / TABLE).is_file():
        return Run(header, pl.read_parquet(folder / TABLE), folder)
    lines = (folder / ROWS).read_bytes() if (folder / ROWS).is_file() else b""
    rows, _ = _decoded(lines, folder / ROWS)
    return Run(header, rows_frame(rows), folder)


def read_header(folder: Path | str) -> Header:
    """The header of a run."""
    path = Path(folder) / HEADER
    if not path.is_file():
        raise NotFound(f"{folder} holds no run: there is no {HEADER}. Name the folder that `eval run` wrote.")
    try:
        stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        stored.pop("comparable", None)  # written for readers; always computed
        return Header(**stored)
    except (ValueError, TypeError, AttributeError) as problem:
        raise InvalidRequest(
            f"{path} can't be read ({problem}): it was written by another version, or by hand."
        ) from problem


def rows_frame(rows: Sequence[EvalRow]) -> pl.DataFrame:
    """The rows as a polars frame: fixed columns, then one Float64 column a figure, null where it doesn't apply."""
    import polars as pl

    names = list(dict.fromkeys(name for row in rows for name in row.metrics))
    schema: dict[str, Any] = {
        **dict.fromkeys(("case", "question", "kind"), pl.String),
        **dict.fromkeys(("graded", "abstention"), pl.Boolean),
        **dict.fromkeys(_LISTS, pl.List(pl.String)),
        **dict.fromkeys(_NUMBERS, pl.Float64),
        "nothing_relevant": pl.Boolean,
        "error": pl.String,
        **dict.fromkeys(names, pl.Float64),
    }
    data: dict[str, list[Any]] = {}
    for name in schema:
        if name in FIXED_COLUMNS:
            data[name] = [_storable(getattr(row, name)) for row in rows]
        else:
            data[name] = [row.metrics.get(name) for row in rows]
    return pl.DataFrame(data, schema=schema)


def published_run(path: Path | str, *, dataset: str, sha256: str, protocol: str, by: str) -> Run:
    """Somebody else's published rows as a run, to be compared with one of ours on the same dataset and protocol.

    Reads Wenlan's row format: one JSON object a line with query_id, category, ndcg10, recall5, mrr, latency_ms. Which
    dataset and protocol the rows belong to isn't in the file: the caller vouches for it.
    """
    rows = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        try:
            shipped = json.loads(line)
            figures = {"recall@5": "recall5", "mrr": "mrr", "ndcg@10": "ndcg10"}
            metrics = {ours: float(shipped[theirs]) for ours, theirs in figures.items()}
            ids = (str(shipped["query_id"]), str(shipped["category"]))
            latency = float(shipped["latency_ms"])
        except (ValueError, KeyError, TypeError) as problem:
            raise InvalidRequest(f"line {number} of {path} is no published row ({problem!r}).") from problem
        abstention = "_abs" in ids[0]
        rows.append(EvalRow("", ids[0], ids[1], True, abstention, (), (), metrics, latency))
    header = Header(
        dataset=dataset, sha256=sha256, protocol=protocol, k=10, settings={}, embedder=by, reranker=None,
        engine_version=by, code="", seed=0, started="", counts={"questions": len(rows)},
    )  # fmt: skip
    return Run(header, rows_frame(rows))


def _take_up(path: Path) -> tuple[list[EvalRow], str | None]:
    """The rows of a stopped run; a cut-off last line is cut from the file, so that the next row starts a line."""
    content = path.read_bytes() if path.is_file() else b""
    rows, dropped = _decoded(content, path)
    if dropped is not None:
        with path.open("r+b") as file:
            file.truncate(content.rfind(b"\n") + 1)
    return rows, dropped


def _decoded(content: bytes, path: Path) -> tuple[list[EvalRow], str | None]:
    """The rows, and what follows the last line break: a row counts as written when its line is ended."""
    whole, _, rest = content.rpartition(b"\n")
    rows: dict[tuple[str, str], EvalRow] = {}
    for number, line in enumerate(whole.split(b"\n") if whole else (), 1):
        try:
            row = _row(json.loads(line))
        except (ValueError, TypeError, KeyError) as problem:
            raise InvalidRequest(
                f"line {number} of {path} is no row ({problem}): the file was changed by hand."
            ) from problem
        if (row.case, row.question) in rows:
            raise InvalidRequest(f"line {number} of {path} repeats {row.question}: did two runs write there at once?")
        rows[row.case, row.question] = row
    return list(rows.values()), rest.decode("utf-8", "replace") if rest else None


def _row(stored: dict[str, Any]) -> EvalRow:
    lists = {name: tuple(stored[name]) for name in _LISTS}
    return EvalRow(**{**stored, **lists})


def _write_header(folder: Path, header: Header) -> None:
    part = folder / f".{HEADER}.part"
    content = {"comparable": header.comparable, **asdict(header)}
    part.write_text(json.dumps(content, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    part.replace(folder / HEADER)


def _flat(header: Header) -> dict[str, Any]:
    names = ("dataset", "sha256", "protocol", "k", "embedder", "reranker", "engine_version", "code", "seed")
    inner = {"settings": header.settings, "versions": header.versions}
    return {
        **{name: getattr(header, name) for name in names},
        **{f"{group}.{name}": value for group, values in inner.items() for name, value in values.items()},
    }


def _key(conditions: Mapping[str, Any]) -> str:
    text = json.dumps(conditions, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return sha256(text.encode("utf-8")).hexdigest()[:16]


def _storable(value: Any) -> Any:
    """Text as a frame can hold it: half a surrogate pair becomes a question mark."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    return [_storable(item) for item in value] if isinstance(value, tuple) else value
