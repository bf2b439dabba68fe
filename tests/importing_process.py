"""An import as a process of its own, to be killed: `python -m tests.importing_process FOLDER NUMBER`.

It begins when a line comes on stdin, and prints a line for each thing that is stored. It loads no pytest, which takes
longer than all it does.
"""

import sys

import wenlan_lab
from wenlan_lab import NewPassage
from wenlan_lab.importers import ImportBatch, ImportedSource

SOURCES, PASSAGES, CAPTURES = 10, 16, 3
LINES = CAPTURES + 2 * SOURCES + 1 + CAPTURES  # what is printed when nobody kills it


def batch(number: int) -> ImportBatch:
    """What import `number` brings: a space of its own with ten conversations of sixteen turns."""
    sources = tuple(
        ImportedSource(
            kind="chat", ref=f"chat {number}.{part}", title="", space=f"round {number}", digest=f"{number}.{part}",
            passages=tuple(
                NewPassage(f"T{at}", "thread", at, "Ada", None, f"turn {at} of chat {number}.{part}: level {at * 31} mm")
                for at in range(PASSAGES)
            ),
        )
        for part in range(SOURCES)
    )  # fmt: skip
    return ImportBatch(sources=sources, quirks={}, skipped=(), format="turns")


def main(folder: str, number: int) -> None:
    """Capture, import, embed, capture again."""

    def captured(numbers: range) -> None:
        for at in numbers:
            tell("receipt", wb.capture(f"importer {number} saw sign {at * 7919} of round {number}").id)

    with wenlan_lab.open(folder, embedder="hash") as wb:
        captured(range(CAPTURES))
        wb.sources.import_batch(batch(number), embed=False, progress=lambda done, _: tell("stored", done))
        wb.embed()
        tell("embedded", "")
        captured(range(CAPTURES, 2 * CAPTURES))


def tell(kind: str, what: object) -> None:
    """A line that is out before anything else happens."""
    sys.stdout.write(f"{kind} {what}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    import faiss  # noqa: F401 - loaded before it begins, so that it is the import that is killed

    import wenlan_lab.engine.workbench

    sys.stdin.readline()
    main(sys.argv[1], int(sys.argv[2]))
