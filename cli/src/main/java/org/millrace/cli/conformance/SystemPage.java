package org.millrace.cli.conformance;

import java.util.List;

/**
 * The page of one system: every rule of its document.
 *
 * @param name of the page, as of the system's package
 * @param title the system as people call it
 * @param document where the rules come from
 * @param rules in the order of the page
 * @param complaints what is wrong with the page, with line numbers; rows that cannot be read are
 *     missing from the rules
 */
record SystemPage(
    String name, String title, String document, List<Rule> rules, List<String> complaints) {

  /** Keeps copies of the lists. */
  SystemPage {
    rules = List.copyOf(rules);
    complaints = List.copyOf(complaints);
  }

  /** How many rules hold as written. */
  long asWritten() {
    return rules.size() - changed();
  }

  /** How many rules were changed on purpose. */
  long changed() {
    return rules.stream().filter(Rule::isChanged).count();
  }

  /** How many rules name a test. */
  long shown() {
    return rules.stream().filter(rule -> !rule.shownBy().isEmpty()).count();
  }
}
