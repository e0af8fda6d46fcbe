package org.millrace.scenario;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.cluster.ClusterLocation;
import org.millrace.daemon.ServerOptions;
import org.millrace.launch.Launch;
import org.millrace.launch.process.ProcessRank;
import org.millrace.launch.process.ProcessRankOptions;
import org.millrace.message.TransportOptions;

/**
 * A rank in a process of its own that appends records to a log; and what the records are. It says
 * when it has come half the way and waits for a word, and again at the end.
 */
final class AppendChild {

  static final int RECORD = 200;
  private static final int ASYNCHRONOUS = 7;

  private AppendChild() {}

  /** Record {@code number} of a rank: both, and bytes that follow from them. */
  static byte[] record(int rank, int number) {
    byte[] bytes = new byte[RECORD];
    Arrays.fill(bytes, (byte) (1 + rank * 31 + number % 89));
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(rank + 1).putInt(number);
    return bytes;
  }

  /** Arguments: rank, size, "near" or "far", records, directory. */
  public static void main(String[] arguments) throws IOException {
    int number = Integer.parseInt(arguments[0]);
    Launch launch = new Launch("a test", "job", number, Integer.parseInt(arguments[1]));
    int records = Integer.parseInt(arguments[3]);
    var transport = TransportOptions.DEFAULT.withSharedMemory(arguments[2].equals("near"));
    var cluster = BadInputs.options();
    var options = ProcessRankOptions.of(cluster).withServer(ServerOptions.of(cluster, transport));
    BufferedReader words =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    ClusterLocation where = new ClusterLocation.In(Path.of(arguments[4]));
    try (ProcessRank launched = ProcessRank.join(launch, where, options)) {
      launched.run(
          rank -> {
            SharedFile log = rank.open("log", OpenOptions.create().withMode(Mode.SHARED));
            append(log, number, 0, records / 2);
            say("half");
            words.readLine();
            say("on");
            append(log, number, records / 2, records);
            log.flush();
            say("done");
            words.readLine();
            Runtime.getRuntime().halt(0); // a close would wait for ranks that are lost
          });
    }
  }

  private static void append(SharedFile log, int rank, int from, int to) throws IOException {
    ArrayDeque<CompletableFuture<Long>> pending = new ArrayDeque<>();
    for (int i = from; i < to; i++) {
      MemorySegment bytes = MemorySegment.ofArray(record(rank, i));
      if (i % ASYNCHRONOUS == 0) {
        pending.add(log.writeAsync(Memory.of(bytes)));
      } else {
        while (!pending.isEmpty()) { // so that records without a later one are the only ones open
          pending.remove().join();
        }
        log.write(bytes);
      }
      if (i % 64 == 0 && log.size() < (long) Math.max(0, i - from - 1) * RECORD) {
        throw new IllegalStateException("the log has " + log.size() + " bytes after record " + i);
      }
    }
    while (!pending.isEmpty()) {
      pending.remove().join();
    }
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
