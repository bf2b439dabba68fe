"""One card of the review panel with its buttons: filled anew for each item, made once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets

from wenlan_lab.surfaces.widgets.view_state import Card

if TYPE_CHECKING:
    from wenlan_lab.surfaces.widgets.review_panel import ReviewPanel

CARD = {
    "border": "1px solid var(--jp-border-color2, rgba(127,127,127,.35))",
    "padding": "6px 8px",
    "margin": "0 0 6px",
}


class ReviewRow:
    """A card, a tick to select it, its four buttons, a reason, and an editor that opens for "edit, then accept"."""

    def __init__(self, panel: ReviewPanel) -> None:
        self.panel = panel
        self.card: Card | None = None
        self.chosen = ipywidgets.Checkbox(indent=False, layout={"width": "24px"})
        self.text = ipywidgets.HTML(layout={"width": "auto"})
        self.accept = panel.button("Accept", lambda: self._decide("accept"), button_style="success")
        self.edit = panel.button("Edit then accept", self._open)
        self.dismiss = panel.button("Dismiss", lambda: self._decide("dismiss"), button_style="danger")
        self.skip = panel.button("Skip", self._skip)
        self.reason = ipywidgets.Text(placeholder="reason", layout={"width": "18em"})
        self.words = ipywidgets.Textarea(layout={"width": "95%"})
        self.accept_edited = panel.button("Accept these words", self._accept_edited, button_style="success")
        self.cancel = panel.button("Cancel", self._close)
        buttons: Any = [self.accept, self.edit, self.dismiss, self.reason, self.skip]
        self.editor = ipywidgets.VBox([self.words, ipywidgets.HBox([self.accept_edited, self.cancel])])
        whole = ipywidgets.VBox(
            [self.text, ipywidgets.HBox(buttons, layout={"flex_flow": "row wrap"}), self.editor],
            layout={"flex": "1 1 0%", "min_width": "0", "overflow": "hidden"},
        )
        self.widget = ipywidgets.HBox([self.chosen, whole], layout=CARD)
        self._close()

    def fill(self, card: Card) -> None:
        """Show a card. What was begun on it (a tick, a reason, an edit) stays while it is the same item unchanged."""
        if self.card is not None and (self.card.item, self.card.editable) == (card.item, card.editable):
            self.card = card
            self.text.value = card.html
            return
        self.card = card
        self.text.value = card.html
        self.chosen.value, self.reason.value = False, ""
        self.edit.disabled = not card.editable
        self._close()

    def _decide(self, verdict: str) -> None:
        if self.card is not None:
            self.panel.decide([self.card], verdict, self.reason.value)

    def _skip(self) -> None:
        if self.card is not None:
            self.panel.skip(self.card)

    def _open(self) -> None:
        if self.card is not None:
            self.words.value = self.card.item.after
            self.editor.layout.display = ""

    def _close(self) -> None:
        self.editor.layout.display = "none"

    def _accept_edited(self) -> None:
        if self.card is not None:
            self.panel.decide([self.card], "accept", self.reason.value, self.words.value)
