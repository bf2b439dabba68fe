"""The review queue with buttons: stock ipywidgets over `view_state`, which knows what there is to see.

The panel holds no truth: after each click it asks the workbench again. What goes wrong in a click is said in the status
line, because what a callback prints or raises is lost in JupyterLab. Rows are made once and filled anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import ipywidgets

from wenlan_lab.errors import WenlanError
from wenlan_lab.model.outcomes import Receipt
from wenlan_lab.model.shown import one_line
from wenlan_lab.model.shown_tables import EDGES, FRAME, Tone
from wenlan_lab.model.shown_text import escape, tag
from wenlan_lab.surfaces.widgets.own_thread import on_this_thread
from wenlan_lab.surfaces.widgets.review_row import ReviewRow
from wenlan_lab.surfaces.widgets.view_state import Asked, Card, ReviewView, review_view, section_html

if TYPE_CHECKING:
    from wenlan_lab.engine.workbench import Workbench
    from wenlan_lab.model.actors import Actor

ANY_KIND, ANY_SPACE = "every kind", "every space"


class ReviewPanel:
    """A panel on one workbench's queue. `view` is what it shows, `status` what it said last; `refresh()` looks again."""

    def __init__(self, wb: Workbench, asked: Asked | None = None, actor: Actor | str | None = None) -> None:
        self.wb, self.actor = wb, actor
        self.decisions: list[tuple[int, ...]] = []
        self.status = ""
        self.rows: list[ReviewRow] = []
        self._filling = False
        self._run = on_this_thread()
        self.view: ReviewView = review_view(wb, asked)
        self.line = ipywidgets.HTML()
        self.kind = self._choice("Kind", ANY_KIND, "kind")
        self.space = self._choice("Space", ANY_SPACE, "space")
        self.undo = self.button("Undo last decision", self._undo, icon="undo")
        self.aside = self.button("Show those put aside", self._show_aside)
        self.again = self.button("Look again", self.refresh, icon="refresh")
        self.select_all = self.button("Select the page", self._select_all)
        self.accept_selected = self.button("Accept selected", lambda: self._decide_selected("accept"))
        self.dismiss_selected = self.button("Dismiss selected", lambda: self._decide_selected("dismiss"))
        self.reason = ipywidgets.Text(placeholder="reason for all selected", layout={"width": "22em"})
        self.earlier = self.button("◀ Earlier", lambda: self._turn(-1))
        self.later = self.button("Later ▶", lambda: self._turn(1))
        self.body = ipywidgets.VBox()
        self.widget = ipywidgets.VBox(
            [
                ipywidgets.HBox([self.kind, self.space, self.again, self.undo, self.aside], layout=WRAP),
                self.line,
                ipywidgets.HBox(
                    [self.select_all, self.accept_selected, self.dismiss_selected, self.reason], layout=WRAP
                ),
                self.body,
                ipywidgets.HBox([self.earlier, self.later]),
            ]
        )
        self._draw()

    # What it looks like ---------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Look at the queue again."""
        self.status = ""
        self._look(self.view.asked)
        self._draw()

    def __repr__(self) -> str:
        return repr(self.view)

    def _repr_mimebundle_(self, **_asked: Any) -> dict[str, Any]:
        """The widget, and beside it the static faces for where none can draw."""
        drawn: dict[str, Any] = self.widget._repr_mimebundle_()
        return {**drawn, "text/plain": repr(self.view), "text/html": self.view._repr_html_()}

    def _look(self, asked: Asked) -> None:
        self.view = review_view(self.wb, asked)

    def _draw(self) -> None:
        view = self.view
        self._rows_for(view.cards)
        parts: list[Any] = []
        for section in view.sections:
            parts.append(ipywidgets.HTML(section_html(section)))
            for card in section.cards:
                parts.append(self._row_of(card).widget)
        if view.message:
            parts.append(ipywidgets.HTML(tag("div", escape(view.message), style=f"{FRAME};padding:12px 0")))
        old, self.body.children = self.body.children, tuple(parts)
        for widget in old:
            if isinstance(widget, ipywidgets.HTML):
                widget.close()
        self._draw_controls()

    def _rows_for(self, cards: Sequence[Card]) -> None:
        """Fill a row for each card. An item keeps the row it has, and with it what was begun there."""
        wanted = {card.item.id for card in cards}
        standing = {row.card.item.id: row for row in self.rows if row.card is not None and row.card.item.id in wanted}
        free = [row for row in self.rows if row not in standing.values()]
        for card in cards:
            row = standing.get(card.item.id)
            if row is None:
                row = free.pop() if free else ReviewRow(self)
                if row not in self.rows:
                    self.rows.append(row)
            row.fill(card)
        for row in free:
            row.card = None

    def _row_of(self, card: Card) -> ReviewRow:
        return next(row for row in self.rows if row.card is card)

    def shown_rows(self) -> list[ReviewRow]:
        """The rows of this page in order."""
        return [self._row_of(card) for card in self.view.cards]

    def _draw_controls(self) -> None:
        view = self.view
        self._filling = True
        try:
            total = sum(count for _, count in view.kinds)
            offered = [(f"{kind} ({count})", kind) for kind, count in view.kinds]
            self.kind.options = [(f"{ANY_KIND} ({total})", ""), *offered]
            self.kind.value = view.asked.kind or ""
            self.space.options = [(ANY_SPACE, ""), *((one_line(name, 40), name) for name in view.spaces)]
            self.space.value = view.asked.space if view.asked.space in view.spaces else ""
        finally:
            self._filling = False
        several = bool(view.cards)
        for button in (self.select_all, self.accept_selected, self.dismiss_selected):
            button.disabled = not several
        self.undo.disabled = not self.decisions
        self.aside.disabled = not view.put_aside
        self.earlier.disabled = view.asked.page == 0
        self.later.disabled = view.asked.page >= view.pages - 1
        self.say(self.status)

    def say(self, told: str, tone: Tone = "plain") -> None:
        """Write the status line: what there is, and what came of the last click."""
        if told != self.status:
            self._tone = tone
        self.status = told
        parts = [tag("div", escape(self.view.status), style="font-weight:600")]
        if told:
            edge = f"border-left:3px solid {EDGES[self._tone]};padding-left:8px"
            parts.append(tag("div", escape(told), style=edge))
        self.line.value = tag("div", *parts, style=FRAME)

    _tone: Tone = "plain"

    # What a click does ----------------------------------------------------------------------------------------------

    def button(self, told: str, does: Callable[[], None], **how: Any) -> Any:
        """A button whose errors are shown in the status line."""
        made = ipywidgets.Button(description=told, layout={"width": "auto"}, **how)
        made.on_click(lambda _button: self._safely(does))
        return made

    def _safely(self, does: Callable[[], None]) -> None:
        self._run(lambda: self._guarded(does))

    def _guarded(self, does: Callable[[], None]) -> None:
        try:
            does()
        except WenlanError as error:
            self._failed(one_line(str(error), 600))
        except Exception as error:
            self._failed(one_line(f"{type(error).__name__}: {error}", 600))

    def _failed(self, told: str) -> None:
        """Say it, and show the queue as it is now: a decision made elsewhere is a common cause."""
        try:
            self._look(self.view.asked)
            self._draw()
        except Exception as error:
            told = one_line(f"{told} ({type(error).__name__}: {error})", 600)
        self.say(told, "bad")

    def decide(self, cards: Sequence[Card], verdict: str, reason: str, text: str | None = None) -> None:
        """Accept or dismiss, one transaction for each; those that can't be are told and wait on."""
        done: list[int] = []
        told: list[str] = []
        try:
            for card in cards:
                try:
                    receipt = self._one(card, verdict, reason, text)
                except WenlanError as error:
                    told.append(f"{card.item.id}: {error}")
                    continue
                if receipt.seq is None:
                    told.append(receipt.detail)
                else:
                    done.append(receipt.seq)
        finally:
            if done:
                self.decisions.append(tuple(done))
        self._look(self.view.asked)
        self._draw()
        what = f"{len(done)} {'accepted' if verdict == 'accept' else 'dismissed'}"
        problems = "; ".join(told)
        self.say(one_line(f"{what} · {problems}" if problems else what, 600), "bad" if problems else "good")

    def _one(self, card: Card, verdict: str, reason: str, text: str | None) -> Receipt:
        if verdict == "accept":
            return self.wb.reviews.accept(card.item.id, reason, text=text, actor=self.actor)
        return self.wb.reviews.dismiss(card.item.id, reason, self.actor)

    def skip(self, card: Card) -> None:
        """Put it aside in this panel; it waits all the same."""
        self._look(replace(self.view.asked, skipped=self.view.asked.skipped | {card.item.id}))
        self._draw()
        self.say(f"{card.item.id} is put aside; it still waits")

    def _show_aside(self) -> None:
        self._look(replace(self.view.asked, skipped=frozenset()))
        self._draw()

    def _undo(self) -> None:
        if not self.decisions:
            self.say("nothing was decided here yet")
            return
        left = list(self.decisions[-1])
        while left:
            receipt = self.wb.undo(left[-1], self.actor)
            if receipt.seq is None:
                self.decisions[-1] = tuple(left)
                self._failed(receipt.detail)
                return
            left.pop()
            self.decisions[-1] = tuple(left)
        self.decisions.pop()
        self._look(self.view.asked)
        self._draw()
        self.say("the last decision is undone: it waits again", "good")

    def _selected(self) -> list[ReviewRow]:
        return [row for row in self.shown_rows() if row.chosen.value]

    def _select_all(self) -> None:
        rows = self.shown_rows()
        every = all(row.chosen.value for row in rows)
        for row in rows:
            row.chosen.value = not every

    def _decide_selected(self, verdict: str) -> None:
        cards = [row.card for row in self._selected() if row.card is not None]
        if not cards:
            self.say("nothing is selected: tick the cards first")
            return
        reason, self.reason.value = self.reason.value, ""
        self.decide(cards, verdict, reason)

    def _turn(self, by: int) -> None:
        self._look(replace(self.view.asked, page=self.view.asked.page + by))
        self._draw()

    def _choice(self, told: str, every: str, name: str) -> Any:
        made = ipywidgets.Dropdown(description=told, options=[(every, "")], value="", layout={"width": "22em"})

        def chosen(change: dict[str, Any]) -> None:
            if not self._filling:
                self._safely(lambda: self._narrow(name, change["new"] or None))

        made.observe(chosen, names="value")
        return made

    def _narrow(self, name: str, value: str | None) -> None:
        asked = self.view.asked
        self._look(
            Asked(value if name == "kind" else asked.kind, value if name == "space" else asked.space, 0, asked.skipped)
        )
        self._draw()


WRAP = {"flex_flow": "row wrap"}
