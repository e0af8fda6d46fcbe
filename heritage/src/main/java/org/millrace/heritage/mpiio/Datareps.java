package org.millrace.heritage.mpiio;

/** The representations of the standard. Holds no state. */
final class Datareps {

  /** As in memory. */
  static final Datarep NATIVE = new Datarep.Plain("native");

  /** As the implementation likes; here as in memory. */
  static final Datarep INTERNAL = new Datarep.Plain("internal");

  /** Big-endian. */
  static final Datarep EXTERNAL32 = new External32();

  private Datareps() {}
}
