package org.millrace.bench.processes;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.wire.Pool;
import org.millrace.wire.SharedFolder;
import org.millrace.wire.SharedMemory;

/**
 * The process that asks, for {@link SharedMemoryTrial}: it reads lines "way bytes from to", the
 * last two instants on the clock that all processes of a host share, and answers each with "round
 * trips, nanoseconds of processors" between them. One thread.
 */
final class TrialClient implements AutoCloseable {

  static final int REQUEST_BYTES = 16;

  private final SharedFolder folder = SharedFolder.open(Env.real());

  /** Kept for all measurements: making it takes as long as some of them. */
  private final Pool pool = new Pool(folder, 64L << 20);

  private final Path socket;
  private final int port;

  TrialClient(Path socket, int port) throws IOException {
    this.socket = socket;
    this.port = port;
  }

  public static void main(String[] arguments) throws IOException {
    TrialClient client = new TrialClient(Path.of(arguments[0]), Integer.parseInt(arguments[1]));
    BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = orders.readLine(); line != null; line = orders.readLine()) {
      String[] words = line.split(" ", -1);
      TrialWay way = TrialWay.valueOf(words[0]);
      long from = Long.parseLong(words[2]);
      long to = Long.parseLong(words[3]);
      System.out.println(client.run(way, Integer.parseInt(words[1]), from, to));
    }
    client.close();
  }

  /** Asks in one way for so long: round trips, nanoseconds of processors. */
  String run(TrialWay way, int bytes, long milliseconds) throws IOException {
    long begin = Env.real().nanoTime();
    return run(way, bytes, begin + milliseconds * 500_000, begin + milliseconds * 1_500_000);
  }

  private String run(TrialWay way, int bytes, long from, long to) throws IOException {
    try (SocketChannel wire = connect(way);
        SharedMemory rings = folder.create(TrialChannel.Rings.bytes())) {
      MemorySegment piece = way.isNamed() ? pool.tryTake(bytes) : null;
      hello(wire, way, bytes, rings, piece == null ? null : pool);
      rings.unlink();
      TrialChannel channel =
          way.isRing()
              ? new TrialChannel.Rings(way, wire, rings.segment(), false)
              : new TrialChannel.Socket(wire);
      long place = piece == null ? 0 : pool.locate(piece);
      try (channel) {
        return race(channel, new Trips(way, bytes, piece, place), from, to);
      } finally {
        if (piece != null) {
          pool.give(piece);
        }
      }
    }
  }

  private SocketChannel connect(TrialWay way) throws IOException {
    if (way != TrialWay.TCP) {
      return SocketChannel.open(UnixDomainSocketAddress.of(socket));
    }
    SocketChannel tcp =
        SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    tcp.setOption(StandardSocketOptions.TCP_NODELAY, true);
    return tcp;
  }

  /** Says what comes; waits until the other side has mapped it all. */
  private static void hello(
      SocketChannel wire, TrialWay way, int bytes, SharedMemory rings, @Nullable Pool pool)
      throws IOException {
    String slab = pool == null ? "- 0" : pool.path(0) + " " + pool.bytes(0);
    byte[] text = (way + " " + bytes + " " + rings.path() + " " + slab).getBytes(UTF_8);
    ByteBuffer buffer = ByteBuffer.allocate(512).putInt(text.length).put(text).position(0);
    while (buffer.hasRemaining()) {
      wire.write(buffer);
    }
    if (wire.read(buffer.clear().limit(1)) != 1) {
      throw new IOException("the other side is not ready");
    }
  }

  private static String race(TrialChannel channel, Trips trips, long from, long to)
      throws IOException {
    trips.until(channel, from);
    long cpu = cpuNanos();
    long count = trips.until(channel, to);
    long cpuUsed = cpuNanos() - cpu;
    trips.stop(channel);
    return count + " " + cpuUsed;
  }

  @Override
  public void close() throws IOException {
    pool.close();
  }

  static long cpuNanos() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  /** Round trips of one kind. */
  private static final class Trips {

    private final int requestBytes;
    private final int replyBytes;
    private final MemorySegment request;
    private final MemorySegment reply;
    private final @Nullable MemorySegment piece;
    private final boolean copies;

    Trips(TrialWay way, int bytes, @Nullable MemorySegment piece, long place) {
      this.requestBytes = requestBytes(bytes);
      this.replyBytes = way.isNamed() ? REQUEST_BYTES : bytes;
      this.request = TrialChannel.memory(Math.max(requestBytes, REQUEST_BYTES));
      this.reply = TrialChannel.memory(Math.max(bytes, REQUEST_BYTES));
      this.piece = piece;
      this.copies = way == TrialWay.NAMED_COPIED;
      request.set(ValueLayout.JAVA_LONG_UNALIGNED, 1, place);
    }

    long until(TrialChannel channel, long deadline) throws IOException {
      Env env = Env.real();
      long count = 0;
      while (env.nanoTime() < deadline) {
        channel.send(request, requestBytes);
        channel.receive(reply, replyBytes);
        if (copies && piece != null) {
          MemorySegment.copy(piece, 0, reply, 0, piece.byteSize());
        }
        count++;
      }
      return count;
    }

    void stop(TrialChannel channel) throws IOException {
      request.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
      channel.send(request, requestBytes);
      channel.receive(reply, replyBytes);
    }
  }

  /** Small messages are answered by the same size; large ones are asked for. */
  static int requestBytes(int bytes) {
    return Math.min(bytes, 64);
  }
}
