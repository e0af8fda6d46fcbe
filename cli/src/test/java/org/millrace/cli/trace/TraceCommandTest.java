package org.millrace.cli.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.Processes;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;

/** Recordings of real runs, and their timelines. */
final class TraceCommandTest {

  private static final int RANKS = 3;
  private static final int BYTES = 200_000;

  @TempDir private Path folder;

  private Path record(Strategy strategy) throws IOException {
    Path file = folder.resolve("run.jfr");
    try (Recording recording = new Recording();
        Cluster cluster = Cluster.embedded(folder.resolve("c"), 2)) {
      for (Stretch.Phase phase : Stretch.Phase.values()) {
        recording.enable(phase.event());
      }
      recording.start();
      cluster.run(
          RANKS,
          rank -> {
            try (var shared =
                rank.open(
                    "x", OpenOptions.create().withHints(Hints.DEFAULT.withStrategy(strategy)))) {
              long at = (long) rank.number() * BYTES;
              shared.at(at).all().write(Memory.of(new byte[BYTES]));
              shared.at(at).read(Memory.of(new byte[BYTES]));
            }
          });
      recording.stop();
      recording.dump(file);
    }
    return file;
  }

  @Test
  void everyRankHasItsCallsWaitsAndTransfers() throws IOException {
    Recorded run = Recorded.read(List.of(record(Strategy.TWO_PHASE)));
    assertThat(run.lanes()).hasSize(RANKS);
    assertThat(run.leftOut()).isZero();
    for (Stretch.Lane lane : run.lanes()) {
      List<Stretch> own = run.all().stream().filter(one -> one.lane().equals(lane)).toList();
      List<Stretch> calls = of(own, Stretch.Phase.COLLECTIVE);
      assertThat(calls).hasSize(1);
      assertThat(calls.getFirst().bytes()).isEqualTo(BYTES);
      assertThat(calls.getFirst().file()).isEqualTo("x");
      Set<String> strategies =
          of(own, Stretch.Phase.TRANSFER).stream()
              .map(Stretch::strategy)
              .collect(Collectors.toSet());
      assertThat(strategies).containsExactlyInAnyOrder("two-phase", "independent");
      assertThat(of(own, Stretch.Phase.MEETING)).isNotEmpty();
      Stretch part =
          of(own, Stretch.Phase.TRANSFER).stream()
              .filter(one -> one.strategy().equals("two-phase"))
              .findFirst()
              .orElseThrow();
      assertThat(part.from()).isGreaterThanOrEqualTo(calls.getFirst().from());
      assertThat(part.to()).isLessThanOrEqualTo(calls.getFirst().to());
      assertThat(part.plan()).contains("chunks of");
    }
  }

  private static List<Stretch> of(List<Stretch> all, Stretch.Phase phase) {
    return all.stream().filter(one -> one.phase() == phase).toList();
  }

  @Test
  void theTimelineIsOnePageWithARowForEachRank() throws IOException {
    Path file = record(Strategy.DIRECT);
    CommandLineRun run = CommandLineRun.of("trace", file.toString());
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("of 3 ranks").contains("run.html");
    String page = Files.readString(folder.resolve("run.html"));
    assertThat(page)
        .contains(">rank 0<", ">rank 1<", ">rank 2<", "waits for other ranks", ">direct<")
        .doesNotContain("src=", "href=", "<script");
    CommandLineRun part =
        CommandLineRun.of(
            "trace", "--from", "0", "--to", "0.000001", "--out", folder + "/p", file.toString());
    assertThat(part.exitCode()).as(part.err()).isZero();
    assertThat(Files.size(folder.resolve("p"))).isLessThan(page.length());
  }

  @Test
  void wrongUseAndForeignRecordingsAreToldInOneLine() throws IOException {
    Path empty = folder.resolve("empty.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      recording.stop();
      recording.dump(empty);
    }
    CommandLineRun run = CommandLineRun.of("trace", empty.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("has no events of ranks");
    assertThat(CommandLineRun.of("trace", "--from", "2", "--to", "1", "x").exitCode()).isEqualTo(2);
    assertThat(CommandLineRun.of("trace", folder.resolve("no.jfr").toString()).exitCode())
        .isEqualTo(1);
  }

  @Test
  void aRunRecordsItself() throws Exception {
    try (Processes processes = new Processes(folder)) {
      String cluster = folder.resolve("c").toString();
      CommandLineRun heat =
          processes.run(
              "run",
              "heat",
              "--dir",
              cluster,
              "--size",
              "256",
              "--steps",
              "20",
              "--out",
              folder + "/heat.png",
              "--record",
              folder + "/heat.jfr");
      assertThat(heat.exitCode()).as(heat.err()).isZero();
    }
    Path recording = folder.resolve("heat.jfr");
    assertThat(Recorded.read(List.of(recording)).lanes()) // and those who draw the picture
        .hasSizeGreaterThanOrEqualTo(4);
    String kept = System.getProperty("millrace.pictures", "");
    Path page = (kept.isEmpty() ? folder : Path.of(kept)).resolve("trace.html");
    CommandLineRun trace =
        CommandLineRun.of("trace", recording.toString(), "--out", page.toString());
    assertThat(trace.exitCode()).as(trace.err()).isZero();
    assertThat(Files.readString(page)).contains("rank 3<", "waits for other ranks");
  }
}
