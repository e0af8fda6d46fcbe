package org.millrace.cli.conformance;

import java.util.Optional;

/** What Millrace does with a rule. */
sealed interface Here {

  /**
   * It does what the document says.
   *
   * @param note something worth knowing, or nothing
   */
  record AsWritten(String note) implements Here {
    @Override
    public String text() {
      return note.isEmpty() ? AS_WRITTEN : AS_WRITTEN + "; " + note;
    }
  }

  /**
   * It does something else on purpose.
   *
   * @param what differs, and why
   */
  record Changed(String what) implements Here {
    @Override
    public String text() {
      return CHANGED + what;
    }
  }

  /** How the first begins. */
  String AS_WRITTEN = "as written";

  /** How the second begins. */
  String CHANGED = "changed: ";

  /** As a page says it. */
  String text();

  /** What a cell says, if it begins as it must. */
  static Optional<Here> parse(String cell) {
    if (cell.equals(AS_WRITTEN)) {
      return Optional.of(new AsWritten(""));
    }
    if (cell.startsWith(AS_WRITTEN + ";")) {
      return Optional.of(new AsWritten(cell.substring(AS_WRITTEN.length() + 1).strip()));
    }
    return cell.startsWith(CHANGED)
        ? Optional.of(new Changed(cell.substring(CHANGED.length()).strip()))
        : Optional.empty();
  }
}
