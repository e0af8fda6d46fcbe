package org.millrace.cluster;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/**
 * Refuses Java virtual machines that are known to corrupt data silently: those before 25.0.3
 * (JDK-8377811) and those with compact object headers switched on (JDK-8380060). Stateless.
 */
public final class JvmCheck {

  private static final Runtime.Version MIN = Runtime.Version.parse("25.0.3");
  private static final String COMPACT_HEADERS = "UseCompactObjectHeaders";

  private JvmCheck() {}

  /** Throws if this JVM cannot be trusted with data. */
  public static void check() {
    check(Runtime.version(), hasCompactHeaders());
  }

  /** Refuses a version that corrupts data. */
  public static void check(Runtime.Version version, boolean compactHeaders) {
    if (version.compareToIgnoreOptional(MIN) < 0) {
      throw new IllegalStateException(
          "Millrace needs JDK " + MIN + " or newer, this is " + version + " (JDK-8377811)");
    }
    if (compactHeaders) {
      throw new IllegalStateException(
          "Millrace does not run with -XX:+" + COMPACT_HEADERS + " (JDK-8380060): leave it out");
    }
  }

  private static boolean hasCompactHeaders() {
    HotSpotDiagnosticMXBean vm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    try {
      return vm != null && vm.getVMOption(COMPACT_HEADERS).getValue().equals("true");
    } catch (IllegalArgumentException e) {
      return false; // this JVM does not know the option
    }
  }
}
