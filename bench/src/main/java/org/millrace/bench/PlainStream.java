package org.millrace.bench;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;

/**
 * The raw rate of a socket: one process writes the same piece of memory again and again, the other
 * reads it into the same piece. Nobody asks for anything in between, which no file system could
 * reach. No state.
 */
final class PlainStream {

  private PlainStream() {}

  /** Where streams listen, beside the socket of the trials. */
  static String socket(String trials) {
    return trials + "s";
  }

  /** The address of either kind. */
  static SocketAddress address(String kind, String socket, int port) {
    return kind.equals("tcp")
        ? new InetSocketAddress(InetAddress.getLoopbackAddress(), port)
        : UnixDomainSocketAddress.of(socket);
  }

  /** Reads (or writes) {@code count} messages of {@code bytes}; returns the nanoseconds. */
  static long run(Env env, SocketAddress to, boolean up, int bytes, long count) throws IOException {
    ByteBuffer message = ByteBuffer.allocateDirect(bytes);
    ByteBuffer order = ByteBuffer.allocateDirect(3 * Long.BYTES);
    try (SocketChannel wire = SocketChannel.open(to)) {
      order.putLong(up ? 1 : 0).putLong(bytes).putLong(count).flip();
      long from = env.nanoTime();
      write(wire, order);
      for (long i = 0; i < count; i++) {
        if (up) {
          write(wire, message.clear());
        } else {
          read(wire, message.clear());
        }
      }
      if (up) {
        read(wire, order.clear().limit(1)); // all has arrived
      }
      return env.nanoTime() - from;
    }
  }

  private static void write(SocketChannel wire, ByteBuffer from) throws IOException {
    while (from.hasRemaining()) {
      wire.write(from);
    }
  }

  private static void read(SocketChannel wire, ByteBuffer into) throws IOException {
    while (into.hasRemaining()) {
      if (wire.read(into) < 0) {
        throw new EOFException();
      }
    }
  }

  /** The process at the other end. Closing ends it. */
  static final class Sender implements AutoCloseable {

    private final Env env = Env.real();
    private final ServerSocketChannel unix = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    private final ServerSocketChannel tcp = ServerSocketChannel.open();

    Sender(String socket) throws IOException {
      unix.bind(UnixDomainSocketAddress.of(Path.of(socket)));
      tcp.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      env.start(ThreadKind.CONNECTION, "unix streams", () -> accept(unix));
      env.start(ThreadKind.CONNECTION, "tcp streams", () -> accept(tcp));
    }

    int port() throws IOException {
      return ((InetSocketAddress) tcp.getLocalAddress()).getPort();
    }

    private void accept(ServerSocketChannel door) {
      try {
        while (true) {
          SocketChannel wire = door.accept();
          env.start(ThreadKind.CONNECTION, "streams", () -> serve(wire));
        }
      } catch (AsynchronousCloseException e) {
        // closed: the end
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static void serve(SocketChannel wire) {
      try (wire) {
        ByteBuffer order = ByteBuffer.allocateDirect(3 * Long.BYTES);
        read(wire, order);
        order.flip();
        boolean up = order.getLong() == 1;
        ByteBuffer message = ByteBuffer.allocateDirect((int) order.getLong());
        for (long left = order.getLong(); left > 0; left--) {
          if (up) {
            read(wire, message.clear());
          } else {
            write(wire, message.clear());
          }
        }
        if (up) {
          write(wire, message.clear().limit(1));
        } else {
          read(wire, order.clear().limit(1)); // until the other end closes
        }
      } catch (EOFException e) {
        // the other end has closed
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() throws IOException {
      unix.close();
      tcp.close();
    }
  }
}
