package org.millrace.wire;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Random;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Two ends of a connection within this host that never block. Used by one thread. */
final class TlsPair implements AutoCloseable {

  static final int SOCKET_BYTES = 8 << 10;

  final SocketChannel clientSocket;
  final SocketChannel serverSocket;

  TlsPair() throws IOException {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      clientSocket = SocketChannel.open();
      clientSocket.setOption(java.net.StandardSocketOptions.SO_SNDBUF, SOCKET_BYTES);
      clientSocket.setOption(java.net.StandardSocketOptions.SO_RCVBUF, SOCKET_BYTES);
      clientSocket.connect(listener.getLocalAddress());
      serverSocket = listener.accept();
    }
    clientSocket.configureBlocking(false);
    serverSocket.configureBlocking(false);
  }

  TlsChannel client(SSLContext context) {
    return TlsChannel.client(clientSocket, context, "localhost", 0);
  }

  TlsChannel server(SSLContext context) {
    return TlsChannel.server(serverSocket, context);
  }

  /** A channel that moves at most {@code max} bytes in a call, and now and then nothing. */
  static ByteChannel slow(SocketChannel channel, int max, Random random) {
    return new ByteChannel() {

      @Override
      public int read(ByteBuffer into) throws IOException {
        return move(into, channel::read);
      }

      @Override
      public int write(ByteBuffer from) throws IOException {
        return move(from, channel::write);
      }

      private int move(ByteBuffer buffer, Move move) throws IOException {
        if (random.nextBoolean() || !buffer.hasRemaining()) {
          return 0;
        }
        int limit = buffer.limit();
        buffer.limit(Math.min(limit, buffer.position() + max));
        try {
          return move.move(buffer);
        } finally {
          buffer.limit(limit);
        }
      }

      @Override
      public boolean isOpen() {
        return channel.isOpen();
      }

      @Override
      public void close() throws IOException {
        channel.close();
      }
    };
  }

  private interface Move {
    int move(ByteBuffer buffer) throws IOException;
  }

  /** Lets both sides talk until both have shaken hands; returns what one of them threw. */
  static @Nullable IOException shakeHands(TlsChannel client, TlsChannel server) {
    ByteBuffer nothing = ByteBuffer.allocate(1);
    try {
      while (!client.isEstablished() || !server.isEstablished()) {
        client.read(nothing);
        server.read(nothing);
      }
      return null;
    } catch (IOException e) {
      return e;
    }
  }

  @Override
  public void close() throws IOException {
    clientSocket.close();
    serverSocket.close();
  }
}
