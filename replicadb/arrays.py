"""Types of arrays, as signatures name them; what their axes are, docstrings say."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.ArrayLike
"""Whatever NumPy makes an array of: checked and converted by whoever takes it."""
Array = npt.NDArray[Any]
"""An array of any type, such as a column of a table."""
Floats = npt.NDArray[np.float64]
Float32s = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Whole = npt.NDArray[np.integer[Any]]
"""Whole numbers of any width: bins, identifiers."""
