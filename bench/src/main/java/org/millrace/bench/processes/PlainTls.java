package org.millrace.bench.processes;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;

/**
 * TLS over a socket that blocks, as the JDK's engine does it and nothing more: the limit of what a
 * program in Java can send encrypted. Used by one thread. Closing closes the socket.
 */
final class PlainTls implements PlainStream.Pipe {

  /** Records that go to the socket at a time: fewer, larger calls of the system. */
  private static final int RECORDS = 16;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final SocketChannel socket;
  private final SSLEngine engine;
  private final ByteBuffer out;
  private final ByteBuffer in;
  private final ByteBuffer plain;

  /** Shakes hands. */
  PlainTls(SocketChannel socket, SSLContext context, boolean client) throws IOException {
    this.socket = socket;
    engine = context.createSSLEngine(BenchKeys.HOST, 0);
    engine.setUseClientMode(client);
    engine.setNeedClientAuth(!client);
    int record = engine.getSession().getPacketBufferSize();
    out = ByteBuffer.allocate(RECORDS * record);
    in = ByteBuffer.allocate(RECORDS * record).flip();
    plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize()).flip();
    engine.beginHandshake();
    shakeHands();
  }

  private void shakeHands() throws IOException {
    while (true) {
      switch (engine.getHandshakeStatus()) {
        case NEED_TASK -> {
          Runnable task = engine.getDelegatedTask();
          if (task != null) {
            task.run();
          }
        }
        case NEED_WRAP -> {
          wrap(NOTHING);
          send();
        }
        case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
          if (unwrap(plain.clear()) == SSLEngineResult.Status.BUFFER_UNDERFLOW) {
            receive();
          }
          plain.flip();
        }
        default -> {
          return;
        }
      }
    }
  }

  private void wrap(ByteBuffer from) throws IOException {
    SSLEngineResult result = engine.wrap(from, out);
    if (result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW) {
      send();
    }
  }

  private SSLEngineResult.Status unwrap(ByteBuffer into) throws IOException {
    SSLEngineResult.Status status = engine.unwrap(in, into).getStatus();
    if (status == SSLEngineResult.Status.CLOSED) {
      throw new EOFException();
    }
    return status;
  }

  private void send() throws IOException {
    out.flip();
    while (out.hasRemaining()) {
      socket.write(out);
    }
    out.clear();
  }

  private void receive() throws IOException {
    in.compact();
    int got = socket.read(in);
    in.flip();
    if (got < 0) {
      throw new EOFException();
    }
  }

  @Override
  public void write(ByteBuffer from) throws IOException {
    while (from.hasRemaining()) {
      wrap(from);
    }
    send();
  }

  @Override
  public void read(ByteBuffer into) throws IOException {
    while (into.hasRemaining()) {
      if (plain.hasRemaining()) {
        int count = Math.min(plain.remaining(), into.remaining());
        into.put(into.position(), plain, plain.position(), count);
        into.position(into.position() + count);
        plain.position(plain.position() + count);
        continue;
      }
      boolean straight = into.remaining() >= plain.capacity();
      SSLEngineResult.Status status = unwrap(straight ? into : plain.clear());
      if (!straight) {
        plain.flip();
      }
      if (status == SSLEngineResult.Status.BUFFER_UNDERFLOW) {
        receive();
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
