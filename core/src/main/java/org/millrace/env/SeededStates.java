package org.millrace.env;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;

/**
 * Sees what a virtual thread has stopped for, in a field that the JDK keeps closed: {@link
 * Thread#getState} does not tell a thread that may go on after a monitor from one that has yielded.
 * Stateless.
 */
final class SeededStates {

  private static final int STATE_BITS = 0xFF; // the rest says whether a debugger has suspended it
  private static final VarHandle STATE;
  private static final int BLOCKED;
  private static final int UNBLOCKED;

  static {
    try {
      Class<?> type = Class.forName("java.lang.VirtualThread");
      STATE =
          MethodHandles.privateLookupIn(type, MethodHandles.lookup())
              .findVarHandle(type, "state", int.class);
      BLOCKED = constant(type, "BLOCKED");
      UNBLOCKED = constant(type, "UNBLOCKED");
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
    int state = (int) STATE.getVolatile(thread) & STATE_BITS;
    return state == BLOCKED || state == UNBLOCKED;
  }
}
