"""Convex-constrained reinforcement learning: mixtures of policies that satisfy constraints, or a proof that none can."""

from typing import TYPE_CHECKING, Any

from . import sets
from ._core import version as __version__
from ._dataset import Dataset, collect
from ._errors import InputError, Interrupted, OracleError
from ._experiment import Experiment, experiment
from ._mix import mix
from ._model import Model
from ._oracle import Answer, Episodes
from ._policy import MixedPolicy, Policy
from ._problem import Problem
from ._result import Certificate, Check, Claim, Member, Optimum, Result, Verification, load, verify
from ._solve import solve
from ._solver import Mixture, Solver
from ._target import Target, target

if TYPE_CHECKING:
    from . import environments, oracles
    from .environments import Event, Measurement

__all__ = ["Answer", "Certificate", "Check", "Claim", "Dataset", "Episodes", "Event", "Experiment", "InputError", "Interrupted", "Measurement",
           "Member", "MixedPolicy", "Mixture", "Model", "Optimum", "OracleError", "Policy", "Problem", "Result", "Solver", "Target",
           "Verification", "__version__", "collect", "environments", "experiment", "load", "mix", "oracles", "plot", "sets",
           "solve", "target", "torch", "verify"]


def __getattr__(name: str) -> Any:
    """What not everyone needs, or what imports large packages, when it is asked for."""
    import importlib

    if name in ("environments", "oracles", "plot", "torch"):
        return importlib.import_module(f"{__name__}.{name}")
    if name in ("Event", "Measurement"):
        return getattr(importlib.import_module(f"{__name__}.environments"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
