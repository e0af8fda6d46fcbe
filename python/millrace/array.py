"""Arrays in ``.npy`` files, read and written in sections."""

import io
import operator
import secrets

import numpy as np

from .client import Client
from .errors import ChangedError

_HEAD_BYTES = 16 << 10  # more than NumPy allows a header to have
_GAP_BYTES = 16 << 10  # reading so much too much costs less than another range
_GROUP_BYTES = 32 << 20  # of gaps and all, in memory at once


def open_array(
    path, mode="r", shape=None, dtype=None, order="C", client=None, overwrite=False, **options
):
    """An array in a ``.npy`` file of a cluster; nothing but its header is read.

    mode      "r" to read, "r+" to read and write sections, "w+" to make it, filled with zeros
    shape, dtype, order  of an array that is made
    overwrite whether an array that is made may replace a file; readers of that one keep it
    client    a Client; or its arguments, such as url and token_file
    """
    path = path[len("millrace://") :] if path.startswith("millrace://") else path
    client = client or Client(**options)
    if mode == "w+":
        _make(client, path, shape, np.dtype(dtype), order, overwrite)
    elif mode not in ("r", "r+"):
        raise ValueError(f"mode is {mode!r}, must be 'r', 'r+' or 'w+'")
    return Array(client, path, mode != "r")


def _make(client, path, shape, dtype, order, overwrite):
    if shape is None or dtype.hasobject or order not in ("C", "F"):
        raise ValueError("an array that is made needs a shape, a dtype without objects, order C or F")
    shape = tuple(shape) if np.iterable(shape) else (shape,)
    head = io.BytesIO()
    facts = {
        "descr": np.lib.format.dtype_to_descr(dtype),
        "fortran_order": order == "F",
        "shape": tuple(operator.index(n) for n in shape),
    }
    np.lib.format.write_array_header_1_0(head, facts)
    size = head.tell() + int(np.prod(shape, dtype=object)) * dtype.itemsize
    above, slash, _ = path.rpartition("/")
    fresh = above + slash + ".millrace-put-" + secrets.token_hex(12)
    client.write(fresh, head.getvalue(), force=False)
    try:
        client.resize(fresh, size)
        client.rename(fresh, path, replace=overwrite)
    except OSError:
        client.remove(fresh)
        raise


class Array:
    """An array that lies in a file. Indexing reads, assigning writes; both with ints, slices and
    an ellipsis. ``numpy.asarray`` reads all of it. Safe for use by several threads.

    What others write is seen by the next read. If the file is replaced by another one, reads fail
    with ChangedError.
    """

    def __init__(self, client, path, writable):
        self._client = client
        self._path = path
        self._writable = writable
        self._id = client.status(path)["id"]
        head = io.BytesIO(client.read(path, 0, _HEAD_BYTES))
        version = np.lib.format.read_magic(head)
        if version == (1, 0):
            facts = np.lib.format.read_array_header_1_0(head)
        elif version == (2, 0):
            facts = np.lib.format.read_array_header_2_0(head)
        else:
            raise ValueError(f"{path} has version {version} of the .npy format, not 1.0 or 2.0")
        self.shape, fortran, self.dtype = facts
        if self.dtype.hasobject:
            raise ValueError(f"{path} has Python objects, which are never loaded")
        self.order = "F" if fortran else "C"
        self._start = head.tell()

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return int(np.prod(self.shape, dtype=object))

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self.size * self.itemsize

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of an array without dimensions")
        return self.shape[0]

    def __repr__(self):
        return f"<millrace array {self._path!r} {self.shape} {self.dtype} order {self.order}>"

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("what is read from a file is always a copy")
        whole = self[...]
        return np.asarray(whole) if dtype is None else np.asarray(whole, dtype=dtype)

    def flush(self):
        """Makes everything that was written durable."""
        self._client.force(self._path)

    def __getitem__(self, index):
        plan = _Plan(self, index)
        if plan.is_empty():
            return plan.shown(np.empty(plan.read_shape, self.dtype))
        out = np.empty(plan.count * plan.run_bytes, np.uint8)
        self._read(plan, memoryview(out))
        return plan.shown(out.view(self.dtype).reshape(plan.read_shape))

    def __setitem__(self, index, value):
        if not self._writable:
            raise ValueError("the array was opened for reading; open it with 'r+'")
        plan = _Plan(self, index, exact=True)
        # broadcasts in the caller's order of axes, then in that of the file
        shape = plan.shown(np.empty(plan.read_shape, np.uint8)).shape
        values = np.broadcast_to(np.asarray(value, self.dtype), shape)
        if plan.is_empty():
            return
        data = np.empty(plan.read_shape, self.dtype)
        plan.shown(data)[...] = values
        rows = memoryview(data.reshape(-1).view(np.uint8)) if data.size else b""
        self._client.write_list(self._path, self._runs(plan, rows))

    def _runs(self, plan, rows):
        """What is written, with neighbours in one piece."""
        length = plan.run_bytes
        offsets = plan.offsets()
        breaks = np.flatnonzero(np.diff(offsets) != length) + 1
        for first, end in zip([0, *breaks.tolist()], [*breaks.tolist(), len(offsets)]):
            yield self._start + int(offsets[first]), rows[first * length : end * length]

    def _read(self, plan, out):
        length = plan.run_bytes
        offsets = plan.offsets()
        groups = list(_groups(offsets, length))
        large = [g for g in groups if g[1] - g[0] == 1 and length > _GROUP_BYTES]
        if large:
            for first, _ in groups:
                at = self._start + int(offsets[first])
                part = out[first * length : (first + 1) * length]
                self._check(self._client.read_into(self._path, at, part))
            return
        if len(groups) == 1 and (groups[0][1] - 1) * length == offsets[-1] - offsets[0]:
            self._check(self._client.read_into(self._path, self._start + int(offsets[0]), out))
            return
        ranges = [
            (self._start + int(offsets[a]), self._start + int(offsets[b - 1]) + length)
            for a, b in groups
        ]
        for (a, b), (data, tag) in zip(groups, self._client.read_ranges(self._path, ranges)):
            self._check(tag)
            base = int(offsets[a])
            for i in range(a, b):
                at = int(offsets[i]) - base
                out[i * length : (i + 1) * length] = data[at : at + length]

    def _check(self, tag):
        """The tag begins with the file's number, as docs/http.md says."""
        if int(tag.strip('"').split("-")[0], 16) != self._id:
            raise ChangedError(f"{self._path} was replaced by another file; open it again")


def _groups(offsets, length):
    """Which runs are read together: those with small gaps between them."""
    gaps = np.diff(offsets) - length
    first = 0
    for at in np.flatnonzero(gaps > _GAP_BYTES).tolist() + [len(offsets) - 1]:
        end = at + 1
        while first < end:
            limit = int(offsets[first]) + max(_GROUP_BYTES, length)
            stop = int(np.searchsorted(offsets[first:end] + length, limit, side="right"))
            stop = first + max(1, stop)
            yield first, stop
            first = stop


class _Plan:
    """Which bytes an index selects: equal runs, at offsets in the order of the file.

    The axes are those of the file, the slowest first. Behind the last axis that is not taken as a
    whole all axes are; that axis is read from its first to its last element (with exact only if
    the elements are neighbours, else each element is a run), the axes before it element by element.
    """

    def __init__(self, array, index, exact=False):
        starts, counts, steps, self._flips, self._drop = _normalized(index, array.shape)
        self._fortran = array.order == "F"
        sizes = list(array.shape)
        if self._fortran:
            for one in (starts, counts, steps, sizes):
                one.reverse()
        item = array.itemsize
        strides = [item] * len(sizes)
        for axis in range(len(sizes) - 2, -1, -1):
            strides[axis] = strides[axis + 1] * sizes[axis + 1]
        axis = len(sizes) - 1
        while axis >= 0 and counts[axis] == sizes[axis] and steps[axis] == 1:
            axis -= 1
        axis = max(axis, 0)
        dense = list(counts)
        self._picks = [slice(None)] * len(sizes)
        self._outer = list(range(axis))
        self.run_bytes = item
        if sizes:
            if steps[axis] == 1 or not exact:
                if counts[axis] > 1 and steps[axis] > 1:
                    dense[axis] = (counts[axis] - 1) * steps[axis] + 1
                    self._picks[axis] = slice(None, None, steps[axis])
                self.run_bytes = dense[axis] * strides[axis]
            else:
                self._outer.append(axis)
                self.run_bytes = strides[axis]
        self._starts, self._counts, self._steps, self._strides = starts, counts, steps, strides
        self.read_shape = tuple(dense)
        self.count = int(np.prod([counts[a] for a in self._outer], dtype=object))
        inner = [a for a in range(len(sizes)) if a not in self._outer]
        self._base = sum(starts[a] * strides[a] for a in inner)

    def is_empty(self):
        return 0 in self._counts or self.run_bytes == 0

    def offsets(self):
        """Where runs begin, ascending."""
        found = np.array([self._base], np.int64)
        for axis in self._outer:
            places = self._starts[axis] + self._steps[axis] * np.arange(self._counts[axis])
            found = np.add.outer(found, places * self._strides[axis]).reshape(-1)
        return found

    def shown(self, dense):
        """A view of what was read as the caller has asked for it."""
        view = dense[tuple(self._picks)] if self._picks else dense
        view = view.T if self._fortran else view
        view = view[tuple(self._flips)] if self._flips else view
        kept = tuple(0 if drop else slice(None) for drop in self._drop)
        return view[kept] if kept else view[()] if not view.shape else view


def _normalized(index, shape):
    """An index as starts, counts and positive steps; which axes are turned, and which go."""
    index = index if isinstance(index, tuple) else (index,)
    if any(one is None or isinstance(one, (list, np.ndarray)) for one in index):
        raise IndexError("only ints, slices and an ellipsis select a section; read, then select")
    ellipses = [i for i, one in enumerate(index) if one is Ellipsis]
    if len(ellipses) > 1:
        raise IndexError("an index has one ellipsis at most")
    at = ellipses[0] if ellipses else len(index)
    given = len(index) - len(ellipses)
    if given > len(shape):
        raise IndexError(f"{given} indices for {len(shape)} dimensions")
    full = index[:at] + (slice(None),) * (len(shape) - given) + index[at + 1 :]
    starts, counts, steps, flips, drop = [], [], [], [], []
    for one, size in zip(full, shape):
        if isinstance(one, slice):
            start, stop, step = one.indices(size)
            count = len(range(start, stop, step))
            flips.append(slice(None, None, -1) if step < 0 else slice(None))
            if step < 0:
                start, step = start + (count - 1) * step, -step
            drop.append(False)
        else:
            start = operator.index(one)
            if not -size <= start < size:
                raise IndexError(f"index {start} is out of bounds of {size}")
            start, count, step = start % size, 1, 1
            flips.append(slice(None))
            drop.append(True)
        starts.append(start if count else 0)
        counts.append(count)
        steps.append(step if count > 1 else 1)
    return starts, counts, steps, flips, drop
