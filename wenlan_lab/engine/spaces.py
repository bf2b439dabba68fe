"""wb.spaces: named scopes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wenlan_lab.engine.scopes import existing, read_scope
from wenlan_lab.errors import InvalidRequest
from wenlan_lab.model import shown
from wenlan_lab.model.actors import Actor
from wenlan_lab.model.changes import Change, CreateSpace, DeleteSpace, EditSpace
from wenlan_lab.model.memories import Memory
from wenlan_lab.model.outcomes import Receipt, Unchanged
from wenlan_lab.model.results import Listing
from wenlan_lab.model.spaces import DeleteMode, Space, SpaceScope, UncategorizedScope
from wenlan_lab.model.types import parse_type
from wenlan_lab.store import memories, spaces

if TYPE_CHECKING:
    from wenlan_lab.engine.workbench import Workbench


@dataclass(frozen=True, slots=True)
class SpacesOfWorkbench:
    """The spaces of one workbench."""

    wb: Workbench

    def list(self) -> Listing[Space]:
        """All spaces by name, with how many live memories and passages are in each."""
        found = spaces.listed(self.wb.truth)
        return Listing(found, shown.spaces_table(found))

    def find(self, name: str) -> Space:
        """The space of that name; InvalidRequest with near spellings when there is none."""
        return existing(self.wb.truth, name)

    def create(self, name: str, description: str = "", actor: Actor | str | None = None) -> Receipt:
        """Register a space. A taken name changes nothing."""
        return self._changed(CreateSpace(name, description), name, actor, f"space {name!r} is there now")

    def rename(self, name: str, new_name: str, actor: Actor | str | None = None) -> Receipt:
        """Rename a space; its description and all that is in it stay."""
        change = EditSpace(self.find(name).id, name=new_name)
        return self._changed(change, new_name, actor, f"space {name!r} is {new_name!r} now")

    def describe(self, name: str, description: str, actor: Actor | str | None = None) -> Receipt:
        """Replace a space's description."""
        change = EditSpace(self.find(name).id, description=description)
        return self._changed(change, name, actor, f"space {name!r} is described")

    def delete(
        self,
        name: str,
        contents: DeleteMode | None = None,
        target: str | None = None,
        actor: Actor | str | None = None,
    ) -> Receipt:
        """Delete a space. `contents` says what becomes of what is in it: "unassign", "move" (to `target`), "delete".

        Without `contents` a space that holds anything is left alone and the error says how much is in it.
        """
        space = self.find(name)
        if contents is None:
            if space.memories or space.passages:
                raise InvalidRequest(
                    f"space {space.name!r} holds {space.memories} memories and {space.passages} passages: say "
                    "contents='unassign' (keep them in no space), 'move' with target=, or 'delete' (with it)."
                )
            contents = "unassign"
        if contents not in ("unassign", "move", "delete"):
            raise InvalidRequest(f"contents {contents!r} is unknown: choose 'unassign', 'move' or 'delete'.")
        target_id = self.find(target).id if target is not None else None
        change = DeleteSpace(space.id, contents, target_id)
        return self._changed(change, None, actor, f"space {space.name!r} is deleted ({contents})")

    def memories(self, space: str | None = None, type: str | None = None, most: int = 50) -> Listing[Memory]:
        """Live memories of a space ("uncategorized": of none, None: of all), last changed first."""
        match read_scope(self.wb.truth, space):
            case SpaceScope(space_id):
                wanted: str | None = space_id
            case UncategorizedScope():
                wanted = ""
            case _:
                wanted = None
        kind = None if type is None else parse_type(type).type
        found = memories.listed(self.wb.truth, space_id=wanted, memory_type=kind, most=most)
        notes = (f"the {most} that changed last: there may be more.",) if len(found) == most else ()
        return Listing(found, shown.memories_table(found, notes=notes))

    def _changed(self, change: Change, space: str | None, actor: Actor | str | None, detail: str) -> Receipt:
        done = self.wb.apply(change, actor)
        subject = next(iter(getattr(done.outcome, "ids", ()))) if done.seq else getattr(done.outcome, "id", None)
        if done.seq is None:
            told = done.outcome.detail if isinstance(done.outcome, Unchanged) else ""
            return Receipt(None, "Unchanged", subject, space, detail=told)
        return Receipt(done.seq, "Applied", subject, space, detail=detail)
