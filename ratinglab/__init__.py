"""ratinglab: a workbench for ratings committees.

Event files go in through `load`, a rating system is replayed over them by `replay` (a whole history) or `rate` (each
event from its own file), and `score` says how good its forecasts were:

>>> import ratinglab
>>> from ratinglab.sample import individual_circuit
>>> import numpy as np
>>> history, strengths = individual_circuit(np.random.default_rng(7), players=12, events=3, rounds=6)
>>> result = ratinglab.replay(history, ratinglab.Glixo(tau=100))
>>> result.forecasts.shape[0]
108
>>> bool(ratinglab.score(result, metrics=["log_loss"]).loc[0, "log_loss"] < 0.75)
True

Names are imported when they are first used, so that the command line answers at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ratinglab.backtests.backtesting import backtest
    from ratinglab.calibration.calibrating import calibrate
    from ratinglab.checking import check
    from ratinglab.comparison.comparing import compare
    from ratinglab.explaining import explain, rerating
    from ratinglab.formats import load
    from ratinglab.history import History
    from ratinglab.ordering import order_scores
    from ratinglab.problems import InputError, Problem, UsageError
    from ratinglab.proposals.proposing import propose
    from ratinglab.replaying import Replay, rate, replay
    from ratinglab.reports import build_report
    from ratinglab.scheduling import schedule
    from ratinglab.scoring import score
    from ratinglab.seeding.drawing import first_round
    from ratinglab.seeding.seeding import seed
    from ratinglab.systems import DipPouch, Elo, Glixo, Naspa, Nsa, parse

__all__ = [
    "DipPouch",
    "Elo",
    "Glixo",
    "History",
    "InputError",
    "Naspa",
    "Nsa",
    "Problem",
    "Replay",
    "UsageError",
    "backtest",
    "build_report",
    "calibrate",
    "check",
    "compare",
    "explain",
    "first_round",
    "load",
    "order_scores",
    "parse",
    "propose",
    "rate",
    "replay",
    "rerating",
    "schedule",
    "score",
    "seed",
]

_HOMES = {
    "backtests.backtesting": ("backtest",),
    "calibration.calibrating": ("calibrate",),
    "checking": ("check",),
    "comparison.comparing": ("compare",),
    "explaining": ("explain", "rerating"),
    "formats": ("load",),
    "history": ("History",),
    "ordering": ("order_scores",),
    "problems": ("InputError", "Problem", "UsageError"),
    "proposals.proposing": ("propose",),
    "replaying": ("Replay", "rate", "replay"),
    "reports": ("build_report",),
    "scheduling": ("schedule",),
    "scoring": ("score",),
    "seeding.drawing": ("first_round",),
    "seeding.seeding": ("seed",),
    "systems": ("DipPouch", "Elo", "Glixo", "Naspa", "Nsa", "parse"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = globals()[name] = getattr(import_module(f"ratinglab.{_HOME[name]}"), name)
        return value
    raise AttributeError(f"module ratinglab has no attribute {name}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
