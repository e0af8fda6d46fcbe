package org.millrace.bench.papers;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.millrace.bench.measure.ChildCommands;
import org.millrace.cluster.ClusterLocation;
import org.millrace.env.Env;
import org.millrace.launch.process.ProcessRank;
import org.millrace.launch.process.ProcessRankOptions;

/**
 * The process for which a node of a {@link SharingTeam} serves a stream; a rank of a job of its
 * own, which is no node. Orders:
 *
 * <pre>
 *   open NODE                                          makes a file there; answers ok
 *   stream NODE read|write sequential|random           until the next order; answers a {@link
 *                                                      StreamedFile.Streamed}
 *   stop                                               answers ok
 *   verify                                             compares all files; answers ok
 * </pre>
 *
 * One thread.
 */
final class SharingClient implements AutoCloseable {

  private final Env env = Env.real();
  private final BufferedReader orders;
  private final ProcessRank launched;
  private final long fileBytes;
  private final Map<Integer, StreamedFile> files = new LinkedHashMap<>();

  private SharingClient(BufferedReader orders, ProcessRank launched, long fileBytes) {
    this.orders = orders;
    this.launched = launched;
    this.fileBytes = fileBytes;
  }

  /** Arguments: directory of the cluster, bytes of a file. */
  public static void main(String[] args) throws IOException {
    org.millrace.launch.Launch launch = new org.millrace.launch.Launch("bench", "stream", 0, 1);
    ClusterLocation where = new ClusterLocation.In(Path.of(args[0]));
    BufferedReader orders = ChildCommands.input();
    try (ProcessRank launched = ProcessRank.join(launch, where, ProcessRankOptions.DEFAULT);
        SharingClient client = new SharingClient(orders, launched, Long.parseLong(args[1]))) {
      ChildCommands.serve(orders, client::handle);
    }
  }

  private String handle(String[] words) throws IOException {
    switch (words[0]) {
      case "open" -> {
        int node = Integer.parseInt(words[1]);
        files.put(node, new StreamedFile(env, launched.rank(), node, fileBytes));
      }
      case "stream" -> {
        StreamedFile file = Objects.requireNonNull(files.get(Integer.valueOf(words[1])), words[1]);
        boolean write = words[2].equals("write");
        // if nobody is left to give an order, the nodes end, and with them the stream
        return file.run(write, words[3].equals("random"), orders::ready).toString();
      }
      case "stop" -> {} // the stream has ended when this is read
      case "verify" -> {
        for (StreamedFile file : files.values()) {
          file.verify();
        }
      }
      default -> throw new IllegalArgumentException("no order: " + words[0]);
    }
    return "ok";
  }

  @Override
  public void close() throws IOException {
    for (StreamedFile file : files.values()) {
      file.close();
    }
    launched.run(_ -> {}); // nothing has failed
  }
}
