package org.millrace.client;

import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.plan.collective.Plan;
import org.millrace.protocol.CallFacts;

/**
 * What a rank notes of one collective call while it makes it: four readings of a clock. {@link
 * #NONE} notes nothing. Used by one thread at a time; given to its log at the end, and not changed
 * afterwards.
 */
final class CallNote {

  /** Of a call of which nobody is told. */
  static final CallNote NONE = new CallNote();

  /** Of calls whose ranks go one by one, each in one step, without a plan. */
  static final String ATOMIC = "atomic";

  // constant after construction
  private final @Nullable CallLog log;
  private final OpenName file;
  private final String call;
  private final long bytes;
  private final long number;
  private final long beginNanos;

  // set by the thread that makes the call
  private String strategy = "";
  private String plan = "";
  private long movingNanos;
  private long movedNanos;
  private long endNanos;
  private boolean failed;

  /** An open file as people know it. */
  record OpenName(long open, String path) {}

  private CallNote() {
    this.log = null;
    this.file = new OpenName(0, "");
    this.call = "";
    this.bytes = 0;
    this.number = 0;
    this.beginNanos = 0;
  }

  CallNote(CallLog log, OpenName file, String call, long bytes, long number) {
    this.log = log;
    this.file = file;
    this.call = call;
    this.bytes = bytes;
    this.number = number;
    this.beginNanos = log.env().nanoTime();
  }

  /** The rank moves bytes from now on, as a plan says. */
  void moving(Plan how) {
    if (log != null) {
      moving(log.env(), how.strategy().word(), PlanWords.of(how));
    }
  }

  /** The rank moves bytes from now on, in one step. */
  void movingAtomically() {
    if (log != null) {
      moving(log.env(), ATOMIC, "each rank in one step");
    }
  }

  private void moving(Env env, String how, String numbers) {
    strategy = how;
    plan = numbers;
    movingNanos = env.nanoTime();
    movedNanos = movingNanos;
  }

  /** It has moved them, or failed to. */
  void moved() {
    if (log != null) {
      movedNanos = log.env().nanoTime();
    }
  }

  /** The call is over. */
  void ended(boolean well) {
    if (log != null) {
      endNanos = log.env().nanoTime();
      failed = !well;
      log.add(this);
    }
  }

  String strategy() {
    return strategy;
  }

  /** As the coordinator hears it. */
  CallFacts facts() {
    boolean known = !strategy.isEmpty();
    return new CallFacts(
        file.open,
        number,
        call,
        shortened(file.path),
        strategy,
        plan,
        bytes,
        beginNanos,
        (known ? movingNanos : endNanos) - beginNanos,
        (known ? movedNanos : endNanos) - beginNanos,
        endNanos - beginNanos,
        failed);
  }

  private static String shortened(String path) {
    int over = path.length() - CallFacts.MAX_CHARS;
    return over <= 0 ? path : path.substring(over);
  }
}
