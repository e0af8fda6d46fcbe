package org.millrace.message;

/**
 * The word that decides for all ranks whether they meet on a {@link Board}: the number of the call,
 * the number of ranks that have arrived, and the decision. Every change is one compare-and-set, so
 * all ranks see the same. Values only; stateless.
 *
 * <pre>
 *   open   --one comes---------------------------> open, one more
 *   open   --all are there, and agree------------> met, by the last to arrive
 *   open   --anybody, at any time----------------> apart
 *   met    --one has read what it needs----------> met, one less
 *   open, apart, met and left by all --a later call--> open or apart, for that call
 * </pre>
 *
 * <p>The calls in one word have growing numbers. So a rank that waits for a call and finds a later
 * one knows that its own is apart: a call that is met stays until all have left it.
 */
final class BoardWord {

  /** What is to become of a call. */
  enum Fate {
    OPEN(0),
    MET(1),
    APART(2);

    private final int bits;

    Fate(int bits) {
      this.bits = bits;
    }
  }

  /** Says that a change is not possible: the word stays as it is. */
  static final long NO = -1;

  /** Calls have lower numbers. */
  static final long END_OF_CALLS = 1L << 50;

  private static final int COUNT_SHIFT = 2;
  private static final int COUNT_BITS = 10;
  private static final int CALL_SHIFT = COUNT_SHIFT + COUNT_BITS;
  private static final int MAX = (1 << COUNT_BITS) - 1;
  private static final int FATE_MASK = (1 << COUNT_SHIFT) - 1;

  private BoardWord() {}

  static long of(long call, int count, Fate fate) {
    return (call << CALL_SHIFT) | ((long) count << COUNT_SHIFT) | fate.bits;
  }

  static long call(long word) {
    return word >>> CALL_SHIFT;
  }

  static int count(long word) {
    return ((int) (word >>> COUNT_SHIFT)) & MAX;
  }

  private static boolean is(long word, long call, Fate fate) {
    return call(word) == call && (word & FATE_MASK) == fate.bits;
  }

  /** The state of a call at which a rank has arrived. */
  static Fate fate(long word, long call) {
    if (is(word, call, Fate.OPEN)) {
      return Fate.OPEN;
    }
    return is(word, call, Fate.MET) ? Fate.MET : Fate.APART;
  }

  /** Whether a change has decided what becomes of the call that the word was about. */
  static boolean isDecidedBy(long before, long after) {
    return fate(before, call(before)) == Fate.OPEN && fate(after, call(before)) != Fate.OPEN;
  }

  /** Makes the word that of a call, if it is not yet. */
  static long open(long word, long call) {
    return is(word, call, Fate.OPEN) ? word : begun(word, call, Fate.OPEN);
  }

  private static long begun(long word, long call, Fate fate) {
    boolean held = is(word, call(word), Fate.MET) && count(word) > 0;
    return call(word) < call && !held ? of(call, 0, fate) : NO;
  }

  /** One more is there. */
  static long arrive(long word, long call) {
    return is(word, call, Fate.OPEN) && count(word) < MAX
        ? of(call, count(word) + 1, Fate.OPEN)
        : NO;
  }

  /** All are there and agree. */
  static long meet(long word, long call, int ranks) {
    return word == of(call, ranks, Fate.OPEN) ? of(call, ranks, Fate.MET) : NO;
  }

  /** Everybody goes to the coordinator. */
  static long part(long word, long call) {
    return is(word, call, Fate.OPEN) ? of(call, 0, Fate.APART) : begun(word, call, Fate.APART);
  }

  /** One has read all that it needs. */
  static long leave(long word, long call) {
    return is(word, call, Fate.MET) && count(word) > 0 ? of(call, count(word) - 1, Fate.MET) : NO;
  }
}
