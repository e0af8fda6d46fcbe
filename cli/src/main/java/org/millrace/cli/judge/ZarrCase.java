package org.millrace.cli.judge;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.millrace.access.Order;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.array.ElementType;
import org.millrace.array.ElementType.Kind;
import org.millrace.array.Local;
import org.millrace.array.zarr.ChunkKeys;
import org.millrace.array.zarr.Codecs;
import org.millrace.array.zarr.Extension;
import org.millrace.array.zarr.Json;
import org.millrace.array.zarr.ZarrGrid;
import org.millrace.array.zarr.ZarrMetadata;

/**
 * An array that Millrace and a judge exchange. Immutable.
 *
 * @param name also of its directory
 * @param metadata of the array
 * @param isShared whether all its chunks lie in one file that ranks write together
 */
record ZarrCase(String name, ZarrMetadata metadata, boolean isShared) {

  private static final List<ElementType> TYPES =
      List.of(
          ElementType.BOOL,
          ElementType.INT8,
          ElementType.INT16,
          ElementType.INT32,
          ElementType.INT64,
          ElementType.UINT8,
          ElementType.UINT16,
          ElementType.UINT32,
          ElementType.UINT64,
          new ElementType(Kind.FLOAT, 2, ByteOrder.LITTLE_ENDIAN),
          ElementType.FLOAT32,
          ElementType.FLOAT64,
          ElementType.COMPLEX64,
          ElementType.COMPLEX128,
          ElementType.raw(3));

  /** The sizes of the array as memory has them. */
  Shape shape() {
    List<Long> dims = metadata.grid().shape();
    return new Shape(dims.isEmpty() ? List.of(1L) : dims, Order.ROW_MAJOR);
  }

  boolean isSharded() {
    return metadata.codecs().stream().anyMatch(codec -> codec.name().equals("sharding_indexed"));
  }

  Section whole() {
    return Section.whole(shape());
  }

  /** The elements row by row, in an order of bytes. */
  byte[] elements(ByteOrder order) {
    ElementType type = metadata.type();
    ByteBuffer out = ByteBuffer.allocate((int) shape().bytes(type.bytes())).order(order);
    for (int i = 0; i < shape().elements(); i++) {
      switch (type.kind()) {
        case BOOL -> out.put((byte) (i % 3 == 0 ? 1 : 0));
        case INT, UINT -> putWhole(out, type.bytes(), 0x0102030405060708L * (i + 1));
        case FLOAT -> putFloat(out, type.wordBytes(), (i - 3) / 2.0);
        case COMPLEX -> {
          putFloat(out, type.wordBytes(), (i - 3) / 2.0);
          putFloat(out, type.wordBytes(), i);
        }
        case RAW, OPAQUE -> {
          for (int b = 0; b < type.bytes(); b++) {
            out.put((byte) (i * 7 + b));
          }
        }
      }
    }
    return out.array();
  }

  private static void putWhole(ByteBuffer out, int bytes, long value) {
    switch (bytes) {
      case 1 -> out.put((byte) value);
      case 2 -> out.putShort((short) value);
      case 4 -> out.putInt((int) value);
      default -> out.putLong(value);
    }
  }

  private static void putFloat(ByteBuffer out, int bytes, double value) {
    switch (bytes) {
      case 2 -> out.putShort(Float.floatToFloat16((float) value));
      case 4 -> out.putFloat((float) value);
      default -> out.putDouble(value);
    }
  }

  /** The elements in memory, as the file has them. */
  Local local() {
    return Local.of(MemorySegment.ofArray(elements(metadata.type().order())), shape());
  }

  /** All arrays. */
  static List<ZarrCase> all() {
    List<ZarrCase> all = new ArrayList<>();
    for (ElementType type : TYPES) {
      all.add(shared("shared-" + safe(type), Shape.rowMajor(5, 7), type, 2, 3));
      all.add(chunked("chunks-" + safe(type), Shape.rowMajor(5, 7), type, 2, 3));
    }
    ElementType real = ElementType.FLOAT64;
    ElementType big = ElementType.INT32.withOrder(ByteOrder.BIG_ENDIAN);
    all.add(shared("shared-columns", Shape.columnMajor(5, 7), real, 2, 3));
    all.add(shared("shared-one-dimension", Shape.rowMajor(11), real, 4));
    all.add(shared("shared-three-dimensions", Shape.rowMajor(3, 4, 5), real, 2, 2, 2));
    all.add(shared("shared-columns-of-three", Shape.columnMajor(3, 4, 5), real, 2, 3, 2));
    all.add(shared("shared-one-chunk", Shape.rowMajor(3, 4), real, 3, 4));
    all.add(shared("shared-large-chunk", Shape.rowMajor(3, 4), real, 10, 10));
    all.add(shared("shared-big-endian", Shape.rowMajor(5, 7), big, 2, 3));
    all.add(chunked("chunks-big-endian", Shape.rowMajor(5, 7), big, 2, 3));
    all.add(chunked("chunks-columns", Shape.columnMajor(5, 7), real, 2, 3));
    ZarrMetadata plain = chunked("", Shape.rowMajor(4, 6, 5), real, 2, 3, 4).metadata;
    Extension bytes = Codecs.bytes(real);
    all.add(with("transposed", plain, Codecs.transpose(2, 0, 1), bytes));
    all.add(with("gzip", plain, bytes, Codecs.gzip(5)));
    all.add(with("crc32c", plain, bytes, Codecs.crc32c()));
    all.add(with("zstd", plain, bytes, Codecs.zstd(3)));
    all.add(with("gzip-crc32c", plain, bytes, Codecs.gzip(1), Codecs.crc32c()));
    all.add(with("transposed-zstd", plain, Codecs.transpose(1, 2, 0), bytes, Codecs.zstd(3)));
    List<Long> small = List.of(1L, 3L, 2L);
    all.add(with("shards", plain, Codecs.sharding(small, List.of(bytes))));
    all.add(with("shards-gzip", plain, Codecs.sharding(small, List.of(bytes, Codecs.gzip(5)))));
    all.add(with("shards-zstd", plain, Codecs.sharding(small, List.of(bytes, Codecs.zstd(3)))));
    ZarrGrid grid = plain.grid();
    all.add(keys("dots", plain, grid, new ChunkKeys("default", ".")));
    all.add(
        new ZarrCase(
            "attributes",
            plain.withAttributes(
                Json.Obj.EMPTY
                    .with("unit", new Json.Str("\u00b5m \"quoted\""))
                    .with("list", Json.numbers(List.of(1L, 2L)))),
            false));
    ZarrGrid none = new ZarrGrid(List.of(), List.of(), ChunkKeys.DEFAULT, List.of());
    all.add(new ZarrCase("no-dimensions", plain.withGrid(none), false));
    return all;
  }

  private static String safe(ElementType type) {
    return type.descr().substring(1);
  }

  private static ZarrCase shared(String name, Shape shape, ElementType type, long... chunk) {
    return new ZarrCase(name, ZarrMetadata.shared(shape, type, chunk), true);
  }

  private static ZarrCase chunked(String name, Shape shape, ElementType type, long... chunk) {
    return new ZarrCase(name, ZarrMetadata.chunked(shape, type, chunk), false);
  }

  private static ZarrCase with(String name, ZarrMetadata plain, Extension... codecs) {
    return new ZarrCase(name, plain.withCodecs(List.of(codecs)), false);
  }

  private static ZarrCase keys(String name, ZarrMetadata plain, ZarrGrid grid, ChunkKeys keys) {
    ZarrGrid other =
        new ZarrGrid(
            grid.shape(),
            grid.chunk(),
            keys,
            List.of(Optional.of("z"), Optional.of("y"), Optional.of("x")));
    return new ZarrCase(name, plain.withGrid(other), false);
  }
}
