package org.millrace.coordinator;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.zip.CRC32C;
import org.millrace.disk.Disk;
import org.millrace.disk.DiskFile;
import org.millrace.error.CorruptBlockException;

/** STUB until disk.Log is there. */
final class JournalFile implements AutoCloseable {
  static final String NAME = "journal";
  static final String NEW_NAME = "journal.new";

  interface Replay {
    void accept(byte[] record) throws IOException;
  }

  private final DiskFile file;
  private long size;

  private JournalFile(DiskFile file, long size) {
    this.file = file;
    this.size = size;
  }

  static JournalFile open(Disk disk, Replay replay) throws IOException {
    DiskFile f = disk.open(NAME);
    byte[] all = new byte[(int) f.size()];
    f.read(0, MemorySegment.ofArray(all));
    MemorySegment s = MemorySegment.ofArray(all);
    int at = 0;
    while (at + 8 <= all.length) {
      int len = s.get(ValueLayout.JAVA_INT_UNALIGNED, at);
      if (len < 0 || len > all.length - at - 8 || crc(all, at + 8, len) != s.get(ValueLayout.JAVA_INT_UNALIGNED, at + 4)) {
        if (len > 0 && len < all.length - at - 8) throw new CorruptBlockException("journal at " + at);
        break;
      }
      byte[] r = new byte[len];
      System.arraycopy(all, at + 8, r, 0, len);
      replay.accept(r);
      at += 8 + len;
    }
    f.resize(at);
    return new JournalFile(f, at);
  }

  static JournalFile rewrite(Disk disk, List<byte[]> records) throws IOException {
    disk.delete(NEW_NAME);
    JournalFile f = new JournalFile(disk.create(NEW_NAME), 0);
    for (byte[] r : records) f.append(r);
    f.force();
    disk.rename(NEW_NAME, NAME);
    disk.force();
    return f;
  }

  static int crc(byte[] b, int at, int len) {
    CRC32C c = new CRC32C();
    c.update(b, at, len);
    return (int) c.getValue();
  }

  void append(byte[] record) throws IOException {
    byte[] b = new byte[8 + record.length];
    MemorySegment s = MemorySegment.ofArray(b);
    s.set(ValueLayout.JAVA_INT_UNALIGNED, 0, record.length);
    s.set(ValueLayout.JAVA_INT_UNALIGNED, 4, crc(record, 0, record.length));
    System.arraycopy(record, 0, b, 8, record.length);
    file.write(size, s);
    size += b.length;
  }

  void force() throws IOException {
    file.force();
  }

  long size() {
    return size;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
