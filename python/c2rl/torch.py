"""Policies and datasets of c2rl in PyTorch. Importing this imports torch."""

from __future__ import annotations

from typing import Any, Union

import numpy as np
import torch

from . import _safetensors
from ._errors import InputError

LOG_SPREADS = (-20.0, 2.0)  # between which the logarithms of spreads are cut


class _Network(torch.nn.Module):  # type: ignore[misc]
    """The layers that all heads share, and behind them the heads (docs/policies.md)."""

    def __init__(self, about: dict[str, str], arrays: dict[str, Any]) -> None:
        super().__init__()
        self.activation = {"relu": torch.relu, "tanh": torch.tanh}[about["activation"]]
        self.indexed = about["input"] == "index"
        self.heads = about["heads"].split(",")
        self.parts = torch.nn.ModuleDict({name: self._layers(arrays, name) for name in ["trunk", *self.heads]})
        first = next(part[0] for part in self.parts.values() if len(part) > 0)
        self.inputs = first.in_features

    @staticmethod
    def _layers(arrays: dict[str, Any], name: str) -> torch.nn.ModuleList:
        layers = torch.nn.ModuleList()
        while f"{name}.{len(layers)}.weight" in arrays:
            weight, bias = (arrays[f"{name}.{len(layers)}.{part}"] for part in ("weight", "bias"))
            layer = torch.nn.Linear(weight.shape[1], weight.shape[0], dtype=torch.from_numpy(weight).dtype)
            layer.weight = torch.nn.Parameter(torch.from_numpy(weight))
            layer.bias = torch.nn.Parameter(torch.from_numpy(bias))
            layers.append(layer)
        return layers

    def forward(self, seen: torch.Tensor) -> dict[str, torch.Tensor]:
        """What every head says. Where states are numbered, their numbers; else a row of features each."""
        if self.indexed:
            seen = torch.nn.functional.one_hot(seen.long(), self.inputs).to(next(self.parameters()).dtype)
        shared = seen
        for layer in self.parts["trunk"]:
            shared = self.activation(layer(shared))
        outputs = {}
        for head in self.heads:
            x = shared
            for i, layer in enumerate(self.parts[head]):
                x = layer(x)
                if i + 1 < len(self.parts[head]):
                    x = self.activation(x)
            outputs[head] = x
        return outputs


class _Policy(torch.nn.Module):  # type: ignore[misc]
    """predict as Stable-Baselines3's models have it."""

    def __init__(self, about: dict[str, str], arrays: dict[str, Any]) -> None:
        super().__init__()
        self.network = _Network(about, arrays)
        self.execution = about["execution"]

    def _seen(self, obs: Any) -> tuple[torch.Tensor, bool]:
        given = torch.as_tensor(np.asarray(obs) if not torch.is_tensor(obs) else obs)
        single = given.dim() == (0 if self.network.indexed else 1)
        seen = given.unsqueeze(0) if single else given
        return (seen if self.network.indexed else seen.to(next(self.parameters()).dtype)), single

    def _act(self, seen: torch.Tensor, greedy: bool) -> torch.Tensor:
        raise NotImplementedError

    def predict(self, obs: Any, state: Any = None, episode_start: Any = None,
                deterministic: Union[bool, None] = None) -> tuple[Any, Any]:
        """The action of an observation, or of several. By default as the policy was trained to be followed: greedily or
        drawing."""
        greedy = self.execution == "greedy" if deterministic is None else deterministic
        seen, single = self._seen(obs)
        with torch.no_grad():
            action = self._act(seen, greedy).cpu().numpy()
        return (action[0] if single else action), state


class CategoricalPolicy(_Policy):
    """Numbered actions. Called on observations, it gives the scores (logits), -inf for actions that a state does not have."""

    def __init__(self, about: dict[str, str], arrays: dict[str, Any]) -> None:
        super().__init__(about, arrays)
        self.head = about["policy_head"]
        counts = arrays.get("action_counts")
        self.register_buffer("action_counts", None if counts is None else torch.from_numpy(counts.astype(np.int64)))

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        scores = self.network(seen)[self.head]
        if self.action_counts is None:
            return scores
        count = self.action_counts[seen.long()].unsqueeze(-1)
        return scores.masked_fill(torch.arange(scores.shape[-1], device=scores.device) >= count, -torch.inf)

    def distribution(self, seen: torch.Tensor) -> torch.distributions.Categorical:
        """What a policy that draws its actions draws them with."""
        return torch.distributions.Categorical(logits=self(seen))

    def _act(self, seen: torch.Tensor, greedy: bool) -> torch.Tensor:
        return self(seen).argmax(-1) if greedy else self.distribution(seen).sample()


class GaussianPolicy(_Policy):
    """Actions that are real numbers, meant to be within -1 and 1. Called on observations, it gives the means (after tanh,
    where the policy is squashed): what a greedy one does."""

    def __init__(self, about: dict[str, str], arrays: dict[str, Any]) -> None:
        super().__init__(about, arrays)
        self.squashed = about["squashed"] == "yes"
        spread = arrays.get("log_spread")
        self.log_spread = None if spread is None else torch.nn.Parameter(torch.from_numpy(spread))

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        mean = self.network(seen)["policy"]
        return torch.tanh(mean) if self.squashed else mean

    def distribution(self, seen: torch.Tensor) -> torch.distributions.Normal:
        """Before tanh, where the policy is squashed."""
        outputs = self.network(seen)
        spread = outputs["log_spread"] if self.log_spread is None else self.log_spread.expand_as(outputs["policy"])
        return torch.distributions.Normal(outputs["policy"], spread.clamp(*LOG_SPREADS).exp())

    def _act(self, seen: torch.Tensor, greedy: bool) -> torch.Tensor:
        if greedy:
            return self(seen)
        drawn = self.distribution(seen).sample()
        return torch.tanh(drawn) if self.squashed else drawn


_KINDS = {"network": CategoricalPolicy, "gaussian": GaussianPolicy}


def load_policy(path: Any) -> _Policy:
    """A network that c2rl has saved, as a module with the same outputs, which can be trained on. Its parameters are the
    file's pages, mapped: nothing is copied until it is written to."""
    about, arrays = _safetensors.read_policy(path)
    kind = about.get("kind")
    if kind not in _KINDS:
        what = "has no kind, so that it is no policy" if kind is None else f"is a policy of kind '{kind}'"
        raise InputError(f"{path}: {what}, expected a network: {' or '.join(_KINDS)}")
    try:
        return _KINDS[kind](about, arrays)
    except (KeyError, RuntimeError, StopIteration) as error:
        raise InputError(f"{path}: its network cannot be read: {error!r}") from error


def load_dataset(path: Any) -> tuple[dict[str, str], dict[str, torch.Tensor]]:
    """The metadata of a dataset and its columns as tensors (docs/datasets.md). They are the file's pages, mapped: nothing is
    copied."""
    about, arrays = _safetensors.read(path)
    if about.get("kind") != "dataset":
        raise InputError(f"{path}: has kind {about.get('kind')!r}, expected a dataset, as c2rl collect writes it")
    return about, {name: torch.from_numpy(array) for name, array in arrays.items()}
