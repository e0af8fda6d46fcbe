package org.millrace.env;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;

/**
 * Finds out why a virtual thread has stopped, from a private field of the JDK: {@link
 * Thread#getState} does not distinguish a thread that can continue after a monitor from one that
 * has yielded. Stateless.
 */
final class SeededStates {

  private static final int STATE_BITS = 0xFF; // the rest says whether a debugger has suspended it
  private static final VarHandle STATE;
  private static final int BLOCKED;
  private static final int UNBLOCKED;
  private static final int UNPARKED;
  private static final int YIELDED;
  private static final int TIMED_PARKED;
  private static final int WAIT;
  private static final int TIMED_WAIT;

  static {
    try {
      Class<?> type = Class.forName("java.lang.VirtualThread");
      STATE =
          MethodHandles.privateLookupIn(type, MethodHandles.lookup())
              .findVarHandle(type, "state", int.class);
      BLOCKED = constant(type, "BLOCKED");
      UNBLOCKED = constant(type, "UNBLOCKED");
      UNPARKED = constant(type, "UNPARKED");
      YIELDED = constant(type, "YIELDED");
      TIMED_PARKED = constant(type, "TIMED_PARKED");
      WAIT = constant(type, "WAIT");
      TIMED_WAIT = constant(type, "TIMED_WAIT");
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "this JDK (" + Runtime.version() + ") does not show the states of virtual threads", e);
    }
  }

  private SeededStates() {}

  private static int constant(Class<?> type, String name) throws ReflectiveOperationException {
    Field field = type.getDeclaredField(name);
    field.setAccessible(true);
    return field.getInt(null);
  }

  /**
   * Whether a virtual thread, which does not run now, has stopped at a monitor: it was taken, or
   * the thread waits for another one to notify it.
   */
  static boolean isAtMonitor(Thread thread) {
    int state = state(thread);
    return state == BLOCKED || state == UNBLOCKED || state == WAIT || state == TIMED_WAIT;
  }

  /** Whether a virtual thread has stopped because it called {@link Thread#yield}. */
  static boolean hasYielded(Thread thread) {
    return state(thread) == YIELDED;
  }

  /** Whether a virtual thread, which does not run now, parked and was unparked since. */
  static boolean isUnparked(Thread thread) {
    return state(thread) == UNPARKED;
  }

  /** Whether a virtual thread, which does not run now, sleeps in real time. */
  static boolean isTimedParked(Thread thread) {
    return state(thread) == TIMED_PARKED;
  }

  /**
   * Whether the JDK's own code, not the program, called the yield or the sleep that a thread stands
   * in. It does so until another thread is done: {@code ConcurrentHashMap} yields while another
   * thread makes its table, a reservation of memory sleeps until the garbage collector has freed
   * some.
   */
  static boolean isCallOfTheJdk(StackTraceElement[] stack) {
    int i = 0;
    while (i < stack.length && stack[i].getClassName().equals("java.lang.VirtualThread")) {
      i++;
    }
    int calls = i;
    while (i < stack.length && stack[i].getClassName().equals("java.lang.Thread")) {
      i++;
    }
    return i > calls && i < stack.length && "java.base".equals(stack[i].getModuleName());
  }

  private static int state(Thread thread) {
    return (int) STATE.getVolatile(thread) & STATE_BITS;
  }
}
