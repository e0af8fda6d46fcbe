package org.millrace.heritage.kotz;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.NoSuchElementException;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * A file of several subfiles under one name, each with an end of its own, as one process has it
 * open: with its own subfiles, which it reads, writes and appends to without regard to the others.
 *
 * <p>In the plain file the subfiles lie in blocks in turn, as if they were interleaved, so that
 * appending never moves a byte and every file can be read as a multifile, too. Where subfiles have
 * unequal lengths the plain file has zeros; which bytes count the ends say, which are kept in
 * {@code NAME.kotz}.
 *
 * <pre>
 *   block     0   1   2   3   4   5   6          3 subfiles: 0 has five blocks' worth, the
 *   subfile   0   1   2   0   1   2   0 ...      plain file ends where the longest does
 * </pre>
 *
 * <p>An end is kept whenever it moves, so that a program that ends without closing loses nothing.
 * After a kill what was not flushed may be lost, or read as zeros where the end was saved and the
 * bytes were not.
 *
 * <p>Belongs to the process's thread. Flushing and closing make bytes and ends durable and wait for
 * nobody; closing is idempotent.
 */
public final class Multifile implements AutoCloseable {

  // constant after construction
  private final Rank rank;
  private final SharedFile file;
  private final SubfileEnds ends;
  private final List<Subfile> mine;
  private final boolean write;

  // the process's thread
  private boolean closed;

  Multifile(Rank rank, SharedFile file, SubfileEnds ends, List<Subfile> mine, boolean write) {
    this.rank = rank;
    this.file = file;
    this.ends = ends;
    this.mine = List.copyOf(mine);
    this.write = write;
  }

  /** What it was opened as. */
  public FileType type() {
    return ends.type();
  }

  /** This process's subfiles. */
  public List<Subfile> subfiles() {
    return mine;
  }

  /**
   * One of this process's subfiles.
   *
   * @throws NoSuchElementException if it is another process's
   */
  public Subfile subfile(int number) {
    return mine.stream()
        .filter(one -> one.number() == number)
        .findFirst()
        .orElseThrow(() -> new NoSuchElementException("subfile " + number + " is not of " + rank));
  }

  /**
   * The ends of all subfiles, in records, whether or not a process has them: all that was written
   * before the processes came here counts. Collective.
   */
  public long[] ends() throws IOException {
    long[] all = new long[type().subfiles()];
    rank.together(
        "ends",
        () -> {
          if (rank.number() == 0) { // one answer for all
            System.arraycopy(ends.all(), 0, all, 0, all.length);
          }
        });
    rank.broadcast(0, MemorySegment.ofArray(all));
    return all;
  }

  /** Returns after the bytes, and then the ends, of this process's subfiles are durable. */
  public void flush() throws IOException {
    if (!write) {
      return;
    }
    file.flush();
    ends.flush();
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    flush();
    closed = true;
    try (ends) {
      file.close();
    }
  }
}
