package org.millrace.judge;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * Why tests of a judge are known to fail: a file beside this class with a line for each, its name,
 * a blank and the reason. Stateless.
 */
final class KnownFailures {

  private KnownFailures() {}

  static Map<String, String> of(String judge) throws IOException {
    String name = judge + "-failures.txt";
    Map<String, String> reasons = new TreeMap<>();
    try (InputStream in = KnownFailures.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException("no resource " + name);
      }
      for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList()) {
        int blank = line.indexOf(' ');
        if (line.isBlank() || line.startsWith("#")) {
          continue;
        }
        if (blank < 0 || reasons.put(line.substring(0, blank), line.substring(blank + 1)) != null) {
          throw new IOException(name + ": no reason, or a second one: " + line);
        }
      }
    }
    return reasons;
  }
}
