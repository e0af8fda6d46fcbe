package org.millrace.heritage.pious;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Agreement;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.client.Transaction;

/**
 * PIOUS for one process. A file is a number of segments, fixed when it is made, which a group opens
 * in one of three {@linkplain PiousView views}; between {@link #begin} and {@link #commit} all
 * accesses of this process to all its files are one transaction.
 *
 * <p>Segments are the strands of a Millrace file. As plain bytes, which is what other interfaces
 * see, it is the interleave of its segments by the block size that it was made with; an interleave
 * by another block size shows the same bytes in another order.
 *
 * <p>The survey prints no calls but {@code open()}, so names here are Java's. It says that the
 * programmer must take care where several processes access one segment, and that accesses are
 * atomic in the other views; here they are atomic in all three. Each segment has an end of its own,
 * and reads are short there. Accesses and transactions that touch different segments never wait for
 * each other, unless they share a pointer.
 *
 * <p>Belongs to the rank's thread.
 */
public final class Pious {

  // constant after construction
  private final Rank rank;

  // owned by the rank's thread
  private @Nullable Transaction transaction;
  private final Map<PiousFile, PiousFile.Before> touched = new LinkedHashMap<>();
  private final Map<String, long[]> written = new HashMap<>(); // ends of segments, by path

  /** PIOUS of a rank. */
  public Pious(Rank rank) {
    this.rank = rank;
  }

  /**
   * Makes a file of that many segments. Collective.
   *
   * @param blockBytes the block size by which the segments are the plain file
   * @throws org.millrace.error.NameExistsException if there is one of that name
   */
  public void create(String path, int segments, long blockBytes) throws IOException {
    rank.agree(
            Agreement.on("create", path, segments, blockBytes)
                .giving("path", path)
                .checking(() -> structure(segments, blockBytes)))
        .orThrow();
    rank.open(path, structure(segments, blockBytes)).close();
  }

  private static OpenOptions structure(int segments, long blockBytes) {
    OpenOptions options = OpenOptions.create().withExclusive().withFirstNode(0);
    return options.withStrands(segments).withStripeUnit(blockBytes);
  }

  /** How many segments a file has. */
  public int segments(String path) throws IOException {
    return rank.names().layout(path).strands();
  }

  /** Removes a file. Refused while anybody has it open. */
  public void unlink(String path) throws IOException {
    rank.names().removeUnused(path);
  }

  /**
   * Opens a file in the segmented view: each rank sees the segment that it names. Collective; a
   * segment that the file does not have is an error on all ranks.
   */
  public PiousFile openSegmented(String path, int segment) throws IOException {
    SharedFile file = rank.open(path, OpenOptions.readWrite());
    int segments = file.layout().strands();
    try {
      rank.agree(Agreement.on("openSegmented").checking(() -> check(path, segment, segments)))
          .orThrow();
    } catch (IOException e) {
      try (file) {
        throw e;
      }
    }
    Interleave order = Interleave.segment(file.layout(), segment);
    return new PiousFile(this, file, PiousView.SEGMENTED, order);
  }

  private static void check(String path, int segment, int segments) {
    if (segment < 0 || segment >= segments) {
      throw new IllegalArgumentException(
          "wants segment %s of %s, which has %s".formatted(segment, path, segments));
    }
  }

  /**
   * Opens a file in the global view: the blocks of all segments in turn, and one pointer for all.
   * Collective.
   *
   * @param blockBytes bytes of a segment before the next one's turn: any number, the same on all
   *     ranks, as long as a block of each segment fits into 2^63-1 bytes
   */
  public PiousFile openGlobal(String path, long blockBytes) throws IOException {
    return open(path, blockBytes, PiousView.GLOBAL, Mode.SHARED);
  }

  /** As {@link #openGlobal}, with a pointer for each rank. */
  public PiousFile openIndependent(String path, long blockBytes) throws IOException {
    return open(path, blockBytes, PiousView.INDEPENDENT, Mode.INDEPENDENT);
  }

  private PiousFile open(String path, long blockBytes, PiousView kind, Mode mode)
      throws IOException {
    rank.agree(
            Agreement.on("open", kind, path, blockBytes)
                .giving("path", path)
                .checking(() -> checkBlock(blockBytes)))
        .orThrow();
    SharedFile file = rank.open(path, OpenOptions.readWrite().withMode(mode));
    try {
      return new PiousFile(this, file, kind, Interleave.blocks(file.layout(), blockBytes));
    } catch (IllegalArgumentException e) { // on all ranks: file and block size are the same
      try (file) {
        throw e;
      }
    }
  }

  private static void checkBlock(long blockBytes) {
    if (blockBytes < 1) {
      throw new IllegalArgumentException("block size of " + blockBytes + " bytes");
    }
  }

  /**
   * Begins a transaction of this process: what it reads and writes from now on, through any view of
   * any file, happens as a whole or not at all, pointers included, and nobody sees it happen.
   */
  public void begin() {
    if (transaction != null) {
      throw new IllegalStateException("a transaction has begun and not ended");
    }
    transaction = rank.begin();
  }

  /** Whether a transaction has begun and not ended. */
  public boolean isInTransaction() {
    return transaction != null;
  }

  /** Ends the transaction: all of it is durable. If that fails it is aborted. */
  public void commit() throws IOException {
    Transaction ending = requireTransaction();
    try {
      ending.commit();
    } catch (IOException e) {
      abortAfter(e);
      throw e;
    }
    forget();
  }

  /**
   * Ends the transaction: nothing of it has happened, and pointers stand where they stood. If a
   * pointer cannot be set back this fails, but the transaction has ended all the same.
   */
  public void abort() throws IOException {
    requireTransaction();
    undo();
  }

  private Transaction requireTransaction() {
    if (transaction == null) {
      throw new IllegalStateException("no transaction has begun");
    }
    return transaction;
  }

  @Nullable Transaction transaction() {
    return transaction;
  }

  /** A file's first access in the transaction: how it was before is kept. */
  PiousFile.Before touch(PiousFile file) throws IOException {
    PiousFile.Before before = touched.get(file);
    if (before == null) {
      before = file.before();
      touched.put(file, before);
    }
    return before;
  }

  /** The transaction has written these parts of a file's segments. */
  void wrote(String path, List<Interleave.Part> parts, int segments) {
    long[] ends = written.computeIfAbsent(path, _ -> new long[segments]);
    for (Interleave.Part part : parts) {
      ends[part.segment()] = Math.max(ends[part.segment()], part.to());
    }
  }

  /** Where what the transaction has written to a segment ends; 0 if that is nothing. */
  long written(String path, int segment) {
    long[] ends = written.get(path);
    return ends == null ? 0 : ends[segment];
  }

  boolean hasTouched(PiousFile file) {
    return touched.containsKey(file);
  }

  /** The transaction could not go on. */
  void abortAfter(IOException e) {
    try {
      undo();
    } catch (IOException more) {
      e.addSuppressed(more);
    }
  }

  private void undo() throws IOException {
    List<Step> steps = new ArrayList<>();
    touched.forEach((file, before) -> steps.add(() -> file.restore(before)));
    steps.add(requireTransaction()::abort);
    steps.add(this::forget);
    runAll(steps);
  }

  /** Gives back the pointers' locks. */
  private void forget() throws IOException {
    List<Step> steps = new ArrayList<>();
    touched.values().forEach(before -> steps.add(before::close));
    transaction = null;
    touched.clear();
    written.clear();
    runAll(steps);
  }

  /** One step of ending a transaction. */
  private interface Step {
    void run() throws IOException;
  }

  /** Runs them all, whichever fail: a lock that is kept would keep others waiting. */
  private static void runAll(List<Step> steps) throws IOException {
    Exception failure = null;
    for (Step step : steps) {
      try {
        step.run();
      } catch (IOException | RuntimeException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure instanceof IOException e) {
      throw e;
    } else if (failure instanceof RuntimeException e) {
      throw e;
    }
  }
}
