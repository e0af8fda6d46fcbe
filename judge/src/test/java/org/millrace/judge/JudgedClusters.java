package org.millrace.judge;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The clusters that are judged: each in a new folder and in this JVM, or, if {@code
 * millrace.judge.clusters} names a folder, daemons that were started there before. Stateless.
 */
final class JudgedClusters {

  private JudgedClusters() {}

  /** What a cluster is opened by. */
  static URI uri(String name) throws IOException {
    String daemons = System.getProperty("millrace.judge.clusters");
    Path folder =
        daemons == null
            ? Files.createTempDirectory("judge-" + name)
            : Path.of(daemons, name, "cluster");
    return URI.create("millrace:" + folder);
  }
}
