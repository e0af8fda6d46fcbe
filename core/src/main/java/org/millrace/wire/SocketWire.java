package org.millrace.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** A {@link Wire} over a plain socket. */
public final class SocketWire implements Wire {

  private final SocketChannel channel;
  private final Identity identity;
  private final boolean neighbour;
  private final SocketWait own;
  private volatile SelectorLoop.@Nullable Watch watch;

  SocketWire(SocketChannel channel, Identity identity, boolean neighbour) {
    this.channel = channel;
    this.identity = identity;
    this.neighbour = neighbour;
    this.own = new SocketWait(channel);
  }

  @Override
  public void attach(EventLoop loop, EventLoop.Watcher watcher) {
    watch = SelectorLoop.watch(loop, channel, watcher);
  }

  @Override
  public Identity identity() {
    return identity;
  }

  @Override
  public boolean isNeighbour() {
    return neighbour;
  }

  @Override
  public boolean needsSums() {
    return true;
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    return channel.read(into);
  }

  @Override
  public long write(ByteBuffer[] from, int first, int count) throws IOException {
    return count == 1 ? channel.write(from[first]) : channel.write(from, first, count);
  }

  @Override
  public void wantRoom() {
    SelectorLoop.Watch now = watch;
    if (now != null) {
      now.wantRoom();
    }
  }

  @Override
  public boolean canAwait() {
    return true;
  }

  @Override
  public void await(boolean forRoom, long nanos) throws IOException {
    own.await(forRoom, nanos);
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
    SelectorLoop.Watch now = watch;
    if (now != null) {
      now.close();
      return;
    }
    try {
      channel.close();
    } catch (IOException e) {
      // it has not been used yet
    }
  }
}
