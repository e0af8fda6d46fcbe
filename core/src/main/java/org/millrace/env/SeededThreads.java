package org.millrace.env;

import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.util.concurrent.Executor;

/** Creates virtual threads with their own scheduler, through a private constructor of the JDK. */
final class SeededThreads {

  private static final String BUILDER = "java.lang.ThreadBuilders$VirtualThreadBuilder";

  private SeededThreads() {}

  /** A builder of virtual threads whose every stretch is given to {@code scheduler}. */
  static Thread.Builder.OfVirtual builder(Executor scheduler) {
    try {
      Constructor<?> constructor = Class.forName(BUILDER).getDeclaredConstructor(Executor.class);
      constructor.setAccessible(true);
      return (Thread.Builder.OfVirtual) constructor.newInstance(scheduler);
    } catch (InaccessibleObjectException e) {
      throw new IllegalStateException(
          "the seeded environment needs the JVM option --add-opens java.base/java.lang=ALL-UNNAMED",
          e);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "this JDK (" + Runtime.version() + ") gives virtual threads no scheduler of their own",
          e);
    }
  }
}
