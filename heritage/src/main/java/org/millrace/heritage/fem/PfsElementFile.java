package org.millrace.heritage.fem;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.heritage.pfs.IoMode;
import org.millrace.heritage.pfs.Pfs;

/** Through PFS in mode M_ASYNC, as the report's program does. Belongs to the rank's thread. */
public final class PfsElementFile implements ElementFile {

  private static final int MODE = 0666;

  // constant after construction
  private final Pfs pfs;
  private final String path;

  // the rank's thread
  private int fd = -1;

  /** The file {@code path} through {@code pfs}. */
  public PfsElementFile(Pfs pfs, String path) {
    this.pfs = pfs;
    this.path = path;
  }

  @Override
  public String name() {
    return "PFS";
  }

  @Override
  public void wopen() throws IOException {
    fd = pfs.gopen(path, Pfs.O_WRONLY | Pfs.O_CREAT | Pfs.O_TRUNC, IoMode.M_ASYNC, MODE);
  }

  @Override
  public void wclose() throws IOException {
    close();
  }

  @Override
  public void ropen() throws IOException {
    fd = pfs.gopen(path, Pfs.O_RDONLY, IoMode.M_ASYNC, MODE);
  }

  @Override
  public void preload() {
    // PFS has no such call
  }

  @Override
  public void rclose() throws IOException {
    close();
  }

  private void close() throws IOException {
    if (pfs.close(fd) != 0) {
      throw new IOException(pfs.pfslib_strerror("close of " + path));
    }
  }

  @Override
  public void seekTo(long offset) throws IOException {
    pfs.eseek(fd, offset, Pfs.SEEK_SET);
  }

  @Override
  public void seekBy(long delta) throws IOException {
    pfs.eseek(fd, delta, Pfs.SEEK_CUR);
  }

  @Override
  public void write(MemorySegment buffer, long bytes) throws IOException {
    pfs.cwrite(fd, buffer, bytes);
  }

  @Override
  public void read(MemorySegment buffer, long bytes) throws IOException {
    pfs.cread(fd, buffer, bytes);
  }
}
