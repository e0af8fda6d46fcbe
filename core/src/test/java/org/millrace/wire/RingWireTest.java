package org.millrace.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.env.Env;

/** Bytes and bells of a ring wire, looked at by hand; streams go through it in TransportTest. */
final class RingWireTest {

  private static final EventLoop.Watcher NOBODY =
      new EventLoop.Watcher() {
        @Override
        public void onReady() {}

        @Override
        public void onTick() {}
      };

  @TempDir private Path base;
  private Listener listener;
  private RingWire one;
  private RingWire two;
  private EventLoop loop;

  @BeforeEach
  void connect() throws IOException {
    SharedFolder folder = SharedFolder.open(Env.real(), base);
    Address address = new Address.Unix(base.resolve("s").toString());
    listener = Net.SOCKETS.listen(address, Security.LOCAL);
    Wire near = Sockets.connect(Env.real(), address, Security.LOCAL, Env.NEVER);
    Wire far = listener.accept();
    SharedMemory memory = folder.create(RingWire.bytes());
    SharedMemory same = folder.attach(memory.path(), RingWire.bytes());
    loop = Net.SOCKETS.loop(Env.real(), "loop");
    one = new RingWire(near, loop, NOBODY, memory.segment(), true);
    two = new RingWire(far, loop, NOBODY, same.segment(), false);
  }

  @AfterEach
  void close() {
    one.close();
    two.close();
    loop.close();
    listener.close();
  }

  private static ByteBuffer[] bytes(int count) {
    return new ByteBuffer[] {
      ByteBuffer.allocate(count / 2), ByteBuffer.allocate(count - count / 2)
    };
  }

  @Test
  void whatWasWrittenIsReadBeforeAClosedEndIsTold() throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(10);
    assertThat(two.read(buffer)).isZero();
    assertThat(two.hasBytes()).isFalse();
    one.write(new ByteBuffer[] {ByteBuffer.wrap(new byte[] {1, 2, 3})}, 0, 1);
    assertThat(two.hasBytes()).isTrue();
    one.close();
    two.onBell();
    assertThat(two.read(buffer)).isEqualTo(3);
    assertThat(two.read(buffer)).isEqualTo(-1);
    assertThat(one.needsSums()).isFalse();
    assertThat(one.isNeighbour()).isTrue();
  }

  @Test
  void whoSleepsIsRungForAndWhoLooksIsNot() throws IOException {
    assertThat(two.sleep()).isTrue();
    one.write(bytes(10), 0, 2);
    assertThat(two.sleep()).as("there is something to read").isFalse();
    ByteBuffer buffer = ByteBuffer.allocate(100);
    assertThat(two.read(buffer)).isEqualTo(10);
    assertThat(two.sleep()).isTrue();
    two.wake();
    one.write(bytes(10), 0, 2);
    assertThat(two.read(buffer)).isEqualTo(10);
  }

  @Test
  void aFullRingTakesNoMore() throws IOException {
    long taken = one.write(bytes(1 << 20), 0, 2);
    assertThat(taken).isBetween(1L, (1L << 20) - 1);
    assertThat(one.write(bytes(10), 0, 2)).isZero();
    ByteBuffer buffer = ByteBuffer.allocate(1 << 20);
    assertThat(two.read(buffer)).isEqualTo((int) taken);
    assertThat(one.write(bytes(10), 0, 2)).isEqualTo(10);
  }
}
