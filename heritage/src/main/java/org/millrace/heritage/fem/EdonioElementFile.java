package org.millrace.heritage.fem;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.heritage.edonio.Edonio;
import org.millrace.heritage.edonio.Fcntl;

/** Through EDONIO, which was begun with {@code do_nio}. Belongs to the rank's thread. */
public final class EdonioElementFile implements ElementFile {

  private static final int MODE = 0666;

  // constant after construction
  private final Edonio io;
  private final String path;

  // the rank's thread
  private int fd = -1;

  /** The file {@code path} through {@code io}. */
  public EdonioElementFile(Edonio io, String path) {
    this.io = io;
    this.path = path;
  }

  @Override
  public String name() {
    return "EDONIO";
  }

  @Override
  public void wopen() throws IOException {
    fd = io.do_open(path, Fcntl.O_WRONLY | Fcntl.O_CREAT, MODE);
  }

  @Override
  public void wclose() throws IOException {
    io.do_close(fd);
  }

  @Override
  public void ropen() throws IOException {
    fd = io.do_open(path, Fcntl.O_RDONLY, MODE);
  }

  @Override
  public void preload() throws IOException {
    io.do_preload(fd);
  }

  @Override
  public void rclose() throws IOException {
    io.do_close(fd);
  }

  @Override
  public void seekTo(long offset) throws IOException {
    io.do_eseek(fd, offset, Fcntl.SEEK_SET);
  }

  @Override
  public void seekBy(long delta) throws IOException {
    io.do_eseek(fd, delta, Fcntl.SEEK_CUR);
  }

  @Override
  public void write(MemorySegment buffer, long bytes) throws IOException {
    io.do_write(fd, buffer, bytes);
  }

  @Override
  public void read(MemorySegment buffer, long bytes) throws IOException {
    io.do_read(fd, buffer, bytes);
  }
}
