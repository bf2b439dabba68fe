"""Running an eval notebook with parameters, through papermill.

A parameter that the notebook doesn't have is refused before a kernel starts: papermill itself would only warn, and a
misspelt one would measure the defaults. The executed notebook is written as it goes, so that one in which a cell fails
is there as evidence, with the error in it. The notebooks themselves are never written to.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import Any, TextIO

from wenlan_lab import InvalidRequest, NotFound, Settings
from wenlan_lab.evals import provenance

NAMES = ("locomo", "longmemeval", "compare", "ablation")
_BESIDE = Path(__file__).with_name("shipped")  # in a wheel
_CHECKOUT = Path(__file__).parents[2] / "evals"  # in the repository
_OF_A_KERNEL = ("In", "Out", "exit", "quit", "get_ipython", "open")
_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


@dataclass(frozen=True, slots=True)
class Executed:
    """The executed copy. When a cell raised, `error` is the exception's name and `message` says which cell and why."""

    notebook: Path
    error: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a notebook: its default is a plain value, and says of which type it is."""

    name: str
    default: str | int | float | bool
    help: str = ""


def path_of(name: str, folder: Path | str | None = None) -> Path:
    """The notebook of that name. Raises InvalidRequest for another name, NotFound when it isn't there."""
    if name not in NAMES:
        near = get_close_matches(name, NAMES, n=1) or NAMES
        raise InvalidRequest(f"there is no eval notebook {name!r}: did you mean {', '.join(near)}?")
    places = (Path(folder),) if folder is not None else (_BESIDE, _CHECKOUT)
    for place in places:
        if (path := place / f"{name}.ipynb").is_file():
            return path
    raise NotFound(f"{name}.ipynb isn't here: run this in a clone of the repository, or name the folder that holds it.")


def parameters(path: Path) -> dict[str, Parameter]:
    """What the notebook's `parameters` cell declares."""
    from papermill.inspection import inspect_notebook

    found = {}
    for name, declared in inspect_notebook(str(path)).items():
        default = _literal(str(declared["default"]))
        found[name] = Parameter(name, default, str(declared.get("help") or ""))
    return found


def _literal(text: str) -> str | int | float | bool:
    from ast import literal_eval

    value = literal_eval(text)
    if not isinstance(value, str | int | float | bool):
        raise InvalidRequest(f"a parameter's default must be a plain text, number or truth value, not {text}.")
    return value


def typed(given: Mapping[str, str], known: Mapping[str, Parameter]) -> dict[str, str | int | float | bool]:
    """Texts from a command line as the values that the parameters take.

    Raises:
        InvalidRequest: a parameter that the notebook doesn't have, or a value of another type than its default's.
    """
    refuse_unknown(given, known)
    return {name: _as(type(known[name].default), value, name) for name, value in given.items()}


def refuse_unknown(given: Mapping[str, Any], known: Mapping[str, Parameter]) -> None:
    """Raise InvalidRequest when a parameter is given that isn't known."""
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=2) or sorted(known)
            raise InvalidRequest(f"this notebook has no parameter {name!r}: did you mean {', '.join(near)}?")


def only_known(name: str, namespace: Mapping[str, Any]) -> dict[str, Any]:
    """Called in a notebook right after its parameters: refuse whatever was injected that it doesn't declare.

    papermill on its own only warns about an unknown parameter, and a misspelt one would measure the defaults. Returns
    the declared ones with the values they have.
    """
    injected = {
        key: value
        for key, value in namespace.items()
        if not key.startswith("_") and isinstance(value, str | int | float | list | dict)
    }
    declared = parameters(path_of(name))
    refuse_unknown({key: value for key, value in injected.items() if key not in _OF_A_KERNEL}, declared)
    return {key: namespace[key] for key in declared if key in namespace}


def default_out(name: str, given: Mapping[str, Any]) -> Path:
    """A folder below build/evals named by the notebook, its parameters, the code and the libraries.

    The same call thus comes back to the same folder and takes up what was interrupted; another one never meets it.
    """
    conditions = [name, dict(given), provenance.code_digest(), provenance.library_versions(), str(Settings())]
    digest = sha256(json.dumps(conditions, sort_keys=True).encode()).hexdigest()[:8]
    return Path("build") / "evals" / f"{name}-{digest}"


def run_notebook(
    path: Path,
    out: Path,
    given: Mapping[str, str | int | float | bool],
    *,
    progress: bool = True,
    stream: TextIO | None = None,
) -> Executed:
    """Run the notebook with these parameters and leave the executed copy at `out`.

    Args:
        path: The notebook.
        out: Where the executed copy goes; its folder is made.
        given: Parameters by name; the others keep their defaults.
        progress: Whether what the cells write to stderr (their bars) is passed on while they run.
        stream: Where to; by default this process's stderr.

    Raises:
        InvalidRequest: an unknown parameter. Nothing was run.
    """
    import papermill
    from papermill.exceptions import PapermillExecutionError

    refuse_unknown(given, parameters(path))
    if out.resolve() == path.resolve():
        raise InvalidRequest(f"{out} is the notebook itself: name another file for the executed copy.")
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        papermill.execute_notebook(
            str(path), str(out), parameters=dict(given), kernel_name="python3", progress_bar=False, cwd=None,
            stderr_file=(stream or sys.stderr) if progress else None, request_save_on_cell_execute=True,
        )  # fmt: skip
    except PapermillExecutionError as problem:
        _settle_bars(out)
        told = f"{problem.ename} in cell {problem.exec_count} of {path.name}: {problem.evalue}"
        return Executed(out, problem.ename, f"{told} ({out} is kept and shows where)")
    _settle_bars(out)
    return Executed(out)


def _settle_bars(path: Path) -> None:
    """Keep of each progress bar its last state: a long run leaves thousands behind, each a stream of its own."""
    import nbformat

    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]  # nbformat leaves it untyped
    for cell in notebook.cells:
        kept: list[Any] = []
        for output in cell.get("outputs", ()):
            if output.get("name") == "stderr" and kept and kept[-1].get("name") == "stderr":
                kept[-1]["text"] += output["text"]
            else:
                kept.append(output)
        for output in kept:
            if output.get("name") == "stderr":
                lines = (line.rstrip("\r").rpartition("\r")[2] for line in output["text"].split("\n"))
                output["text"] = "\n".join(lines)
        if "outputs" in cell:
            cell["outputs"] = kept
    nbformat.write(notebook, path)  # type: ignore[no-untyped-call]


def _as(kind: type, value: str, name: str) -> str | int | float | bool:
    text = value.strip()
    if kind is bool:
        if text.lower() in _TRUE + _FALSE:
            return text.lower() in _TRUE
    elif kind is str:
        return value
    else:
        try:
            return int(text) if kind is int else float(text)
        except ValueError:
            pass
    raise InvalidRequest(f"{name} takes {_KINDS[kind]}, not {value!r}.")


_KINDS = {bool: "true or false", int: "a whole number", float: "a number"}
