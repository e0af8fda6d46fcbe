"""The client, the file system and arrays, against a server that the build starts.

Names of tests are sentences. The server is that of MILLRACE_URL.
"""

import concurrent.futures
import errno
import os
import random
import secrets
import threading
import unittest

import millrace
from millrace import ChangedError, Client

try:
    import fsspec
except ImportError:
    fsspec = None
try:
    import numpy
except ImportError:
    numpy = None

SEED = int(os.environ.get("MILLRACE_SEED", "1"))


class Case(unittest.TestCase):
    def setUp(self):
        self.client = Client()
        self.folder = "python-" + secrets.token_hex(8)
        self.client.make_directory(self.folder)

    def tearDown(self):
        self.client.close()

    def path(self, name):
        return f"{self.folder}/{name}"


class ClientTest(Case):
    def test_a_file_is_read_as_it_was_written(self):
        data = random.Random(SEED).randbytes(3_000_001)
        self.client.write(self.path("a"), data)
        self.assertEqual(self.client.read(self.path("a")), data)
        self.assertEqual(self.client.status(self.path("a"))["size"], len(data))

    def test_ranges_are_those_of_slices(self):
        data = random.Random(SEED).randbytes(10_000)
        self.client.write(self.path("a"), data)
        for start, end in [(0, 1), (5, 5), (9_990, 20_000), (10_000, 10_001), (3, None)]:
            self.assertEqual(self.client.read(self.path("a"), start, end), data[start:end])
        ranges = [(0, 3), (10, 4000), (9_999, 10_000)]
        got = [bytes(part) for part, _ in self.client.read_ranges(self.path("a"), ranges)]
        self.assertEqual(got, [data[a:b] for a, b in ranges])

    def test_more_ranges_than_one_request_holds_are_read(self):
        data = random.Random(SEED).randbytes(200_000)
        self.client.write(self.path("a"), data)
        ranges = [(i * 100, i * 100 + 7) for i in range(1900)]
        got = [bytes(part) for part, _ in self.client.read_ranges(self.path("a"), ranges)]
        self.assertEqual(got, [data[a:b] for a, b in ranges])

    def test_parts_are_written_in_place(self):
        data = bytearray(random.Random(SEED).randbytes(9_000_000))
        self.client.write(self.path("a"), data)
        part = os.urandom(5_000_000)
        self.client.write_at(self.path("a"), 1_234_567, part)
        data[1_234_567:6_234_567] = part
        self.client.write_list(self.path("a"), [(7, b"seven"), (8_000_000, b"eight")])
        data[7:12] = b"seven"
        data[8_000_000:8_000_005] = b"eight"
        self.assertEqual(self.client.read(self.path("a")), data)

    def test_appends_of_many_threads_are_all_there_once(self):
        self.client.write(self.path("a"), b"")
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            wheres = list(
                pool.map(lambda i: self.client.append(self.path("a"), b"%04d" % i), range(80))
            )
        data = self.client.read(self.path("a"))
        self.assertEqual(len(data), 320)
        self.assertEqual([data[at : at + 4] for at in wheres], [b"%04d" % i for i in range(80)])

    def test_counting_with_conditions_loses_nothing(self):
        self.client.write(self.path("n"), b"0")
        lost = threading.Lock()
        conflicts = [0]

        def count(_):
            mine = Client()
            self.addCleanup(mine.close)
            for _ in range(5):
                while True:
                    tag = mine.status(self.path("n"))["etag"]
                    value = int(mine.read(self.path("n")))
                    try:
                        mine.write(self.path("n"), b"%d" % (value + 1), tag=tag, force=False)
                        break
                    except ChangedError:
                        with lost:
                            conflicts[0] += 1

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(count, range(4)))
        self.assertEqual(self.client.read(self.path("n")), b"20")

    def test_errors_are_those_of_python(self):
        missing = self.path("missing")
        self.client.write(self.path("a"), b"x")
        self.client.make_directory(self.path("d"))
        self.client.write(self.path("d/b"), b"x")
        for expected, call in [
            (FileNotFoundError, lambda: self.client.read(missing)),
            (FileNotFoundError, lambda: self.client.remove(missing)),
            (FileExistsError, lambda: self.client.make_directory(self.path("d"))),
            (FileExistsError, lambda: self.client.write(self.path("a"), b"", replace=False)),
            (FileExistsError, lambda: self.client.rename(self.path("a"), self.path("d/b"), False)),
            (IsADirectoryError, lambda: self.client.read(self.path("d"))),
            (IsADirectoryError, lambda: self.client.write(self.path("d"), b"")),
            (NotADirectoryError, lambda: self.client.write(self.path("a/b"), b"")),
            (NotADirectoryError, lambda: list(self.client.list(self.path("a")))),
            (ChangedError, lambda: self.client.write(self.path("a"), b"y", tag='"old"')),
            (ChangedError, lambda: self.client.remove(self.path("a"), tag='"old"')),
        ]:
            with self.subTest(expected=expected), self.assertRaises(expected):
                call()
        with self.assertRaises(OSError) as caught:
            self.client.remove(self.path("d"))
        self.assertEqual(caught.exception.errno, errno.ENOTEMPTY)
        self.assertEqual(caught.exception.code, "NOT_EMPTY")

    def test_a_wrong_token_is_refused(self):
        with self.assertRaises(PermissionError), Client(token="0" * 64) as stranger:
            stranger.read(self.path("a"))

    def test_listings_come_in_pages(self):
        for i in range(12):
            self.client.write(self.path(f"{i:02}"), b"x" * i, force=False)
        listed = {one["name"]: one["size"] for one in self.client.list(self.folder)}
        self.assertEqual(listed, {f"{i:02}": i for i in range(12)})

    def test_names_may_have_any_characters(self):
        for name in ["a b", "ü+%25#?&=;", "'\"<>", "日本", "-"]:
            self.client.write(self.path(name), name.encode())
            self.assertEqual(self.client.read(self.path(name)), name.encode())
            self.client.rename(self.path(name), self.path(name + "2"))
            self.assertIn(name + "2", [one["name"] for one in self.client.list(self.folder)])
        for name in ["..", "a/../b", "x\0y"]:
            with self.assertRaises(OSError):
                self.client.write(self.path(name), b"")


@unittest.skipIf(fsspec is None, "fsspec is not installed")
class FileSystemTest(Case):
    def setUp(self):
        super().setUp()
        millrace.register()
        self.fs = fsspec.filesystem("millrace")
        self.addCleanup(self.fs.client.close)

    def test_a_url_opens_a_file(self):
        with fsspec.open(f"millrace://{self.folder}/deep/er/a.txt", "w") as file:
            file.write("rain\n")
        with fsspec.open(f"millrace://{self.folder}/deep/er/a.txt") as file:
            self.assertEqual(file.read(), b"rain\n")
        self.assertEqual(self.fs.find(self.folder), [self.path("deep/er/a.txt")])

    def test_a_large_file_has_its_name_only_when_it_is_closed(self):
        self.fs.pipe_file(self.path("a"), b"old")
        data = os.urandom(10_000_000)
        with self.fs.open(self.path("a"), "wb", block_size=1 << 20) as file:
            for at in range(0, len(data), 300_000):
                file.write(data[at : at + 300_000])
            self.assertEqual(self.fs.cat_file(self.path("a")), b"old")
            self.assertEqual(self.fs.ls(self.folder, detail=False), [self.path("a")])
        self.assertEqual(self.fs.cat_file(self.path("a")), data)

    def test_a_transaction_that_fails_leaves_nothing(self):
        with self.assertRaises(ZeroDivisionError), self.fs.transaction:
            with self.fs.open(self.path("a"), "wb") as file:
                file.write(b"x")
            1 / 0
        self.assertEqual(list(self.client.list(self.folder, all_names=True)), [])
        with self.fs.transaction:
            with self.fs.open(self.path("a"), "wb") as file:
                file.write(b"x")
            self.assertFalse(self.fs.exists(self.path("a")))
        self.assertEqual(self.fs.cat_file(self.path("a")), b"x")

    def test_appending_goes_to_the_end(self):
        for part in [b"one", b"two"]:
            with self.fs.open(self.path("a"), "ab") as file:
                file.write(part)
        self.assertEqual(self.fs.cat_file(self.path("a")), b"onetwo")

    def test_moves_keep_the_file(self):
        self.fs.pipe_file(self.path("d/a"), b"x")
        number = self.fs.info(self.path("d/a"))["id"]
        self.fs.mv(self.path("d/a"), self.path("e/b"))
        self.assertEqual(self.fs.info(self.path("e/b"))["id"], number)
        self.fs.mv(self.path("e"), self.path("f"), recursive=True)
        self.assertEqual(self.fs.find(self.folder), [self.path("f/b")])


@unittest.skipIf(numpy is None, "numpy is not installed")
class ArrayTest(Case):
    def array(self, name, mode="r", **facts):
        return millrace.open_array(self.path(name), mode, client=self.client, **facts)

    def section(self, rnd, shape):
        index = []
        for size in shape:
            kind = rnd.random()
            if kind < 0.25:
                index.append(rnd.randrange(-size, size))
            elif kind < 0.4:
                index.append(slice(None))
            else:
                ends = [rnd.choice([None, rnd.randrange(-size - 2, size + 2)]) for _ in range(2)]
                index.append(slice(*ends, rnd.choice([None, 1, 2, 3, -1, -2])))
        return tuple(index[: rnd.randrange(1, len(shape) + 1)])

    def test_sections_are_those_of_numpy(self):
        rnd = random.Random(SEED)
        for order in "CF":
            model = numpy.arange(30 * 20 * 6, dtype="<i4").reshape(30, 20, 6)
            made = self.array(
                order + ".npy", "w+", shape=model.shape, dtype="<i4", order=order
            )
            self.assertEqual((made.order, made.ndim, len(made)), (order, 3, 30))
            made[...] = model
            for round_ in range(120):
                index = self.section(rnd, model.shape)
                with self.subTest(seed=SEED, order=order, index=index):
                    got = made[index]
                    numpy.testing.assert_array_equal(got, model[index])
                    self.assertEqual(numpy.shape(got), model[index].shape)
                    if round_ % 3 == 0:
                        value = rnd.randrange(10_000)
                        model[index] = value
                        made[index] = value
            numpy.testing.assert_array_equal(numpy.asarray(made), model)

    def test_a_column_takes_few_requests(self):
        made = self.array("a.npy", "w+", shape=(3000, 9000), dtype="f8")
        calls = []
        call = made._client.call
        made._client.call = lambda *a, **k: calls.append(a) or call(*a, **k)
        made[:, 17] = numpy.arange(3000)
        self.assertEqual(len(calls), 1)
        calls.clear()
        numpy.testing.assert_array_equal(made[:, 17], numpy.arange(3000))
        self.assertLessEqual(len(calls), 6)  # a gap of 72 KB is not worth reading

    def test_numpy_loads_what_was_made(self):
        made = self.array("a.npy", "w+", shape=(4, 5), dtype=">f4")
        made[1:3] = 2.5
        made.flush()
        import io

        loaded = numpy.load(io.BytesIO(self.client.read(self.path("a.npy"))))
        expected = numpy.zeros((4, 5), ">f4")
        expected[1:3] = 2.5
        numpy.testing.assert_array_equal(loaded, expected)

    def test_a_replaced_file_is_noticed(self):
        first = self.array("a.npy", "w+", shape=8, dtype="u1")
        with self.assertRaises(FileExistsError):
            self.array("a.npy", "w+", shape=8, dtype="u1")
        self.array("a.npy", "w+", shape=8, dtype="u1", overwrite=True)
        with self.assertRaises(ChangedError):
            first[2:4]

    def test_wrong_use_is_refused(self):
        made = self.array("a.npy", "w+", shape=(2, 3), dtype="u1")
        for index in [(0, 0, 0), (5,), ([0, 1],), (Ellipsis, Ellipsis)]:
            with self.subTest(index=index), self.assertRaises(IndexError):
                made[index]
        with self.assertRaises(ValueError):
            self.array("a.npy")[0, 0] = 1
        self.client.write(self.path("b.npy"), b"no array at all")
        with self.assertRaises(ValueError):
            self.array("b.npy")


if __name__ == "__main__":
    unittest.main()
