package org.millrace.access;

/** How many steps a search may still take. Owned by one thread. */
final class Budget {

  /** The search would take too long. */
  static final class SpentException extends RuntimeException {
    private static final long serialVersionUID = 1;

    SpentException() {
      super("the search takes too long", null, false, false);
    }
  }

  private long left;

  Budget(long steps) {
    left = steps;
  }

  /** Takes a step. */
  void spend() {
    if (--left < 0) {
      throw new SpentException();
    }
  }
}
