package org.millrace.heritage.dio;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Rank;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;
import org.millrace.heritage.elio.PlainFile;

/**
 * The ranks' own files. Each rank reads and writes its own by itself; for those of others it asks
 * the {@link LocalServer} of their rank, by messages of a group that nobody else uses. Data move in
 * pieces of {@link LocalMessage#PIECE} bytes, so that a server needs one buffer, however many ask
 * for however much.
 *
 * <p>Belongs to the rank's thread; each operation on another rank's file has a thread of its own.
 * Closing is collective.
 */
final class LocalComponents implements Components {

  // constant after construction
  private final Rank group;
  private final @Nullable PlainFile own;
  private final LocalClient client;
  private final LocalServer server;

  // the rank's thread
  private boolean closed;

  private LocalComponents(Rank group, @Nullable PlainFile own) {
    this.group = group;
    this.own = own;
    this.client = new LocalClient(group);
    this.server = new LocalServer(group, own);
  }

  /** Opens each rank's file, on all ranks or none. Collective. */
  static LocalComponents open(Rank rank, String call, Optional<Path> local) throws IOException {
    PlainFile[] opened = new PlainFile[1];
    try {
      rank.together(
          call,
          () -> {
            if (local.isPresent()) {
              opened[0] = open(local.get());
            }
          });
      LocalComponents made = new LocalComponents(rank.split(0, rank.number()), opened[0]);
      made.server.start();
      return made;
    } catch (IOException | RuntimeException e) {
      if (opened[0] != null) {
        opened[0].close();
      }
      throw e;
    }
  }

  private static PlainFile open(Path path) throws IOException {
    try {
      return PlainFile.open(path);
    } catch (NoSuchFileException e) {
      NoSuchNameException none = new NoSuchNameException("no local file " + path);
      none.initCause(e);
      throw none;
    }
  }

  @Override
  public int count() {
    return group.size();
  }

  @Override
  public long size(int proc) throws IOException {
    checkOpen();
    return isMine(proc) ? own().size() : client.size(proc);
  }

  @Override
  public CompletableFuture<Long> read(int proc, long offset, List<MemorySegment> into)
      throws IOException {
    checkOpen();
    checkMemory(into);
    if (isMine(proc)) {
      return CompletableFuture.completedFuture(readOwn(offset, into));
    }
    return start("read", () -> client.read(proc, offset, into));
  }

  private long readOwn(long offset, List<MemorySegment> into) throws IOException {
    long done = 0;
    for (MemorySegment part : into) {
      long moved = own().read(offset + done, part).await();
      done += moved;
      if (moved < part.byteSize()) {
        break;
      }
    }
    return done;
  }

  @Override
  public CompletableFuture<Long> write(int proc, long offset, List<MemorySegment> from)
      throws IOException {
    checkOpen();
    checkMemory(from);
    if (!isMine(proc)) {
      return start("write", () -> client.write(proc, offset, from));
    }
    long done = 0;
    for (MemorySegment part : from) {
      done += own().write(offset + done, part).await();
    }
    return CompletableFuture.completedFuture(done);
  }

  private interface Body {
    long run() throws IOException;
  }

  private static CompletableFuture<Long> start(String verb, Body body) {
    CompletableFuture<Long> moving = new CompletableFuture<>();
    Env.real()
        .start(
            ThreadKind.OPERATION,
            verb + " of a distant file",
            () -> {
              try {
                moving.complete(body.run());
              } catch (IOException | RuntimeException e) {
                moving.completeExceptionally(e);
              }
            });
    return moving;
  }

  private static void checkMemory(List<MemorySegment> memory) {
    for (MemorySegment part : memory) {
      if (!part.isAccessibleBy(Env.ANY_THREAD)) {
        throw new WrongThreadException(
            "an asynchronous call needs memory of a shared or automatic arena, not of a confined"
                + " one");
      }
    }
  }

  @Override
  public void extend(int proc, long size) throws IOException {
    checkOpen();
    if (isMine(proc)) {
      own().extend(size);
    } else {
      client.extend(proc, size);
    }
  }

  private boolean isMine(int proc) {
    return proc == group.number();
  }

  private PlainFile own() throws IOException {
    return LocalServer.require(group, own);
  }

  private void checkOpen() throws MillraceException {
    if (closed) {
      throw new MillraceException(ErrorCode.CLOSED, "the local files were given back");
    }
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  /** Serves until all ranks are here, even if one never comes. */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      group.barrier();
    } finally {
      server.stop();
      if (own != null) {
        own.close();
      }
      group.leave("");
    }
  }
}
