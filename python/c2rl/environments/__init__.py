"""Environments as users have them: what is measured in them, and episodes played in worker processes."""

from .measurements import Event, Measurement, Measurements, Transition
from .play import Episodes
from .workers import WorkerError
from .world import World

__all__ = ["Episodes", "Event", "Measurement", "Measurements", "Transition", "WorkerError", "World"]
