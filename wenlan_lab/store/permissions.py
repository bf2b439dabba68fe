"""Who may do what to a protected memory.

A person may do anything. An agent or a process may add, but what is protected (identity, preference, pinned, accepted)
only a person takes away or loosens, and only a person accepts. The same question wherever a change comes from.
"""

from __future__ import annotations

from wenlan_lab.errors import InvalidRequest
from wenlan_lab.model.changes import (
    Change,
    ConfirmMemory,
    ForgetMemory,
    LiftTombstone,
    MoveMemory,
    RetractMemory,
    RetypeMemory,
    SupersedeMemory,
    UnconfirmMemory,
    UnpinMemory,
)
from wenlan_lab.model.memories import Memory
from wenlan_lab.store import memories
from wenlan_lab.store.context import Context

LOOSENING = (ForgetMemory, MoveMemory, RetractMemory, RetypeMemory, UnconfirmMemory, UnpinMemory)


def is_protected(memory: Memory) -> bool:
    """Whether only a person may replace it."""
    return memory.tier == "protected" or memory.pinned or memory.trust == "accepted"


def check(ctx: Context, change: Change) -> None:
    """Raise InvalidRequest when this actor may not make this change; nothing is written then."""
    if ctx.actor.kind == "person":
        return
    if isinstance(change, ConfirmMemory | LiftTombstone):
        raise InvalidRequest(f"{ctx.actor} can't do that: only a person confirms a memory or lifts a tombstone.")
    if isinstance(change, LOOSENING):
        check_memory(ctx, change.memory_id)
    elif isinstance(change, SupersedeMemory):
        check_memory(ctx, change.old_id)


def check_memory(ctx: Context, memory_id: str) -> None:
    """Raise InvalidRequest when this actor may not take anything away from this memory."""
    memory = memories.get(ctx.tx, memory_id)
    if ctx.actor.kind != "person" and memory.status == "live" and is_protected(memory):
        raise InvalidRequest(
            f"{memory_id} is protected ({memory.type}, {memory.trust}{', pinned' if memory.pinned else ''}): "
            f"{ctx.actor} may propose another with capture(supersedes=…), only a person changes this one."
        )
