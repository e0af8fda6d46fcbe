package org.millrace.bench;

import java.io.IOException;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.plan.Hints;

/** Opens files with hints. No state. */
final class Hinted {

  private Hinted() {}

  static SharedFile open(Rank rank, String name, OpenOptions options, Hints hints)
      throws IOException {
    return rank.open(name, options.hints(hints));
  }
}
