package org.millrace.array.zarr;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.millrace.access.Order;
import org.millrace.access.Shape;
import org.millrace.array.ElementType;

/**
 * What {@code zarr.json} says of an array, version 3 of Zarr. Immutable.
 *
 * @param grid shape and chunks
 * @param type of the elements, in the order in which they are stored
 * @param fillValue of elements that are not stored
 * @param codecs in the order of encoding
 * @param attributes the user's own
 */
public record ZarrMetadata(
    ZarrGrid grid, ElementType type, Json fillValue, List<Extension> codecs, Json.Obj attributes) {

  /** Checks that codecs and fill value fit. */
  public ZarrMetadata {
    Objects.requireNonNull(attributes, "attributes");
    codecs = List.copyOf(codecs);
    type = Pipeline.of(codecs, grid.chunk(), type, fillValue).type();
    var _ = FillValues.bytes(type, fillValue);
  }

  /**
   * An array whose chunks are files of their own.
   *
   * @param shape sizes, and the order of the elements of a chunk
   */
  public static ZarrMetadata chunked(Shape shape, ElementType type, long... chunk) {
    List<Long> sizes = LongStream.of(chunk).boxed().toList();
    return new ZarrMetadata(
        new ZarrGrid(shape.dims(), sizes, ChunkKeys.DEFAULT, List.of()),
        type,
        FillValues.zero(type),
        serializer(shape, type),
        Json.Obj.EMPTY);
  }

  /**
   * An array whose chunks all lie at fixed places of one file, so that ranks can write it together:
   * one shard, with an index at its end.
   *
   * @param shape sizes, and the order of the chunks and of the elements of each
   */
  public static ZarrMetadata shared(Shape shape, ElementType type, long... chunk) {
    List<Long> sizes = LongStream.of(chunk).boxed().toList();
    List<Long> shard = new ArrayList<>();
    for (int d = 0; d < Math.min(sizes.size(), shape.dimensions()); d++) {
      long size = sizes.get(d);
      shard.add(Math.multiplyExact(Math.max(1, Math.ceilDiv(shape.dimension(d), size)), size));
    }
    return new ZarrMetadata(
        new ZarrGrid(shape.dims(), shard, ChunkKeys.DEFAULT, List.of()),
        type,
        FillValues.zero(type),
        List.of(Codecs.sharding(sizes, serializer(shape, type))),
        Json.Obj.EMPTY);
  }

  private static List<Extension> serializer(Shape shape, ElementType type) {
    int n = shape.dimensions();
    Extension bytes = Codecs.bytes(type);
    return shape.order() == Order.ROW_MAJOR
        ? List.of(bytes)
        : List.of(Codecs.transpose(IntStream.range(0, n).map(i -> n - 1 - i).toArray()), bytes);
  }

  /** The same with more codecs behind those there are. */
  public ZarrMetadata with(Extension... more) {
    List<Extension> all = new ArrayList<>(codecs);
    all.addAll(List.of(more));
    return withCodecs(all);
  }

  /** The same with other codecs. */
  public ZarrMetadata withCodecs(List<Extension> others) {
    return new ZarrMetadata(grid, type, fillValue, others, attributes);
  }

  /** The same with another fill value. */
  public ZarrMetadata withFillValue(Json value) {
    return new ZarrMetadata(grid, type, value, codecs, attributes);
  }

  /** The same with other attributes. */
  public ZarrMetadata withAttributes(Json.Obj others) {
    return new ZarrMetadata(grid, type, fillValue, codecs, others);
  }

  /** The same with another grid. */
  public ZarrMetadata withGrid(ZarrGrid other) {
    return new ZarrMetadata(other, type, fillValue, codecs, attributes);
  }

  Pipeline pipeline() {
    return Pipeline.of(codecs, grid.chunk(), type, fillValue);
  }

  /**
   * Reads a {@code zarr.json}.
   *
   * @throws IllegalArgumentException if it is none of an array that can be read; says why
   */
  public static ZarrMetadata parse(String text) {
    return of(Json.parse(text));
  }

  static ZarrMetadata of(Json document) {
    Fields fields = new Fields("zarr.json", document);
    checkNode(fields, "array");
    ZarrGrid grid = ZarrGrid.read(fields);
    ElementType type = DataTypes.parse(typeName(fields.extension("data_type")));
    Json fillValue = fields.get("fill_value");
    List<Extension> codecs = fields.extensions("codecs");
    Json.Obj attributes = attributes(fields);
    if (fields.find("storage_transformers").isPresent()) {
      for (Json one : fields.list("storage_transformers")) {
        if (Fields.mustBeUnderstood(one)) {
          throw new IllegalArgumentException(
              "storage transformer \"%s\" is unknown here and must be understood"
                  .formatted(Extension.read("storage_transformers", one).name()));
        }
      }
    }
    fields.checkRest();
    return new ZarrMetadata(grid, type, fillValue, codecs, attributes);
  }

  private static String typeName(Extension type) {
    if (!type.configuration().members().isEmpty()) {
      throw new IllegalArgumentException(
          "data type \"" + type.name() + "\" with a configuration is unknown here");
    }
    return type.name();
  }

  static void checkNode(Fields fields, String kind) {
    long format = fields.number("zarr_format");
    if (format != 3) {
      throw new IllegalArgumentException("version " + format + " of Zarr, only 3 is read");
    }
    String node = fields.string("node_type");
    if (!node.equals(kind)) {
      throw new IllegalArgumentException("this is no %s but \"%s\"".formatted(kind, node));
    }
  }

  static Json.Obj attributes(Fields fields) {
    Json found = fields.find("attributes").orElse(Json.Obj.EMPTY);
    if (found instanceof Json.Obj attributes) {
      return attributes;
    }
    throw fields.wrong("attributes", "an object", found);
  }

  Json.Obj json() {
    Json.Obj head =
        Json.Obj.EMPTY
            .with("zarr_format", new Json.Num(3))
            .with("node_type", new Json.Str("array"));
    return grid.write(head)
        .with("data_type", new Json.Str(DataTypes.name(type)))
        .with("fill_value", fillValue)
        .with("codecs", Codecs.list(codecs))
        .with("attributes", attributes);
  }

  /** As {@link #parse} reads it. */
  @Override
  public String toString() {
    return json().toString();
  }
}
