package org.millrace.nio;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileLock;
import java.util.concurrent.atomic.AtomicBoolean;

/** A lock of a range that a channel holds until it is released or the channel is closed. */
final class ChannelLock extends FileLock {

  private final MillraceChannel channel;
  private final AtomicBoolean valid = new AtomicBoolean(true);

  ChannelLock(MillraceChannel channel, long position, long size, boolean shared) {
    super(channel, position, size, shared);
    this.channel = channel;
  }

  @Override
  public boolean isValid() {
    return valid.get() && channel.isOpen();
  }

  /** Counts as released from now on. */
  void end() {
    valid.set(false);
  }

  @Override
  public void release() throws IOException {
    if (!channel.isOpen()) {
      throw new ClosedChannelException();
    }
    if (valid.compareAndSet(true, false)) {
      channel.unlock(this);
    }
  }
}
