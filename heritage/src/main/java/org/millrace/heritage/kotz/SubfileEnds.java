package org.millrace.heritage.kotz;

import java.io.IOException;
import java.util.Optional;
import org.millrace.client.HeldLock;
import org.millrace.client.SharedFile;

/**
 * Where the subfiles of an open multifile end, as the file system knows it now: what was kept when
 * an end moved last, by whichever process, and no more than the plain file has. If nothing is kept,
 * because the file is no multifile of this type, the plain file's end alone tells.
 *
 * <p>Belongs to the process's thread.
 *
 * @param file the plain file
 * @param type what it was opened as
 * @param kept where ends are kept
 */
record SubfileEnds(SharedFile file, FileType type, Optional<StoredType> kept)
    implements AutoCloseable {

  /** Records of a subfile. */
  long end(int subfile) throws IOException {
    return ends(subfile, 1)[0];
  }

  /** Records of each subfile. */
  long[] all() throws IOException {
    return ends(0, type.subfiles());
  }

  private long[] ends(int first, int count) throws IOException {
    long[] ends = kept.isPresent() ? kept.get().ends(first, count) : null;
    long size = file.size(); // asked after the ends: what they count is there, or was cut since
    long[] records = new long[count];
    for (int i = 0; i < count; i++) {
      long bytes = Subfile.view(type, first + i).positionOf(size);
      bytes = ends == null ? bytes : Math.min(bytes, ends[i]);
      records[i] = bytes / type.recordBytes();
    }
    return records;
  }

  /** What is kept as the end of a subfile, in bytes; -1 if nothing is. */
  long kept(int subfile) throws IOException {
    return kept.isPresent() ? kept.get().ends(subfile, 1)[0] : -1;
  }

  /** Keeps others from moving an end, if it is kept. */
  Optional<HeldLock> lock(int subfile) throws IOException {
    return kept.isPresent() ? Optional.of(kept.get().lock(subfile)) : Optional.empty();
  }

  /** Keeps an end that has moved: a program may end without closing. */
  void moved(int subfile, long records) throws IOException {
    if (kept.isPresent()) {
      kept.get().keepEnd(subfile, Math.multiplyExact(records, type.recordBytes()));
    }
  }

  void flush() throws IOException {
    if (kept.isPresent()) {
      kept.get().flush();
    }
  }

  @Override
  public void close() throws IOException {
    if (kept.isPresent()) {
      kept.get().close();
    }
  }
}
