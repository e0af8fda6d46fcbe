package org.millrace.bench.processes;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.millrace.bench.measure.ChildCommands;
import org.millrace.client.ClusterOptions;
import org.millrace.client.PageCache;
import org.millrace.cluster.ClusterLocation;
import org.millrace.daemon.ServerOptions;
import org.millrace.env.Env;
import org.millrace.launch.process.ProcessRank;
import org.millrace.launch.process.ProcessRankOptions;
import org.millrace.wire.Address;
import org.millrace.wire.Tls;

/**
 * A process with one rank, which reads from and writes to nodes in its own process or in another, a
 * {@link ServingProcess}. Orders:
 *
 * <pre>
 *   open NAME WAY DIRECTORY FILE_BYTES CACHE_BYTES PAGE_CACHE flush|stay FACE      answers ok
 *   traffic NAME read|write sequential|random BYTES MILLIS    answers a {@link Traffic.Lap}
 *   plain SOCKET KEYS PORT PORT PORT                          where plain sockets are; answers ok
 *   trial WAY BYTES MILLIS                                    a ping-pong; answers a lap
 *   stream unix|tcp|tls up|down raw|worked BYTES COUNT        answers a lap
 * </pre>
 *
 * FACE is {@code shared} for Millrace's own interface, {@code dio} for Distant I/O. One thread.
 */
final class AskingProcess implements AutoCloseable {

  private final Env env = Env.real();
  private final Map<String, ProcessRank> clusters = new LinkedHashMap<>();
  private final Map<String, Traffic> files = new LinkedHashMap<>();
  private String socket = "";
  private @Nullable TrialClient trials;
  private PlainStream.@Nullable Source streams;
  private Path keys = Path.of("");

  private AskingProcess() {}

  /** Works until its input ends. */
  public static void main(String[] args) throws IOException {
    try (AskingProcess process = new AskingProcess()) {
      ChildCommands.serve(process::handle);
    }
  }

  private String handle(String[] words) throws IOException {
    switch (words[0]) {
      case "open" -> open(words);
      case "traffic" -> {
        Traffic file = Objects.requireNonNull(files.get(words[1]), words[1]);
        boolean write = words[2].equals("write");
        boolean random = words[3].equals("random");
        int bytes = Integer.parseInt(words[4]);
        return file.run(write, random, bytes, Long.parseLong(words[5])).toString();
      }
      case "plain" -> {
        socket = words[1];
        keys = Path.of(words[2]);
        trials = new TrialClient(Path.of(socket), Integer.parseInt(words[3]));
        streams =
            new PlainStream.Source(
                PlainStream.socket(socket),
                Integer.parseInt(words[4]),
                Integer.parseInt(words[5]),
                Tls.load(keys).context());
      }
      case "trial" -> {
        int bytes = Integer.parseInt(words[2]);
        long millis = Long.parseLong(words[3]);
        TrialClient client = Objects.requireNonNull(trials, "plain comes first");
        String[] said = client.run(TrialWay.valueOf(words[1]), bytes, millis).split(" ", -1);
        long trips = Long.parseLong(said[0]);
        return new Traffic.Lap(trips, trips * bytes, millis * 1_000_000).toString();
      }
      case "stream" -> {
        PlainStream.Source from = Objects.requireNonNull(streams, "plain comes first");
        PlainStream.Order order =
            new PlainStream.Order(
                words[2].equals("up"),
                words[3].equals("worked"),
                Integer.parseInt(words[4]),
                Long.parseLong(words[5]));
        long nanos = PlainStream.run(env, from, words[1], order);
        return new Traffic.Lap(order.count(), order.count() * order.bytes(), nanos).toString();
      }
      default -> throw new IllegalArgumentException("no order: " + words[0]);
    }
    return "ok";
  }

  private void open(String[] words) throws IOException {
    Way way = Way.valueOf(words[2]);
    Path directory = Path.of(words[3]);
    ClusterOptions options =
        ClusterOptions.DEFAULT
            .withCacheBytesPerNode(Long.parseLong(words[5]))
            .withPageCache(PageCache.valueOf(words[6]));
    ServerOptions server = ServerOptions.of(options, way.transport(keys));
    if (way.socket().equals("unix")) { // several jobs of one process cannot have one address
      server = server.withAddress(new Address.Unix(directory.resolve(words[1]).toString()));
    }
    ProcessRankOptions how = ProcessRankOptions.of(options).withServer(server);
    org.millrace.launch.Launch launch = new org.millrace.launch.Launch("bench", words[1], 0, 1);
    ProcessRank cluster =
        way == Way.LOCAL
            ? ProcessRank.asPeer(launch, directory, 1, how)
            : ProcessRank.join(launch, new ClusterLocation.In(directory), how);
    clusters.put(words[1], cluster);
    long bytes = Long.parseLong(words[4]);
    boolean flushes = words[7].equals("flush");
    RequestFile file =
        words[8].equals("dio")
            ? RequestFile.dio(cluster.rank(), words[1])
            : RequestFile.shared(cluster.rank(), words[1]);
    files.put(words[1], new Traffic(env, file, bytes, flushes));
  }

  @Override
  public void close() throws IOException {
    for (Traffic file : files.values()) {
      file.close();
    }
    for (ProcessRank cluster : clusters.values()) {
      cluster.run(_ -> {}); // nothing has failed
      cluster.close();
    }
    if (trials != null) {
      trials.close();
    }
  }
}
