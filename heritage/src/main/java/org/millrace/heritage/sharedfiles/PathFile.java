package org.millrace.heritage.sharedfiles;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;

/**
 * A file on a file system that all processes share, which knows of no strands: ELIO's own device.
 *
 * <p>Belongs to the rank's thread. Each operation has a thread of the kind that core's have.
 */
final class PathFile implements ElioFile {

  private static final int MOST_AT_ONCE = 1 << 20;

  private interface Body {
    long run() throws IOException;
  }

  // constant after construction
  private final Path path;
  private final FileChannel channel;
  private final Set<CompletableFuture<Long>> running = ConcurrentHashMap.newKeySet();

  private PathFile(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  /** Opens a file for reading and writing. */
  static PathFile open(Path path, OpenOption... more) throws IOException {
    Set<OpenOption> options = new HashSet<>(List.of(more));
    options.add(StandardOpenOption.WRITE);
    options.add(StandardOpenOption.READ);
    try {
      return new PathFile(path, FileChannel.open(path, options));
    } catch (NoSuchFileException e) {
      NoSuchNameException none = new NoSuchNameException("no file " + path);
      none.initCause(e);
      throw none;
    }
  }

  @Override
  public CompletableFuture<Long> read(long offset, MemorySegment into) throws IOException {
    return start(into, () -> readNow(offset, into));
  }

  private long readNow(long offset, MemorySegment into) throws IOException {
    ByteBuffer between = between(into);
    long done = 0;
    while (done < into.byteSize()) {
      between.clear().limit((int) Math.min(between.capacity(), into.byteSize() - done));
      int read = channel.read(between, offset + done);
      if (read < 0) {
        break;
      }
      MemorySegment.copy(MemorySegment.ofBuffer(between.flip()), 0, into, done, read);
      done += read;
    }
    return done;
  }

  @Override
  public CompletableFuture<Long> write(long offset, MemorySegment from) throws IOException {
    return start(from, () -> writeNow(offset, from));
  }

  private long writeNow(long offset, MemorySegment from) throws IOException {
    ByteBuffer between = between(from);
    long done = 0;
    while (done < from.byteSize()) {
      int length = (int) Math.min(between.capacity(), from.byteSize() - done);
      MemorySegment.copy(from, done, MemorySegment.ofBuffer(between.clear()), 0, length);
      done += channel.write(between.limit(length), offset + done);
    }
    return done;
  }

  /** Channels take bytes only, and segments may be arrays of anything. */
  private static ByteBuffer between(MemorySegment memory) {
    return ByteBuffer.allocate(Math.clamp(memory.byteSize(), 1, MOST_AT_ONCE));
  }

  private CompletableFuture<Long> start(MemorySegment memory, Body body) throws IOException {
    if (!channel.isOpen()) {
      throw new MillraceException(ErrorCode.CLOSED, path + " is closed");
    }
    if (!memory.isAccessibleBy(Env.ANY_THREAD)) {
      throw new WrongThreadException(
          "an asynchronous call needs memory of a shared or automatic arena, not of a confined one");
    }
    CompletableFuture<Long> future = new CompletableFuture<>();
    running.add(future);
    Env.real().start(ThreadKind.OPERATION, "operation on " + path, () -> run(future, body));
    return future;
  }

  private void run(CompletableFuture<Long> future, Body body) {
    try {
      long moved = body.run();
      running.remove(future);
      future.complete(moved);
    } catch (IOException | RuntimeException e) {
      running.remove(future);
      future.completeExceptionally(e);
    }
  }

  @Override
  public long size() throws IOException {
    return channel.size();
  }

  @Override
  public long stripeUnitBytes() {
    return 0;
  }

  @Override
  public void close() throws IOException {
    for (CompletableFuture<Long> one : running) {
      one.handle((_, _) -> 0).join(); // its error is for who waits for the request
    }
    channel.close();
  }

  @Override
  public void remove() throws IOException {
    Files.deleteIfExists(path);
  }
}
