"""Find what says best that nothing relevant is there, and the threshold for it, on dev data alone.

    python evals/fit_abstention.py --data ../shared/data [--limit 60] [--json FILE]

Labelled: LongMemEval's `_abs` questions of the dev set, and the diary's questions that it doesn't answer. There are few
of those (nine), so questions are also asked of the wrong store: a LoCoMo dev conversation is asked another one's
questions, a LongMemEval haystack the question of the next one. LoCoMo's own category 5 isn't used: its questions are
unanswerable, and yet there are turns that they are about.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from tqdm import tqdm

import wenlan_lab
from wenlan_lab import Settings
from wenlan_lab.evals import abstaining, asking, cached_embedder, cases, datasets, diary, faces, splits
from wenlan_lab.testing import FixedClock, SequentialIds

ABSENT = "asked of the wrong store"


def main() -> None:
    """Observe every set, judge every observable, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Settings().data, help="the folder with the datasets")
    parser.add_argument("--limit", type=int, default=60, help="questions of each LoCoMo conversation")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--json", type=Path, help="write what was found")
    options = parser.parse_args()
    embedder = cached_embedder.CachedEmbedder.default()
    found = {}
    for name, stores in sets(options.data, options.limit).items():
        observed = list(observe(stores, embedder, options.k, name))
        found[name] = observed
        print(table(name, abstaining.judge(observed)), end="\n\n", flush=True)
    everything = [one for observed in found.values() for one in observed]
    print(table("all of it", abstaining.judge(everything)), end="\n\n")
    print(transfer(found))
    if options.json:
        content = {name: [asdict(one) for one in abstaining.judge(observed)] for name, observed in found.items()}
        options.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


Store = tuple[cases.EvalCase, Sequence[tuple[cases.EvalQuestion, bool]]]


def sets(data: Path, limit: int) -> dict[str, list[Store]]:
    """Each dev set as stores, and for each the questions to ask with whether nothing relevant is there."""
    conversations = splits.chosen(datasets.load("locomo10", data), "dev").cases
    # User turns alone: chosen without a look at any label, and a fifth of what all turns cost to embed.
    haystacks = datasets.load("longmemeval_s_dev64", data, "official-turn").cases
    own_diary = diary.load().cases
    return {
        "locomo dev, wrong conversation": wrong_store(conversations, limit),
        "longmemeval dev, wrong haystack": wrong_store(haystacks, 1),
        "longmemeval dev, labelled": [(case, labelled(case)) for case in haystacks],
        "diary, labelled": [(case, labelled(case)) for case in own_diary],
    }


def labelled(case: cases.EvalCase) -> list[tuple[cases.EvalQuestion, bool]]:
    """The questions whose label says which kind they are."""
    return [(question, question.abstention) for question in case.questions if question.graded or question.abstention]


def wrong_store(stores: Sequence[cases.EvalCase], limit: int) -> list[Store]:
    """Every store with its own answerable questions, and as many of the next store's."""
    answerable = [[q for q in case.questions if q.graded and not q.abstention][:limit] for case in stores]
    found: list[Store] = []
    for at, case in enumerate(stores):
        when = case.questions[0].at
        others = [replace(q, id=f"{q.id} {ABSENT}", at=when) for q in answerable[(at + 1) % len(stores)]]
        found.append((case, [(q, False) for q in answerable[at]] + [(q, True) for q in others]))
    return found


def observe(stores: Sequence[Store], embedder: wenlan_lab.Embedder, k: int, name: str) -> Iterator[abstaining.Observed]:
    """Fill every store and note what each question's recall shows."""
    for case, asked in tqdm(stores, desc=name):
        clock = FixedClock(case.questions[0].at)
        with (
            tempfile.TemporaryDirectory() as folder,
            wenlan_lab.open(folder, embedder=embedder, clock=clock, new_id=SequentialIds()) as wb,
        ):
            wb.sources.import_batch(asking.batch_of(case))
            for question, due in asked:
                result, _ = asking.ask(wb, question.label_free, k, clock)
                _, features = wb.features(question.text)
                fold = case.id if len(stores) > 1 else question.id
                yield abstaining.Observed(question.id, fold, due, abstaining.observe(result, features))


def table(name: str, judged: Sequence[abstaining.Judged]) -> faces.Table:
    """One line an observable."""
    rows = tuple(
        (
            one.name, one.separation, one.threshold, one.best.precision, one.best.recall, one.held_out.precision,
            one.held_out.recall, one.careful_threshold, one.careful.precision, one.careful.recall,
        )
        for one in judged
    )  # fmt: skip
    columns = (
        "observable",
        "separation",
        "threshold",
        "precision",
        "recall",
        "held out: p",
        "r",
        "5 % false alarms at",
        "p",
        "r",
    )
    counts = judged[0].best
    return faces.Table(f"{name}: {counts.due} of {counts.n} questions have nothing relevant", columns, rows)


def transfer(found: dict[str, list[abstaining.Observed]]) -> faces.Table:
    """The threshold that is best on each set, on each other set: what a single number is worth elsewhere."""
    fitted = {name: {one.name: one for one in abstaining.judge(observed)} for name, observed in found.items()}
    names = [one.name for one in abstaining.judge([one for observed in found.values() for one in observed])][:5]
    rows: list[tuple[faces.Cell, ...]] = []
    for observable in names:
        for here in found:
            cells: list[faces.Cell] = [observable, here]
            for there, observed in found.items():
                part = abstaining.at(observed, observable, fitted[here][observable].threshold)
                cells.append(
                    f"{faces.plain(part.precision)} / {faces.plain(part.recall)}" + ("" if here != there else " *")
                )
            rows.append(tuple(cells))
    return faces.Table(
        "A threshold elsewhere: precision / recall (* where it was fitted)",
        ("observable", "fitted on", *found),
        tuple(rows),
    )


if __name__ == "__main__":
    main()
