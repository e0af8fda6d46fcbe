package org.millrace.env;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;

/**
 * Tells why a virtual thread has stopped, from a field that the JDK keeps closed: {@link
 * Thread#getState} does not tell a thread that may go on after a monitor from one that has yielded.
 * Stateless.
 */
final class SeededStates {

  private static final int STATE_BITS = 0xFF; // the rest says whether a debugger has suspended it
  private static final VarHandle STATE;
  private static final int BLOCKED;
  private static final int UNBLOCKED;
  private static final int UNPARKED;
  private static final int YIELDED;

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

  /** Whether a virtual thread, which does not run now, has stopped at a monitor that was taken. */
  static boolean isAtMonitor(Thread thread) {
    int state = state(thread);
    return state == BLOCKED || state == UNBLOCKED;
  }

  /** Whether a virtual thread has stopped because it called {@link Thread#yield}. */
  static boolean hasYielded(Thread thread) {
    return state(thread) == YIELDED;
  }

  /** Whether a virtual thread, which does not run now, parked and was unparked since. */
  static boolean isUnparked(Thread thread) {
    return state(thread) == UNPARKED;
  }

  /**
   * Whether a thread that has yielded, and stands so, was told to by the JDK's own code, which
   * yields until another thread is done, as {@code ConcurrentHashMap} while another makes its
   * table.
   */
  static boolean isYieldOfTheJdk(StackTraceElement[] stack) {
    for (StackTraceElement frame : stack) {
      String type = frame.getClassName();
      if (!type.equals("java.lang.VirtualThread") && !type.equals("java.lang.Thread")) {
        return "java.base".equals(frame.getModuleName());
      }
    }
    return false;
  }

  private static int state(Thread thread) {
    return (int) STATE.getVolatile(thread) & STATE_BITS;
  }
}
