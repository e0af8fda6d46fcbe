package org.millrace.sim.hunt;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.millrace.client.HeldLock;

/**
 * A chapter of calls that do not touch files: all ranks must receive what the ranks sent.
 *
 * <p>Belongs to the rank's thread.
 */
final class Meetings {

  /** Longer than anybody waits, and not so long that those who regroup would give up. */
  private static final long LATE_NANOS = 50 * World.SECOND;

  private final Member me;
  private final RandomGenerator common;
  private final RandomGenerator own;

  Meetings(Member me, RandomGenerator common, RandomGenerator own) {
    this.me = me;
    this.common = common;
    this.own = own;
  }

  void run() throws IOException {
    if (common.nextInt(4) == 0 && me.rank().size() > 1) {
      late();
      return;
    }
    int rounds = 2 + common.nextInt(4);
    for (int i = 0; i < rounds; i++) {
      long salt = common.nextLong();
      switch (common.nextInt(6)) {
        case 0 -> me.barrier();
        case 1 -> reduce(salt);
        case 2 -> gather(salt);
        case 3 -> broadcast(salt);
        case 4 -> ring(salt);
        default -> lock();
      }
      if (own.nextInt(3) == 0) {
        me.pause(own, 10 * World.MILLI);
      }
    }
  }

  /** What a rank gives. */
  private static byte[] gift(long salt, int rank) {
    byte[] bytes = new byte[Math.floorMod(salt + rank * 37L, 2000)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (salt + 31L * rank + i);
    }
    return bytes;
  }

  private void reduce(long salt) throws IOException {
    long expected = 0;
    for (int r = 0; r < me.rank().size(); r++) {
      expected += salt / 1000 + r;
    }
    long mine = salt / 1000 + me.rank().number();
    long got = me.call("allReduce", "", () -> me.rank().allReduceLong(mine, Long::sum));
    me.check(got == expected, "allReduce gave %s, not %s".formatted(got, expected));
  }

  private void gather(long salt) throws IOException {
    byte[] mine = gift(salt, me.rank().number());
    List<byte[]> all = me.call("allGather", "", () -> me.rank().allGather(mine));
    me.check(all.size() == me.rank().size(), "allGather gave " + all.size());
    for (int r = 0; r < all.size(); r++) {
      me.check(Arrays.equals(all.get(r), gift(salt, r)), "allGather gave a wrong part " + r);
    }
  }

  private void broadcast(long salt) throws IOException {
    int root = (int) Math.floorMod(salt, (long) me.rank().size());
    byte[] given = me.rank().number() == root ? gift(salt, root) : new byte[0];
    byte[] got = me.call("broadcast", "", () -> me.rank().broadcast(root, given));
    me.check(Arrays.equals(got, gift(salt, root)), "broadcast gave something else");
  }

  private void ring(long salt) throws IOException {
    int size = me.rank().size();
    int next = (me.rank().number() + 1) % size;
    int before = (me.rank().number() + size - 1) % size;
    byte[] mine = gift(salt, me.rank().number());
    me.act("send", "to " + next, () -> me.rank().send(next, 7, mine));
    byte[] got = me.call("receive", "from " + before, () -> me.rank().receive(before, 7).bytes());
    me.check(Arrays.equals(got, gift(salt, before)), "another message came from " + before);
  }

  /** Only one at a time has the lock. */
  private void lock() throws IOException {
    AtomicInteger holders = me.shared(AtomicInteger.class, AtomicInteger::new);
    HeldLock held = me.call("lock", "", () -> me.rank().lock("hunt"));
    int now = holders.incrementAndGet();
    boolean calm = me.isCalm();
    me.check(!calm || now == 1, now + " ranks hold one lock");
    me.pause(own, 5 * World.MILLI);
    holders.decrementAndGet();
    me.act("unlock", "", held::close);
  }

  /** One rank comes too late: the others' call must have failed by then, and so must its own. */
  private void late() throws IOException {
    int who = common.nextInt(me.rank().size());
    me.episode().excuse();
    if (me.rank().number() == who) {
      World.pause(me.world().env(), LATE_NANOS);
    }
    me.act("late barrier", "for which rank " + who + " is late", me.rank()::barrier);
    me.check(false, "a barrier waited for rank " + who + ", which was far too late");
  }
}
