package org.millrace.array;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Distribution;
import org.millrace.access.Shape;
import org.millrace.client.Memory;
import org.millrace.client.OpenFlag;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;

/**
 * An array distributed over the ranks, each of which has its part in its own file: PASSION's Local
 * Placement Model. Rank r's local array file is {@code path.r}, a {@code .npy} file of one strand
 * on node r, modulo the number of nodes. A rank works on its own file only, as on another level of
 * memory: {@link #local} for sections, {@link #inCore} to process all of it in an in-core local
 * array.
 *
 * <p>Making, opening and moving to and from a {@link GlobalArray} are collective. Files are opened
 * by as many ranks, dealt out alike, as made them; others redistribute through a global array.
 *
 * <p>Belongs to the rank's thread. Closing makes the elements of this rank durable; it is
 * idempotent.
 */
public final class LocalArrays implements AutoCloseable {

  // constant after construction
  private final Rank rank;
  private final Distribution distribution;
  private final GlobalArray local;

  private LocalArrays(Rank rank, Distribution distribution, GlobalArray local) {
    this.rank = rank;
    this.distribution = distribution;
    this.local = local;
  }

  /** Makes the local array files, of zeros. All ranks must give the same. */
  public static LocalArrays create(
      Rank rank, String path, Distribution distribution, ElementType type, OpenOptions options)
      throws IOException {
    agree(rank, "creates local arrays " + path + " of " + type, distribution);
    OpenOptions own = options.withStrands(1).withFirstNode(rank.number());
    return opened(
        rank,
        distribution,
        alone -> {
          if (options.has(OpenFlag.TRUNCATE) && rank.number() == 0) {
            removeMore(rank, path);
          }
          return GlobalArray.create(alone, name(path, rank), local(rank, distribution), type, own);
        });
  }

  /**
   * Opens the local array files. All ranks must give the distribution that they were made with; a
   * file that is missing, or of another shape, or one more than there are ranks, fails on all.
   */
  public static LocalArrays open(
      Rank rank, String path, Distribution distribution, OpenOptions options) throws IOException {
    agree(rank, "opens local arrays " + path, distribution);
    return opened(
        rank,
        distribution,
        alone -> {
          checkNoMore(rank, path);
          GlobalArray file = GlobalArray.open(alone, name(path, rank), options);
          Shape wanted = local(rank, distribution);
          if (!file.shape().equals(wanted)) {
            file.close();
            throw new MillraceException(
                ErrorCode.INVALID,
                "%s has %s, but rank %s of %s has %s of %s"
                    .formatted(
                        name(path, rank),
                        file.shape(),
                        rank.number(),
                        rank.size(),
                        wanted,
                        distribution.shape()));
          }
          return file;
        });
  }

  private static void agree(Rank rank, String call, Distribution distribution) throws IOException {
    GroupAgreement.check(
        rank,
        () -> {
          if (distribution.grid().ranks() != rank.size()) {
            throw new IllegalArgumentException(
                "a grid of %s ranks in a group of %s"
                    .formatted(distribution.grid().ranks(), rank.size()));
          }
          return call + ": " + distribution;
        });
  }

  private interface Opening {
    GlobalArray open(Rank alone) throws IOException;
  }

  /** Each rank opens its own file, and all learn whether all could. */
  private static LocalArrays opened(Rank rank, Distribution distribution, Opening opening)
      throws IOException {
    GlobalArray file = null;
    String failure = "";
    ErrorCode code = ErrorCode.INVALID;
    try {
      file = opening.open(rank.alone());
    } catch (MillraceException e) {
      failure = String.valueOf(e.getMessage());
      code = e.code();
    }
    try {
      GroupAgreement.check(rank, code, failure);
    } catch (IOException e) {
      if (file != null) {
        file.close();
      }
      throw e;
    }
    if (file == null) {
      throw new IllegalStateException("no file and no error");
    }
    return new LocalArrays(rank, distribution, file);
  }

  /** Removes what is left of local arrays of more ranks. */
  private static void removeMore(Rank rank, String path) throws IOException {
    for (int more = rank.size(); ; more++) {
      try {
        rank.names().remove(path + "." + more);
      } catch (NoSuchNameException e) {
        return;
      }
    }
  }

  private static void checkNoMore(Rank rank, String path) throws IOException {
    if (rank.number() > 0) {
      return;
    }
    String next = path + "." + rank.size();
    try {
      rank.names().size(next);
    } catch (NoSuchNameException e) {
      return;
    }
    throw new MillraceException(
        ErrorCode.INVALID,
        "%s is there: more than %s ranks made these local arrays; open them with as many and move them to a global array"
            .formatted(next, rank.size()));
  }

  private static String name(String path, Rank rank) {
    return path + "." + rank.number();
  }

  private static Shape local(Rank rank, Distribution distribution) {
    return distribution.localShape(rank.number());
  }

  /** How the array is dealt out. */
  public Distribution distribution() {
    return distribution;
  }

  /** This rank's local array, in a group of this rank alone: nothing of it waits for others. */
  public GlobalArray local() {
    return local;
  }

  /**
   * An in-core local array that moves over the local array in memory of so many bytes, enough for
   * three of its parts: one is computed on while the next is read and the last one written.
   */
  public InCoreArray inCore(long bytes) {
    return inCore(bytes, Parts.MAX_BUFFERS);
  }

  /**
   * An in-core local array that moves over the local array in memory of so many bytes.
   *
   * @param buffers how many of its parts are held at a time, as {@link Partitions#of} has it
   */
  public InCoreArray inCore(long bytes, int buffers) {
    return new InCoreArray(local, bytes, buffers);
  }

  /**
   * Writes all local arrays into a global one of the same shape and type. Collective; each rank
   * uses a buffer of at most so many bytes. If one gives no array the call fails on all.
   */
  @SuppressWarnings("exports") // an annotation for compilers
  public void toGlobal(@Nullable GlobalArray global, long bufferBytes) throws IOException {
    move(global, bufferBytes, true);
  }

  /** Fills all local arrays from a global one; as {@link #toGlobal}. */
  @SuppressWarnings("exports") // as above
  public void fromGlobal(@Nullable GlobalArray global, long bufferBytes) throws IOException {
    move(global, bufferBytes, false);
  }

  /** Elements lie in the local file in the same order as in the global one, only side by side. */
  private void move(@Nullable GlobalArray given, long bufferBytes, boolean out) throws IOException {
    GroupAgreement.check(rank, () -> describe(requireNonNull(given, "no array"), bufferBytes));
    GlobalArray global = requireNonNull(given);
    Placement.Part part = global.part(distribution);
    long mine = part.size();
    long rounds = rank.allReduceLong(Math.ceilDiv(mine, bufferBytes), Math::max);
    MemorySegment buffer = Arena.ofAuto().allocate(Math.min(mine, bufferBytes), Long.BYTES);
    (out ? global : local).written();
    for (long round = 0; round < rounds; round++) {
      long from = Math.min(round * bufferBytes, mine);
      long length = Math.min(bufferBytes, mine - from);
      MemorySegment piece = buffer.asSlice(0, length);
      long at = local.headerBytes() + from;
      var through = part.inArrayOrder(global.arrayFile(), from);
      if (out) {
        String wrong = readLocal(at, piece);
        if (!wrong.isEmpty()) {
          global
              .file()
              .all()
              .refusing(new IllegalStateException(wrong))
              .write(Memory.of(MemorySegment.NULL));
        }
        through.all().write(Memory.of(piece));
      } else {
        long got = through.all().read(Memory.of(piece));
        GroupAgreement.check(rank, ErrorCode.DISK, got < length ? "the array's file is cut" : "");
        GroupAgreement.check(rank, ErrorCode.DISK, writeLocal(at, piece));
      }
    }
  }

  /** Reads a piece of the local array; returns what is wrong, or nothing. */
  private String readLocal(long at, MemorySegment piece) {
    try {
      long got = local.file().at(at).read(piece);
      return got == piece.byteSize()
          ? ""
          : "%s ends %s bytes too early".formatted(local, piece.byteSize() - got);
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private String writeLocal(long at, MemorySegment piece) {
    try {
      local.file().at(at).write(piece);
      return "";
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private String describe(GlobalArray global, long bufferBytes) {
    if (bufferBytes < 1) {
      throw new IllegalArgumentException("a buffer of " + bufferBytes + " bytes");
    }
    if (!global.shape().equals(distribution.shape()) || !global.type().equals(local.type())) {
      throw new IllegalArgumentException(
          "%s is not an array of %s of %s".formatted(global, distribution.shape(), local.type()));
    }
    return "moves " + global + " by " + bufferBytes;
  }

  @Override
  public void close() throws IOException {
    local.close();
  }
}
