package org.millrace.mount.serve;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.mount.fuse.Opcode;
import org.millrace.mount.system.FuseDevice;
import org.millrace.mount.system.Libc;
import org.millrace.testing.files.MemoryTree;

/**
 * Speaks the kernel's side of the protocol over a pair of sockets that keep messages apart, with
 * structures that are written out here once more, by hand.
 *
 * <p>For one thread. Closing ends the workers.
 */
final class FakeKernel {

  private static final int SEQUENCED_PACKETS = 5;
  private static final int LARGEST = (1 << 20) + 8192;

  /** An answer. */
  record Answer(int error, ByteBuffer bytes) {

    int i4(int at) {
      return bytes.getInt(at);
    }

    long i8(int at) {
      return bytes.getLong(at);
    }

    String text() {
      return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    }
  }

  private final Libc libc = new Libc();
  private final Arena arena = Arena.ofShared();
  private final MemorySegment buffer = arena.allocate(LARGEST, 8);
  private final int mine;
  private final FuseDevice device;
  private final List<Thread> threads = new ArrayList<>();
  private final Map<Long, Answer> early = new HashMap<>();
  final List<String> log = new ArrayList<>();
  final List<ByteBuffer> notices = new ArrayList<>();
  private long lastUnique;
  int user;

  FakeKernel(MemoryTree tree, int workers) {
    MemorySegment pair = arena.allocate(ValueLayout.JAVA_INT, 2);
    if (libc.socketPair(SEQUENCED_PACKETS, pair) < 0) {
      throw new IllegalStateException("no sockets");
    }
    mine = pair.getAtIndex(ValueLayout.JAVA_INT, 0);
    device = new FuseDevice(pair.getAtIndex(ValueLayout.JAVA_INT, 1));
    KernelPages pages = KernelPages.never(Env.real());
    Served served = new Served(Env.real(), tree, true, 1_500_000_000L, pages);
    Dispatcher dispatcher = new Dispatcher(served, workers);
    Turns turns = new Turns(Env.real());
    for (int i = 0; i < workers; i++) {
      Worker worker = new Worker(dispatcher, turns, device, arena, log::add, () -> {});
      threads.add(Env.real().start(ThreadKind.CONNECTION, "worker", worker));
    }
  }

  /**
   * Numbers and texts one after the other, as they are in memory: Integer, Long, Short, String with
   * its zero, bytes.
   */
  static byte[] packed(Object... parts) {
    ByteBuffer out = ByteBuffer.allocate(LARGEST).order(ByteOrder.nativeOrder());
    for (Object part : parts) {
      switch (part) {
        case Integer i -> out.putInt(i);
        case Long l -> out.putLong(l);
        case Short s -> out.putShort(s);
        case String s -> out.put(s.getBytes(StandardCharsets.UTF_8)).put((byte) 0);
        case byte[] b -> out.put(b);
        default -> throw new IllegalArgumentException("cannot pack " + part);
      }
    }
    out.flip();
    byte[] bytes = new byte[out.remaining()];
    out.get(bytes);
    return bytes;
  }

  /** Sends a request and waits for its answer. */
  Answer ask(Opcode opcode, long node, Object... body) throws IOException {
    return await(send(opcode.number(), node, body));
  }

  /** Sends a request; returns its number. */
  long send(int opcode, long node, Object... body) throws IOException {
    byte[] rest = packed(body);
    long unique = lastUnique += 2;
    byte[] all =
        packed(40 + rest.length, opcode, unique, node, user, 0, 4711, (short) 0, (short) 0, rest);
    MemorySegment.copy(all, 0, buffer, ValueLayout.JAVA_BYTE, 0, all.length);
    if (libc.write(mine, buffer, all.length) != all.length) {
      throw new IOException("request not taken");
    }
    return unique;
  }

  /** Waits for the answer to a request; others that come before are kept. */
  Answer await(long unique) throws IOException {
    while (!early.containsKey(unique)) {
      long bytes = libc.read(mine, buffer, LARGEST);
      if (bytes < 16) {
        throw new IOException("read " + bytes);
      }
      ByteBuffer in =
          ByteBuffer.wrap(buffer.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE))
              .order(ByteOrder.nativeOrder());
      if (in.getInt(0) != bytes) {
        throw new IOException("answer of %d bytes says %d".formatted(bytes, in.getInt(0)));
      }
      if (in.getLong(8) == 0) {
        notices.add(in);
      } else {
        early.put(
            in.getLong(8),
            new Answer(
                -in.getInt(4), in.slice(16, (int) bytes - 16).order(ByteOrder.nativeOrder())));
      }
    }
    Answer answer = early.remove(unique);
    if (answer == null) {
      throw new IOException("no answer");
    }
    return answer;
  }

  void close() throws InterruptedException {
    libc.close(mine);
    for (Thread thread : threads) {
      thread.join();
    }
    device.close();
    arena.close();
  }
}
