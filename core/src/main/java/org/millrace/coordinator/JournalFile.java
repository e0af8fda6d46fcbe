package org.millrace.coordinator;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.millrace.disk.Disk;
import org.millrace.disk.MarkedLog;
import org.millrace.env.Env;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Troubles;

/**
 * The log of one coordinator alone: a file of its disk. It is written anew under another name and
 * swapped in when it has grown too long, or when an append failed: what the file then holds is
 * unknown.
 *
 * <p>Owned by the journal's disk thread. Closing closes the file.
 */
final class JournalFile implements ChangeLog {

  static final String NAME = "journal";

  private static final long EVERY_NANOS = 1_000_000_000;

  // constant after construction
  private final Env env;
  private final Disk disk;
  private final long compactBytes;
  private final Troubles troubles;

  // owned by the disk thread
  private @Nullable MarkedLog log;
  private long compactAtBytes;
  private long lastMark;

  /**
   * On a disk.
   *
   * @param compactBytes it is long when it has grown by this and to twice what it was when it was
   *     written anew; one that was found, as soon as it grows, unless it is shorter than this
   * @param troubles told of what went well all the same
   */
  JournalFile(Env env, Disk disk, long compactBytes, Troubles troubles) {
    this.env = env;
    this.lastMark = env.nanoTime();
    this.troubles = troubles;
    this.disk = disk;
    this.compactBytes = compactBytes;
  }

  @Override
  public String name() {
    return disk.name();
  }

  /**
   * As {@link ChangeLog#open}.
   *
   * @throws CorruptBlockException if it is not the last that was here: cut, older, or gone
   */
  @Override
  public boolean open(Replay replay) throws IOException {
    Optional<MarkedLog> found = MarkedLog.open(disk, NAME);
    if (found.isEmpty()) {
      return false;
    }
    use(found.get());
    // how much of it is outdated is not known: if it is long it is written anew with the next
    // change
    compactAtBytes = Math.max(compactBytes, found.get().size());
    int repaired = found.get().repaired();
    if (repaired > 0) {
      troubles.add(
          Troubles.Kind.REPAIRED,
          "%s frames of the journal in %s were damaged in one of their two copies, and are whole again"
              .formatted(repaired, disk.name()));
    }
    for (byte[] record : found.get().takeRecords()) {
      replay.apply(record);
    }
    return true;
  }

  @Override
  public void append(List<byte[]> records) throws IOException {
    if (log == null) {
      replaceBy(MarkedLog.prepare(disk, NAME, records, 1));
    } else {
      log.append(records);
      keepMark(log);
    }
  }

  /**
   * Makes durable now and then how far it has come, so that an older copy of it is found out after
   * a loss of power, too, unless it is of the last second.
   */
  private void keepMark(MarkedLog now) {
    if (env.nanoTime() - lastMark >= EVERY_NANOS) {
      now.forceMark();
      lastMark = env.nanoTime();
    }
  }

  @Override
  public boolean isLong() {
    return log != null && log.size() > compactAtBytes;
  }

  @Override
  public boolean rewrite(List<byte[]> all, boolean must) throws IOException {
    MarkedLog next;
    try {
      next = MarkedLog.prepare(disk, NAME, all, log == null ? 1 : log.generation() + 1);
    } catch (IOException e) {
      if (must || log == null) {
        throw e;
      }
      compactAtBytes = 2 * log.size();
      troubles.onFailure(MillraceException.wrap(ErrorCode.DISK, e));
      return false;
    }
    replaceBy(next);
    return true;
  }

  @Override
  public boolean isLost() {
    return false; // nobody else has it
  }

  /**
   * Puts another that was just prepared in its place. If that fails, it is unknown which of them is
   * there.
   */
  private void replaceBy(MarkedLog next) throws IOException {
    next.swapIn();
    closeQuietly();
    use(next);
  }

  private void use(MarkedLog one) {
    log = one;
    compactAtBytes = 2 * one.size() + compactBytes;
  }

  private void closeQuietly() {
    try {
      close();
    } catch (IOException e) {
      // What was acknowledged is durable already; closing adds nothing to it.
      return;
    }
  }

  @Override
  public void close() throws IOException {
    MarkedLog open = log;
    log = null;
    if (open != null) {
      open.close();
    }
  }
}
