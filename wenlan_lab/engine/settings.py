"""Settings: the one place that reads the environment.

Every name can be set as an environment variable with the prefix WENLAN_, e.g. WENLAN_EMBEDDER, or passed to
`wenlan_lab.open(settings=Settings(...))`, which wins.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """How a workbench behaves. Frozen: make a new one to change something."""

    model_config = SettingsConfigDict(env_prefix="WENLAN_", frozen=True, extra="ignore")

    workbench: Path | None = Field(default=None, description="The workbench that commands open when none is named.")
    data: Path | None = Field(default=None, description="A folder that already holds the benchmark files.")
    actor: str = Field(
        default="person", description="Who writes when nobody is named: person, agent:NAME or process:NAME."
    )

    embedder: str = Field(
        default="default", description="'default' (all-MiniLM-L6-v2 from PyPI), 'hash', 'none', or a model name."
    )
    threads: int = Field(default=1, ge=1, description="Threads for the embedder and the vector index.")
    allow_unembedded: bool = Field(
        default=False, description="Store captures even when no embedder works; their vectors wait."
    )
    embed_on_read: int = Field(
        default=512, ge=0, description="How many waiting entries a recall embeds by itself; more are left to `rebuild`."
    )
    batch: int = Field(default=512, ge=1, description="How many captures share one transaction in capture_many.")

    gate: bool = Field(default=True, description="Whether captures are judged (length, credentials, noise).")
    near_duplicate: float = Field(
        default=0.75, ge=0, le=1, description="Cosine from which a live neighbour is named in the receipt."
    )

    candidates: int = Field(default=100, ge=1, description="How many candidates each arm of recall brings.")
    fusion: Literal["learned", "weighted"] = Field(default="learned", description="How the arms are put together.")
    levers_off: tuple[str, ...] = Field(default=(), description="Groups of features that ranking leaves out.")
    decay: bool = Field(default=True, description="Whether older memories rank lower.")
    reranker: str = Field(default="none", description="'none', or the name of a sentence-transformers cross-encoder.")
