package org.millrace.array.zarr;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.millrace.access.Chunking;
import org.millrace.access.Pattern;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.copy.Packer;
import org.millrace.access.copy.Places;
import org.millrace.array.ElementType;

/**
 * The codec {@code sharding_indexed} for shards of one shape. Chunks of the shard that hold nothing
 * but the fill value are not stored. Immutable.
 *
 * @param chunking how a shard is divided
 * @param inner what is done to each chunk
 * @param index how the index is stored
 * @param fill the bytes of an element that is not stored
 */
record Sharding(Chunking chunking, Pipeline inner, ShardIndex index, Fill fill) {

  static Sharding of(Extension codec, Shape shard, ElementType type, Json fillValue) {
    Fields fields = codec.fields();
    List<Long> chunk = fields.numbers("chunk_shape", 1);
    List<Extension> codecs = fields.extensions("codecs");
    List<Extension> indexCodecs = fields.extensions("index_codecs");
    Optional<Json> location = fields.find("index_location");
    fields.checkRest();
    boolean atStart = location.equals(Optional.of(new Json.Str("start")));
    if (!atStart && location.isPresent() && !location.get().equals(new Json.Str("end"))) {
      throw fields.wrong("index_location", "\"start\" or \"end\"", location.get());
    }
    List<Long> sizes = chunk.isEmpty() ? List.of(1L) : chunk;
    if (sizes.size() != shard.dimensions()) {
      throw fields.wrong(
          "chunk_shape", "of " + shard.dimensions() + " dimensions", Json.numbers(chunk));
    }
    for (int d = 0; d < sizes.size(); d++) {
      if (shard.dimension(d) % sizes.get(d) != 0) {
        throw fields.wrong("chunk_shape", "a divisor of " + shard.dims(), Json.numbers(chunk));
      }
    }
    Pipeline inner = Pipeline.of(codecs, sizes, type, fillValue);
    Chunking chunking = new Chunking(shard, sizes);
    ShardIndex index = ShardIndex.of(chunking.grid().elements(), indexCodecs, !atStart);
    return new Sharding(chunking, inner, index, Fill.of(inner.type(), fillValue));
  }

  /** The elements of a chunk in the shard. */
  private Pattern places(int chunk) {
    return section(chunking, chunk).in(chunking.shape(), inner.type().bytes());
  }

  /** The elements of a chunk, by its number; of one at the end only those that there are. */
  static Section section(Chunking chunking, long number) {
    long[] chunk = chunking.grid().index(number);
    Range[] ranges = new Range[chunk.length];
    Arrays.setAll(
        ranges,
        d -> {
          long size = chunking.chunk().get(d);
          long first = chunk[d] * size;
          return Range.of(first, Math.min(first + size, chunking.shape().dimension(d)) - 1);
        });
    return Section.of(ranges);
  }

  byte[] encode(byte[] shard) throws IOException {
    long[] entries = index.missing();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    long base = index.isAtEnd() ? 0 : index.bytes();
    byte[] chunk = new byte[inner.chunkBytes()];
    for (int c = 0; c < index.chunks(); c++) {
      Packer.copy(
          MemorySegment.ofArray(shard),
          new Places(places(c), 0),
          MemorySegment.ofArray(chunk),
          Places.packed(chunk.length),
          chunk.length);
      if (!fill.isAll(chunk)) {
        byte[] stored = inner.encode(chunk);
        entries[2 * c] = base + out.size();
        entries[2 * c + 1] = stored.length;
        out.write(stored);
      }
    }
    byte[] stored = index.encode(entries);
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(index.isAtEnd() ? out.toByteArray() : stored);
    all.write(index.isAtEnd() ? stored : out.toByteArray());
    return all.toByteArray();
  }

  byte[] decode(byte[] stored) throws IOException {
    long[] entries = index.decode(indexOf(stored), stored.length);
    byte[] shard = new byte[Math.toIntExact(chunking.bytes(inner.type().bytes()))];
    for (int c = 0; c < index.chunks(); c++) {
      byte[] chunk;
      if (ShardIndex.isMissing(entries, c)) {
        chunk = fill.of(inner.chunkBytes());
      } else {
        int from = (int) entries[2 * c];
        chunk = inner.decode(Arrays.copyOfRange(stored, from, from + (int) entries[2 * c + 1]));
      }
      Packer.copy(
          MemorySegment.ofArray(chunk),
          Places.packed(chunk.length),
          MemorySegment.ofArray(shard),
          new Places(places(c), 0),
          chunk.length);
    }
    return shard;
  }

  /** The bytes of the index of a whole shard, or fewer if it is too short. */
  private byte[] indexOf(byte[] stored) {
    int bytes = Math.min(index.bytes(), stored.length);
    return index.isAtEnd()
        ? Arrays.copyOfRange(stored, stored.length - bytes, stored.length)
        : Arrays.copyOf(stored, bytes);
  }
}
