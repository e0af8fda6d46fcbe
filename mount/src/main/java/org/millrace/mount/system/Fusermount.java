package org.millrace.mount.system;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * The program that mounts for those who are not root. It opens the device and hands the descriptor
 * over through a socket, whose number it is told in its environment. Java closes all descriptors of
 * programs that it starts, so this one is started by posix_spawn.
 *
 * <p>Stateless.
 */
final class Fusermount {

  private static final String PROGRAM = "fusermount3";
  private static final int STREAM = 1;
  private static final int CLOSE_ON_EXEC = 0x40000000;
  private static final int MESSAGE_BYTES = 56;
  private static final int CONTROL_BYTES = 24;

  private static final MethodHandle SPAWN =
      Libc.find(
          "posix_spawnp",
          FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));
  private static final MethodHandle WAIT =
      Libc.find("waitpid", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));

  private Fusermount() {}

  static FuseDevice mount(Path place, String source, int largestRead) throws IOException {
    String options =
        "default_permissions,nosuid,nodev,subtype=millrace,fsname=%s,max_read=%s"
            .formatted(source, largestRead);
    Libc libc = new Libc();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pair = arena.allocate(JAVA_INT, 2);
      if (libc.socketPair(STREAM, pair) < 0) {
        throw new MountException("cannot make a pair of sockets for " + PROGRAM);
      }
      int mine = pair.getAtIndex(JAVA_INT, 0);
      int theirs = pair.getAtIndex(JAVA_INT, 1);
      int process;
      try {
        process = spawn(arena, List.of(PROGRAM, "-o", options, "--", place.toString()), theirs);
      } finally {
        libc.close(theirs);
      }
      try {
        int descriptor = receive(arena, libc, mine);
        int status = await(arena, process);
        if (descriptor < 0 || status != 0) {
          throw new MountException(
              "%s did not mount at %s (its reason is above); is %s yours and writable?"
                  .formatted(PROGRAM, place, place));
        }
        return new FuseDevice(descriptor);
      } finally {
        libc.close(mine);
      }
    }
  }

  static void unmount(Path place, boolean lazy) throws IOException {
    Process process;
    try {
      process =
          new ProcessBuilder(PROGRAM, lazy ? "-uz" : "-u", "--", place.toString())
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      throw new MountException(missing());
    }
    String said =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    int status = process.onExit().join().exitValue();
    if (status != 0) {
      throw new MountException(said.contains("busy") ? Mounting.busy(place) : said);
    }
  }

  private static String missing() {
    return "fusermount3 is needed to mount without being root: apt-get install fuse3";
  }

  private static int spawn(Arena arena, List<String> command, int socket) throws MountException {
    List<String> environment =
        List.of(
            "_FUSE_COMMFD=" + socket,
            "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "LC_ALL=C");
    MemorySegment process = arena.allocate(JAVA_INT);
    int failed;
    try {
      failed =
          (int)
              SPAWN.invokeExact(
                  arena.allocate(64),
                  process,
                  arena.allocateFrom(PROGRAM),
                  MemorySegment.NULL,
                  MemorySegment.NULL,
                  strings(arena, command),
                  strings(arena, environment));
    } catch (Throwable e) {
      throw Libc.unexpected(e);
    }
    if (failed != 0) {
      throw new MountException(missing());
    }
    return process.get(JAVA_INT, 0);
  }

  private static int await(Arena arena, int process) {
    MemorySegment status = arena.allocate(JAVA_INT);
    try {
      int ended = (int) WAIT.invokeExact(arena.allocate(64), process, status, 0);
      return ended == process ? status.get(JAVA_INT, 0) : 0; // the JVM may have waited for it first
    } catch (Throwable e) {
      throw Libc.unexpected(e);
    }
  }

  private static MemorySegment strings(Arena arena, List<String> texts) {
    MemorySegment array = arena.allocate(ADDRESS, texts.size() + 1L);
    for (int i = 0; i < texts.size(); i++) {
      array.setAtIndex(ADDRESS, i, arena.allocateFrom(texts.get(i)));
    }
    return array;
  }

  /**
   * The descriptor in a message, negative if the program has ended without one.
   *
   * <pre>
   *  message  0 name   8 length of name u4   16 parts   24 count u8   32 control   40 its length u8   48 flags i4
   *  control  0 length u8   8 level i4 (1)   12 type i4 (1)   16 descriptor i4
   *  part     0 address   8 length u8
   * </pre>
   */
  private static int receive(Arena arena, Libc libc, int socket) {
    MemorySegment part = arena.allocate(16, 8);
    part.set(ADDRESS, 0, arena.allocate(1));
    part.set(JAVA_LONG, 8, 1);
    MemorySegment control = arena.allocate(CONTROL_BYTES, 8);
    MemorySegment message = arena.allocate(MESSAGE_BYTES, 8);
    message.set(ADDRESS, 16, part);
    message.set(JAVA_LONG, 24, 1);
    message.set(ADDRESS, 32, control);
    message.set(JAVA_LONG, 40, CONTROL_BYTES);
    long received = libc.receive(socket, message, CLOSE_ON_EXEC);
    boolean rights = control.get(JAVA_INT, 8) == 1 && control.get(JAVA_INT, 12) == 1;
    return received > 0 && rights ? control.get(JAVA_INT, 16) : -1;
  }
}
