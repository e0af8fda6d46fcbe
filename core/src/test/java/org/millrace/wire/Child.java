package org.millrace.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import org.millrace.env.Env;
import org.millrace.testing.ChildJava;

/**
 * Another process for the tests of shared memory: what {@link #main} does is chosen by its first
 * argument. The two talk through the child's standard streams.
 */
final class Child {

  private Child() {}

  static Process start(String... arguments) throws IOException {
    List<String> command =
        ChildJava.command(
            "-XX:TieredStopAtLevel=1",
            "-Xmx64m",
            "-cp",
            System.getProperty("java.class.path"),
            Child.class.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  public static void main(String[] arguments) throws IOException {
    Path base = Path.of(arguments[1]);
    SharedFolder folder = SharedFolder.open(Env.real(), base);
    switch (arguments[0]) {
      case "echo" -> echo(folder.attach(Path.of(arguments[2]), Long.parseLong(arguments[3])));
      case "leave" -> leave(folder);
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  /** Takes memory and waits to be killed. */
  private static void leave(SharedFolder folder) throws IOException {
    Pool pool = new Pool(folder, 1 << 20);
    MemorySegment piece = pool.tryTake(100_000);
    SharedMemory alone = folder.create(5000);
    System.out.println(piece + " " + alone);
    System.in.read();
  }

  /** Sends back each byte plus one, until the doorbell's cord is cut. */
  private static void echo(SharedMemory memory) throws IOException {
    MemorySegment all = memory.segment();
    long half = all.byteSize() / 2;
    RingReader reader = new RingReader(all.asSlice(0, half));
    RingWriter writer = new RingWriter(all.asSlice(half));
    InputStream bell = System.in;
    OutputStream peer = System.out;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(3000);
      while (true) {
        int bytes = reader.read(buffer, 0, (int) buffer.byteSize());
        ring(reader.release(), peer);
        for (long i = 0; i < bytes; i++) {
          byte value = buffer.get(ValueLayout.JAVA_BYTE, i);
          buffer.set(ValueLayout.JAVA_BYTE, i, (byte) (value + 1));
        }
        for (int done = 0; done < bytes; ) {
          done += writer.write(buffer, done, bytes - done);
          ring(writer.publish(), peer);
          if (done < bytes && writer.park(1) && bell.read() < 0) {
            return;
          }
          writer.unpark();
        }
        if (bytes == 0 && reader.park() && bell.read() < 0) {
          return;
        }
        reader.unpark();
      }
    }
  }

  static void ring(boolean needed, OutputStream peer) throws IOException {
    if (needed) {
      peer.write(1);
      peer.flush();
    }
  }
}
