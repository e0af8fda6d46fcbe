package org.millrace.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.View;
import org.millrace.access.copy.Places;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.disk.RecordingDisk;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.env.ThreadKind;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.testing.Seeds;

/**
 * How far disk and network of a disk-directed call are apart: with so many buffers as were asked
 * for, exactly.
 */
class DirectBuffersTest {

  private static final int B = 1 << 16;
  private static final int BLOCKS = 12;
  private static final Layout ONE = Layout.striped(B, 1);
  private static final NodeOptions BLOCKWISE =
      NodeOptions.of(128L * B).withWorkers(1).withBufferBytes(B);

  /**
   * A disk and a network that wait for each other: each transfer and each block's pieces take until
   * the other side is as far ahead or behind as it can come with so many buffers.
   */
  private static final class Pace implements ReplyTo {

    private final boolean write;
    private final int buffers;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // guarded by lock
    private int begun; // transfers at the disk
    private int moved; // blocks whose pieces have travelled
    private int maxAhead;
    private int maxAtOnce;
    private int atDisk;
    private final List<String> ends = new ArrayList<>();

    Pace(boolean write, int buffers) {
      this.write = write;
      this.buffers = buffers;
    }

    /** On the disk's thread, when a transfer has begun. */
    void onTransfer() {
      lock.lock();
      try {
        begun++;
        atDisk++;
        maxAtOnce = Math.max(maxAtOnce, atDisk);
        changed.signalAll();
        if (write) { // the network fills the other buffers meanwhile
          await(() -> moved >= Math.min(begun - atDisk + buffers, BLOCKS));
          maxAhead = Math.max(maxAhead, moved - (begun - atDisk));
        } else {
          maxAhead = Math.max(maxAhead, begun - moved);
        }
        atDisk--;
      } finally {
        lock.unlock();
      }
    }

    /** On a worker's thread, when the pieces of a block travel. */
    @Override
    public Moving onMoved(long bytes, long pieces) {
      lock.lock();
      try {
        if (!write) { // the disk fills the other buffers meanwhile
          await(() -> begun >= Math.min(moved + buffers, BLOCKS));
        }
        moved++;
        changed.signalAll();
        return Moving.ARRIVED;
      } finally {
        lock.unlock();
      }
    }

    private interface State {
      boolean holds();
    }

    private void await(State state) {
      while (!state.holds()) {
        changed.awaitUninterruptibly();
      }
    }

    @Override
    public void reply(Message reply) {
      ends.add("done");
    }

    @Override
    public void fail(MillraceException error) {
      ends.add(error.toString());
    }
  }

  private static Pace run(boolean write, int buffers) throws IOException {
    RecordingDisk disk = new RecordingDisk(new MemoryDisk("d"), B, b -> b);
    Pace pace = new Pace(write, buffers);
    try (DirectWorld world =
        new DirectWorld(Env.real(), ONE, BLOCKS * B, BLOCKWISE, List.<Disk>of(disk))) {
      world.fill(0, new byte[BLOCKS * B]);
      world.restart();
      world.depth = buffers;
      MemorySegment memory = world.memory((long) BLOCKS * B, false);
      Access whole = new Access(View.WHOLE, 0, memory.byteSize());
      List<DirectWorld.Part> parts =
          List.of(new DirectWorld.Part(0, whole, Places.packed(memory.byteSize()), memory));
      disk.forget();
      disk.watch(_ -> pace.onTransfer());
      var request = world.request(0, world.nextCall(), write, 1, parts, 0);
      world.nodes.getFirst().onRequest(new Peer(50, "u"), request, Payload.of(memory), pace);
      disk.watch(_ -> {});
      assertThat(disk.blocks(write)).hasSize(BLOCKS);
    }
    assertThat(pace.ends).containsExactly("done");
    return pace;
  }

  @Test
  void withOneBufferNothingOverlaps() throws IOException {
    for (boolean write : new boolean[] {false, true}) {
      Pace pace = run(write, 1);
      assertThat(pace.maxAhead).isEqualTo(1);
      assertThat(pace.maxAtOnce).isEqualTo(1);
    }
  }

  @Test
  void withTwoBuffersDiskAndNetworkAreExactlyOneApart() throws IOException {
    for (boolean write : new boolean[] {false, true}) {
      Pace pace = run(write, 2); // would hang if they were not
      assertThat(pace.maxAhead).isEqualTo(2);
      assertThat(pace.maxAtOnce).isEqualTo(1);
    }
  }

  @Test
  void asManyStepsGatherAtATimeAsThereAreWorkersTheEarliestFirst() {
    for (long seed : Seeds.of(10)) {
      List<String> course = new ArrayList<>();
      SeededEnv env = SeededEnv.of(seed);
      env.run(
          () -> {
            DirectBuffers buffers = new DirectBuffers(env, 3, 3, 1);
            for (int step = 2; step >= 0; step--) {
              int own = step;
              env.start(ThreadKind.HELPER, "step", () -> gather(buffers, own, course));
            }
          });
      assertThat(course)
          .as(Seeds.replay(seed))
          .containsExactly("begins 0", "ends 0", "begins 1", "ends 1", "begins 2", "ends 2");
    }
  }

  private static void gather(DirectBuffers buffers, int step, List<String> course) {
    assertThat(buffers.enterMove(step)).isTrue();
    course.add("begins " + step);
    Thread.yield(); // to any other that can run
    course.add("ends " + step);
    buffers.leaveMove();
  }

  @Test
  void moreBuffersMakeRoomForMoreTransfersAtATimeAndNoMoreThanThat() throws IOException {
    for (int buffers : new int[] {3, 5}) {
      Pace reading = run(false, buffers);
      assertThat(reading.maxAhead).isEqualTo(buffers);
      assertThat(reading.maxAtOnce).isLessThan(buffers);
    }
  }
}
