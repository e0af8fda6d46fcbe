package org.millrace.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.env.Env;
import org.millrace.testing.Seeds;

@Timeout(60)
final class RingWireTest {

  private static final int MOST_BYTES = 3_000_000;

  @TempDir private Path base;
  private Listener listener;
  private RingWire one;
  private RingWire two;
  private Hub hub;

  RingWireTest() {}

  @BeforeEach
  void connect() throws IOException {
    SharedFolder folder = SharedFolder.open(Env.real(), base);
    Address address = new Address.Unix(base.resolve("s").toString());
    listener = Listener.open(address);
    Wire near = Sockets.connect(address);
    Wire far = listener.accept();
    SharedMemory memory = folder.create(RingWire.bytes());
    two = new RingWire(far, folder.attach(memory.path(), RingWire.bytes()), true);
    one = new RingWire(near, memory, false);
    hub = new Hub(Env.real(), "hub");
  }

  @AfterEach
  void close() {
    one.close();
    two.close();
    hub.close();
    listener.close();
  }

  @Test
  void nothingThereIsNothingReadAndAClosedEndIsTold() throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(10);
    assertThat(two.read(buffer)).isZero();
    one.write(new ByteBuffer[] {ByteBuffer.wrap(new byte[] {1, 2, 3})}, 0, 1);
    one.close();
    assertThat(two.read(buffer)).as("what was written before").isEqualTo(3);
    assertThat(two.read(buffer)).isEqualTo(-1);
    assertThat(one.needsSums()).isFalse();
    assertThat(one.isNeighbour()).isTrue();
  }

  @Test
  void streamsAreEchoedWhileBothEndsSleep() throws Exception {
    for (long seed : Seeds.of(1)) {
      Echo echo = new Echo();
      two.attach(hub, echo);
      byte[] bytes = new byte[MOST_BYTES];
      new Random(seed).nextBytes(bytes);
      Client client = new Client(bytes, new Random(~seed));
      one.attach(hub, client);
      byte[] echoed = client.done.get();
      assertThat(echoed).as(Seeds.replay(seed)).isEqualTo(bytes);
    }
  }

  /** Sends all, receives all, in parts of any size. */
  private final class Client implements Hub.Watcher {
    private final ByteBuffer out;
    private final ByteBuffer in = ByteBuffer.allocate(MOST_BYTES);
    private final Random random;
    private final CompletableFuture<byte[]> done = new CompletableFuture<>();

    Client(byte[] bytes, Random random) {
      this.out = ByteBuffer.wrap(bytes);
      this.random = random;
    }

    @Override
    public void onReady() {
      try {
        send();
        while (in.hasRemaining()) {
          int most = Math.min(in.remaining(), 1 + random.nextInt(50_000));
          int got = one.read(in.duplicate().limit(in.position() + most));
          if (got <= 0) {
            return;
          }
          in.position(in.position() + got);
        }
        done.complete(in.array());
      } catch (IOException | RuntimeException e) {
        done.completeExceptionally(e);
      }
    }

    private void send() throws IOException {
      while (out.hasRemaining()) {
        int most = Math.min(out.remaining(), 1 + random.nextInt(400_000));
        ByteBuffer part = out.duplicate().limit(out.position() + most);
        int half = part.remaining() / 2;
        ByteBuffer[] parts = {
          part.slice(part.position(), half), part.position(part.position() + half)
        };
        int written = (int) one.write(parts, 0, 2);
        out.position(out.position() + written);
        if (written < most) {
          one.wantRoom();
          return;
        }
      }
    }

    @Override
    public void onTick() {}
  }

  private final class Echo implements Hub.Watcher {
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(10_000).flip();

    @Override
    public void onReady() {
      try {
        while (true) {
          while (buffer.hasRemaining()) {
            if (two.write(new ByteBuffer[] {buffer}, 0, 1) == 0) {
              two.wantRoom();
              return;
            }
          }
          int got = two.read(buffer.clear());
          buffer.flip();
          if (got <= 0) {
            return;
          }
        }
      } catch (IOException e) {
        // closed at the end of the test
      }
    }

    @Override
    public void onTick() {}
  }
}
