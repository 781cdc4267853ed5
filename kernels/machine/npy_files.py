"""``.npy`` files, whose errors are those of the system."""

from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray


def write_npy(file: IO[bytes], values: NDArray[Any]) -> None:
    """Write an array as :func:`numpy.save` does, byte for byte.

    numpy writes past Python's file, and says of a full disk no more than how much it wrote.

    Parameters
    ----------
    file : binary file
    values : array of numbers
        Any shape but a single number.

    Raises
    ------
    OSError
        If the system cannot write, with its reason.

    Examples
    --------
    >>> import io
    >>> ours, of_numpy, values = io.BytesIO(), io.BytesIO(), np.arange(6).reshape(2, 3)
    >>> write_npy(ours, values)
    >>> np.save(of_numpy, values)
    >>> ours.getvalue() == of_numpy.getvalue()
    True
    """
    values = np.ascontiguousarray(values)
    write_npy_head(file, values.dtype, values.shape)
    file.write(values.data)


def write_npy_head(file: IO[bytes], kind: "np.dtype[Any]", shape: tuple[int, ...]) -> None:
    """Write what stands before the values."""
    described = {"descr": npy.dtype_to_descr(kind), "fortran_order": False, "shape": shape}
    npy.write_array_header_1_0(file, described)
