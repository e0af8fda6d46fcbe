# What a Python library says of arrays: python3 zarr_python.py zarr|tensorstore LIST ARRAYS
# Prints a line for each, as zarrita.mjs does.
import json
import os
import sys

import numpy


def read(library, path):
    if library == "zarr":
        import zarr

        return zarr.open_array(path, mode="r")[...]
    import tensorstore

    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": path}}
    return tensorstore.open(spec).result().read().result()


library, names, arrays = sys.argv[1:]
home = os.path.dirname(names)
for name in open(names).read().split():
    metadata = json.load(open(os.path.join(home, "metadata", name + ".json")))
    elements = open(os.path.join(home, "elements", name), "rb").read()
    try:
        found = numpy.asarray(read(library, os.path.join(arrays, name)))
        little = found.astype(found.dtype.newbyteorder("<")).tobytes()
        same = little == elements and list(found.shape) == metadata["shape"]
        print(("passed" if same else "failed") + "\t" + name + "\t" + ("" if same else "differs"))
    except Exception as e:
        print("failed\t" + name + "\t" + " ".join(str(e).split()))
