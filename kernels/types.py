"""Names for arrays by dtype, and for expressions that pass between kernels and their callers."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Bools: TypeAlias = NDArray[np.bool_]
F64: TypeAlias = NDArray[np.float64]
I8: TypeAlias = NDArray[np.int8]
I16: TypeAlias = NDArray[np.int16]
I32: TypeAlias = NDArray[np.int32]
I64: TypeAlias = NDArray[np.int64]
U8: TypeAlias = NDArray[np.uint8]
U16: TypeAlias = NDArray[np.uint16]
U32: TypeAlias = NDArray[np.uint32]
U64: TypeAlias = NDArray[np.uint64]

Postfix: TypeAlias = tuple[str | int, ...]
"""An expression in postfix order: term names and operators as text, constants as int.

Operators: ``< <= == != >= >`` (give 0 or 1), ``+ - *``, ``neg`` (unary minus), ``not``, ``and``,
``or``. Any other text is a term. The expression holds where its value is not zero.
``HCP >= 15`` is ``("HCP", 15, ">=")``.
"""
