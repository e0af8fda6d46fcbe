package org.millrace.cli.judge;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What the judges of the mount are given that no package of Debian has, and how much they do.
 * Immutable.
 *
 * @param pjdfstest the folder of pjdfstest's sources, built
 * @param fsx the program fsx of xfstests
 * @param ior the program of that name
 * @param mdtest the program of that name
 * @param operations of fsx
 */
record PosixTools(
    Optional<Path> pjdfstest,
    Optional<Path> fsx,
    Optional<Path> ior,
    Optional<Path> mdtest,
    int operations) {

  /** Only what is installed. */
  static final PosixTools USUAL =
      new PosixTools(
          Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), 10_000);

  PosixTools {
    if (operations < 1) {
      throw new IllegalArgumentException(operations + " operations, must be at least 1");
    }
  }
}
