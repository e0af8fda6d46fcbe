package org.millrace.heritage.pfs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.env.Env;

/**
 * The calls of all processes, recorded in one file from as many points and read at one: what the
 * report on PFSLib wished for its tools. The file is a log in M_LOG: lines of text, one for each
 * call, in pieces of whole lines that the ranks append as they come. Recorded is every call of
 * PFSLib's but those that begin, distribute and trace, and {@code iodone} only where it says that
 * an operation is over.
 *
 * <pre>
 *   begin-ns TAB duration-ns TAB rank TAB call TAB offset TAB bytes TAB error TAB file LF
 * </pre>
 *
 * <p>Belongs to the rank's thread. {@link #end} writes what is left and closes the file.
 */
public final class PfsTrace {

  /**
   * One call.
   *
   * @param beginNanos since rank 0 began to record, on a clock that is the same for all
   * @param durationNanos until it returned
   * @param rank who called
   * @param call its name without underscore
   * @param offset where the pointer stood before, 0 for a file being opened; -1 if nobody could say
   * @param bytes as many were asked for; 0 for calls that move none
   * @param error how it failed, or NONE
   * @param file its path
   */
  public record Entry(
      long beginNanos,
      long durationNanos,
      int rank,
      String call,
      long offset,
      long bytes,
      Epfsl error,
      String file) {

    private static Entry parse(String line) {
      String[] f = line.split("\t", 8);
      return new Entry(
          Long.parseLong(f[0]),
          Long.parseLong(f[1]),
          Integer.parseInt(f[2]),
          f[3],
          Long.parseLong(f[4]),
          Long.parseLong(f[5]),
          Epfsl.valueOf(f[6]),
          f[7]);
    }

    private String line() {
      return "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n"
          .formatted(beginNanos, durationNanos, rank, call, offset, bytes, error, file);
    }
  }

  private static final int PIECE_CHARS = 16 << 10;
  private static final int CLOCK_ROUNDS = 8;

  // constant after construction
  private final int rank;
  private final SharedFile file;
  private final Env env = Env.real();
  private final long startNanos;

  // owned by the rank's thread
  private final StringBuilder lines = new StringBuilder();
  private @Nullable IOException failure;

  private PfsTrace(int rank, SharedFile file, long startNanos) {
    this.rank = rank;
    this.file = file;
    this.startNanos = startNanos;
  }

  /** Begins to record into a new file. Synchronizing. */
  static PfsTrace begin(Rank rank, String path) throws IOException {
    SharedFile file = rank.open(path, OpenOptions.create().withTruncate().withMode(Mode.SHARED));
    return new PfsTrace(rank.number(), file, startOfAll(rank, Env.real()));
  }

  /**
   * When rank 0 began, on this rank's clock. When ranks meet, each has come before any goes: so
   * what clocks show then bounds how much they differ. Ranks of one host have one clock; if the
   * bounds allow that, it is taken for certain, and what happened before something else also has
   * the lower time. Clocks of several hosts are compared as closely as the meetings are short.
   */
  private static long startOfAll(Rank rank, Env env) throws IOException {
    long atLeast = Long.MIN_VALUE; // rank 0's clock minus this one's
    long atMost = Long.MAX_VALUE;
    long start = 0;
    for (int round = 0; round < CLOCK_ROUNDS; round++) {
      long came = env.nanoTime();
      long firstCame = rank.allGather(came).getFirst();
      long went = env.nanoTime();
      long firstWent = rank.allGather(went).getFirst();
      start = round == 0 ? firstCame : start;
      atLeast = Math.max(atLeast, firstCame - went);
      atMost = Math.min(atMost, firstWent - came);
    }
    boolean same = atLeast <= 0 && atMost >= 0;
    return start - (same ? 0 : atLeast + (atMost - atLeast) / 2);
  }

  long now() {
    return env.nanoTime();
  }

  /** Records a call; if that fails, {@link #end} says so, and nothing more is recorded. */
  void add(long begin, String call, long offset, long bytes, Epfsl error, String path) {
    Entry entry =
        new Entry(begin - startNanos, now() - begin, rank, call, offset, bytes, error, path);
    lines.append(entry.line());
    if (lines.length() >= PIECE_CHARS) {
      write();
    }
  }

  private void write() {
    try {
      if (failure == null) {
        file.write(MemorySegment.ofArray(lines.toString().getBytes(StandardCharsets.UTF_8)));
      }
    } catch (IOException e) {
      failure = e;
    }
    lines.setLength(0);
  }

  /** Ends it, and throws why calls could not be recorded. Synchronizing. */
  void end() throws IOException {
    write();
    try {
      file.close();
    } catch (IOException e) {
      if (failure != null) {
        e.addSuppressed(failure);
      }
      throw e;
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** What a trace holds, in order of begin. For one rank, while nobody records into it. */
  public static List<Entry> read(Rank rank, String path) throws IOException {
    Rank alone = rank.alone();
    try (SharedFile file = alone.open(path, OpenOptions.read())) {
      byte[] bytes = new byte[Math.toIntExact(file.size())];
      file.at(0).read(MemorySegment.ofArray(bytes));
      return new String(bytes, StandardCharsets.UTF_8)
          .lines()
          .map(Entry::parse)
          .sorted(Comparator.comparingLong(Entry::beginNanos))
          .toList();
    } finally {
      alone.leave("");
    }
  }
}
