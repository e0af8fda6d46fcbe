package org.millrace.array.zarr;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.millrace.access.Shape;
import org.millrace.array.ElementType;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The codecs of an array, or of the chunks of a shard: transpositions, then elements to bytes or to
 * a shard, then bytes to bytes. A chunk is held as bytes: its elements with the last index fastest,
 * numbers in the order of {@link #type}. Immutable.
 *
 * @param shape of a chunk
 * @param type of the elements, in the order in which they are stored
 * @param transpositions in the order of encoding
 * @param sharding how a chunk is divided, if it is
 * @param byteCodecs in the order of encoding
 */
record Pipeline(
    Shape shape,
    ElementType type,
    List<Transposition> transpositions,
    Optional<Sharding> sharding,
    List<ByteCodec> byteCodecs) {

  /** Room beside the bytes of a chunk for what a codec may add. */
  private static final int SLACK_BYTES = 1 << 16;

  /**
   * Understands a list of codecs.
   *
   * @param chunk sizes of a chunk
   * @param type of the elements, in any order
   * @param fill the value of elements that are not stored
   * @throws IllegalArgumentException if they make no sense, or one is unknown
   */
  static Pipeline of(List<Extension> codecs, List<Long> chunk, ElementType type, Json fill) {
    Shape shape = shape(chunk);
    List<Transposition> transpositions = new ArrayList<>();
    int i = 0;
    Shape stored = shape;
    while (i < codecs.size() && codecs.get(i).name().equals(Codecs.TRANSPOSE)) {
      transpositions.add(Transposition.of(codecs.get(i), stored));
      stored = transpositions.getLast().stored();
      i++;
    }
    if (i == codecs.size()) {
      throw new IllegalArgumentException("no codec makes bytes of the elements");
    }
    Extension serializer = codecs.get(i);
    Optional<Sharding> sharding = Optional.empty();
    ElementType ordered = type;
    if (serializer.name().equals(Codecs.SHARDING)) {
      sharding = Optional.of(Sharding.of(serializer, stored, type, fill));
      ordered = sharding.get().inner().type();
    } else if (serializer.name().equals(Codecs.BYTES)) {
      ordered = Codecs.ordered(type, serializer);
    } else {
      var _ = Codecs.byteCodec(serializer); // an unknown one is named
      throw new IllegalArgumentException(
          "codec \"" + serializer.name() + "\" comes before one that makes bytes of the elements");
    }
    List<ByteCodec> byteCodecs = new ArrayList<>();
    for (Extension codec : codecs.subList(i + 1, codecs.size())) {
      if (List.of(Codecs.TRANSPOSE, Codecs.BYTES, Codecs.SHARDING).contains(codec.name())) {
        throw new IllegalArgumentException(
            "codec \"" + codec.name() + "\" comes after one that makes bytes of the elements");
      }
      byteCodecs.add(Codecs.byteCodec(codec));
    }
    return new Pipeline(shape, ordered, transpositions, sharding, List.copyOf(byteCodecs));
  }

  /** The shape of sizes; no dimensions are one element. */
  static Shape shape(List<Long> dims) {
    return Shape.rowMajor(
        dims.isEmpty() ? new long[] {1} : dims.stream().mapToLong(Long::longValue).toArray());
  }

  /** A shard whose parts can be read one by one: nothing is done to its bytes as a whole. */
  Optional<Sharding> directShard() {
    return transpositions.isEmpty() && byteCodecs.isEmpty() ? sharding : Optional.empty();
  }

  /** Bytes of a chunk in memory. */
  int chunkBytes() throws MillraceException {
    long bytes = shape.bytes(type.bytes());
    if (bytes > Integer.MAX_VALUE - SLACK_BYTES) {
      throw new MillraceException(
          ErrorCode.TOO_LARGE,
          "a chunk of %s elements of %s bytes does not fit into memory as one piece"
              .formatted(shape.dims(), type.bytes()));
    }
    return (int) bytes;
  }

  byte[] encode(byte[] chunk) throws IOException {
    byte[] bytes = chunk;
    for (Transposition one : transpositions) {
      bytes = one.encode(bytes, type.bytes());
    }
    if (sharding.isPresent()) {
      bytes = sharding.get().encode(bytes);
    }
    for (ByteCodec codec : byteCodecs) {
      bytes = codec.encode(bytes);
    }
    return bytes;
  }

  byte[] decode(byte[] stored) throws IOException {
    int chunkBytes = chunkBytes();
    int most = (int) Math.min(Integer.MAX_VALUE - 8L, 2L * chunkBytes + SLACK_BYTES);
    byte[] bytes = stored;
    for (ByteCodec codec : byteCodecs.reversed()) {
      bytes = codec.decode(bytes, most);
    }
    if (sharding.isPresent()) {
      bytes = sharding.get().decode(bytes);
    }
    if (bytes.length != chunkBytes) {
      throw new MillraceException(
          ErrorCode.CORRUPT,
          "a chunk has %s bytes after decoding, not %s".formatted(bytes.length, chunkBytes));
    }
    for (Transposition one : transpositions.reversed()) {
      bytes = one.decode(bytes, type.bytes());
    }
    return bytes;
  }
}
