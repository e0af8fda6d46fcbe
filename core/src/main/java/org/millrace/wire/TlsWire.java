package org.millrace.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** A wire over TLS. As {@link Wire} says; the peer is known after the first byte was read. */
final class TlsWire implements Wire {

  private final SocketChannel channel;
  private final TlsChannel tls;
  private final SocketWait own;
  private volatile SelectorLoop.@Nullable Watch watch;

  TlsWire(SocketChannel channel, TlsChannel tls) {
    this.channel = channel;
    this.tls = tls;
    this.own = new SocketWait(channel);
  }

  @Override
  public void attach(EventLoop loop, EventLoop.Watcher watcher) {
    watch = SelectorLoop.watch(loop, channel, watcher);
  }

  @Override
  public Identity identity() {
    return tls.isEstablished() ? tls.identity() : Identity.UNKNOWN;
  }

  @Override
  public boolean isNeighbour() {
    return false;
  }

  /** What is altered on the way is noticed by TLS itself. */
  @Override
  public boolean needsSums() {
    return false;
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    boolean knew = tls.isEstablished();
    int got = tls.read(into);
    if ((tls.wantsWrite() && !tls.flush()) || knew != tls.isEstablished()) {
      room(); // what waited for the handshake can go now
    }
    return got;
  }

  @Override
  public long write(ByteBuffer[] from, int first, int count) throws IOException {
    long written = tls.write(from, first, count);
    if (tls.wantsWrite() && !tls.flush()) {
      room();
    }
    return written;
  }

  /** During the handshake room is not what is missing. */
  @Override
  public void wantRoom() {
    if (tls.isEstablished()) {
      room();
    }
  }

  private void room() {
    SelectorLoop.Watch now = watch;
    if (now != null) {
      now.wantRoom();
    }
  }

  @Override
  public boolean canAwait() {
    return tls.isEstablished();
  }

  @Override
  public void await(boolean forRoom, long nanos) throws IOException {
    own.await(forRoom || tls.wantsWrite(), nanos);
  }

  @Override
  public void resume() {
    SelectorLoop.Watch now = watch;
    if (now != null) {
      now.resume();
    }
  }

  @Override
  public void close() {
    own.close();
    try {
      tls.close();
    } catch (IOException e) {
      // what was not sent is lost either way
    }
    SelectorLoop.Watch now = watch;
    if (now != null) {
      now.close();
    }
  }
}
