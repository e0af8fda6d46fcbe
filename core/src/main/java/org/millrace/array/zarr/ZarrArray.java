package org.millrace.array.zarr;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import org.millrace.access.Chunking;
import org.millrace.access.Pattern;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.array.ElementType;
import org.millrace.array.Local;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * A Zarr array of any kind, each chunk a file of its own, for one rank or program by itself. It
 * reads and writes sections. A chunk is decoded as a whole; of a shard only the chunks that are
 * wanted are read.
 *
 * <p>Several ranks or programs may write at once if each writes whole chunks that no other writes.
 * Who writes a part of a chunk reads it, changes it and writes it back: two who do that with one
 * chunk lose elements. {@link SharedZarr} is for ranks that write any sections together.
 *
 * <p>Threads as the store. Nothing is kept open: it need not be closed, the store must be.
 */
public final class ZarrArray {

  static final String METADATA = "zarr.json";

  // constant after construction
  private final ZarrStore store;
  private final ZarrMetadata metadata;
  private final Pipeline pipeline;
  private final Chunking chunking;
  private final Fill fill;

  ZarrArray(ZarrStore store, ZarrMetadata metadata) {
    this.store = store;
    this.metadata = metadata;
    this.pipeline = metadata.pipeline();
    this.chunking = metadata.grid().chunking();
    this.fill = Fill.of(metadata.type(), metadata.fillValue());
  }

  /**
   * Makes an array in a directory, which has no metadata yet. Chunks that an earlier array left
   * there become part of it.
   */
  public static ZarrArray create(ZarrStore store, ZarrMetadata metadata) throws IOException {
    checkNone(store);
    ZarrArray array = new ZarrArray(store, metadata);
    store.write(METADATA, utf8(metadata.json()));
    return array;
  }

  static void checkNone(ZarrStore store) throws IOException {
    if (store.size(METADATA).isPresent()) {
      throw MillraceException.of(ErrorCode.NAME_EXISTS, store.path(METADATA) + " is there already");
    }
  }

  static byte[] utf8(Json document) {
    return (document + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** Opens the array in a directory. What cannot be read is refused with INVALID. */
  public static ZarrArray open(ZarrStore store) throws IOException {
    return new ZarrArray(store, metadata(store));
  }

  static ZarrMetadata metadata(ZarrStore store) throws IOException {
    String text = text(store);
    try {
      return ZarrMetadata.parse(text);
    } catch (IllegalArgumentException e) {
      throw invalid(store.path(METADATA), e);
    }
  }

  static String text(ZarrStore store) throws IOException {
    byte[] found =
        store
            .read(METADATA)
            .orElseThrow(
                () ->
                    MillraceException.of(
                        ErrorCode.NO_SUCH_NAME,
                        "there is no " + store.path(METADATA) + ": no Zarr array or group"));
    return new String(found, StandardCharsets.UTF_8);
  }

  static MillraceException invalid(String path, RuntimeException e) {
    return new MillraceException(ErrorCode.INVALID, path + ": " + e.getMessage(), e);
  }

  /** What {@code zarr.json} says. */
  public ZarrMetadata metadata() {
    return metadata;
  }

  /** Sizes of the dimensions; an array without dimensions has one of one element here. */
  public Shape shape() {
    return chunking.shape();
  }

  /** What it is an array of. */
  public ElementType type() {
    return metadata.type();
  }

  /** Sizes of a chunk: what is a file, and what several may write at once. */
  public Shape chunk() {
    return chunking.chunkShape();
  }

  /** Replaces the attributes; the array with them. */
  public ZarrArray withAttributes(Json.Obj attributes) throws IOException {
    ZarrMetadata changed = metadata.withAttributes(attributes);
    store.write(METADATA, utf8(changed.json()));
    return new ZarrArray(store, changed);
  }

  /** What is done with a chunk that a section touches. */
  private interface Visit {
    void chunk(String key, Section inChunk, Local its, boolean whole) throws IOException;
  }

  /** Reads a section. Returns how many bytes that were. */
  public long readSection(Section section, Local into) throws IOException {
    return visit(
        section,
        into,
        (key, wanted, its, _) -> {
          Optional<Sharding> shard = pipeline.directShard();
          if (shard.isPresent()) {
            readShard(key, shard.get(), wanted, its);
          } else {
            copy(chunk(key), chunk(), wanted, its);
          }
        });
  }

  /** Writes a section. Returns how many bytes that were. */
  public long writeSection(Section section, Local from) throws IOException {
    return visit(
        section,
        from,
        (key, wanted, its, whole) -> {
          byte[] bytes = whole ? fill.of(pipeline.chunkBytes()) : chunk(key);
          Pattern places = wanted.in(chunk(), type().bytes());
          its.copyTo(MemorySegment.ofArray(bytes), places, wanted.shape(chunk().order()), type());
          store.write(key, encode(key, bytes));
        });
  }

  private byte[] encode(String key, byte[] chunk) throws IOException {
    try {
      return pipeline.encode(chunk);
    } catch (MillraceException e) {
      throw about(key, e);
    }
  }

  private MillraceException about(String key, MillraceException e) {
    return new MillraceException(e.code(), store.path(key) + ": " + e.getMessage(), e);
  }

  private void copy(byte[] chunk, Shape shape, Section wanted, Local its) {
    its.copyFrom(
        MemorySegment.ofArray(chunk),
        wanted.in(shape, type().bytes()),
        wanted.shape(shape.order()),
        type());
  }

  /** A chunk, decoded. */
  private byte[] chunk(String key) throws IOException {
    Optional<byte[]> stored = store.read(key);
    if (stored.isEmpty()) {
      return fill.of(pipeline.chunkBytes());
    }
    try {
      return pipeline.decode(stored.get());
    } catch (MillraceException e) {
      throw about(key, e);
    }
  }

  /** Reads the chunks of a shard that are wanted, and the index. */
  private void readShard(String key, Sharding shard, Section wanted, Local into)
      throws IOException {
    OptionalLong size = store.size(key);
    ShardIndex index = shard.index();
    long[] entries;
    try {
      entries =
          size.isEmpty()
              ? index.missing()
              : index.decode(
                  store.read(
                      key,
                      index.isAtEnd() ? Math.max(0, size.getAsLong() - index.bytes()) : 0,
                      index.bytes()),
                  size.getAsLong());
      visit(
          shard.chunking(),
          wanted,
          into,
          (place, inChunk, its, _) -> {
            int number = (int) shard.chunking().grid().linear(place);
            byte[] chunk =
                ShardIndex.isMissing(entries, number)
                    ? fill.of(shard.inner().chunkBytes())
                    : shard
                        .inner()
                        .decode(
                            store.read(key, entries[2 * number], (int) entries[2 * number + 1]));
            copy(chunk, shard.chunking().chunkShape(), inChunk, its);
          });
    } catch (MillraceException e) {
      throw about(key, e);
    }
  }

  private long visit(Section section, Local memory, Visit visit) throws IOException {
    section.checkIn(shape());
    Shape counts = section.shape(shape().order());
    memory.check(counts, type()); // wrong memory is refused before anything moves
    visit(
        chunking,
        section,
        memory,
        (place, inChunk, its, whole) ->
            visit.chunk(metadata.grid().key(place), inChunk, its, whole));
    return counts.bytes(type().bytes());
  }

  /** What is done with a chunk, by its place in the grid. */
  private interface PlaceVisit {
    void chunk(long[] place, Section inChunk, Local its, boolean whole) throws IOException;
  }

  /** Goes over all chunks that a section touches, each with its part of section and memory. */
  private static void visit(Chunking chunking, Section section, Local memory, PlaceVisit visit)
      throws IOException {
    if (section.isEmpty()) {
      return;
    }
    int n = section.dimensions();
    long[] first = new long[n];
    Range[] chunks = new Range[n];
    for (int d = 0; d < n; d++) {
      long size = chunking.chunk().get(d);
      first[d] = section.range(d).lower() / size;
      chunks[d] = Range.of(first[d], section.range(d).upper() / size);
    }
    Shape box = Section.of(chunks).shape(chunking.shape().order());
    for (long i = 0; i < box.elements(); i++) {
      long[] place = box.index(i);
      for (int d = 0; d < n; d++) {
        place[d] += first[d];
      }
      visitOne(chunking, section, memory, place, visit);
    }
  }

  private static void visitOne(
      Chunking chunking, Section section, Local memory, long[] place, PlaceVisit visit)
      throws IOException {
    int n = place.length;
    Section all = Sharding.section(chunking, chunking.grid().linear(place));
    Section common = section.intersect(all);
    if (common.isEmpty()) {
      return;
    }
    long[] offset = new long[n];
    Range[] inside = new Range[n];
    for (int d = 0; d < n; d++) {
      Range range = common.range(d);
      long start = place[d] * chunking.chunk().get(d);
      offset[d] = (range.lower() - section.range(d).lower()) / section.range(d).stride();
      inside[d] = new Range(range.lower() - start, range.upper() - start, range.stride());
    }
    visit.chunk(place, Section.of(inside), memory.from(offset), common.equals(all));
  }

  @Override
  public String toString() {
    return "%s: %s of %s in chunks of %s"
        .formatted(store.path(""), shape().dims(), type(), chunk().dims());
  }
}
