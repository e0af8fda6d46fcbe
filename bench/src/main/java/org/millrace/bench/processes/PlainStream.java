package org.millrace.bench.processes;

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
 * reach. With work, each byte is summed at both ends, and copied from or to a file's memory at the
 * end that a node would be at ({@link WorkedPipe}). No state.
 */
final class PlainStream {

  /** As large as the file that requests are for, and a multiple of all messages. */
  private static final int WORKED_FILE_BYTES = 64 << 20;

  /** The process with the file holds no more at a time, however large the messages are. */
  private static final int MAX_HELD = 1 << 20;

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

  /**
   * What goes through.
   *
   * @param up to the other process, else from it
   * @param work whether it is summed and copied, too
   * @param bytes of a message
   * @param count of messages
   */
  record Order(boolean up, boolean work, int bytes, long count) {

    private static final int BYTES = 4 * Long.BYTES;

    private ByteBuffer written() {
      ByteBuffer words = ByteBuffer.allocateDirect(BYTES);
      return words.putLong(up ? 1 : 0).putLong(work ? 1 : 0).putLong(bytes).putLong(count).flip();
    }

    private static Order read(Pipe wire) throws IOException {
      ByteBuffer words = ByteBuffer.allocateDirect(BYTES);
      wire.read(words);
      words.flip();
      return new Order(
          words.getLong() == 1, words.getLong() == 1, (int) words.getLong(), words.getLong());
    }
  }

  /** Carries an order out; returns the nanoseconds. */
  static long run(Env env, Source source, String kind, Order order) throws IOException {
    ByteBuffer message = ByteBuffer.allocateDirect(order.bytes);
    ByteBuffer end = ByteBuffer.allocateDirect(1);
    try (Pipe plain = source.connect(kind)) {
      Pipe wire = order.work ? new WorkedPipe(plain, ByteBuffer.allocate(0)) : plain;
      boolean up = order.up;
      long from = env.nanoTime();
      plain.write(order.written());
      for (long i = 0; i < order.count; i++) {
        if (up) {
          wire.write(message.clear());
        } else {
          wire.read(message.clear());
        }
      }
      if (up) {
        plain.read(end); // all has arrived
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
    private final ByteBuffer file = WorkedPipe.file(WORKED_FILE_BYTES);

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

    private void accept(ServerSocketChannel listener) {
      try {
        while (true) {
          SocketChannel wire = listener.accept();
          env.start(ThreadKind.CONNECTION, "streams", () -> serve(listener, wire));
        }
      } catch (AsynchronousCloseException e) {
        // closed: the end
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void serve(ServerSocketChannel listener, SocketChannel socket) {
      try (Pipe plain = listener == tls ? new PlainTls(socket, context, false) : new Bare(socket)) {
        Order order = Order.read(plain);
        ByteBuffer message = ByteBuffer.allocateDirect(Math.min(order.bytes, MAX_HELD));
        Pipe wire = order.work ? new WorkedPipe(plain, file.duplicate()) : plain;
        long count = order.count * order.bytes / message.capacity();
        for (long left = count; left > 0; left--) {
          if (order.up) {
            wire.read(message.clear());
          } else {
            wire.write(message.clear());
          }
        }
        if (order.up) {
          plain.write(message.clear().limit(1));
        } else {
          plain.read(message.clear().limit(1)); // until the other end closes
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
