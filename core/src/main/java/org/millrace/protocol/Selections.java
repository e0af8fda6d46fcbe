package org.millrace.protocol;

import org.millrace.access.Access;
import org.millrace.access.Cursor;
import org.millrace.layout.Layout;
import org.millrace.layout.StrandRuns;

/** The bytes of a payload that a request names. Holds no state. */
final class Selections {

  private Selections() {}

  /** The bytes of an access that lie on one strand, by their number in the access. */
  static Cursor onStrand(Layout layout, int strand, Access access) {
    StrandRuns runs = StrandRuns.of(layout, strand, access.view(), access.from(), access.to());
    Cursor numbers =
        new Cursor() {
          @Override
          public boolean next() {
            long before = position() + bytes();
            if (!runs.next()) {
              return false;
            }
            // the runs of a vector follow each other in the view
            set(before, runs.position() - access.from(), runs.bytes(), runs.bytes(), 1);
            return true;
          }
        };
    return numbers.joined();
  }
}
