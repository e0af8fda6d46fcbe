package org.millrace.bench.peers;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.bench.grid.Workload;
import org.millrace.bench.grid.Workloads;
import org.millrace.env.Env;

/** The C program with real implementations of MPI; skipped, and said so, where they are not. */
class MpiToolsTest {

  private static final int RANKS = 2;

  @TempDir Path dir;

  @Test
  void missingToolsAreNamedWithTheCommandThatInstallsThem() {
    assertThatThrownBy(() -> MpiTools.find(List.of(dir)))
        .isInstanceOf(FileNotFoundException.class)
        .hasMessageContaining("mpicc.mpich, mpirun.mpich, mpicc.openmpi, mpirun.openmpi")
        .hasMessageContaining("apt-get install mpich libmpich-dev openmpi-bin libopenmpi-dev");
  }

  private List<Peer> peers() throws IOException {
    MpiTools tools;
    try {
      tools = MpiTools.find(MpiTools.path());
    } catch (FileNotFoundException e) {
      return abort("no MPI here: " + e.getMessage());
    }
    return tools.peers(Env.real(), Files.createDirectories(dir.resolve("programs")), List.of());
  }

  private static List<PeerCase> everything(int workload, long limitMillis) {
    List<PeerCase> cases = new ArrayList<>();
    for (boolean write : new boolean[] {false, true}) {
      for (boolean collective : new boolean[] {false, true}) {
        cases.add(new PeerCase(workload, write, collective, 2, 1_000, limitMillis));
      }
    }
    return cases;
  }

  private PeerRunner runner(List<Workload> workloads) throws IOException {
    long bytes = workloads.stream().mapToLong(Workload::fileBytes).max().orElseThrow();
    return new PeerRunner(Env.real(), dir.toAbsolutePath(), bytes, false);
  }

  @Test
  @Tag("long")
  void everyPeerMovesRightBytesAndLeavesTheFileAsItWas() throws Exception {
    List<Workload> workloads = new ArrayList<>(Workloads.passion(RANKS, 64));
    workloads.removeIf(one -> one.ops() == Workload.Ops.READ);
    workloads.addAll(Workloads.iorHard(RANKS, 3));
    PeerRunner runner = runner(workloads);
    byte[] before = Files.readAllBytes(runner.data());
    List<PeerCase> cases = new ArrayList<>();
    for (int i = 0; i < workloads.size(); i++) {
      cases.addAll(everything(i, 60_000));
    }
    for (Peer peer : peers()) {
      Map<PeerCase, PeerTimes> times = runner.run(peer, RANKS, workloads, cases, () -> {});
      assertThat(times.keySet()).containsExactlyElementsOf(cases);
      assertThat(times.values())
          .allSatisfy(
              one -> {
                assertThat(one.failure()).as(one.method()).isEmpty();
                assertThat(one.laps()).as(one.method()).isNotEmpty();
              });
      assertThat(Files.readAllBytes(runner.data())).as(peer.name()).isEqualTo(before);
    }
  }

  @Test
  @Tag("long")
  void plantedWrongBytesAreNoticedWhetherReadOrBetweenWhatIsWritten() throws Exception {
    List<Workload> workloads = List.of(diagonal());
    PeerRunner runner = runner(workloads);
    Peer peer = peers().getFirst();
    for (PeerCase one : everything(0, 60_000)) {
      int place = one.write() ? 16 * Long.BYTES : 8 * Long.BYTES; // between parts; in rank 0's
      try (RandomAccessFile file = new RandomAccessFile(runner.data().toFile(), "rw")) {
        file.seek(place);
        file.write(0x77);
      }
      PeerTimes times =
          requireNonNull(runner.run(peer, RANKS, workloads, List.of(one), () -> {}).get(one));
      assertThat(times.failure()).contains("wrong bytes", "byte " + place + " ");
      assertThat(times.cell()).isEmpty();
    }
  }

  /** Rank 0 has words 0 to 15 of each 64, rank 1 has 32 to 47. */
  private static Workload diagonal() {
    List<Workload.Part> parts = new ArrayList<>();
    for (int r = 0; r < RANKS; r++) {
      long offset = r * 32L * Long.BYTES;
      List<Workload.Loop> loops = List.of(new Workload.Loop(64, 64 * Long.BYTES));
      parts.add(new Workload.Part(offset, 16 * Long.BYTES, loops));
    }
    return new Workload(
        "test", "gaps", 64 * 64 * Long.BYTES, true, Workload.Ops.READ_AND_WRITE, parts);
  }

  @Test
  @Tag("long")
  void caseThatTakesTooLongIsCutOffAndTheNextStillRuns() throws Exception {
    List<Workload> workloads = new ArrayList<>(Workloads.passion(RANKS, 1024));
    workloads.removeIf(
        one -> !one.name().equals("row-cyclic") && !one.name().equals("column-block"));
    PeerCase quick = new PeerCase(0, false, false, 1, 1_000, 60_000);
    PeerCase slow = new PeerCase(1, true, true, 1, 1_000, 1);
    PeerCase last = new PeerCase(1, false, false, 1, 1_000, 60_000);
    PeerRunner runner = runner(workloads);
    for (Peer peer : peers()) {
      Map<PeerCase, PeerTimes> times =
          runner.run(peer, RANKS, workloads, List.of(quick, slow, last), () -> {});
      assertThat(times.get(slow))
          .isEqualTo(new PeerTimes(peer.name() + ", collective", List.of(), 1e6, ""));
      assertThat(times.get(last)).extracting(PeerTimes::failure).isEqualTo("");
      assertThat(times.get(last)).extracting(one -> one.laps().size()).isEqualTo(1);
    }
  }
}
