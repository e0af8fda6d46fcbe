package org.millrace.bench;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
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

  /** Bytes one way or the other, all of a buffer at a time. Closing ends the other end, too. */
  interface Pipe extends AutoCloseable {
    void write(ByteBuffer from) throws IOException;

    void read(ByteBuffer into) throws IOException;

    @Override
    void close() throws IOException;
  }

  /** A socket as it is. */
  private record Bare(SocketChannel socket) implements Pipe {
    @Override
    public void write(ByteBuffer from) throws IOException {
      while (from.hasRemaining()) {
        socket.write(from);
      }
    }

    @Override
    public void read(ByteBuffer into) throws IOException {
      while (into.hasRemaining()) {
        if (socket.read(into) < 0) {
          throw new EOFException();
        }
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  /**
   * Where streams come from.
   *
   * @param socket the Unix-domain socket
   * @param port of TCP
   * @param tlsPort of TCP with TLS
   * @param context of TLS
   */
  record Source(String socket, int port, int tlsPort, SSLContext context) {

    private Pipe connect(String kind) throws IOException {
      SocketChannel channel =
          SocketChannel.open(
              kind.equals("unix")
                  ? UnixDomainSocketAddress.of(socket)
                  : new InetSocketAddress(
                      InetAddress.getLoopbackAddress(), kind.equals("tls") ? tlsPort : port));
      return kind.equals("tls") ? new PlainTls(channel, context, true) : new Bare(channel);
    }
  }

  /** Reads (or writes) {@code count} messages of {@code bytes}; returns the nanoseconds. */
  static long run(Env env, Source source, String kind, boolean up, int bytes, long count)
      throws IOException {
    ByteBuffer message = ByteBuffer.allocateDirect(bytes);
    ByteBuffer order = ByteBuffer.allocateDirect(3 * Long.BYTES);
    try (Pipe wire = source.connect(kind)) {
      order.putLong(up ? 1 : 0).putLong(bytes).putLong(count).flip();
      long from = env.nanoTime();
      wire.write(order);
      for (long i = 0; i < count; i++) {
        if (up) {
          wire.write(message.clear());
        } else {
          wire.read(message.clear());
        }
      }
      if (up) {
        wire.read(order.clear().limit(1)); // all has arrived
      }
      return env.nanoTime() - from;
    }
  }

  /** The process at the other end. Closing ends it. */
  static final class Sender implements AutoCloseable {

    private final Env env = Env.real();
    private final ServerSocketChannel unix = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    private final ServerSocketChannel tcp = ServerSocketChannel.open();
    private final ServerSocketChannel tls = ServerSocketChannel.open();
    private final SSLContext context;

    Sender(String socket, SSLContext context) throws IOException {
      this.context = context;
      unix.bind(UnixDomainSocketAddress.of(Path.of(socket)));
      tcp.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      tls.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      env.start(ThreadKind.CONNECTION, "unix streams", () -> accept(unix));
      env.start(ThreadKind.CONNECTION, "tcp streams", () -> accept(tcp));
      env.start(ThreadKind.CONNECTION, "tls streams", () -> accept(tls));
    }

    int port() throws IOException {
      return ((InetSocketAddress) tcp.getLocalAddress()).getPort();
    }

    int tlsPort() throws IOException {
      return ((InetSocketAddress) tls.getLocalAddress()).getPort();
    }

    private void accept(ServerSocketChannel door) {
      try {
        while (true) {
          SocketChannel wire = door.accept();
          env.start(ThreadKind.CONNECTION, "streams", () -> serve(door, wire));
        }
      } catch (AsynchronousCloseException e) {
        // closed: the end
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void serve(ServerSocketChannel door, SocketChannel socket) {
      try (Pipe wire = door == tls ? new PlainTls(socket, context, false) : new Bare(socket)) {
        ByteBuffer order = ByteBuffer.allocateDirect(3 * Long.BYTES);
        wire.read(order);
        order.flip();
        boolean up = order.getLong() == 1;
        ByteBuffer message = ByteBuffer.allocateDirect((int) order.getLong());
        for (long left = order.getLong(); left > 0; left--) {
          if (up) {
            wire.read(message.clear());
          } else {
            wire.write(message.clear());
          }
        }
        if (up) {
          wire.write(message.clear().limit(1));
        } else {
          wire.read(order.clear().limit(1)); // until the other end closes
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
      tls.close();
    }
  }
}
