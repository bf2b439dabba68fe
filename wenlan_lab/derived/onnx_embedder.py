"""The bundled model in onnxruntime, from an export of the same weights that is made on first use.

Its vectors are those of SentenceEmbedder (cosine above 0.9999), so it has the same identity and the same stored vectors
serve both. Needs the extra [onnx]. It embeds no faster than SentenceEmbedder; what it saves is importing torch, so a
process has its first vector in a third of the time.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wenlan_lab.derived import bundled_model, loaded_model
from wenlan_lab.derived.loaded_model import Forward, LoadedModel
from wenlan_lab.derived.sentence_embedder import BATCH_TOKENS, SentenceEmbedder
from wenlan_lab.errors import MissingExtra, ProviderUnavailable

if TYPE_CHECKING:
    from wenlan_lab.model.ports import FloatMatrix

OPSET = 17


class OnnxEmbedder(SentenceEmbedder):
    """Implements `Embedder`. The export, 90 MB, is kept in `folder`; making it takes some seconds and needs torch."""

    def __init__(
        self,
        folder: str | Path,
        *,
        threads: int = 1,
        batch_tokens: int = BATCH_TOKENS,
        on_load: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(threads=threads, batch_tokens=batch_tokens, on_load=on_load)
        self._folder = Path(folder)

    def _load_model(self) -> LoadedModel:
        return loaded_model.load_bundled(self._session)

    def _session(self, weights_folder: Path) -> Forward:
        try:
            import onnxruntime
            from onnxruntime.capi import onnxruntime_pybind11_state as raised
        except ImportError as error:
            raise MissingExtra("OnnxEmbedder", "onnx") from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1

        def opened(path: Path) -> Any:
            return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

        path = exported(weights_folder, self._folder)
        try:
            session = opened(path)
        except (raised.InvalidProtobuf, raised.InvalidGraph, raised.Fail):
            path.unlink(missing_ok=True)  # damaged: it can be made again
            session = opened(exported(weights_folder, self._folder))
        return lambda _, ids: _run(session, ids)

    @contextmanager
    def _own_threads(self) -> Iterator[None]:
        """Leave torch alone: the session has its own number."""
        yield


def _run(session: Any, ids: Sequence[Sequence[int]]) -> FloatMatrix:
    """One vector for each text. Shorter texts are padded, and the padding is masked."""
    lengths = np.array([len(text) for text in ids])
    mask = np.arange(lengths.max()) < lengths[:, None]
    tokens = np.zeros(mask.shape, dtype=np.int64)
    tokens[mask] = np.concatenate([np.asarray(text, dtype=np.int64) for text in ids])
    vectors: FloatMatrix = session.run(None, {"input_ids": tokens, "attention_mask": mask.astype(np.int64)})[0]
    return vectors


def exported(weights_folder: Path, folder: Path) -> Path:
    """The ONNX file of the bundled weights in `folder`, made when it isn't there yet.

    The name carries the digest of the weights, so an export of others is never used for them. It appears whole or not
    at all, also when two processes make it at once.
    """
    path = folder / f"{bundled_model.NAME}-{bundled_model.SHA256[:12]}-opset{OPSET}.onnx"
    if path.exists():
        return path
    bundled_model.verified_weights(weights_folder)
    folder.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.partial")
    try:
        _export(weights_folder, partial)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return path


def _export(weights_folder: Path, path: Path) -> None:
    try:
        import torch
        from transformers import AutoModel
        from transformers.utils import logging
    except ImportError as error:
        raise ProviderUnavailable(f"the export to ONNX needs torch and transformers ({error}).") from error
    logging.disable_progress_bar()
    try:
        # Eager attention is made of plain operators, which every runtime has.
        model = AutoModel.from_pretrained(str(weights_folder), attn_implementation="eager").eval()
    finally:
        logging.enable_progress_bar()

    class Sentences(torch.nn.Module):  # type: ignore[misc]
        """The model with its pooling: the mean over the tokens that are no padding, of length 1."""

        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            hidden = self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
            mask = attention_mask.unsqueeze(-1).to(hidden.dtype)
            return torch.nn.functional.normalize((hidden * mask).sum(dim=1) / mask.sum(dim=1), dim=1)

    batch = {0: "texts", 1: "tokens"}
    example = torch.ones((2, 8), dtype=torch.int64)
    with warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")  # the exporter that needs no further package is the older one, and says so
        torch.onnx.export(
            Sentences(),
            (example, example),
            str(path),
            input_names=["input_ids", "attention_mask"],
            output_names=["vectors"],
            dynamic_axes={"input_ids": batch, "attention_mask": batch, "vectors": {0: "texts"}},
            opset_version=OPSET,
            dynamo=False,
        )
