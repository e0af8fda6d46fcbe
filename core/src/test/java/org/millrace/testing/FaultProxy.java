package org.millrace.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.millrace.wire.Address;

/**
 * Stands between a client and an acceptor and makes the connection bad: bytes come late, in pieces,
 * not for a while; connections end at any byte, in either direction; single bits change. What it
 * does is drawn from a seed, one stream of chance for each connection and direction; how this meets
 * what the processes do is up to the threads.
 *
 * <p>Safe for use by several threads. Closing ends all connections and its name.
 */
public final class FaultProxy implements AutoCloseable {

  private static final int CHUNK = 16 << 10;

  /**
   * What may happen. Means are of exponential distributions; 0: never.
   *
   * @param resetBytes mean number of bytes of a direction before its connection ends
   * @param flipBytes mean number of bytes before a bit changes
   * @param splits whether chunks are forwarded in pieces
   * @param delayMicros longest pause before a piece, for one piece in ten
   * @param stallMillis how long nothing is forwarded, for one piece in a hundred
   */
  public record Faults(
      long resetBytes, long flipBytes, boolean splits, int delayMicros, int stallMillis) {

    /** A good connection. */
    public static final Faults NONE = new Faults(0, 0, false, 0, 0);
  }

  // constant after construction
  private final ServerSocketChannel listener;
  private final Address address;
  private final SocketAddress target;
  private final long seed;
  private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
  private final AtomicLong connections = new AtomicLong();
  private final AtomicLong resets = new AtomicLong();
  private final AtomicLong flips = new AtomicLong();

  private volatile Faults faults;

  private FaultProxy(
      ServerSocketChannel listener, Address address, Address target, Faults faults, long seed) {
    this.listener = listener;
    this.address = address;
    this.target = socket(target);
    this.faults = faults;
    this.seed = seed;
  }

  /** Listens at a Unix-domain socket for {@code target}. */
  public static FaultProxy at(Path socket, Address target, Faults faults, long seed)
      throws IOException {
    ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listener.bind(UnixDomainSocketAddress.of(socket));
    return start(listener, new Address.Unix(socket.toString()), target, faults, seed);
  }

  /** Listens at a TCP port of this host for {@code target}. */
  public static FaultProxy atTcp(Address target, Faults faults, long seed) throws IOException {
    ServerSocketChannel listener = ServerSocketChannel.open();
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
    return start(listener, new Address.Tcp("127.0.0.1", port, false), target, faults, seed);
  }

  private static FaultProxy start(
      ServerSocketChannel listener, Address address, Address target, Faults faults, long seed) {
    FaultProxy proxy = new FaultProxy(listener, address, target, faults, seed);
    Thread.ofPlatform().daemon().name("proxy " + address).start(proxy::accept);
    return proxy;
  }

  private static SocketAddress socket(Address address) {
    return switch (address) {
      case Address.Unix(String path) -> UnixDomainSocketAddress.of(path);
      case Address.Tcp(String host, int port, boolean _) -> new InetSocketAddress(host, port);
    };
  }

  /** Where clients connect instead. */
  public Address address() {
    return address;
  }

  /** From now on other things go wrong, on connections that are open, too. */
  public void set(Faults other) {
    faults = other;
  }

  /** How many connections it has ended. */
  public long resets() {
    return resets.get();
  }

  /** How many bits it has changed. */
  public long flips() {
    return flips.get();
  }

  /** Ends all connections now. */
  public void resetAll() {
    open.forEach(FaultProxy::closeQuietly);
  }

  private void accept() {
    while (listener.isOpen()) {
      SocketChannel client = null;
      try {
        client = listener.accept();
        SocketChannel server = SocketChannel.open(target);
        sendAtOnce(client);
        sendAtOnce(server);
        open.add(client);
        open.add(server);
        long number = connections.incrementAndGet();
        // neighbouring seeds of Random begin alike
        Random random = new Random(new SplittableRandom(seed + number).nextLong());
        forward(client, server, new Random(random.nextLong()));
        forward(server, client, new Random(random.nextLong()));
      } catch (IOException e) {
        closeQuietly(client);
      }
    }
  }

  private static void sendAtOnce(SocketChannel channel) throws IOException {
    if (channel.getRemoteAddress() instanceof InetSocketAddress) {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }
  }

  private void forward(SocketChannel from, SocketChannel to, Random random) {
    Thread.ofPlatform().daemon().name("proxy").start(() -> new Pipe(from, to, random).run());
  }

  private static void closeQuietly(@Nullable SocketChannel channel) {
    try {
      if (channel != null) {
        if (channel.isOpen() && !(channel.getRemoteAddress() instanceof UnixDomainSocketAddress)) {
          channel.setOption(StandardSocketOptions.SO_LINGER, 0); // a reset, not an end in order
        }
        channel.close();
      }
    } catch (IOException e) {
      // it is gone already
    }
  }

  /** One direction of a connection. Belongs to its thread. */
  private final class Pipe {

    private final SocketChannel from;
    private final SocketChannel to;
    private final Random random;
    private final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK);
    private long untilReset;
    private long untilFlip;

    Pipe(SocketChannel from, SocketChannel to, Random random) {
      this.from = from;
      this.to = to;
      this.random = random;
      this.untilReset = draw(faults.resetBytes);
      this.untilFlip = draw(faults.flipBytes);
    }

    private long draw(long mean) {
      return mean == 0 ? Long.MAX_VALUE : 1 + (long) (-mean * Math.log(1 - random.nextDouble()));
    }

    void run() {
      try {
        while (from.read(chunk.clear()) >= 0) {
          chunk.flip();
          while (chunk.hasRemaining()) {
            if (!forwardPiece()) {
              resets.incrementAndGet();
              return;
            }
          }
        }
      } catch (IOException e) {
        // the other direction has ended it, or the processes have
      } finally {
        open.remove(from);
        closeQuietly(to);
        closeQuietly(from);
      }
    }

    /** False if the connection is to end. */
    private boolean forwardPiece() throws IOException {
      Faults now = faults;
      int end = chunk.limit();
      int bytes = now.splits ? 1 + random.nextInt(chunk.remaining()) : chunk.remaining();
      if (now.delayMicros > 0 && random.nextInt(10) == 0) {
        pause(TimeUnit.MICROSECONDS.toNanos(random.nextInt(now.delayMicros)));
      }
      if (now.stallMillis > 0 && random.nextInt(100) == 0) {
        pause(TimeUnit.MILLISECONDS.toNanos(now.stallMillis));
      }
      bytes = (int) Math.min(bytes, now.resetBytes == 0 ? bytes : untilReset);
      if (now.flipBytes > 0 && untilFlip <= bytes) {
        int at = chunk.position() + (int) Math.max(0, untilFlip - 1);
        chunk.put(at, (byte) (chunk.get(at) ^ (1 << random.nextInt(8))));
        flips.incrementAndGet();
        untilFlip += draw(now.flipBytes);
      }
      chunk.limit(chunk.position() + bytes);
      while (chunk.hasRemaining()) {
        to.write(chunk);
      }
      chunk.limit(end);
      untilReset -= bytes;
      untilFlip -= bytes;
      return now.resetBytes == 0 || untilReset > 0;
    }

    private void pause(long nanos) {
      long until = System.nanoTime() + nanos;
      while (System.nanoTime() < until) {
        LockSupport.parkNanos(until - System.nanoTime());
      }
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    resetAll();
    if (address instanceof Address.Unix(String path)) {
      Files.deleteIfExists(Path.of(path));
    }
  }
}
