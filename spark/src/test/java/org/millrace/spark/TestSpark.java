package org.millrace.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.millrace.cluster.ClusterLocation;
import org.millrace.daemon.Server;
import org.millrace.daemon.ServerOptions;

/**
 * Two executors as processes, of one core each, and a cluster of three nodes whose daemons are in
 * this JVM. Made when a test first needs it, and ended with the JVM, because it takes long to
 * start.
 *
 * @param session of Spark
 * @param directory of the cluster
 */
record TestSpark(SparkSession session, Path directory) {

  private static final class Holder {
    static final TestSpark SHARED = start();
  }

  /** The one that all tests use. */
  static TestSpark shared() {
    return Holder.SHARED;
  }

  /** Where executors find the cluster. */
  String where() {
    return directory.toString();
  }

  private static TestSpark start() {
    try {
      Path directory = Files.createTempDirectory("millrace-spark");
      List<Server> servers = servers(directory.resolve("c"));
      SparkSession session = session(directory.resolve("c"), directory.resolve("warehouse"));
      Thread end =
          Thread.ofPlatform()
              .unstarted(
                  () -> {
                    session.stop();
                    servers.reversed().forEach(TestSpark::close);
                    delete(directory);
                  });
      Runtime.getRuntime().addShutdownHook(end);
      return new TestSpark(session, directory.resolve("c"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Server> servers(Path directory) throws IOException {
    List<Server> servers = new ArrayList<>();
    servers.add(Server.coordinator(directory, 3, ServerOptions.DEFAULT, _ -> {}));
    for (int node = 0; node < 3; node++) {
      var location = new ClusterLocation.In(directory);
      servers.add(Server.node(directory, node, location, ServerOptions.DEFAULT, _ -> {}));
    }
    return servers;
  }

  private static void delete(Path directory) {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(one);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void close(Server server) {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static SparkSession session(Path directory, Path warehouse) {
    return SparkSession.builder()
        .master("local-cluster[2,1,1024]")
        .appName("tests")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
        .config(
            "spark.executor.extraJavaOptions",
            "--enable-native-access=ALL-UNNAMED -XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .config("spark.scheduler.minRegisteredResourcesRatio", "1.0")
        .config("spark.scheduler.maxRegisteredResourcesWaitingTime", "120s")
        .config("spark.stage.maxConsecutiveAttempts", "2")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", warehouse.toString())
        .config("spark.hadoop.fs.millrace.cluster.data.location", directory.toString())
        .getOrCreate();
  }
}
