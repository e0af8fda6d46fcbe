"""The files of a Millrace cluster, through ``millrace serve``.

``Client`` speaks HTTP and needs the standard library alone. ``MillraceFileSystem`` is an fsspec
file system for ``millrace://`` (needs fsspec), ``open_array`` gives NumPy views of ``.npy`` files
(needs numpy).
"""

from .client import Client
from .errors import ChangedError, ServerError

__all__ = ["ChangedError", "Client", "ServerError", "open_array", "register"]


def open_array(path, mode="r", **options):
    """An array in a ``.npy`` file; see ``millrace.array.open_array``."""
    from .array import open_array as opened

    return opened(path, mode, **options)


def register():
    """Makes fsspec know ``millrace://`` where the package is used without being installed."""
    import fsspec

    from .filesystem import MillraceFileSystem

    fsspec.register_implementation("millrace", MillraceFileSystem, clobber=True)
