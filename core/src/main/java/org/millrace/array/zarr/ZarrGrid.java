package org.millrace.array.zarr;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.millrace.access.Chunking;

/**
 * The shape of a Zarr array and how it is cut into chunks. Immutable.
 *
 * @param shape sizes of the dimensions; none for a single value
 * @param chunk sizes of a chunk, at least 1
 * @param keys how the keys of chunks are made
 * @param dimensionNames one for each dimension, or none at all
 */
public record ZarrGrid(
    List<Long> shape, List<Long> chunk, ChunkKeys keys, List<Optional<String>> dimensionNames) {

  /** Checks that all have the same number of dimensions. */
  public ZarrGrid {
    shape = List.copyOf(shape);
    chunk = List.copyOf(chunk);
    dimensionNames = List.copyOf(dimensionNames);
    if (chunk.size() != shape.size()) {
      throw new IllegalArgumentException(
          "chunks %s of %s dimensions for an array of %s"
              .formatted(chunk, chunk.size(), shape.size()));
    }
    if (!dimensionNames.isEmpty() && dimensionNames.size() != shape.size()) {
      throw new IllegalArgumentException(
          "%s names of dimensions for an array of %s"
              .formatted(dimensionNames.size(), shape.size()));
    }
    new Chunking(Pipeline.shape(shape), Pipeline.shape(chunk).dims()).grid();
  }

  static ZarrGrid read(Fields fields) {
    List<Long> shape = fields.numbers("shape", 0);
    Extension grid = fields.extension("chunk_grid");
    if (!grid.name().equals("regular")) {
      throw new IllegalArgumentException("chunk grid \"" + grid.name() + "\" is not \"regular\"");
    }
    Fields regular = grid.fields();
    List<Long> chunk = regular.numbers("chunk_shape", 1);
    regular.checkRest();
    ChunkKeys keys = ChunkKeys.of(fields.extension("chunk_key_encoding"));
    return new ZarrGrid(shape, chunk, keys, names(fields));
  }

  private static List<Optional<String>> names(Fields fields) {
    List<Optional<String>> names = new ArrayList<>();
    Optional<Json> given = fields.find("dimension_names");
    if (given.isEmpty() || given.get() == Json.Null.NULL) {
      return names;
    }
    for (Json one : fields.list("dimension_names")) {
      switch (one) {
        case Json.Str(String name) -> names.add(Optional.of(name));
        case Json.Null.NULL -> names.add(Optional.empty());
        default -> throw fields.wrong("dimension_names", "strings or null", one);
      }
    }
    return names;
  }

  Json.Obj write(Json.Obj to) {
    Json.Obj written =
        to.with("shape", Json.numbers(shape))
            .with(
                "chunk_grid",
                new Extension("regular").with("chunk_shape", Json.numbers(chunk)).json())
            .with("chunk_key_encoding", keys.json());
    if (dimensionNames.isEmpty()) {
      return written;
    }
    List<Json> names = new ArrayList<>();
    for (Optional<String> name : dimensionNames) {
      names.add(name.isPresent() ? new Json.Str(name.get()) : Json.Null.NULL);
    }
    return written.with("dimension_names", new Json.Arr(names));
  }

  /** How it is cut; an array without dimensions has one of one element here. */
  Chunking chunking() {
    return new Chunking(Pipeline.shape(shape), Pipeline.shape(chunk).dims());
  }

  /** The key of a chunk by its place in the grid of {@link #chunking}. */
  String key(long... place) {
    return shape.isEmpty() ? keys.key() : keys.key(place);
  }
}
