package org.millrace.hadoop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;

/**
 * The cluster that all tests of a JVM use: Hadoop's cache of file systems keeps it open. Immutable.
 *
 * @param directory where it is
 */
record TestCluster(Path directory) {

  /** The tests' own. */
  static final TestCluster OF_THIS_JVM = make();

  /** The root of its files. */
  static final URI ROOT = URI.create("millrace://contract/");

  private static TestCluster make() {
    try {
      Path target = Path.of("target");
      Path base = Files.isDirectory(target) ? target : Path.of("");
      return new TestCluster(Files.createTempDirectory(base.toAbsolutePath(), "cluster"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Says where it is. */
  Configuration configure(Configuration configuration) {
    configuration.set("fs.millrace.cluster.contract.location", directory.toString());
    configuration.set("fs.millrace.cluster.contract.nodes", "3");
    configuration.set("fs.AbstractFileSystem.millrace.impl", MillraceFs.class.getName());
    return configuration;
  }

  /** A configuration that says where it is. */
  Configuration configuration() {
    return configure(new Configuration());
  }
}
