package org.millrace.bench.processes;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.wire.AttachedSlabs;
import org.millrace.wire.SharedFolder;
import org.millrace.wire.SharedMemory;

/**
 * The process that answers, for {@link SharedMemoryTrial}: a thread for each connection, payloads
 * out of a cache that is larger than the processor's. Closing ends it.
 */
final class TrialServer implements AutoCloseable {

  private static final long CACHE_BYTES = 64L << 20;

  private final Env env = Env.real();
  private final SharedFolder folder = SharedFolder.open(env);
  private final MemorySegment cache = TrialChannel.memory(CACHE_BYTES);
  private final ServerSocketChannel unix = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
  private final ServerSocketChannel tcp = ServerSocketChannel.open();

  TrialServer(Path socket) throws IOException {
    cache.fill((byte) 1);
    unix.bind(UnixDomainSocketAddress.of(socket));
    tcp.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    tcp.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    env.start(ThreadKind.CONNECTION, "unix", () -> accept(unix));
    env.start(ThreadKind.CONNECTION, "tcp", () -> accept(tcp));
  }

  int port() throws IOException {
    return ((InetSocketAddress) tcp.getLocalAddress()).getPort();
  }

  private void accept(ServerSocketChannel listener) {
    try {
      while (true) {
        SocketChannel wire = listener.accept();
        env.start(ThreadKind.CONNECTION, "serves", () -> serve(wire));
      }
    } catch (AsynchronousCloseException e) {
      // closed: the end
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void serve(SocketChannel wire) {
    try (wire;
        AttachedSlabs slabs = new AttachedSlabs(folder)) {
      if (wire.getLocalAddress() instanceof InetSocketAddress) {
        wire.setOption(StandardSocketOptions.TCP_NODELAY, true);
      }
      String[] words = hello(wire).split(" ", -1);
      TrialWay way = TrialWay.valueOf(words[0]);
      int bytes = Integer.parseInt(words[1]);
      try (SharedMemory rings = folder.attach(Path.of(words[2]), TrialChannel.Rings.bytes())) {
        if (way.isNamed()) {
          slabs.attach(0, Path.of(words[3]), Long.parseLong(words[4]));
        }
        wire.write(ByteBuffer.allocate(1));
        TrialChannel channel =
            way.isRing()
                ? new TrialChannel.Rings(way, wire, rings.segment(), true)
                : new TrialChannel.Socket(wire);
        answer(channel, way, bytes, slabs);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String hello(SocketChannel wire) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(512);
    while (buffer.hasRemaining()) {
      if (wire.read(buffer) < 0) {
        throw new EOFException();
      }
    }
    byte[] text = new byte[buffer.flip().getInt()];
    buffer.get(text);
    return new String(text, UTF_8);
  }

  private void answer(TrialChannel channel, TrialWay way, int bytes, AttachedSlabs slabs)
      throws IOException {
    int requestBytes = TrialClient.requestBytes(bytes);
    MemorySegment request = TrialChannel.memory(64);
    MemorySegment reply = TrialChannel.memory(64);
    long at = 0;
    while (request.get(ValueLayout.JAVA_BYTE, 0) == 0) {
      channel.receive(request, requestBytes);
      at = at + 2L * bytes > CACHE_BYTES ? 0 : at + bytes;
      if (way.isNamed()) {
        long place = request.get(ValueLayout.JAVA_LONG_UNALIGNED, 1);
        MemorySegment.copy(cache, at, slabs.piece(place, bytes), 0, bytes);
        channel.send(reply, TrialClient.REQUEST_BYTES);
      } else {
        channel.send(cache.asSlice(at, bytes), bytes);
      }
    }
  }

  @Override
  public void close() throws IOException {
    unix.close();
    tcp.close();
  }
}
