package org.millrace.env;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Parker} over the JDK's own. The permit is set before the waiting thread is read, and the
 * waiting thread is set before the permit is tested, both as volatile accesses: so one of the two
 * sides always sees the other.
 */
final class RealParker implements Parker {

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
    waiting = Thread.currentThread();
    boolean interrupted = false;
    try {
      while (!takePermit()) {
        if (deadlineNanos == Env.NEVER) {
          LockSupport.park(this);
        } else {
          long left = deadlineNanos - System.nanoTime();
          if (left <= 0) {
            return takePermit();
          }
          LockSupport.parkNanos(this, left);
        }
        // An interrupt left standing would turn the loop into spinning.
        interrupted |= Thread.interrupted();
      }
      return true;
    } finally {
      waiting = null;
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
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
