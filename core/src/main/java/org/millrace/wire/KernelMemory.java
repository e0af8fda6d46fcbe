package org.millrace.wire;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Linux memory that has no name in any folder ({@code memfd_create(2)}): others reach it through
 * {@code /proc}, where the kernel admits only processes of the same user and the superuser. Its
 * size is sealed, so it can never shrink under an access; all its pages are allocated, so an access
 * never finds the host out of memory.
 *
 * <pre>
 *   name      PID/DESCRIPTOR/CHANCE          maps /proc/PID/fd/DESCRIPTOR, which the kernel must
 *                                            call "/memfd:millrace-CHANCE (deleted)"
 *   process   SPACE-PID-STARTED              as in the names of {@link SharedFolder}'s files
 * </pre>
 *
 * <p>Safe for use by several threads.
 */
final class KernelMemory implements HostMemory {

  private static final Pattern PROCESS =
      Pattern.compile("([0-9]{1,18})-([0-9]{1,18})-([0-9]{1,18})");

  private static final HexFormat HEX = HexFormat.of();

  // Constant after construction.
  private final Env env;
  private final Creator self;
  private final String process; // goes with every request to pin blocks
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final RandomGenerator random;

  @GuardedBy("lock")
  private final Map<String, WeakReference<MemorySegment>> attached = new HashMap<>();

  private KernelMemory(Env env, Creator self) {
    this.env = env;
    this.self = self;
    this.process = self.process();
    this.random = env.random("names of memory");
  }

  /** The kernel's memory; none where it cannot be had. */
  static HostMemory open(Env env) {
    try {
      return NativeMemory.isPossible() && Files.isDirectory(Path.of("/proc/self/fd"))
          ? new KernelMemory(env, Creator.self())
          : NONE;
    } catch (IOException e) {
      return NONE;
    }
  }

  @Override
  public String process() {
    return process;
  }

  @Override
  public boolean isGone(String process) {
    Matcher matcher = PROCESS.matcher(process);
    if (!matcher.matches()) {
      return false;
    }
    try {
      return new Creator(
              Long.parseLong(matcher.group(1)),
              Long.parseLong(matcher.group(2)),
              Long.parseLong(matcher.group(3)))
          .isGone(self);
    } catch (IOException e) {
      return false; // unknown
    }
  }

  /** One piece. */
  private record Made(String name, MemorySegment memory, Arena arena, int descriptor)
      implements Piece {

    @Override
    public void close() {
      long bytes = memory.byteSize();
      arena.close();
      NativeMemory.punch(descriptor, bytes);
      NativeMemory.close(descriptor);
    }

    @Override
    public void letGo() {
      arena.close();
      NativeMemory.close(descriptor);
    }
  }

  @Override
  public boolean canSleep() {
    return Futex.isPossible();
  }

  @Override
  public void sleepWhile(MemorySegment memory, long at, int value, long nanos) {
    Futex.sleepWhile(memory, at, value, nanos);
  }

  @Override
  public void wakeAll(MemorySegment memory, long at) {
    Futex.wakeAll(memory, at);
  }

  @Override
  public Piece make(long bytes) throws IOException {
    String chance = nextChance();
    int descriptor = NativeMemory.create("millrace-" + chance, bytes);
    Arena arena = env.arena();
    try (FileChannel channel = open(Path.of("/proc/self/fd/" + descriptor))) {
      MemorySegment memory = NativeMemory.map(channel, bytes, arena);
      return new Made(self.pid() + "/" + descriptor + "/" + chance, memory, arena, descriptor);
    } catch (IOException | RuntimeException e) {
      arena.close();
      NativeMemory.close(descriptor);
      throw e;
    }
  }

  private String nextChance() {
    lock.lock();
    try {
      return "%016x".formatted(random.nextLong());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public MemorySegment attach(String name, long bytes) throws IOException {
    lock.lock();
    try {
      MemorySegment known = Optional.ofNullable(attached.get(name)).map(this::get).orElse(null);
      if (known == null) {
        attached.values().removeIf(one -> get(one) == null);
        known = map(name, bytes);
        attached.put(name, new WeakReference<>(known));
      }
      if (known.byteSize() != bytes) {
        throw refused(name, "has " + known.byteSize() + " bytes, not " + bytes);
      }
      return known;
    } finally {
      lock.unlock();
    }
  }

  private @Nullable MemorySegment get(WeakReference<MemorySegment> reference) {
    return reference.get();
  }

  /** The kernel closes the descriptors of a process that ends before its parent hears of it. */
  @Override
  public boolean isThere(String name) {
    try {
      MemoryName it = MemoryName.parse(name).orElse(null);
      return it != null && isThere(it, path(it));
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isThere(MemoryName it, Path path) throws IOException {
    String expected = "/memfd:millrace-" + HEX.toHexDigits(it.chance()) + " (deleted)";
    return Files.readSymbolicLink(path).toString().equals(expected);
  }

  private static Path path(MemoryName it) {
    return Path.of("/proc/" + it.process() + "/fd/" + it.descriptor());
  }

  private static MemorySegment map(String name, long bytes) throws IOException {
    MemoryName it =
        MemoryName.parse(name).orElseThrow(() -> refused(name, "is not a name of shared memory"));
    Path path = path(it);
    if (!isThere(it, path)) {
      throw refused(name, "is not there any more");
    }
    try (FileChannel channel = open(path)) {
      if (channel.size() != bytes) {
        throw refused(name, "has " + channel.size() + " bytes, not " + bytes);
      }
      return NativeMemory.map(channel, bytes, Arena.ofAuto());
    }
  }

  private static FileChannel open(Path path) throws IOException {
    return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  private static MillraceException refused(String name, String reason) {
    return new MillraceException(ErrorCode.REFUSED, "memory " + name + " " + reason);
  }
}
