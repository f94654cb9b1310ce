"""Oracles that bring other people's learners. Importing this imports none of them."""

from .stable_baselines3 import StableBaselines3

__all__ = ["StableBaselines3"]
