package org.millrace.sim.hunt;

import java.util.EnumSet;
import java.util.Set;
import org.millrace.error.ErrorCode;

/**
 * The results of one collective call on all ranks. If it failed, it must have failed on all of them
 * in the same way; but a rank that was cut off from the others may know less.
 *
 * <p>For threads of the world's environment.
 */
final class Outcomes {

  /** What says something of the call, not of one rank's way to the others. */
  private static final Set<ErrorCode> OF_THE_CALL =
      Set.of(ErrorCode.CORRUPT, ErrorCode.DISK, ErrorCode.DISK_FULL, ErrorCode.INVALID);

  private final Set<ErrorCode> codes = EnumSet.noneOf(ErrorCode.class);
  private boolean succeeded;

  /** It succeeded on one more rank. */
  void succeeded(String who) {
    succeeded = true;
    check(who);
  }

  /** It failed on one more rank. */
  void failed(String who, ErrorCode code) {
    if (OF_THE_CALL.contains(code)) {
      codes.add(code);
    }
    check(who);
  }

  private void check(String who) {
    if (codes.size() > 1 || (succeeded && !codes.isEmpty())) {
      throw new Violation(
          "%s: a collective call ended in more than one way: %s%s"
              .formatted(who, codes, succeeded ? " and well" : ""));
    }
  }
}
