package org.millrace.wire;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * TLS 1.3 over a channel that never blocks, with certificates on both sides. {@link #read} and
 * {@link #write} do as much as they can at once and never wait; the handshake happens inside them.
 * Nothing can be written before it is done: then {@link #write} takes nothing, and the next {@link
 * #read} that finds {@link #isEstablished} is the sign to try again.
 *
 * <p>The client accepts only a server whose certificate names the host it wanted to reach, the
 * server only clients with a certificate; both must come from an authority that the context trusts.
 * A connection that ends without TLS's own farewell is an error, because it may have been cut.
 *
 * <p>Memory is bounded: one record each way during the handshake, a few afterwards.
 *
 * <p>Safe for use by several threads. Closing says farewell if the socket takes it at once, and
 * closes the channel below; idempotent.
 */
public final class TlsChannel implements AutoCloseable {

  /** How the errors begin of sides that do not come to trust each other, or of broken records. */
  public static final String FAILED = "TLS failed: ";

  private static final String PROTOCOL = "TLSv1.3";

  /** Records that fit into each buffer after the handshake: fewer, larger calls of the system. */
  private static final int RECORDS = 8;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  // constant after construction
  private final ByteChannel below;
  private final SSLEngine engine;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final TlsBuffers sealed;

  /** Decrypted bytes that the last reader had no room for, from its start to its position. */
  @GuardedBy("lock")
  private ByteBuffer plain;

  @GuardedBy("lock")
  private boolean began;

  @GuardedBy("lock")
  private boolean heard; // application bytes came: the other side accepted us

  @GuardedBy("lock")
  private @Nullable IOException failure;

  private volatile @Nullable Identity identity; // known means established

  private TlsChannel(ByteChannel below, SSLEngine engine) {
    this.below = below;
    this.engine = engine;
    this.sealed = new TlsBuffers(below, engine.getSession().getPacketBufferSize());
    this.plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize());
  }

  /**
   * The side that made the connection, to {@code host}, which the other's certificate must name.
   */
  public static TlsChannel client(ByteChannel below, SSLContext context, String host, int port) {
    SSLEngine engine = context.createSSLEngine(host, port);
    engine.setUseClientMode(true);
    SSLParameters how = new SSLParameters();
    how.setProtocols(new String[] {PROTOCOL});
    how.setEndpointIdentificationAlgorithm("HTTPS"); // RFC 2818: compare the host's name
    engine.setSSLParameters(how);
    return new TlsChannel(below, engine);
  }

  /** The side that was connected to. */
  public static TlsChannel server(ByteChannel below, SSLContext context) {
    SSLEngine engine = context.createSSLEngine();
    engine.setUseClientMode(false);
    SSLParameters how = new SSLParameters();
    how.setProtocols(new String[] {PROTOCOL});
    how.setNeedClientAuth(true);
    engine.setSSLParameters(how);
    return new TlsChannel(below, engine);
  }

  /** Whether the handshake is done. The other side may still refuse us: then reading fails. */
  public boolean isEstablished() {
    return identity != null;
  }

  /** The peer's identity, as its certificate says; unknown until the handshake is done. */
  public Identity identity() {
    Identity known = identity;
    return known == null ? Identity.UNKNOWN : known;
  }

  /** Whether there is something to send that the socket had no room for. */
  public boolean wantsWrite() {
    lock.lock();
    try {
      return failure == null && sealed.hasUnsent();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reads what there is, but no more than fits.
   *
   * @return how many bytes; 0 if there is nothing now; -1 if the other side said farewell
   * @throws IOException REFUSED if the two sides do not come to trust each other, PROTOCOL if what
   *     comes is no TLS, UNKNOWN if the connection was cut
   */
  public int read(ByteBuffer into) throws IOException {
    lock.lock();
    try {
      checkSound();
      int left = drain(into);
      if (left > 0 || !into.hasRemaining()) {
        return left;
      }
      return unwrap(into);
    } catch (SSLException e) {
      throw refused(e);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes as many bytes as there is room for, in order, and sends what the socket takes.
   *
   * @return how many bytes were taken; 0 until the handshake is done
   */
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    lock.lock();
    try {
      checkSound();
      shakeHands();
      long taken = 0;
      while (sealed.send() && isEstablished() && hasRemaining(from, offset, length)) {
        int before = sealed.toFill().position();
        SSLEngineResult result = engine.wrap(from, offset, length, sealed.toFill());
        taken += result.bytesConsumed();
        while (result.getStatus() == SSLEngineResult.Status.OK
            && result.bytesConsumed() > 0
            && hasRemaining(from, offset, length)) { // until the buffer is full
          result = engine.wrap(from, offset, length, sealed.toFill());
          taken += result.bytesConsumed();
        }
        if (result.getStatus() == SSLEngineResult.Status.CLOSED
            || sealed.toFill().position() == before) {
          break;
        }
      }
      return taken;
    } catch (SSLException e) {
      throw refused(e);
    } finally {
      lock.unlock();
    }
  }

  /** Sends what the socket takes of what was taken before; returns whether that was all. */
  public boolean flush() throws IOException {
    lock.lock();
    try {
      checkSound();
      shakeHands();
      return sealed.send();
    } catch (SSLException e) {
      throw refused(e);
    } finally {
      lock.unlock();
    }
  }

  private static boolean hasRemaining(ByteBuffer[] from, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      if (from[i].hasRemaining()) {
        return true;
      }
    }
    return false;
  }

  @GuardedBy("lock")
  private int drain(ByteBuffer into) {
    int count = Math.min(plain.position(), into.remaining());
    if (count > 0) {
      plain.flip();
      into.put(into.position(), plain, 0, count).position(into.position() + count);
      plain.position(count).compact();
    }
    return count;
  }

  @GuardedBy("lock")
  private int unwrap(ByteBuffer into) throws IOException {
    int total = 0;
    while (true) {
      shakeHands();
      // Straight to the reader if any record fits there, record after record.
      boolean fits = into.remaining() >= plain.capacity();
      if (total > 0 && !fits) {
        return total;
      }
      SSLEngineResult result = engine.unwrap(sealed.toTake(), fits ? into : plain);
      if (result.getHandshakeStatus() == HandshakeStatus.FINISHED) {
        establish();
      }
      if (result.bytesProduced() > 0) {
        heard = true;
        if (!fits) {
          return drain(into);
        }
        total += result.bytesProduced();
      }
      switch (result.getStatus()) {
        case CLOSED -> {
          shakeHands(); // our farewell, if it is not said yet
          return total > 0 ? total : -1;
        }
        case BUFFER_OVERFLOW ->
            plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize());
        case BUFFER_UNDERFLOW -> {
          if (total > 0) {
            return total; // the rest of a record is the next reader's
          }
          if (!receive()) {
            return 0;
          }
        }
        case OK -> {
          boolean waits = result.bytesConsumed() == 0 && sealed.hasUnsent();
          if (waits) {
            return total; // the engine wants to speak first, and the socket is full
          }
        }
      }
    }
  }

  /** Takes what has come from the socket; false if that is nothing. */
  @GuardedBy("lock")
  private boolean receive() throws IOException {
    if (sealed.isInFull()) {
      sealed.grow(engine.getSession().getPacketBufferSize());
    }
    if (sealed.isInFull()) {
      throw new SSLException("a record that is longer than records are");
    }
    int count = sealed.receive();
    if (count < 0) {
      throw cut();
    }
    return count > 0;
  }

  /** Does what the handshake wants of us, as far as the socket takes it. */
  @GuardedBy("lock")
  private void shakeHands() throws IOException {
    if (!began) {
      began = true;
      engine.beginHandshake();
    }
    while (true) {
      switch (engine.getHandshakeStatus()) {
        case NEED_TASK -> {
          Runnable task = engine.getDelegatedTask();
          while (task != null) {
            task.run();
            task = engine.getDelegatedTask();
          }
        }
        case NEED_WRAP -> {
          SSLEngineResult result = engine.wrap(NOTHING, sealed.toFill());
          if (result.getHandshakeStatus() == HandshakeStatus.FINISHED) {
            establish();
          }
          boolean sent = sealed.send();
          if (result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW && !sent) {
            return;
          }
          if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
            return;
          }
        }
        default -> {
          return;
        }
      }
    }
  }

  @GuardedBy("lock")
  private void establish() throws IOException {
    if (identity == null) {
      identity = Certificates.identity(engine.getSession());
      sealed.grow(RECORDS * engine.getSession().getPacketBufferSize());
    }
  }

  @GuardedBy("lock")
  private IOException cut() {
    String when = isEstablished() ? "" : " during the handshake";
    failure =
        new MillraceException(
            ErrorCode.UNKNOWN, "the connection was cut" + when + " without a TLS close_notify");
    return failure;
  }

  /** Tells the other side why, if it can be told at once. */
  @GuardedBy("lock")
  private IOException refused(SSLException e) {
    ErrorCode code = heard ? ErrorCode.PROTOCOL : ErrorCode.REFUSED;
    failure = new MillraceException(code, FAILED + e.getMessage(), e);
    try {
      engine.closeOutbound(); // if it was not the engine that refused
      shakeHands();
      sealed.send();
    } catch (IOException suppressed) {
      failure.addSuppressed(suppressed);
    }
    return failure;
  }

  @GuardedBy("lock")
  private void checkSound() throws IOException {
    if (failure instanceof MillraceException earlier) {
      throw earlier.again();
    }
  }

  @Override
  public void close() throws IOException {
    lock.lock();
    try (below) {
      if (failure == null && below.isOpen()) {
        engine.closeOutbound();
        shakeHands();
        sealed.send();
        sealed.discard(); // or the system would take back what is on its way
      }
    } catch (SSLException e) {
      // the farewell is a courtesy: there was no connection to take leave of
    } finally {
      lock.unlock();
    }
  }
}
