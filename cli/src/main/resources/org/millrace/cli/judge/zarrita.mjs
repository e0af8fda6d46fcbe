// What zarrita says of arrays. Each line of the list has a name; metadata/NAME.json is the array's
// zarr.json, elements/NAME its elements row by row, in little-endian order.
//   node zarrita.mjs read LIST ARRAYS    reads ARRAYS/NAME and compares
//   node zarrita.mjs write LIST ARRAYS   writes ARRAYS/NAME
// Prints a line for each: passed, failed or unsupported, TAB, name, TAB, reason.
import * as fs from "node:fs";
import * as path from "node:path";
import * as zarr from "zarrita";
import FileSystemStore from "@zarrita/storage/fs";

const [what, list, arrays] = process.argv.slice(2);
const home = path.dirname(list);

function typed(bytes, type) {
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const kinds = {
    int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
    uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array,
    float32: Float32Array, float64: Float64Array,
  };
  if (type === "bool") return new zarr.BoolArray(buffer);
  if (!(type in kinds)) throw new Error("Unknown or unsupported dataType: " + type);
  return new kinds[type](buffer);
}

// The elements row by row: what zarrita returns may have its dimensions in another order.
function plain(got) {
  const count = got.shape.reduce((all, one) => all * one, 1);
  const isBool = got.data instanceof zarr.BoolArray;
  const rows = isBool ? new Uint8Array(count) : new got.data.constructor(count);
  const index = new Array(got.shape.length).fill(0);
  for (let i = 0; i < count; i++) {
    const from = index.reduce((sum, one, d) => sum + one * got.stride[d], 0);
    rows[i] = isBool ? (got.data.get(from) ? 1 : 0) : got.data[from];
    for (let d = index.length - 1; d >= 0 && ++index[d] === got.shape[d]; d--) index[d] = 0;
  }
  return Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength);
}

function strides(shape) {
  const result = new Array(shape.length);
  let step = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    result[d] = step;
    step *= shape[d];
  }
  return result;
}

async function read(name, metadata, elements) {
  const store = new FileSystemStore(path.join(arrays, name));
  const array = await zarr.open.v3(store, { kind: "array" });
  const wanted = JSON.stringify(metadata.attributes ?? {});
  if (JSON.stringify(array.attrs) !== wanted) {
    throw new Error("attributes " + JSON.stringify(array.attrs) + ", not " + wanted);
  }
  const got = await zarr.get(array);
  if (metadata.shape.length === 0) { // a value, no array
    const value = typed(elements, metadata.data_type)[0];
    if (value !== got) throw new Error(got + ", not " + value);
    return;
  }
  const found = plain(got);
  if (Buffer.compare(found, elements) !== 0) {
    let at = 0;
    while (found[at] === elements[at]) at++;
    throw new Error("byte " + at + " of " + elements.length + " differs");
  }
}

async function write(name, metadata, elements) {
  const store = new FileSystemStore(path.join(arrays, name));
  const array = await zarr.create(store, {
    shape: metadata.shape,
    chunkShape: metadata.chunk_grid.configuration.chunk_shape,
    dtype: metadata.data_type,
    codecs: metadata.codecs,
    fillValue: metadata.fill_value,
    chunkSeparator: metadata.chunk_key_encoding.configuration.separator,
    attributes: metadata.attributes,
  });
  const data = typed(elements, metadata.data_type);
  const all = { data, shape: metadata.shape, stride: strides(metadata.shape) };
  await zarr.set(array, null, metadata.shape.length === 0 ? data[0] : all);
}

for (const name of fs.readFileSync(list, "utf8").split("\n").filter((one) => one !== "")) {
  const metadata = JSON.parse(fs.readFileSync(path.join(home, "metadata", name + ".json"), "utf8"));
  const elements = fs.readFileSync(path.join(home, "elements", name));
  try {
    await (what === "read" ? read : write)(name, metadata, elements);
    console.log("passed\t" + name + "\t");
  } catch (error) {
    let message = String(error.message);
    for (let cause = error.cause; cause; cause = cause.cause) message += ": " + cause.message;
    message = message.replace(/\s+/g, " ");
    const missing = /unsupported|not implemented|unimplemented|not supported|not yet/i.test(message);
    console.log((missing ? "unsupported" : "failed") + "\t" + name + "\t" + message);
  }
}
