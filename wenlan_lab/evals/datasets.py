"""Where a benchmark's file is, and that it is the right one.

The registry (data/registry.json, carried by the wheel as wenlan_lab/evals/registry.json) names each dataset's file,
sha256, public address, licence and citation. A file is used only when its digest is the registered one: a figure is
worth nothing when nobody can say what was measured. No dataset is shipped, and none is fetched unless `download` is
called. The folder is an argument: the environment is read elsewhere.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from hashlib import file_digest, sha256
from http.client import HTTPException
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

from wenlan_lab import InvalidRequest, NotFound, ProviderUnavailable
from wenlan_lab.evals import locomo, longmemeval
from wenlan_lab.evals.cases import Benchmark, Quirks

_BESIDE = Path(__file__).with_name("registry.json")  # in a wheel
_CHECKOUT = Path(__file__).parents[2] / "data" / "registry.json"  # in the repository
_BLOCK = 1 << 20
_TIMEOUT_SECONDS = 30.0
_WHOLE_S = "longmemeval_s"
_PROTOCOLS = {"locomo": locomo.PROTOCOLS, "longmemeval": longmemeval.PROTOCOLS}
_PARSERS = {"locomo": locomo.parse, "longmemeval": longmemeval.parse}


@dataclass(frozen=True, slots=True)
class Dataset:
    """A row of the registry. `use` is dev or report.

    `url` is None for a file without a public address of its own; when it then has `question_ids`, it is the entries of
    the whole LongMemEval-S with those ids, in that order, and can be cut out of it.
    """

    name: str
    file: str
    sha256: str
    url: str | None
    licence: str
    citation: str
    use: str = ""
    question_ids: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """What its file is parsed as: locomo or longmemeval; empty for other files (published rows)."""
        return next((family for family in _PARSERS if self.name.startswith(family)), "")


@dataclass(frozen=True, slots=True)
class DatasetFile:
    """A file on this machine whose digest is the registered one."""

    dataset: Dataset
    path: Path


def registry(path: Path | None = None) -> dict[str, Dataset]:
    """Every registered dataset by name, from the registry that came with the package (or the file given)."""
    source = path or (_BESIDE if _BESIDE.is_file() else _CHECKOUT)
    if not source.is_file():
        raise NotFound(
            f"there is no dataset registry at {source}: install wenlan-lab again, or check the clone out whole."
        )
    decoded = json.loads(source.read_text(encoding="utf-8"))
    rows = decoded.get("datasets", ()) if isinstance(decoded, dict) else decoded
    return {dataset.name: dataset for dataset in map(_registered, rows)}


def protocols_of(known: Dataset) -> tuple[str, ...]:
    """The protocols that a dataset can be run under; none for published rows."""
    return _PROTOCOLS.get(known.family, ())


def dataset(name: str, known: Mapping[str, Dataset] | None = None) -> Dataset:
    """The registered dataset of that name.

    Raises:
        InvalidRequest: there is none; the message names near spellings.
    """
    known = registry() if known is None else known
    if name in known:
        return known[name]
    near = get_close_matches(name, known, n=3, cutoff=0.5) or sorted(known)
    raise InvalidRequest(f"there is no dataset {name!r}: did you mean {', '.join(near)}?")


def find(name: str, data: Path | str | None = None, known: Mapping[str, Dataset] | None = None) -> DatasetFile:
    """The dataset's file in the folder `data`, after its digest was checked.

    Args:
        name: As registered.
        data: The folder that holds the files, usually the setting WENLAN_DATA.
        known: Another registry than the package's.

    Raises:
        InvalidRequest: an unknown name, no folder, or a wrong digest (both digests are named).
        NotFound: the folder doesn't hold the file.
    """
    found = _located(name, data, known)
    with found.path.open("rb") as file:
        _check(found, file_digest(file, "sha256").hexdigest())
    return found


def load(
    name: str, data: Path | str | None = None, protocol: str = "turns", known: Mapping[str, Dataset] | None = None
) -> Benchmark:
    """The dataset's cases under a protocol. What is checked is what is parsed: the file is read once.

    Raises:
        InvalidRequest: as `find`, and for an unknown protocol or a file that isn't a benchmark.
        NotFound: the folder doesn't hold the file.
    """
    found = _located(name, data, known)
    family = found.dataset.family
    if not family:
        raise InvalidRequest(f"{name} is no benchmark to run: it holds published rows (see receipts.published_run).")
    content = found.path.read_bytes()
    digest = sha256(content).hexdigest()
    _check(found, digest)
    return _PARSERS[family](json.loads(content), digest, protocol, name)


def quirks(name: str, data: Path | str | None = None, known: Mapping[str, Dataset] | None = None) -> Quirks:
    """The dataset's own faults, counted, and what is done about each; shows itself as a table."""
    return load(name, data, known=known).quirks


def download(
    name: str, folder: Path | str, *, progress: bool = True, known: Mapping[str, Dataset] | None = None
) -> DatasetFile:
    """Fetch the dataset from its public address into `folder`; what is there already with the right digest stays.

    A part of LongMemEval-S is cut out of the whole file in the same folder. Either way it is written beside its place
    and moved there only when the digest is right: a broken transfer leaves nothing behind.

    Raises:
        InvalidRequest: an unknown name, no public address, a wrong digest, or another file in its place.
        NotFound: a part is to be cut out of a file that isn't there.
        ProviderUnavailable: the address can't be reached.
    """
    wanted = dataset(name, known)
    target = Path(folder) / wanted.file
    found = DatasetFile(wanted, target)
    if target.is_file():
        return find(name, folder, known)
    if wanted.question_ids and wanted.url is None:
        return _cut_out(wanted, find(_WHOLE_S, folder, known), target)
    if wanted.url is None or urlsplit(wanted.url).scheme not in ("http", "https"):
        raise InvalidRequest(f"{name} has no public address: put {wanted.file} into {folder} yourself.")
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{wanted.file}.")
    part = Path(temporary)
    try:
        with os.fdopen(handle, "wb") as file:
            _check(DatasetFile(wanted, part), _fetch(wanted.url, wanted.file, file.write, progress=progress))
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return found


def _cut_out(wanted: Dataset, whole: DatasetFile, target: Path) -> DatasetFile:
    """The entries with the registered ids as a file of their own, byte for byte as registered."""
    entries = {entry["question_id"]: entry for entry in json.loads(whole.path.read_bytes())}
    chosen = [entries[name] for name in wanted.question_ids if name in entries]
    content = json.dumps(chosen, ensure_ascii=False).encode("utf-8")
    found = DatasetFile(wanted, target)
    _check(found, sha256(content).hexdigest())
    part = target.with_name(f".{wanted.file}.part")
    part.write_bytes(content)
    part.replace(target)
    return found


def _fetch(url: str, label: str, write: Callable[[bytes], int], *, progress: bool) -> str:
    """Pass the bytes at the address to `write`; the sha256 of what came."""
    from tqdm.auto import tqdm

    digest = sha256()
    try:
        with urlopen(url, timeout=_TIMEOUT_SECONDS) as answer:  # noqa: S310 (http and https only: checked by the caller)
            total = int(answer.headers.get("Content-Length") or 0) or None
            with tqdm(total=total, unit="B", unit_scale=True, desc=label, disable=not progress) as bar:
                while block := answer.read(_BLOCK):
                    digest.update(block)
                    write(block)
                    bar.update(len(block))
    except (URLError, HTTPException, TimeoutError, ConnectionError) as problem:
        raise ProviderUnavailable(
            f"{url} can't be reached ({problem}): try again online, or set WENLAN_DATA to a folder that holds {label}."
        ) from problem
    return digest.hexdigest()


def _located(name: str, data: Path | str | None, known: Mapping[str, Dataset] | None) -> DatasetFile:
    wanted = dataset(name, known)
    if data is None:
        raise InvalidRequest(
            f"where is {wanted.file}? Set WENLAN_DATA to the folder that holds it, name the folder, or download it."
        )
    path = Path(data) / wanted.file
    if not path.is_file():
        raise NotFound(f"{data} doesn't hold {wanted.file}: check WENLAN_DATA, or download {name!r} there.")
    return DatasetFile(wanted, path)


def _check(found: DatasetFile, digest: str) -> None:
    if digest != found.dataset.sha256:
        raise InvalidRequest(
            f"{found.dataset.file} isn't the registered {found.dataset.name}: its sha256 is {digest}, registered is "
            f"{found.dataset.sha256}. Remove it and fetch it again; figures from another file can't be compared."
        )


def _registered(row: Mapping[str, object]) -> Dataset:
    url = row.get("url")
    return Dataset(
        name=str(row["name"]),
        file=str(row["file"]),
        sha256=str(row["sha256"]),
        url=None if url is None else str(url),
        licence=str(row["licence"]),
        citation=str(row["citation"]),
        use=str(row.get("use", "")),
        question_ids=tuple(str(name) for name in ids) if isinstance(ids := row.get("question_ids"), list) else (),
    )
