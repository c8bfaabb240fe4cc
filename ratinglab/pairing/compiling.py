"""Compiling what cannot be vectorized: numba where it is installed, the same functions as they stand where it is not.

The results are the same, digit for digit: what is compiled works on whole numbers and comparisons alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

try:
    if os.environ.get("RATINGLAB_COMPILE") == "0":
        raise ImportError("compiling is switched off")
    from numba import njit

    COMPILED = True
except ImportError:
    COMPILED = False


def compiled(function: Function) -> Function:
    """The function, compiled when it is first called; RATINGLAB_COMPILE=0 leaves it as it is."""
    if not COMPILED:
        return function
    made: Any = njit(cache=True)(function)
    return cast(Function, made)
