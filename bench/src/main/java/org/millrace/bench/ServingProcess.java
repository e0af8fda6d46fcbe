package org.millrace.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.millrace.ClusterOptions;
import org.millrace.Server;
import org.millrace.ServerOptions;
import org.millrace.Whereabouts;
import org.millrace.disk.PageCache;
import org.millrace.message.TransportOptions;
import org.millrace.wire.Address;

/**
 * A process with nodes for {@link AskingProcess}, and with the other ends of plain sockets. Orders:
 *
 * <pre>
 *   serve DIRECTORY unix|tcp CACHE_BYTES PAGE_CACHE    a coordinator and a node; answers ok
 *   plain SOCKET                                       answers with two ports, of trials and streams
 * </pre>
 *
 * One thread.
 */
final class ServingProcess implements AutoCloseable {

  private final List<AutoCloseable> inOrder = new ArrayList<>();

  private ServingProcess() {}

  /** Serves until its input ends. */
  public static void main(String[] args) throws Exception {
    try (ServingProcess process = new ServingProcess()) {
      Orders.serve(process::handle);
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
        inOrder.addFirst(trials);
        PlainStream.Sender streams = new PlainStream.Sender(PlainStream.socket(words[1]));
        inOrder.addFirst(streams);
        yield trials.port() + " " + streams.port();
      }
      default -> throw new IllegalArgumentException("no order: " + words[0]);
    };
  }

  private void serve(Path directory, String socket, ClusterOptions options) throws IOException {
    Files.createDirectories(directory);
    ServerOptions how = ServerOptions.of(options, TransportOptions.DEFAULT);
    if (socket.equals("tcp")) {
      how = how.withAddress(new Address.Tcp("127.0.0.1", 0, false));
    }
    inOrder.addFirst(Server.coordinator(directory, 1, how, _ -> {}));
    inOrder.addFirst(Server.node(directory, 0, new Whereabouts.In(directory), how, _ -> {}));
  }

  @Override
  public void close() throws Exception {
    for (AutoCloseable one : inOrder) {
      one.close();
    }
  }
}
