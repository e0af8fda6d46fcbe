package org.millrace.array.zarr;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.millrace.access.Chunking;
import org.millrace.access.Order;
import org.millrace.access.Shape;
import org.millrace.array.ElementType;
import org.millrace.array.GlobalArray;
import org.millrace.client.Agreement;
import org.millrace.client.FileNames;
import org.millrace.client.Memory;
import org.millrace.client.OpenFlag;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;

/**
 * Zarr arrays that all ranks of a group write together, as a {@link GlobalArray}: all chunks lie in
 * one file, a shard, uncompressed and at fixed places.
 *
 * <pre>
 *   a.zarr/zarr.json          shape, type, codec sharding_indexed
 *   a.zarr/c/0/0              | chunk 0 | chunk 1 | ... | chunk n-1 | index | crc32c |
 *                                                                     16 bytes for each chunk
 * </pre>
 *
 * The index is written when the array is made; all chunks are in it from the beginning. Stateless.
 */
public final class SharedZarr {

  private static final int FILL_BYTES = 1 << 20;

  private SharedZarr() {}

  /** What the metadata of such an array means for its file. */
  private record Shard(Chunking chunking, ElementType type, ShardIndex index, String key) {

    static Shard of(ZarrMetadata metadata) {
      ZarrGrid grid = metadata.grid();
      Sharding sharding =
          metadata.pipeline().directShard().orElseThrow(() -> refused("it is no plain shard"));
      Pipeline inner = sharding.inner();
      if (inner.sharding().isPresent() || !inner.byteCodecs().isEmpty()) {
        throw refused("its chunks are compressed, have checksums or are shards");
      }
      if (inner.transpositions().size() > 1
          || !inner.transpositions().stream().allMatch(Transposition::isReversal)) {
        throw refused("its chunks have dimensions in an order that is no reversal");
      }
      if (grid.chunking().grid().elements() > 1) {
        throw refused("it has several shards");
      }
      Order order = inner.transpositions().isEmpty() ? Order.ROW_MAJOR : Order.COLUMN_MAJOR;
      Shape shape = new Shape(grid.chunking().shape().dims(), order);
      Chunking chunking = new Chunking(shape, sharding.chunking().chunk());
      if (!sharding.chunking().grid().dims().equals(grid(chunking))) {
        throw refused("its shard has more chunks than the array");
      }
      String key = grid.key(new long[grid.shape().size()]);
      return new Shard(chunking, inner.type(), sharding.index(), key);
    }

    private static List<Long> grid(Chunking chunking) {
      return chunking.grid().dims().stream().map(count -> Math.max(1, count)).toList();
    }

    private static IllegalArgumentException refused(String why) {
      return new IllegalArgumentException(
          "ranks cannot write this array together: " + why + "; ZarrArray reads it");
    }

    /** Where each chunk lies, for the index: chunks there have the last dimension fastest. */
    long[] entries(long base) {
      long[] entries = index.missing();
      Shape grid = chunking.grid();
      Shape listed = new Shape(grid.dims(), Order.ROW_MAJOR);
      long each = chunking.chunkBytes(type.bytes());
      for (int c = 0; c < listed.elements(); c++) {
        entries[2 * c] = base + grid.linear(listed.index(c)) * each;
        entries[2 * c + 1] = each;
      }
      return entries;
    }

    long bytes() {
      return chunking.bytes(type.bytes());
    }
  }

  /**
   * Makes an array of fill values. Collective: all ranks must give the same, or the call fails on
   * all with {@link org.millrace.error.MixedCallException} and no file is made.
   *
   * @param path the directory of the array; the one that it is in must exist
   * @param metadata as {@link ZarrMetadata#shared} makes it, with the index at the end
   * @param options for writing; an array that is there already is replaced only if they say so by
   *     {@code withTruncate()}
   */
  public static GlobalArray create(
      Rank rank, String path, ZarrMetadata metadata, OpenOptions options) throws IOException {
    agree(rank, "creates Zarr", path, metadata + " " + options, () -> checkNew(metadata, options));
    Shard shard = Shard.of(metadata);
    boolean replaces = options.has(OpenFlag.TRUNCATE);
    first(
        rank,
        "zarr: directories",
        path,
        store -> {
          if (replaces) {
            store.remove(ZarrArray.METADATA); // nobody reads the new chunks by the old one
            clear(rank.names(), store.path("c"));
          } else {
            ZarrArray.checkNone(store);
          }
          Directories.makeAbove(store.path(shard.key()), rank.names()::makeDirectory);
        });
    GlobalArray array =
        GlobalArray.openChunked(
            rank,
            path + "/" + shard.key(),
            shard.chunking(),
            shard.type(),
            0,
            options.withCreate().withTruncate());
    try {
      fill(rank, array, shard, Fill.of(shard.type(), metadata.fillValue()));
      first(
          rank,
          "zarr: index and metadata",
          path,
          store -> {
            byte[] index = shard.index().encode(shard.entries(0));
            array.file().at(shard.bytes()).write(Memory.of(index));
            store.write(ZarrArray.METADATA, ZarrArray.utf8(metadata.json()));
          });
      return array;
    } catch (IOException | RuntimeException e) {
      giveUp(array, e);
      throw e;
    }
  }

  /** Removes the chunks of an earlier array, whose directories may be files of this one. */
  private static void clear(FileNames names, String path) throws IOException {
    List<String> below;
    try {
      below = names.stat(path).layout().isPresent() ? List.of() : names.list(path);
    } catch (NoSuchNameException e) {
      return;
    }
    for (String name : below) {
      clear(names, path + "/" + (name.endsWith("/") ? name.substring(0, name.length() - 1) : name));
    }
    names.remove(path);
  }

  private static void checkNew(ZarrMetadata metadata, OpenOptions options) {
    if (!options.has(OpenFlag.WRITE)) {
      throw new IllegalArgumentException("an array that is made must be opened for writing");
    }
    Shard shard = Shard.of(metadata);
    if (!shard.index().isAtEnd()) {
      throw new IllegalArgumentException(
          "the index of a shard that ranks write together is at its end");
    }
    if (shard.bytes() > Long.MAX_VALUE - shard.index().bytes()) {
      throw new IllegalArgumentException("the shard exceeds 2^63-1 bytes");
    }
  }

  /** Each rank fills a part of the chunks, padding included. */
  private static void fill(Rank rank, GlobalArray array, Shard shard, Fill fill)
      throws IOException {
    if (fill.isZero()) {
      return; // the file is sparse
    }
    int element = shard.type().bytes();
    byte[] piece = fill.of(Math.max(1, FILL_BYTES / element) * element);
    rank.together(
        "zarr: fill",
        () -> {
          long pieces = Math.ceilDiv(shard.bytes(), piece.length);
          for (long p = rank.number(); p < pieces; p += rank.size()) {
            long from = p * piece.length;
            int length = (int) Math.min(piece.length, shard.bytes() - from);
            array.file().at(from).write(Memory.of(Arrays.copyOf(piece, length)));
          }
        });
  }

  /**
   * Opens an array. Collective. One that cannot be written by ranks together, because of its codecs
   * or because its chunks lie elsewhere, is refused with INVALID on all ranks.
   */
  public static GlobalArray open(Rank rank, String path, OpenOptions options) throws IOException {
    agree(
        rank,
        "opens Zarr",
        path,
        options.toString(),
        () -> {
          if (options.has(OpenFlag.CREATE) || options.has(OpenFlag.TRUNCATE)) {
            throw new IllegalArgumentException("an array is opened by its metadata");
          }
        });
    byte[][] found = {{}};
    first(rank, "zarr: metadata", path, store -> found[0] = look(store));
    byte[] told = rank.broadcast(0, found[0]);
    String text = new String(told, StandardCharsets.UTF_8);
    int line = text.indexOf('\n');
    Shard shard = Shard.of(ZarrMetadata.parse(text.substring(line)));
    long base = Long.parseLong(text.substring(0, line));
    return GlobalArray.openChunked(
        rank, path + "/" + shard.key(), shard.chunking(), shard.type(), base, options);
  }

  /** The metadata, behind the byte at which the chunks begin. */
  private static byte[] look(ZarrStore store) throws IOException {
    ZarrMetadata metadata = ZarrArray.metadata(store);
    Shard shard;
    try {
      shard = Shard.of(metadata);
    } catch (IllegalArgumentException e) {
      throw ZarrArray.invalid(store.path(ZarrArray.METADATA), e);
    }
    long size = store.size(shard.key()).orElse(0);
    ShardIndex index = shard.index();
    long from = index.isAtEnd() ? Math.max(0, size - index.bytes()) : 0;
    long[] entries = index.decode(store.read(shard.key(), from, index.bytes()), size);
    long base = entries[0];
    if (shard.chunking().grid().elements() > 0 && !Arrays.equals(entries, shard.entries(base))) {
      throw new MillraceException(
          ErrorCode.INVALID,
          store.path(shard.key())
              + ": ranks cannot write this array together: its chunks do not lie one behind the"
              + " other, or some are missing; ZarrArray reads it");
    }
    return (Math.max(0, base) + "\n" + metadata).getBytes(StandardCharsets.UTF_8);
  }

  /** Something that rank 0 does for all. */
  private interface Work {
    void run(ZarrStore store) throws IOException;
  }

  /** Lets rank 0 do something; all ranks fail if it does. */
  private static void first(Rank rank, String call, String path, Work work) throws IOException {
    rank.together(
        call,
        () -> {
          if (rank.number() == 0) {
            try (ZarrStore store = ZarrStore.of(rank, path)) {
              work.run(store);
            }
          }
        });
  }

  private static void agree(Rank rank, String call, String path, String text, Runnable check)
      throws IOException {
    Agreement mine = Agreement.on(call, path, text);
    try {
      check.run();
    } catch (RuntimeException e) {
      mine = mine.refusing(0, String.valueOf(e.getMessage()));
    }
    rank.agree(mine).orThrow();
  }

  private static void giveUp(GlobalArray array, Exception e) {
    try {
      array.close();
    } catch (IOException | RuntimeException suppressed) {
      e.addSuppressed(suppressed);
    }
  }
}
