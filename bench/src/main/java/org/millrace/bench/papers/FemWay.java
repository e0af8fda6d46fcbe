package org.millrace.bench.papers;

/** What the finite-element program keeps its file in. */
enum FemWay {
  /** Blocks cached by their owners, preloaded if the row says so. */
  EDONIO("EDONIO"),
  /** The same nodes and caches through the other interface, which knows no preload. */
  PFS("PFS"),
  /** One plain file, a system call for each access. */
  FILE_CHANNEL("FileChannel");

  private final String label;

  FemWay(String label) {
    this.label = label;
  }

  /** As it is printed. */
  String label() {
    return label;
  }
}
