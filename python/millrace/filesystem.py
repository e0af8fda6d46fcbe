"""An fsspec file system for ``millrace://``."""

import datetime
import errno
import os
import secrets

from fsspec.spec import AbstractBufferedFile, AbstractFileSystem

from .client import PART_BYTES, Client

_SECOND = 1_000_000_000


class MillraceFileSystem(AbstractFileSystem):
    """The files of a cluster: ``millrace://dir/file`` is ``dir/file`` below its root.

    Which server, and how to get in, is said by storage options: those of ``Client``, and

    auto_mkdir  makes missing directories above what is written (default)
    durable     whether a file is on disk when it is closed (default), or some time later
    """

    protocol = "millrace"
    root_marker = ""
    cachable = True

    def __init__(
        self,
        url=None,
        token=None,
        token_file=None,
        ca=None,
        cert=None,
        timeout=120,
        auto_mkdir=True,
        durable=True,
        **kwargs,
    ):
        super().__init__(
            url=url,
            token=token,
            token_file=token_file,
            ca=ca,
            cert=cert,
            timeout=timeout,
            auto_mkdir=auto_mkdir,
            durable=durable,
            **kwargs,
        )
        self.auto_mkdir = auto_mkdir
        self.durable = durable
        self.client = Client(url, token, token_file, ca, cert, timeout)

    @property
    def fsid(self):
        return "millrace_" + self.client.url

    # --- names ----------------------------------------------------------------------------------

    def _entry(self, path, told):
        kinds = {"file": "file", "directory": "directory", "link": "link"}
        return {
            "name": path,
            "size": told["size"] if told["kind"] != "directory" else 0,
            "type": kinds.get(told["kind"], "other"),
            "etag": told["etag"],
            "id": told["id"],
            "mode": int(told["permissions"], 8),
            "owner": told["owner"],
            "group": told["group"],
            "mtime": told["modifiedNanos"] / _SECOND,
            "created": told["createdNanos"] / _SECOND,
        }

    def info(self, path, **kwargs):
        path = self._strip_protocol(path)
        return self._entry(path, self.client.status(path))

    def ls(self, path, detail=True, **kwargs):
        path = self._strip_protocol(path)
        told = self.client.status(path)
        if told["kind"] != "directory":
            entries = [self._entry(path, told)]
        else:
            above = path + "/" if path else ""
            entries = [self._entry(above + one["name"], one) for one in self.client.list(path)]
            for entry in entries:
                if entry["type"] == "link":
                    self._follow(entry)
        return entries if detail else [entry["name"] for entry in entries]

    def _follow(self, entry):
        """What a link leads to, as info() says; a link to nowhere stays what it is."""
        try:
            entry.update(self._entry(entry["name"], self.client.status(entry["name"])))
            entry["islink"] = True
        except FileNotFoundError:
            entry["islink"] = True

    def exists(self, path, **kwargs):
        try:
            self.info(path)
            return True
        except (FileNotFoundError, NotADirectoryError):
            return False

    def created(self, path):
        return _time(self.info(path)["created"])

    def modified(self, path):
        return _time(self.info(path)["mtime"])

    def ukey(self, path):
        return self.info(path)["etag"]

    def checksum(self, path):
        return int.from_bytes(self.ukey(path).encode(), "big")

    def mkdir(self, path, create_parents=True, **kwargs):
        path = self._strip_protocol(path)
        parent = self._parent(path)
        if create_parents and parent:
            self.client.make_directory(parent, parents=True)
        self.client.make_directory(path)

    def makedirs(self, path, exist_ok=False):
        path = self._strip_protocol(path)
        if not exist_ok and path:
            self.mkdir(path)
        elif path:
            self.client.make_directory(path, parents=True)

    def rmdir(self, path):
        path = self._strip_protocol(path)
        if self.info(path)["type"] != "directory":
            raise NotADirectoryError(errno.ENOTDIR, "not a directory", path)
        self.client.remove(path)

    def _rm(self, path):
        self.client.remove(self._strip_protocol(path))

    def rm_file(self, path):
        self._rm(path)

    def mv_file(self, path1, path2, **kwargs):
        self._with_parents(path2, lambda to: self.client.rename(self._strip_protocol(path1), to))

    def mv(self, path1, path2, recursive=False, maxdepth=None, **kwargs):
        """Renames in one step where one name becomes one other; else as fsspec does."""
        one = isinstance(path1, (str, os.PathLike)) and isinstance(path2, (str, os.PathLike))
        if one and maxdepth is None and not _is_pattern(path1) and not str(path2).endswith("/"):
            source, to = self._strip_protocol(path1), self._strip_protocol(path2)
            told = self.info(source)
            if not self.isdir(to) and (recursive or told["type"] == "file"):
                self.mv_file(source, to)
                return
        super().mv(path1, path2, recursive=recursive, maxdepth=maxdepth, **kwargs)

    def cp_file(self, path1, path2, **kwargs):
        path1 = self._strip_protocol(path1)
        if self.isdir(path1):
            self.makedirs(path2, exist_ok=True)
            return
        self._with_parents(path2, lambda to: self.client.copy(path1, to, force=self.durable))

    def touch(self, path, truncate=True, **kwargs):
        path = self._strip_protocol(path)
        if truncate or not self.exists(path):
            self.pipe_file(path, b"")
        else:
            self.client.touch(path)

    def _with_parents(self, path, work):
        """Does something with a path; makes the directories above it if that is what is missing."""
        path = self._strip_protocol(path)
        try:
            return work(path)
        except FileNotFoundError:
            parent = self._parent(path)
            if not self.auto_mkdir or not parent or self.exists(parent):
                raise
            self.client.make_directory(parent, parents=True)
            return work(path)

    # --- bytes ----------------------------------------------------------------------------------

    def cat_file(self, path, start=None, end=None, **kwargs):
        path = self._strip_protocol(path)
        if (start is not None and start < 0) or (end is not None and end < 0):
            size = self.info(path)["size"]
            start = max(0, size + start) if start is not None and start < 0 else start
            end = size + end if end is not None and end < 0 else end
        return self.client.read(path, start or 0, end)

    def pipe_file(self, path, value, mode="overwrite", **kwargs):
        self._with_parents(
            path,
            lambda to: self.client.write(
                to, value, replace=mode == "overwrite", force=self.durable
            ),
        )

    def put_file(self, lpath, rpath, callback=None, mode="overwrite", **kwargs):
        if os.path.isdir(lpath):
            self.makedirs(rpath, exist_ok=True)
            return
        size = os.path.getsize(lpath)
        if callback is not None:
            callback.set_size(size)
        to = self._strip_protocol(rpath)
        if self.auto_mkdir and self._parent(to):
            self.client.make_directory(self._parent(to), parents=True)
        with open(lpath, "rb") as file:
            headers = {"Content-Length": str(size)}
            if mode == "create":
                headers["If-None-Match"] = "*"
            query = {} if self.durable else {"force": "false"}
            self.client.call("PUT", to, query, headers, body=_Counted(file, callback))

    def write_range(self, path, position, data):
        """Writes a part of a file that exists, in place."""
        self.client.write_at(self._strip_protocol(path), position, data)

    def _open(
        self,
        path,
        mode="rb",
        block_size=None,
        autocommit=True,
        cache_options=None,
        **kwargs,
    ):
        if mode == "xb" and self.exists(path):
            raise FileExistsError(errno.EEXIST, "the file exists", path)
        return MillraceFile(
            self,
            path,
            mode,
            block_size or PART_BYTES,
            autocommit=autocommit,
            cache_options=cache_options,
            **kwargs,
        )


class MillraceFile(AbstractBufferedFile):
    """A file that is read in ranges, or written as a whole.

    What is written has its name when the file is closed, in one step. A file that fits into a
    block is one request; a larger one goes to a file of another name in the same directory first.
    """

    _fresh = None

    @property
    def _client(self):
        return self.fs.client

    def _fetch_range(self, start, end):
        return self._client.read(self.path, start, end)

    def _initiate_upload(self):
        if self.mode == "ab" and self.fs.exists(self.path):
            self._appends = True
            return
        self._appends = False

    def _upload_chunk(self, final=False):
        data = self.buffer.getvalue()
        if self._appends:
            self._client.append(self.path, data)
        elif final and self._fresh is None and self.autocommit:
            self._whole(data)
        else:
            self._part(data, final)
        return True

    def _whole(self, data):
        mode = "create" if self.mode == "xb" else "overwrite"
        self.fs.pipe_file(self.path, data, mode=mode)

    def _part(self, data, final):
        if self._fresh is None:
            above = self.fs._parent(self.path)
            name = ".millrace-put-" + secrets.token_hex(12)
            self._fresh = f"{above}/{name}" if above else name
            self.fs._with_parents(
                self._fresh, lambda to: self._client.write(to, b"", force=False)
            )
        if data:
            self._client.write_at(self._fresh, self.offset, data)
        if final and self.autocommit:
            self.commit()

    def commit(self):
        if self._fresh is None:
            return
        if self.fs.durable:
            self._client.force(self._fresh)
        try:
            self._client.rename(self._fresh, self.path, replace=self.mode != "xb")
        except OSError:
            self.discard()
            raise
        self._fresh = None

    def discard(self):
        if self._fresh is not None:
            fresh, self._fresh = self._fresh, None
            self._client.remove(fresh)


class _Counted:
    """A local file that is sent, and a callback that is told how far it is."""

    def __init__(self, file, callback):
        self._file = file
        self._callback = callback

    def read(self, size=-1):
        data = self._file.read(size)
        if self._callback is not None:
            self._callback.relative_update(len(data))
        return data


def _time(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)


def _is_pattern(path):
    return any(c in str(path) for c in "*?[")
