package org.millrace.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;
import org.millrace.wire.EventLoop;
import org.millrace.wire.Identity;
import org.millrace.wire.Wire;

/** Payloads that a connection could not write at once, and whose senders want their memory back. */
final class ConnectionTest {

  private static final int BYTES = 700_000;

  private final NarrowWire wire = new NarrowWire();
  private final Connection connection =
      new Connection(Env.real(), new IdleLoop(), wire, new DeafHandler());
  private final byte[] payload = new byte[BYTES];
  private final byte[] before = new byte[BYTES];

  ConnectionTest() {
    new Random(7).nextBytes(payload);
    System.arraycopy(payload, 0, before, 0, BYTES);
  }

  private static byte[] frame(byte[] bytes) throws Exception {
    Outgoing out = Outgoing.of(head(), nothing(), ByteBuffer.wrap(bytes), true, () -> {});
    NarrowWire wide = new NarrowWire();
    wide.room = Integer.MAX_VALUE;
    while (!out.isWritten()) {
      assertThat(out.writeTo(wide::write)).isPositive();
    }
    return wide.written.toByteArray();
  }

  private static FrameHeader head() {
    return new FrameHeader(FrameKind.PAYLOAD, 0, 0, 1, 0, 0, BYTES);
  }

  private static ByteBuffer nothing() {
    return ByteBuffer.allocate(0);
  }

  private void makeRoom() {
    wire.room = Integer.MAX_VALUE;
    connection.onReady();
  }

  @Test
  void aPayloadThatWaitsIsNotCopied() throws Exception {
    wire.room = 100_000;
    Outgoing lent = connection.lend(head(), nothing(), ByteBuffer.wrap(payload));
    assertThat(lent.isWritten()).isFalse();
    Arrays.fill(payload, 600_000, BYTES, (byte) 1); // its sender must not, but so it shows
    makeRoom();
    assertThat(lent.isWritten()).isTrue();
    assertThat(wire.written.toByteArray()).isEqualTo(frame(payload)).isNotEqualTo(frame(before));
  }

  @Test
  void whatIsGivenBackMayChangeAndArrivesAsItWas() throws Exception {
    wire.room = 100_000;
    Outgoing lent = connection.lend(head(), nothing(), ByteBuffer.wrap(payload));
    connection.giveBack(lent);
    Arrays.fill(payload, (byte) 1);
    makeRoom();
    assertThat(wire.written.toByteArray()).isEqualTo(frame(before));
  }

  @Test
  void anAbandonedCallLeavesItsMemoryAlone() throws Exception {
    RemoteCall call =
        new RemoteCall(
            Env.real(),
            "a put",
            FrameKind.PUT,
            nothing(),
            false,
            Env.NEVER,
            new TransferMemory(1 << 20),
            SharedBuffers.NONE);
    call.takes(
        Payload.of(MemorySegment.ofArray(payload)),
        PayloadLayout.whole(PayloadLayout.Direction.TO_RECEIVER, BYTES));
    wire.room = 100_000;
    call.sendPayload(connection, 1, 0);
    call.abandon();
    Arrays.fill(payload, (byte) 1);
    makeRoom();
    assertThat(wire.written.toByteArray()).isEqualTo(frame(before));
  }

  @Test
  void aLostConnectionTouchesNothingAnyMore() {
    wire.room = 100_000;
    Outgoing lent = connection.lend(head(), nothing(), ByteBuffer.wrap(payload));
    connection.lose("cut");
    connection.giveBack(lent);
    int written = wire.written.size();
    makeRoom();
    assertThat(wire.written.size()).isEqualTo(written);
  }

  /** A wire with little room. */
  private static final class NarrowWire implements Wire {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private int room;

    @Override
    public void attach(EventLoop loop, EventLoop.Watcher watcher) {}

    @Override
    public Identity identity() {
      return Identity.UNKNOWN;
    }

    @Override
    public boolean isNeighbour() {
      return false;
    }

    @Override
    public boolean needsSums() {
      return true;
    }

    @Override
    public int read(ByteBuffer into) {
      return 0;
    }

    @Override
    public long write(ByteBuffer[] from, int first, int count) {
      long taken = 0;
      for (int i = first; i < first + count; i++) {
        byte[] some = new byte[Math.min(room, from[i].remaining())];
        from[i].get(some);
        written.writeBytes(some);
        room -= some.length;
        taken += some.length;
      }
      return taken;
    }

    @Override
    public void wantRoom() {}

    @Override
    public void close() {}
  }

  /** an event loop without a thread. */
  private static final class IdleLoop implements EventLoop {
    @Override
    public void poll(Watcher watcher) {}

    @Override
    public void unpoll(Watcher watcher) {}

    @Override
    public void submit(Runnable task) {}

    @Override
    public void close() {}
  }

  /** Hears nothing. */
  private static final class DeafHandler implements Connection.Handler {
    @Override
    public @Nullable Sink sink(FrameHeader frame, ByteBuffer body) {
      return null;
    }

    @Override
    public void onFrame(FrameHeader frame, ByteBuffer body, @Nullable Sink sink) {}

    @Override
    public void onTick(long nowNanos) {}

    @Override
    public void onLost(String reason) {}
  }
}
