package org.millrace.heritage.fem;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.millrace.heritage.nx.Nx;

/**
 * Without Millrace: each rank has a {@link FileChannel} of its own on one plain file of this
 * machine, and every access is a system call. What to compare the others with.
 *
 * <p>Belongs to the rank's thread.
 */
public final class PlainElementFile implements ElementFile {

  // constant after construction
  private final Nx nx;
  private final Path path;

  // the rank's thread
  private @Nullable FileChannel channel;
  private long pointer;

  /** The file {@code path} of this machine; {@code nx} lets rank 0 make it first. */
  public PlainElementFile(Nx nx, Path path) {
    this.nx = nx;
    this.path = path;
  }

  @Override
  public String name() {
    return "FileChannel";
  }

  @Override
  public void wopen() throws IOException {
    if (nx.mynode() == 0) {
      FileChannel.open(
              path,
              StandardOpenOption.WRITE,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING)
          .close();
    }
    nx.gsync();
    channel = FileChannel.open(path, StandardOpenOption.WRITE);
    pointer = 0;
  }

  @Override
  public void wclose() throws IOException {
    channel().force(true);
    channel().close();
  }

  @Override
  public void ropen() throws IOException {
    channel = FileChannel.open(path, StandardOpenOption.READ);
    pointer = 0;
  }

  @Override
  public void preload() {
    // the system's page cache is not asked
  }

  @Override
  public void rclose() throws IOException {
    channel().close();
  }

  private FileChannel channel() {
    return Objects.requireNonNull(channel, "not open");
  }

  @Override
  public void seekTo(long offset) {
    pointer = offset;
  }

  @Override
  public void seekBy(long delta) {
    pointer += delta;
  }

  @Override
  public void write(MemorySegment buffer, long bytes) throws IOException {
    ByteBuffer left = buffer.asSlice(0, bytes).asByteBuffer();
    while (left.hasRemaining()) {
      pointer += channel().write(left, pointer);
    }
  }

  @Override
  public void read(MemorySegment buffer, long bytes) throws IOException {
    ByteBuffer left = buffer.asSlice(0, bytes).asByteBuffer();
    while (left.hasRemaining()) {
      int got = channel().read(left, pointer);
      if (got < 0) {
        throw new EOFException(path + " ends at " + pointer);
      }
      pointer += got;
    }
  }
}
