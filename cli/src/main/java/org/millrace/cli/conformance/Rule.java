package org.millrace.cli.conformance;

import java.util.List;

/**
 * A rule of a document.
 *
 * @param number of the row on its page
 * @param text the rule in a few words
 * @param section where it stands in the document
 * @param here what Millrace does
 * @param shownBy the tests that show it
 */
record Rule(int number, String text, String section, Here here, List<TestName> shownBy) {

  /** Keeps a copy of the list. */
  Rule {
    shownBy = List.copyOf(shownBy);
  }

  /** Whether Millrace does something else on purpose. */
  boolean isChanged() {
    return here instanceof Here.Changed;
  }
}
