package org.millrace.env;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Parker} over the JDK's own. The permit is set before the waiting thread is read, and the
 * waiting thread is set before the permit is tested, both as volatile accesses: so one of the two
 * sides always sees the other.
 *
 * <p>A virtual thread yields some times before it parks, and leaves its deadline to the {@link
 * Watchdog} if that is far enough. The watchdog unparks it when the deadline has passed and not
 * before: if that comes between the look at the clock and the park, the park returns at once.
 */
final class RealParker implements Parker {

  /** Some microseconds: as long as 16 ranks on two processors take to come to a meeting. */
  private static final int YIELDS = 16;

  private static final VarHandle PERMIT;

  static {
    try {
      PERMIT = MethodHandles.lookup().findVarHandle(RealParker.class, "permit", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile boolean permit;
  private volatile @Nullable Thread waiting;

  @Override
  public boolean park(long deadlineNanos) {
    if (takePermit()) {
      return true;
    }
    Thread me = Thread.currentThread();
    if (me.isVirtual() && yieldForPermit()) {
      return true;
    }
    waiting = me;
    Watchdog.@Nullable Wait watched = null;
    boolean interrupted = false;
    try {
      while (!takePermit()) {
        if (deadlineNanos == Env.NEVER || watched != null && !isLate(deadlineNanos)) {
          LockSupport.park(this);
        } else {
          long left = deadlineNanos - System.nanoTime();
          if (left <= 0) {
            return takePermit();
          }
          if (me.isVirtual() && left >= Watchdog.TICK_NANOS) {
            watched = RealEnv.watchdog().watch(deadlineNanos, () -> LockSupport.unpark(me));
          } else {
            LockSupport.parkNanos(this, left);
          }
        }
        // An interrupt left standing would turn the loop into spinning.
        interrupted |= Thread.interrupted();
      }
      return true;
    } finally {
      waiting = null;
      if (watched != null) {
        watched.end();
      }
      if (interrupted) {
        me.interrupt();
      }
    }
  }

  private static boolean isLate(long deadlineNanos) {
    return deadlineNanos - System.nanoTime() <= 0;
  }

  /**
   * Lets other threads go first for a moment: what is waited for is mostly done by one of them, and
   * then no thread has to wake this one.
   */
  private boolean yieldForPermit() {
    for (int i = 0; i < YIELDS; i++) {
      Thread.yield();
      if (takePermit()) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void unpark() {
    permit = true;
    LockSupport.unpark(waiting);
  }

  private boolean takePermit() {
    return permit && (boolean) PERMIT.getAndSet(this, false);
  }
}
