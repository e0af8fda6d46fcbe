"""xarray, zarr and h5netcdf over millrace://; each is skipped, with the reason, where it is missing.

Run by `millrace judge python`.
"""

import secrets

import numpy as np
import pytest

fsspec = pytest.importorskip("fsspec")
import millrace  # noqa: E402


@pytest.fixture
def folder():
    millrace.register()
    fs = fsspec.filesystem("millrace")
    path = "judge-" + secrets.token_hex(8)
    fs.mkdir(path)
    yield path
    fs.rm(path, recursive=True)


@pytest.fixture
def data():
    values = np.arange(40 * 50, dtype=np.float64).reshape(40, 50) / 7
    return values


def test_xarray_writes_and_opens_zarr(folder, data):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("zarr")
    made = xarray.Dataset({"t": (("y", "x"), data)}, coords={"x": np.arange(50)})
    store = fsspec.get_mapper(f"millrace://{folder}/z.zarr")
    made.to_zarr(store)
    with xarray.open_zarr(store, chunks=None) as opened:
        assert opened.t.dims == ("y", "x")
        np.testing.assert_array_equal(opened.t[5:7, ::3].values, data[5:7, ::3])
        np.testing.assert_array_equal(opened.t.values, data)
        np.testing.assert_array_equal(opened.x.values, np.arange(50))


def test_xarray_opens_netcdf_by_h5netcdf(folder, data, tmp_path):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    pytest.importorskip("h5py")
    made = xarray.Dataset({"t": (("y", "x"), data)})
    made.to_netcdf(tmp_path / "a.nc", engine="h5netcdf")
    fs = fsspec.filesystem("millrace")
    fs.put(str(tmp_path / "a.nc"), f"{folder}/a.nc")
    with fs.open(f"{folder}/a.nc") as file:
        with xarray.open_dataset(file, engine="h5netcdf") as opened:
            np.testing.assert_array_equal(opened.t.values, data)


def test_zarr_groups_attributes_and_sections(folder, data):
    zarr = pytest.importorskip("zarr")
    store = fsspec.get_mapper(f"millrace://{folder}/g.zarr")
    group = zarr.open_group(store, mode="w")
    array = group.create_dataset("deep/er", shape=data.shape, chunks=(7, 9), dtype="f8")
    array[...] = data
    array.attrs["unit"] = "K"
    array[3:11, 4] = -1.0
    expected = data.copy()
    expected[3:11, 4] = -1.0
    again = zarr.open_group(store, mode="r")
    np.testing.assert_array_equal(again["deep/er"][...], expected)
    assert again["deep/er"].attrs["unit"] == "K"


def test_h5py_reads_a_file_object(folder, data, tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as made:
        made.create_dataset("t", data=data, chunks=(8, 8), compression="gzip")
    fs = fsspec.filesystem("millrace")
    fs.put(str(tmp_path / "a.h5"), f"{folder}/a.h5")
    with fs.open(f"{folder}/a.h5") as file, h5py.File(file, "r") as opened:
        np.testing.assert_array_equal(opened["t"][3:20:2], data[3:20:2])


def test_pandas_writes_and_reads_csv(folder):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    frame.to_csv(f"millrace://{folder}/t.csv", index=False)
    pandas.testing.assert_frame_equal(pandas.read_csv(f"millrace://{folder}/t.csv"), frame)


def test_numpy_saves_and_loads_and_sections_are_views(folder, data):
    fs = fsspec.filesystem("millrace")
    with fs.open(f"{folder}/a.npy", "wb") as file:
        np.save(file, data)
    with fs.open(f"{folder}/a.npy") as file:
        np.testing.assert_array_equal(np.load(file), data)
    array = millrace.open_array(f"millrace://{folder}/a.npy", "r+")
    array[::2, 1] = 0
    data[::2, 1] = 0
    np.testing.assert_array_equal(array[1:-1, ::-4], data[1:-1, ::-4])

