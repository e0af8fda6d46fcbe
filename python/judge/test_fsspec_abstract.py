"""fsspec's own abstract tests (fsspec.tests.abstract), for millrace://.

Run by `millrace judge python`, which starts the server; needs pytest and an fsspec that has them.
"""

import posixpath
import secrets

import pytest

abstract = pytest.importorskip(
    "fsspec.tests.abstract",
    reason="this fsspec has no fsspec.tests.abstract; put a newer one into PYTHONPATH",
)

from millrace.filesystem import MillraceFileSystem  # noqa: E402


class Fixtures(abstract.AbstractFixtures):
    @pytest.fixture
    def fs(self):
        return MillraceFileSystem()

    @pytest.fixture
    def fs_join(self):
        return posixpath.join

    @pytest.fixture
    def fs_path(self, fs):
        path = "judge-" + secrets.token_hex(8)
        fs.mkdir(path)
        yield path
        fs.rm(path, recursive=True)

    @pytest.fixture
    def supports_empty_directories(self):
        return True


class TestCopy(abstract.AbstractCopyTests, Fixtures):
    pass


class TestGet(abstract.AbstractGetTests, Fixtures):
    pass


class TestPut(abstract.AbstractPutTests, Fixtures):
    pass


if hasattr(abstract, "AbstractPipeTests"):  # newer ones have these, too

    class TestPipe(abstract.AbstractPipeTests, Fixtures):
        pass


if hasattr(abstract, "AbstractOpenTests"):

    class TestOpen(abstract.AbstractOpenTests, Fixtures):
        pass
