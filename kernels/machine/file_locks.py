"""Files and folders that one process at a time may hold."""

import sys


def try_lock(handle: int) -> bool:
    """Lock what is open for this process; false if another one has it.

    The system lets go of it when the process ends, in whatever way.

    Parameters
    ----------
    handle : int
        Number of the open file; under POSIX also of a folder.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryFile() as lock:
    ...     try_lock(lock.fileno())
    True
    """
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
