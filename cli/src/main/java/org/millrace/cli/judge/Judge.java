package org.millrace.cli.judge;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** A test suite that others wrote, on one of the doors. Implementations are stateless. */
interface Judge {

  /** What the command calls it. */
  String name();

  /** Who judges what, in one line. */
  String about();

  /**
   * Runs the suite. A test that fails is an outcome; an exception means that the suite could not be
   * run, and says what to do.
   *
   * @param sources the folder of Millrace's sources
   */
  Judgement run(Path sources) throws IOException;

  /**
   * The same judge on clusters whose coordinator and nodes are processes; empty if it uses no
   * others.
   */
  default Optional<Judge> onDaemons() {
    return Optional.empty();
  }
}
