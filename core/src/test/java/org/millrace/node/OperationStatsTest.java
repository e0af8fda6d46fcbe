package org.millrace.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.disk.FileDisk;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.env.ThreadKind;
import org.millrace.layout.Layout;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Peer;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

final class OperationStatsTest {

  @TempDir private Path folder;

  @Test
  void everyTimeIsInTheBucketThatEndsAtOrJustAfterIt() {
    for (long took = 0; took < 5000; took++) {
      checkBucket(took);
    }
    for (int power = 12; power < 47; power++) {
      checkBucket((1L << power) - 1);
      checkBucket(1L << power);
      checkBucket((1L << power) + 1);
    }
    assertThat(OperationStats.bucket(Long.MAX_VALUE)).isEqualTo(OperationStats.bucket(1L << 60));
  }

  private static void checkBucket(long took) {
    int bucket = OperationStats.bucket(took);
    assertThat(OperationStats.bucketEnd(bucket)).isBetween(took, took + took / 4);
    if (bucket > 0) {
      assertThat(OperationStats.bucketEnd(bucket - 1)).isLessThan(took);
    }
  }

  @Test
  void oneThreadsCountsAreExactAndOnlySomeAreTimed() {
    OperationStats stats = new OperationStats(Env.real(), "get", 16);
    Map<String, Long> counters = new LinkedHashMap<>();
    stats.addTo(counters);
    assertThat(counters).isEmpty();
    for (int i = 0; i < 160; i++) {
      stats.end(stats.begin(), 10);
    }
    stats.addTo(counters);
    assertThat(counters)
        .containsEntry("get.count", 160L)
        .containsEntry("get.bytes", 1600L)
        .containsEntry("get.timed", 10L)
        .containsKey("get.nanos");
  }

  @Test
  void oneSlowRequestOfAHundredIsBeyondThe99thPercentile() throws Exception {
    Map<String, Long> counters = new LinkedHashMap<>();
    SeededEnv env = SeededEnv.of(1);
    env.run(
        () -> {
          OperationStats stats = new OperationStats(env, "list", 1);
          for (int i = 0; i < 100; i++) {
            long began = stats.begin();
            sleep(env, i == 7 ? 1_000_000 : 100);
            stats.end(began, 0);
          }
          stats.addTo(counters);
        });
    assertThat(counters)
        .containsEntry("list.timed", 100L)
        .containsEntry("list.p99Nanos", 111L)
        .containsEntry("list.upTo.111", 99L)
        .containsEntry("list.nanos", 99L * 100 + 1_000_000);
  }

  @Test
  void simulationCountsTheSameWhateverElseTheJvmRuns() {
    Map<String, Long> alone = countedByFiveThreads(0);
    for (int otherThreads = 1; otherThreads < 16; otherThreads++) {
      assertThat(countedByFiveThreads(otherThreads)).isEqualTo(alone);
    }
  }

  /**
   * The counters of threads that make one request, two, and so on, while others of the JVM's
   * threads come into being between them.
   */
  private static Map<String, Long> countedByFiveThreads(int otherThreads) {
    Map<String, Long> counters = new LinkedHashMap<>();
    SeededEnv env = SeededEnv.of(1);
    OperationStats stats = new OperationStats(env, "get", 2);
    env.run(
        () -> {
          for (int requests = 1; requests <= 5; requests++) {
            int count = requests;
            env.start(
                ThreadKind.SERVICE,
                "counts " + count,
                () -> {
                  for (int i = 0; i < count; i++) {
                    stats.end(stats.begin(), 1);
                  }
                });
            for (int i = 0; i < otherThreads; i++) {
              Thread.ofVirtual().unstarted(() -> {}); // takes a number of the JVM's
            }
          }
        });
    stats.addTo(counters);
    return counters;
  }

  private static void sleep(Env env, long nanos) {
    try {
      env.sleep(nanos);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void nodeTellsAboutItsRequestsAndItsDisk() throws IOException {
    Env env = Env.real();
    try (FileDisk disk = FileDisk.open(folder);
        Node node = new Node(env, "node 0", disk, NodeOptions.of(1 << 20))) {
      Link link = Links.local(env, new Peer(1, "u"), node);
      StrandId id = new StrandId(7, 0);
      ask(link, new NodeRequest.Create(id, Layout.DEFAULT_BLOCK_BYTES));
      MemorySegment memory = MemorySegment.ofArray(new byte[100_000]).fill((byte) 1);
      link.put(id.key(), 0, memory, 0, 100_000, Env.NEVER);
      link.get(id.key(), 0, memory, 0, 50, Env.NEVER);
      link.get(id.key(), 99_990, memory, 0, 50, Env.NEVER);
      ask(link, new NodeRequest.Flush(id));
      var report = (NodeReply.Report) ask(link, new NodeRequest.AskReport());
      assertThat(report.counters())
          .containsEntry("put.count", 1L)
          .containsEntry("put.bytes", 100_000L)
          .containsEntry("get.count", 2L)
          .containsEntry("get.bytes", 60L)
          .containsEntry("flush.count", 1L)
          .containsKeys("get.p99Nanos", "hits", "failedWrites")
          .doesNotContainKey("direct.count");
      assertThat(report.counters().get("storedBytes")).isGreaterThanOrEqualTo(100_000);
      assertThat(report.counters().get("diskFree"))
          .isBetween(1L, report.counters().get("diskTotal"));
      link.close();
    }
  }

  private static org.millrace.message.Message ask(Link link, NodeRequest request)
      throws IOException {
    return link.call(request, MemorySegment.NULL, Env.NEVER);
  }
}
