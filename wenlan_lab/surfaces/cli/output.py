"""The one place that prints, and the one that turns what went wrong into a line and an exit code.

Data goes to stdout, everything else to stderr. 0 is fine, 1 is the user's to mend, 2 is the store's or a provider's, 130
is Ctrl-C. Commands return nothing and print through `show`; they never look at who reads them.
"""

from __future__ import annotations

import json
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import is_dataclass
from typing import Annotated, Any, TextIO

import typer

from wenlan_lab.errors import InvalidRequest, MissingExtra, NotFound, StaleRevision, WenlanError
from wenlan_lab.model import shown
from wenlan_lab.model.results import Listing

OK, USER_ERROR, STORE_FAILURE, INTERRUPTED = 0, 1, 2, 130
USERS = (InvalidRequest, NotFound, StaleRevision, MissingExtra)
HALTED = "interrupted: every receipt that was printed is stored, and nothing is half-written."
LONGEST_ERROR = 2_000

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]

# JSON may hold these as they are, but a terminal obeys some of them, and line readers break lines at others.
UNSEEN = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def show(value: Any, *, as_json: bool) -> None:
    """A value on stdout: its plain face, or one line of JSON with the attributes' own names."""
    _emit(_json(value) if as_json else value if isinstance(value, str) else repr(value))


def receipt(value: Any, *, as_json: bool) -> None:
    """A receipt; a refused one ends in exit code 1."""
    show(value, as_json=as_json)
    if getattr(value, "outcome", "") == "Rejected":
        raise typer.Exit(USER_ERROR)


def note(message: str) -> None:
    """A line on stderr."""
    try:
        typer.echo(message, err=True)
    except OSError:
        _silence(sys.stderr)  # nobody reads it: the exit code still tells


def jsonable(value: Any) -> Any:
    """One of our values, or several, as what JSON can hold."""
    if isinstance(value, Listing | list | tuple):
        return [jsonable(item) for item in value]
    return shown.plain(value) if is_dataclass(value) else value


def _json(value: Any) -> str:
    """In the letters themselves where stdout can show them all, else in escapes: nothing is lost to an encoding."""
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "")
    text = json.dumps(jsonable(value), ensure_ascii=not encoding.startswith("utf"), allow_nan=False)
    return UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _emit(text: str) -> None:
    try:
        typer.echo(text)
    except BrokenPipeError:  # the reader has gone (`| head`): the work goes on, the rest isn't told
        _silence(sys.stdout)
    except OSError:
        _silence(sys.stdout)  # or Python complains once more at its end
        raise


def _silence(stream: TextIO) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class _Told:
    """Whether this run of the command line shows tracebacks."""

    traceback = False


def show_tracebacks(wanted: bool) -> None:
    """Show whole tracebacks from here on, or one line an error."""
    _Told.traceback = wanted


@contextmanager
def told() -> Iterator[None]:
    """Whatever is raised inside becomes one line on stderr and an exit code."""
    try:
        yield
    except typer.Exit:
        raise
    except typer.Abort:
        raise typer.Exit(INTERRUPTED) from None
    except Exception as error:
        if _Told.traceback:
            note(traceback.format_exc().rstrip())
        note(f"wenlan-lab: {_line(error)}")
        raise typer.Exit(_code(error)) from error


def _code(error: Exception) -> int:
    if isinstance(error, (*USERS, typer.TyperException, UnicodeEncodeError)):
        return USER_ERROR
    return STORE_FAILURE


def _line(error: Exception) -> str:
    match error:
        case typer.TyperException():
            context = getattr(error, "ctx", None)
            hint = f" (`{context.command_path} --help` says more)" if context is not None else ""
            message = error.format_message().rstrip() + hint
        case WenlanError():
            message = str(error)
        case UnicodeEncodeError():
            message = "an argument holds bytes that are no text here: check how the terminal or the script encodes it."
        case OSError():
            message = (
                f"{error.strerror or error}: {error.filename or 'check the disk and who may read and write there'}"
            )
        case _:
            message = f"{type(error).__name__}: {error}. Please report this, with what `--traceback` shows."
    return shown.one_line(message, LONGEST_ERROR)


@contextmanager
def progress(label: str, then: str = "") -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, fed with (done, total), once something takes a second. A second stage is called `then`."""
    from tqdm import tqdm

    every = 0.2 if sys.stderr.isatty() else 10.0  # a log needs no more
    with tqdm(desc=label, unit="", file=sys.stderr, delay=1, mininterval=every, maxinterval=every) as bar:

        def advance(done: int, total: int) -> None:
            if done < bar.n:
                bar.reset()
                bar.set_description(then or label, refresh=False)
            bar.total = total
            bar.update(done - bar.n)

        yield advance


def text_of(words: Sequence[str]) -> str:
    """The words of the command line as one text; "-" alone is stdin, which is UTF-8."""
    return stdin_text() if list(words) == ["-"] else " ".join(words)


def stdin_text() -> str:
    """All of stdin. Raises InvalidRequest when it is no UTF-8."""
    content = sys.stdin.buffer.read() if sys.stdin is not None else b""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidRequest(f"stdin is no UTF-8 ({error.reason} at byte {error.start}): convert it first.") from error
