package org.millrace.bench.processes;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.millrace.bench.measure.ChildCommands;
import org.millrace.client.ClusterOptions;
import org.millrace.client.PageCache;
import org.millrace.cluster.ClusterLocation;
import org.millrace.daemon.Server;
import org.millrace.daemon.ServerOptions;
import org.millrace.message.TransportOptions;
import org.millrace.wire.Address;
import org.millrace.wire.Tls;

/**
 * A process with nodes for {@link AskingProcess}, and with the other ends of plain sockets. Orders:
 *
 * <pre>
 *   serve DIRECTORY unix|tcp|tls CACHE_BYTES PAGE_CACHE    a coordinator and a node; answers ok
 *   plain SOCKET KEYS         answers with three ports: of trials, of streams, of streams with TLS
 * </pre>
 *
 * One thread.
 */
final class ServingProcess implements AutoCloseable {

  private final List<Closeable> inOrder = new ArrayList<>();
  private Path keys = Path.of("");

  private ServingProcess() {}

  /** Serves until its input ends. */
  public static void main(String[] args) throws IOException {
    try (ServingProcess process = new ServingProcess()) {
      ChildCommands.serve(process::handle);
    }
  }

  private String handle(String[] words) throws IOException {
    return switch (words[0]) {
      case "serve" -> {
        ClusterOptions options =
            ClusterOptions.DEFAULT
                .withCacheBytesPerNode(Long.parseLong(words[3]))
                .withPageCache(PageCache.valueOf(words[4]));
        serve(Path.of(words[1]), words[2], options);
        yield "ok";
      }
      case "plain" -> {
        TrialServer trials = new TrialServer(Path.of(words[1]));
        inOrder.addFirst(trials::close);
        keys = Path.of(words[2]);
        PlainStream.Sender streams =
            new PlainStream.Sender(PlainStream.socket(words[1]), Tls.load(keys).context());
        inOrder.addFirst(streams::close);
        yield trials.port() + " " + streams.port() + " " + streams.tlsPort();
      }
      default -> throw new IllegalArgumentException("no order: " + words[0]);
    };
  }

  private void serve(Path directory, String socket, ClusterOptions options) throws IOException {
    Files.createDirectories(directory);
    TransportOptions transport = TransportOptions.DEFAULT;
    if (socket.equals("tls")) {
      transport = Way.TLS.transport(keys);
    }
    ServerOptions how = ServerOptions.of(options, transport);
    if (!socket.equals("unix")) {
      how = how.withAddress(new Address.Tcp(BenchKeys.HOST, 0, socket.equals("tls")));
    }
    Server coordinator = Server.coordinator(directory, 1, how, _ -> {});
    inOrder.addFirst(coordinator::close);
    Server node = Server.node(directory, 0, new ClusterLocation.In(directory), how, _ -> {});
    inOrder.addFirst(node::close);
  }

  @Override
  public void close() throws IOException {
    for (Closeable one : inOrder) {
      one.close();
    }
  }
}
