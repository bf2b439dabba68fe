"""A forward pass of BERT-like sentence models on a CPU that computes nothing for padding.

The tokens of all texts of a batch lie in one long matrix; only attention looks at one text at a time (texts of the same
length together). Weights are laid out once for the CPU's matrix kernels, and query, key and value are one product. The
results are those of the model's own code up to float32 rounding, whatever else is in the batch. It covers plain BERT
encoders with mean or first-token pooling; for all others `bert_forward` returns None.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wenlan_lab.model.ports import FloatMatrix


@dataclass(frozen=True, slots=True)
class Linear:
    """A product with weights (out, in) and a bias. `packed` says that the weights lie as the CPU's kernels want them."""

    weight: Any
    bias: Any
    packed: bool

    @classmethod
    def of(cls, weights: Mapping[str, Any], *names: str) -> Linear:
        """The linear maps of these names as one, their outputs side by side."""
        import torch

        weight = torch.cat([weights[f"{name}.weight"] for name in names]).float().contiguous()
        bias = torch.cat([weights[f"{name}.bias"] for name in names]).float().contiguous()
        packed = _packed(weight)
        return cls(weight, bias, packed=False) if packed is None else cls(packed, bias, packed=True)

    def __call__(self, x: Any, activation: str = "none") -> Any:
        """Multiply by the transposed weights, add the bias, then apply "gelu" if wanted."""
        import torch

        if self.packed:
            return torch.ops.mkldnn._linear_pointwise(x, self.weight, self.bias, activation, [], "none")
        product = torch.nn.functional.linear(x, self.weight, self.bias)
        return torch.nn.functional.gelu(product) if activation == "gelu" else product


def _packed(weight: Any) -> Any:
    """The weights laid out for oneDNN; None where this torch has no such operator or no kernel for this CPU."""
    import torch

    try:
        packed = torch.ops.mkldnn._reorder_linear_weight(weight, 512)
        probe = torch.linspace(-1, 1, 2 * weight.shape[1]).reshape(2, -1)
        bias = torch.zeros(weight.shape[0])
        got = torch.ops.mkldnn._linear_pointwise(probe, packed, bias, "none", [], "none")
    except (AttributeError, RuntimeError, TypeError):  # an operator that torch keeps to itself may change
        return None
    return packed if torch.allclose(got, torch.nn.functional.linear(probe, weight), atol=1e-4) else None


@dataclass(frozen=True, slots=True)
class Norm:
    """A layer normalisation."""

    weight: Any
    bias: Any
    epsilon: float

    def __call__(self, x: Any) -> Any:
        """Normalise the last axis."""
        import torch

        return torch.nn.functional.layer_norm(x, x.shape[-1:], self.weight, self.bias, self.epsilon)


@dataclass(frozen=True, slots=True)
class Layer:
    """One encoder layer."""

    queries_keys_values: Linear
    attended: Linear
    norm: Norm
    wider: Linear
    narrower: Linear
    last_norm: Norm

    def __call__(self, x: Any, groups: Sequence[tuple[int, int, int]], heads: int) -> Any:
        """Pass on `x`, (tokens, hidden); `groups` are (first row, texts, tokens of each)."""
        import torch

        hidden = x.shape[1]
        mixed, context = self.queries_keys_values(x), torch.empty_like(x)
        for first, texts, length in groups:
            rows = slice(first, first + texts * length)
            q, k, v = mixed[rows].view(texts, length, 3, heads, hidden // heads).permute(2, 0, 3, 1, 4)
            seen = torch.nn.functional.scaled_dot_product_attention(q, k, v)
            context[rows].view(texts, length, heads, hidden // heads).copy_(seen.transpose(1, 2))
        x = self.norm(x + self.attended(context))
        return self.last_norm(x + self.narrower(self.wider(x, "gelu")))


@dataclass(frozen=True, slots=True)
class BertForward:
    """The whole model: embeddings, layers, pooling to unit vectors."""

    words: Any
    positions: Any
    norm: Norm
    layers: tuple[Layer, ...]
    heads: int
    pooling: str

    def __call__(self, ids: Sequence[Sequence[int]]) -> FloatMatrix:
        """float32 (len(ids), hidden), rows of length 1, for token ids with the special ones; every text has some.

        Texts of the same length should stand together: they are attended to in one go.
        """
        import numpy as np
        import torch

        with torch.inference_mode():
            lengths = [len(text) for text in ids]
            tokens = torch.from_numpy(np.concatenate([np.asarray(text, dtype=np.int64) for text in ids]))
            places = torch.from_numpy(np.concatenate([np.arange(length) for length in lengths]))
            x = self.norm(self.words[tokens] + self.positions[places])
            groups = list(_groups(lengths))
            for layer in self.layers:
                x = layer(x, groups, self.heads)
            pooled = torch.cat([self._pool(x[at : at + n * m].view(n, m, -1)) for at, n, m in groups])
            unit: FloatMatrix = torch.nn.functional.normalize(pooled, dim=1).numpy()
            return unit

    def _pool(self, x: Any) -> Any:
        return x[:, 0] if self.pooling == "cls" else x.mean(dim=1)


def _groups(lengths: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """(first row, texts, tokens of each) for runs of the same length."""
    at = 0
    for length, run in groupby(lengths):
        texts = len(list(run))
        yield at, texts, length
        at += texts * length


def bert_forward(weights: Mapping[str, Any], config: Mapping[str, Any], pooling: str) -> BertForward | None:
    """The forward pass of these weights (a BertModel's state dict) and config; None when they are not plain BERT."""
    plain = (
        config.get("model_type") == "bert"
        and config.get("hidden_act") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and not config.get("is_decoder")
        and pooling in ("mean", "cls")
    )
    if not plain:
        return None
    epsilon = float(config["layer_norm_eps"])

    def norm(name: str) -> Norm:
        return Norm(weights[f"{name}.weight"].float(), weights[f"{name}.bias"].float(), epsilon)

    def layer(at: int) -> Layer:
        self_attention, name = f"encoder.layer.{at}.attention.self", f"encoder.layer.{at}"
        return Layer(
            Linear.of(weights, *(f"{self_attention}.{part}" for part in ("query", "key", "value"))),
            Linear.of(weights, f"{name}.attention.output.dense"),
            norm(f"{name}.attention.output.LayerNorm"),
            Linear.of(weights, f"{name}.intermediate.dense"),
            Linear.of(weights, f"{name}.output.dense"),
            norm(f"{name}.output.LayerNorm"),
        )

    # Every token is of type 0, so its embedding is the same summand everywhere.
    positions = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    return BertForward(
        words=weights["embeddings.word_embeddings.weight"].float(),
        positions=positions.float(),
        norm=norm("embeddings.LayerNorm"),
        layers=tuple(layer(at) for at in range(config["num_hidden_layers"])),
        heads=config["num_attention_heads"],
        pooling=pooling,
    )
