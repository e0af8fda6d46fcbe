"""Errors of the server as exceptions of Python."""

import errno

# Codes of the cluster, as docs/http.md lists them. OSError itself chooses FileNotFoundError,
# PermissionError, FileExistsError, IsADirectoryError and so on by these numbers.
_NUMBERS = {
    "INVALID": errno.EINVAL,
    "NO_SUCH_NAME": errno.ENOENT,
    "NAME_EXISTS": errno.EEXIST,
    "WRONG_KIND": errno.EINVAL,
    "NOT_PERMITTED": errno.EACCES,
    "NOT_OWNER": errno.EPERM,
    "IS_DIRECTORY": errno.EISDIR,
    "NOT_A_DIRECTORY": errno.ENOTDIR,
    "NOT_EMPTY": errno.ENOTEMPTY,
    "LOOP": errno.ELOOP,
    "NAME_TOO_LONG": errno.ENAMETOOLONG,
    "TOO_MANY_LINKS": errno.EMLINK,
    "LOCKED": errno.EAGAIN,
    "DEADLOCK": errno.EDEADLK,
    "DEADLINE": errno.ETIMEDOUT,
    "DISK_FULL": errno.ENOSPC,
    "TOO_LARGE": errno.EFBIG,
    "UNSUPPORTED": errno.EOPNOTSUPP,
    "HTTP_400": errno.EINVAL,
    "HTTP_401": errno.EACCES,
    "HTTP_403": errno.EACCES,
    "HTTP_404": errno.ENOENT,
    "HTTP_413": errno.EFBIG,
    "HTTP_416": errno.EINVAL,
}


class ServerError(OSError):
    """What has no better exception: the cluster, its disks or the connection failed."""


class ChangedError(OSError):
    """A condition does not hold: the file is in another state than the caller has seen."""


def of(code, message, path):
    """The exception for an error; ``code`` stays readable as its attribute."""
    if code == "HTTP_412":
        failure = ChangedError(errno.ESTALE, message, path)
    elif code in _NUMBERS:
        failure = OSError(_NUMBERS[code], message, path)
    else:
        failure = ServerError(errno.EIO, message, path)
    failure.code = code
    return failure
