"""HTTP to a server of files, with the standard library alone."""

import collections
import errno
import getpass
import http.client
import json
import os
import select
import ssl
import struct
import time
import urllib.parse

from . import errors

DEFAULT_URL = "http://127.0.0.1:7470"
PART_BYTES = 4 << 20  # the server's limit for a partial write
_READ_BYTES = 32 << 20  # one request; smaller ones cost, larger ones cannot be repeated cheaply
_SEND_BYTES = 1 << 20  # of a local file at once
_RANGES = 500  # of one request: more would not fit into its head
_IDLE_SECONDS = 10  # shorter than the server keeps connections


class Client:
    """A server of files. Safe for use by several threads, and after a fork.

    url         where the server is; MILLRACE_URL, or the usual address
    token       what the server has written to its token file
    token_file  where that is; MILLRACE_TOKEN_FILE, or the usual place for the port
    ca          PEM file with the authority of the server's certificate, for https; MILLRACE_CA
    cert        PEM file with a key and a certificate of one's own, instead of a token
    timeout     seconds without a byte after which a request fails
    """

    def __init__(self, url=None, token=None, token_file=None, ca=None, cert=None, timeout=120):
        self.url = (url or os.environ.get("MILLRACE_URL") or DEFAULT_URL).rstrip("/")
        parts = urllib.parse.urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{self.url} is no http:// or https:// address")
        self._host, self._port = parts.hostname, parts.port
        self._timeout = timeout
        self._tls = None
        if parts.scheme == "https":
            self._tls = ssl.create_default_context(cafile=ca or os.environ.get("MILLRACE_CA"))
            self._tls.minimum_version = ssl.TLSVersion.TLSv1_3
            if cert:
                self._tls.load_cert_chain(cert)
        if token is None and not cert:
            token = _read_token(token_file, parts.port)
        self._token = token
        self._pool = (os.getpid(), collections.deque())

    # --- requests -------------------------------------------------------------------------------

    def status(self, path, follow=True):
        """Attributes, as docs/http.md lists them."""
        query = {"stat": ""} if follow else {"stat": "", "follow": "false"}
        return json.loads(self.call("GET", path, query).body)

    def list(self, path, all_names=False):
        """The attributes of everything in a directory, in pages of the server's."""
        after = ""
        while after is not None:
            query = {"after": after, "most": "5000"}
            if all_names:
                query["all"] = "true"
            part = json.loads(self.call("GET", path, query).body)
            if "entries" not in part:
                raise NotADirectoryError(errno.ENOTDIR, "not a directory", path)
            yield from part["entries"]
            after = part["next"]

    def read(self, path, start=0, end=None):
        """Bytes of a file from ``start`` up to ``end``; fewer at the end of the file."""
        if end is not None and end <= start:
            return b""
        last = "" if end is None else end - 1
        headers = {} if start == 0 and end is None else {"Range": f"bytes={start}-{last}"}
        try:
            return _of_file(self.call("GET", path, headers=headers), path).body
        except OSError as e:
            if getattr(e, "code", None) == "HTTP_416":
                return b""
            raise

    def read_into(self, path, start, into):
        """Fills a buffer from a file; returns the tag of the file's state."""
        view = memoryview(into).cast("B")
        tag = None
        for at in range(0, len(view), _READ_BYTES):
            part = view[at : at + _READ_BYTES]
            first = start + at
            headers = {"Range": f"bytes={first}-{first + len(part) - 1}"}
            answer = self.call("GET", path, headers=headers, into=part)
            if _of_file(answer, path).filled != len(part):
                raise EOFError(f"{path} ends before byte {first + len(part)}")
            tag = answer.headers.get("ETag")
        return tag

    def read_ranges(self, path, ranges):
        """Bytes of several ranges, ascending (start, end) that do not overlap, in few requests.

        Yields them in order, each with the tag of the file's state.
        """
        batch, size = [], 0
        for start, end in ranges:
            if batch and (len(batch) == _RANGES or size + end - start > _READ_BYTES):
                yield from self._read_batch(path, batch)
                batch, size = [], 0
            batch.append((start, end))
            size += end - start
        if batch:
            yield from self._read_batch(path, batch)

    def _read_batch(self, path, batch):
        text = ",".join(f"{start}-{end - 1}" for start, end in batch)
        answer = _of_file(self.call("GET", path, headers={"Range": "bytes=" + text}), path)
        tag = answer.headers.get("ETag")
        if answer.status == 200:  # the file is as short as to be all that was asked for
            yield from ((answer.body[start:end], tag) for start, end in batch)
        elif len(batch) == 1:
            yield answer.body, tag
        else:
            yield from ((part, tag) for part in _parts(answer.body, batch))

    def write(self, path, data, replace=True, tag=None, force=True):
        """Writes a whole file: readers see the old one or the new one. Returns its tag."""
        headers = {}
        if not replace:
            headers["If-None-Match"] = "*"
        if tag is not None:
            headers["If-Match"] = tag
        query = {} if force else {"force": "false"}
        try:
            answer = self.call("PUT", path, query, headers, body=data)
        except errors.ChangedError as e:
            if not replace and tag is None:
                raise FileExistsError(errno.EEXIST, "the file exists", path) from e
            raise
        return answer.headers.get("ETag")

    def write_at(self, path, position, data, tag=None):
        """Writes a part of a file that exists; all of it if it is no more than PART_BYTES."""
        view = memoryview(data).cast("B")
        headers = {} if tag is None else {"If-Match": tag}
        for at in range(0, len(view), PART_BYTES):
            part = view[at : at + PART_BYTES]
            answer = self.call("PATCH", path, {"at": str(position + at)}, headers, body=part)
            headers = {} if tag is None else {"If-Match": answer.headers.get("ETag")}

    def write_list(self, path, runs):
        """Writes several (position, bytes) in few requests; ascending, without overlaps."""
        batch, size = [], 0
        for position, data in runs:
            view = memoryview(data).cast("B")
            for at in range(0, len(view), PART_BYTES // 2):
                piece = view[at : at + PART_BYTES // 2]
                cost = len(piece) + 12
                if batch and size + cost + 4 > PART_BYTES:
                    self._write_batch(path, batch)
                    batch, size = [], 0
                batch.append((position + at, piece))
                size += cost
        if batch:
            self._write_batch(path, batch)

    def _write_batch(self, path, batch):
        body = bytearray(struct.pack(">I", len(batch)))
        for position, piece in batch:
            body += struct.pack(">QI", position, len(piece))
        for _, piece in batch:
            body += piece
        self.call("PATCH", path, {"at": "list"}, body=body)

    def append(self, path, data):
        """Appends to a file; returns where. Parts of more than PART_BYTES may be apart."""
        view = memoryview(data).cast("B")
        where = None
        for at in range(0, len(view), PART_BYTES):
            part = view[at : at + PART_BYTES]
            answer = json.loads(self.call("PATCH", path, {"at": "end"}, body=part).body)
            where = answer["position"] if where is None else where
        return where

    def resize(self, path, size):
        self.call("PATCH", path, {"size": str(size)})

    def remove(self, path, tag=None):
        """Removes a file or an empty directory."""
        self.call("DELETE", path, headers={} if tag is None else {"If-Match": tag})

    def make_directory(self, path, parents=False):
        query = {"op": "mkdir", "parents": "true"} if parents else {"op": "mkdir"}
        self.call("POST", path, query)

    def rename(self, path, to, replace=True):
        replacing = "true" if replace else "false"
        self.call("POST", path, {"op": "rename", "to": to, "replace": replacing})

    def copy(self, path, to, replace=True, force=True):
        query = {"op": "copy", "to": to, "replace": "true" if replace else "false"}
        if not force:
            query["force"] = "false"
        self.call("POST", path, query)

    def force(self, path):
        """Makes everything that was written to a file durable."""
        self.call("POST", path, {"op": "force"})

    def touch(self, path):
        self.call("POST", path, {"op": "touch"})

    def close(self):
        """Closes idle connections; the client stays usable."""
        idle = self._connections()
        while idle:
            idle.pop()[0].close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # --- HTTP -----------------------------------------------------------------------------------

    def call(self, method, path, query=None, headers=None, body=None, into=None):
        """One request. Fails with an OSError that says which."""
        target = "/files/" + urllib.parse.quote(path.strip("/"), safe="/")
        if query:
            target += "?" + urllib.parse.urlencode(query)
        fields = dict(headers or {})
        if self._token is not None:
            fields["Authorization"] = "Bearer " + self._token
        if body is not None and hasattr(body, "__len__"):
            fields["Content-Length"] = str(memoryview(body).nbytes)
        elif body is None and method in ("PUT", "PATCH", "POST"):
            fields["Content-Length"] = "0"
        try:
            return self._exchange(method, target, path, fields, body, into)
        except (http.client.HTTPException, ConnectionError, ssl.SSLError) as e:
            message = f"{self.url} does not answer as it should: {type(e).__name__} {e}"
            failure = errors.of("CONNECTION", message, path)
            raise failure from e

    def _exchange(self, method, target, path, fields, body, into):
        connection = self._connection()
        done = False
        try:
            try:
                connection.request(method, target, body=body, headers=fields)
            except (BrokenPipeError, ConnectionResetError):
                if connection.sock is None:
                    raise
                # the server did not want the whole body; it may have said why
            answer = connection.getresponse()
            result = _Answer(answer, into)
            done = not answer.will_close
        finally:
            if done:
                self._give_back(connection)
            else:
                connection.close()
        if result.status >= 400:
            raise _failure(result, path)
        return result

    def _connections(self):
        if self._pool[0] != os.getpid():  # those of the parent are the parent's
            self._pool = (os.getpid(), collections.deque())
        return self._pool[1]

    def _connection(self):
        idle = self._connections()
        while True:
            try:
                connection, since = idle.pop()
            except IndexError:
                break
            fresh = time.monotonic() - since < _IDLE_SECONDS
            if fresh and not select.select([connection.sock], [], [], 0)[0]:
                return connection
            connection.close()
        if self._tls is not None:
            return http.client.HTTPSConnection(
                self._host,
                self._port,
                timeout=self._timeout,
                context=self._tls,
                blocksize=_SEND_BYTES,
            )
        return http.client.HTTPConnection(
            self._host, self._port, timeout=self._timeout, blocksize=_SEND_BYTES
        )

    def _give_back(self, connection):
        self._connections().append((connection, time.monotonic()))

    def __getstate__(self):
        state = dict(self.__dict__)
        state["_pool"] = (0, None)
        if state["_tls"] is not None:
            raise TypeError("a client over TLS cannot be pickled; make one where it is needed")
        return state


class _Answer:
    """An answer that is here as a whole; into the caller's buffer where one was given."""

    def __init__(self, answer, into):
        self.status = answer.status
        self.headers = answer.headers
        self.filled = 0
        self.body = b""
        listed = answer.headers.get("Millrace-Kind") == "directory"
        if into is None or listed or answer.status not in (200, 206):
            self.body = answer.read()
            return
        if answer.status == 200 and answer.length != len(into):
            raise http.client.HTTPException("the server has sent all instead of a part")
        while self.filled < len(into):
            got = answer.readinto(into[self.filled :])
            if got == 0:
                break
            self.filled += got
        if answer.length:
            raise http.client.HTTPException("the server has sent more than was asked for")
        answer.read()


def _failure(result, path):
    try:
        told = json.loads(result.body)
        return errors.of(told["code"], told["message"], path)
    except (ValueError, KeyError, TypeError):
        return errors.of(f"HTTP_{result.status}", f"the server said {result.status}", path)


def _of_file(answer, path):
    if answer.headers.get("Millrace-Kind") == "directory":
        raise IsADirectoryError(errno.EISDIR, "a directory", path)
    return answer


def _parts(body, batch):
    """The bodies of a multipart answer, whose parts are in the order of the request."""
    at = 0
    view = memoryview(body)
    for start, end in batch:
        head = body.index(b"\r\n\r\n", at)
        line = f"Content-Range: bytes {start}-{end - 1}/".encode()
        if line not in body[at : head + 2]:
            raise http.client.HTTPException("the server has sent other ranges than asked for")
        at = head + 4 + end - start
        yield view[head + 4 : at]


def _read_token(token_file, port):
    name = token_file or os.environ.get("MILLRACE_TOKEN_FILE")
    if not name:
        folder = f"millrace-{getpass.getuser()}"  # where Java has temporary files, whatever TMPDIR is
        name = os.path.join(os.sep, "tmp", folder, f"serve-{port or 7470}.token")
    try:
        with open(name, encoding="ascii") as file:
            return file.read().strip()
    except FileNotFoundError as e:
        raise FileNotFoundError(
            errno.ENOENT, "no token: is millrace serve running? give token or token_file", name
        ) from e
