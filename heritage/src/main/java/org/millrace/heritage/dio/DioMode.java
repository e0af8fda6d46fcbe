package org.millrace.heritage.dio;

/** What a read beyond the end of a component file is. */
public enum DioMode {

  /** An error, as in the C library's read of so many bytes: the usual behaviour. */
  STANDARD,

  /**
   * Zeros where nothing is, and the component then reaches as far as was read: the behaviour that
   * Shared Files needs, which keeps no directory of the components' ends.
   */
  EXTENDING
}
