package org.millrace.bench.processes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.millrace.bench.measure.ChildJvm;
import org.millrace.bench.measure.Scratch;
import org.millrace.client.PageCache;

/**
 * Two processes: one with nodes and plain sockets, one with a rank that asks it. Used by one
 * thread. Closing ends both.
 */
public final class Pair implements AutoCloseable {

  /**
   * How a file is kept and reached.
   *
   * @param cacheBytes of its node
   * @param pages which transfers go past the page cache
   * @param flushes whether writes count only when they are durable
   * @param dio whether it is reached by Distant I/O, else by Millrace's own interface
   */
  public record How(long cacheBytes, PageCache pages, boolean flushes, boolean dio) {}

  private final Path folder;
  private final Path sockets;
  private final ChildJvm serving;
  private final ChildJvm asking;

  /** Starts both processes with {@code folder} as their working folder. */
  public Pair(Path folder) throws IOException {
    this.folder = folder.toAbsolutePath();
    this.sockets = Files.createTempDirectory("millrace"); // paths of sockets must be short
    serving = ChildJvm.start(folder, "serving", ServingProcess.class, List.of(), Map.of());
    try {
      asking = ChildJvm.start(folder, "asking", AskingProcess.class, List.of(), Map.of());
    } catch (IOException | RuntimeException e) {
      serving.close();
      throw e;
    }
  }

  /** Starts the other ends of plain sockets. */
  void plain() throws IOException {
    Path socket = sockets.resolve("p");
    Path keys = BenchKeys.make(folder.resolve("keys"));
    String ports = serving.ask("plain %s %s".formatted(socket, keys));
    asking.ask("plain %s %s %s".formatted(socket, keys, ports));
  }

  /**
   * Makes a file that the rank reaches in one way, at a node of its own.
   *
   * @param how its cache, and how it is reached
   */
  public void open(String name, Way way, long fileBytes, How how) throws IOException {
    Path directory = folder.resolve(name);
    if (way != Way.LOCAL) {
      serving.ask(
          "serve %s %s %s %s".formatted(directory, way.socket(), how.cacheBytes, how.pages));
    }
    asking.ask(
        "open %s %s %s %s %s %s %s %s"
            .formatted(
                name,
                way,
                directory,
                fileBytes,
                how.cacheBytes,
                how.pages,
                how.flushes ? "flush" : "stay",
                how.dio ? "dio" : "shared"));
  }

  /** A lap of requests to a file. */
  public Traffic.Lap traffic(String name, boolean write, boolean random, int bytes, long millis)
      throws IOException {
    return Traffic.Lap.parse(
        asking.ask(
            "traffic %s %s %s %s %s"
                .formatted(
                    name,
                    write ? "write" : "read",
                    random ? "random" : "sequential",
                    bytes,
                    millis)));
  }

  /** A lap of round trips. */
  Traffic.Lap trial(TrialWay way, int bytes, long millis) throws IOException {
    return Traffic.Lap.parse(asking.ask("trial %s %s %s".formatted(way, bytes, millis)));
  }

  /** A lap of a plain stream. */
  Traffic.Lap stream(String socket, PlainStream.Order order) throws IOException {
    return Traffic.Lap.parse(
        asking.ask(
            "stream %s %s %s %s %s"
                .formatted(
                    socket,
                    order.up() ? "up" : "down",
                    order.work() ? "worked" : "raw",
                    order.bytes(),
                    order.count())));
  }

  @Override
  public void close() throws IOException {
    try (serving) {
      asking.close();
    }
    Scratch.remove(sockets);
  }
}
