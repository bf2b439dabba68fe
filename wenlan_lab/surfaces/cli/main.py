"""`wenlan-lab`: the same verbs and words as in a notebook, for a shell and for CI.

Only the entry point stands here, so that Ctrl-C is met in the first moment too, while the commands are still loading.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line. What a terminal can't show is written in escapes, never an error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        from wenlan_lab.surfaces.cli.app import app

        app(prog_name="wenlan-lab")
    except KeyboardInterrupt:
        sys.exit(130)  # before the first command, or while the last one was ending: nothing was under way


if __name__ == "__main__":
    main()
