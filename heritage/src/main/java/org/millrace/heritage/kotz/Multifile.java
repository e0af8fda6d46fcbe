package org.millrace.heritage.kotz;

import java.io.IOException;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
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
  private final FileType type;
  private final Optional<StoredType> kept;
  private final List<Subfile> mine;
  private final boolean write;

  // the process's thread
  private boolean closed;

  Multifile(
      Rank rank,
      SharedFile file,
      FileType type,
      Optional<StoredType> kept,
      List<Subfile> mine,
      boolean write) {
    this.rank = rank;
    this.file = file;
    this.type = type;
    this.kept = kept;
    this.mine = List.copyOf(mine);
    this.write = write;
  }

  /** What it was opened as. */
  public FileType type() {
    return type;
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

  /** The ends of all subfiles, in records; 0 for those that no process has. Collective. */
  public long[] ends() throws IOException {
    long[] ends = new long[type.subfiles()];
    for (Subfile one : mine) {
      ends[one.number()] = one.end();
    }
    return rank.allReduce(ends, Math::max);
  }

  /** Returns after the bytes, and then the ends, of this process's subfiles are durable. */
  public void flush() throws IOException {
    if (!write) {
      return;
    }
    file.flush();
    if (kept.isPresent()) {
      kept.get().flush();
    }
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    flush();
    closed = true;
    file.close();
    if (kept.isPresent()) {
      kept.get().close();
    }
  }
}
