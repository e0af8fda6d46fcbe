package org.millrace.heritage.cio;

/** How participants share a file. */
public enum CioMode {
  /**
   * All participants make the same call; a read happens once and all get it, of a write the owner's
   * data counts and the others' is discarded.
   */
  SINGLE,
  /** One pointer for all; only who has the token may access the file. */
  MULTI,
  /** A pointer for each, and no coordination. */
  INDEPENDENT
}
