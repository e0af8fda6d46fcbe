package org.millrace.bench.measure;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/** What anybody would write with a FileChannel: the limits of the disk and of system calls. */
public final class PlainFile implements AutoCloseable {

  private final FileChannel channel;

  /** Opens the file for reading and writing, and creates it if it is missing. */
  public PlainFile(Path path) throws IOException {
    channel =
        FileChannel.open(
            path,
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE));
  }

  /** Writes all of memory from offset 0 on in transfers of one size. */
  public void write(MemorySegment memory, int transferBytes) throws IOException {
    for (long at = 0; at < memory.byteSize(); at += transferBytes) {
      ByteBuffer buffer =
          memory.asSlice(at, Math.min(transferBytes, memory.byteSize() - at)).asByteBuffer();
      while (buffer.hasRemaining()) {
        channel.write(buffer, at + buffer.position());
      }
    }
  }

  /** The reverse of {@link #write}. */
  public void read(MemorySegment memory, int transferBytes) throws IOException {
    for (long at = 0; at < memory.byteSize(); at += transferBytes) {
      ByteBuffer buffer =
          memory.asSlice(at, Math.min(transferBytes, memory.byteSize() - at)).asByteBuffer();
      while (buffer.hasRemaining()) {
        if (channel.read(buffer, at + buffer.position()) < 0) {
          throw new WrongResultException("plain file ends at " + (at + buffer.position()));
        }
      }
    }
  }

  /** One call for each element of eight bytes. */
  public void readElements(ByteBuffer packed, long stride) throws IOException {
    packed.clear();
    for (int i = 0; i < packed.capacity() / Long.BYTES; i++) {
      packed.limit((i + 1) * Long.BYTES);
      if (channel.read(packed, i * stride) != Long.BYTES) {
        throw new WrongResultException("short read of element " + i);
      }
    }
  }

  /** The reverse of {@link #readElements}. */
  public void writeElements(ByteBuffer packed, long stride) throws IOException {
    packed.clear();
    for (int i = 0; i < packed.capacity() / Long.BYTES; i++) {
      packed.limit((i + 1) * Long.BYTES);
      if (channel.write(packed, i * stride) != Long.BYTES) {
        throw new WrongResultException("short write of element " + i);
      }
    }
  }

  /** Makes all that was written durable. */
  public void force() throws IOException {
    channel.force(true);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
