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
 * @param romio the folder of ROMIO's test programs, built
 * @param build whether this repository is built on the mount, too
 * @param operations of fsx
 */
record PosixTools(
    Optional<Path> pjdfstest,
    Optional<Path> fsx,
    Optional<Path> ior,
    Optional<Path> mdtest,
    Optional<Path> romio,
    boolean build,
    int operations) {

  /** Only what is installed. */
  static final PosixTools USUAL =
      new PosixTools(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          false,
          10_000);

  PosixTools {
    if (operations < 1) {
      throw new IllegalArgumentException(operations + " operations, must be at least 1");
    }
  }
}
