package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.Faults;
import org.millrace.disk.FaultyDisk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.plan.Striping;

/** What collective calls promise beside the bytes. */
final class CollectiveCallsTest {

  private static final int RANKS = 4;
  private static final int PIECES = 2000;

  /** Every RANKS-th piece of 8 bytes, beginning with the rank's own. */
  private static View cyclic(Rank rank) {
    return new View(8L * rank.number(), Pattern.run(8), 8L * RANKS);
  }

  private static byte[] bytesOf(Rank rank) {
    byte[] bytes = new byte[8 * PIECES];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (rank.number() * 31 + i * 7);
    }
    return bytes;
  }

  private static Hints by(Strategy strategy) {
    return Hints.DEFAULT.withStrategy(strategy);
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void aCallLikeTheLastOnePlansNothing(Strategy strategy) throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(3)) {
      cluster.run(
          RANKS,
          rank -> {
            try (var file = rank.open("f", OpenOptions.create().withHints(by(strategy)))) {
              file.setView(cyclic(rank));
              byte[] bytes = new byte[20 * 8 * PIECES]; // more than the last to arrive moves alone
              file.at(0).all().write(Memory.of(bytes));
              file.at(0).all().write(Memory.of(bytes)); // whose blocks are in memory by now
              long ofWrites = file.plansMade();
              assertThat(ofWrites).isBetween(1L, 2L);
              for (int i = 0; i < 10; i++) {
                file.at(0).all().write(Memory.of(bytes));
              }
              assertThat(file.plansMade()).isEqualTo(ofWrites);
              file.at(0).all().read(Memory.of(bytes)); // another direction is another plan
              file.at(0).all().read(Memory.of(bytes));
              assertThat(file.plansMade()).isEqualTo(ofWrites + 1);
            }
          });
    }
  }

  @Test
  void ranksWithDifferentHintsFailTogether() throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(2)) {
      cluster.run(
          RANKS,
          rank -> {
            try (var file = rank.open("f", OpenOptions.create())) {
              file.setHints(by(rank.number() == 2 ? Strategy.DIRECT : Strategy.SIEVED));
              BadInputs.assertFails(
                  ErrorCode.MIXED_CALL, () -> file.at(0).all().write(Memory.of(new byte[10])));
              file.setHints(by(Strategy.DIRECT));
              assertThat(file.at(0).all().write(Memory.of(new byte[10]))).isEqualTo(10);
            }
          });
    }
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void memoryOfOneThreadIsTouchedByThatThreadOnly(Strategy strategy) throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(2)) {
      cluster.run(
          RANKS,
          rank -> {
            try (Arena arena = Arena.ofConfined();
                var file = rank.open("f", OpenOptions.create().withHints(by(strategy)))) {
              file.setView(cyclic(rank));
              MemorySegment own = arena.allocate(8 * PIECES);
              own.copyFrom(MemorySegment.ofArray(bytesOf(rank)));
              file.at(0).all().write(own);
              MemorySegment back = arena.allocate(8 * PIECES);
              file.at(0).all().read(back);
              assertThat(back.mismatch(own)).isEqualTo(-1);
            }
          });
    }
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void aCallUnderWayGoesOnWhileAllRanksCompute(Strategy strategy) throws Exception {
    int ranks = 2 * Runtime.getRuntime().availableProcessors() + 1;
    try (RunningCluster cluster = BadInputs.inMemory(2)) {
      cluster.run(
          ranks,
          rank -> {
            try (var file = rank.open("f", OpenOptions.create().withHints(by(strategy)))) {
              file.setView(new View(8L * rank.number(), Pattern.run(8), 8L * ranks));
              byte[] bytes = bytesOf(rank);
              file.at(0).all().write(Memory.of(bytes));
              byte[] back = new byte[bytes.length];
              CompletableFuture<Long> call =
                  file.at(0).all().readAsync(MemorySegment.ofArray(back));
              rank.barrier(); // from here on no rank gives its processor away
              while (!call.isDone()) {
                Thread.onSpinWait();
              }
              assertThat(call.join()).isEqualTo(bytes.length);
              assertThat(back).isEqualTo(bytes);
            }
          });
    }
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void aNodeThatFailsFailsTheCallOnAllRanksAndHarmsNothingElse(Strategy strategy) throws Exception {
    int block = 64 << 10;
    int blocks = 16;
    Faults faults = Faults.seeded(1);
    MemoryDisk coordinator = new MemoryDisk("coordinator");
    List<Disk> nodes =
        List.of(new MemoryDisk("node 0"), new FaultyDisk(new MemoryDisk("node 1"), faults));
    byte[] before = new byte[2 * blocks * block];
    Arrays.fill(before, (byte) 0x11);
    try (RunningCluster cluster =
        RunningCluster.over(Env.real(), coordinator, nodes, BadInputs.options())) {
      BadInputs.store(cluster, "f", before);
    }
    try (RunningCluster cluster =
        RunningCluster.over(Env.real(), coordinator, nodes, BadInputs.options())) {
      cluster.run(
          RANKS,
          rank -> {
            try (var file = rank.open("f", OpenOptions.readWrite().withHints(by(strategy)))) {
              if (rank.number() == 0) {
                file.size(); // opens the strands: what fails is the reading of blocks
                faults.fail(Faults.Operation.READ, _ -> true, 0, Integer.MAX_VALUE);
              }
              rank.barrier();
              // every other piece of all ranks, so that blocks on disk must be read first
              file.setView(new View(16L * rank.number(), Pattern.run(8), 16L * RANKS));
              byte[] mine = new byte[before.length / (2 * RANKS)];
              Arrays.fill(mine, (byte) 0x22);
              BadInputs.assertFails(ErrorCode.DISK, () -> file.at(0).all().write(Memory.of(mine)));
              BadInputs.assertFails(
                  ErrorCode.DISK, () -> file.at(0).all().read(Memory.of(mine.clone())));
              rank.barrier();
              if (rank.number() == 0) {
                faults.clear();
              }
              rank.barrier();
              checkUnharmed(file, before.length);
              assertThat(file.at(0).all().write(Memory.of(mine))).isEqualTo(mine.length);
              byte[] back = new byte[mine.length];
              assertThat(file.at(0).all().read(Memory.of(back))).isEqualTo(mine.length);
              assertThat(back).isEqualTo(mine);
            }
          });
    }
  }

  /** The bytes between the pieces are what they were. */
  private static void checkUnharmed(SharedFile file, int size) throws IOException {
    View view = file.view();
    file.setView(View.WHOLE);
    byte[] all = new byte[size];
    assertThat(file.at(0).read(Memory.of(all))).isEqualTo(size);
    for (int i = 0; i < size; i++) {
      assertThat(all[i] == 0x11 || (i % 16 < 8 && all[i] == 0x22)).as("byte %d", i).isTrue();
    }
    file.setView(view);
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void oneRanksWrongUseFailsOnAllRanks(Strategy strategy) throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(2)) {
      cluster.run(
          RANKS,
          rank -> {
            try (var file = rank.open("f", OpenOptions.create().withHints(by(strategy)))) {
              file.setView(new View(Long.MAX_VALUE - 4096, Pattern.run(1), 1));
              long place = rank.number() == 1 ? 4090 : 0;
              BadInputs.assertFails(
                  ErrorCode.INVALID, () -> file.at(place).all().write(Memory.of(new byte[100])));
              file.setView(View.WHOLE);
              assertThat(file.at(0).all().write(Memory.of(new byte[100]))).isEqualTo(100);
            }
          });
    }
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void aRankThatCannotTakePartFailsTheCallOnAllAndStaysInStep(Strategy strategy) throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(2)) {
      cluster.run(
          RANKS,
          rank -> {
            try (var file = rank.open("f", OpenOptions.create().withHints(by(strategy)))) {
              MemorySegment memory = MemorySegment.ofArray(new byte[100]);
              file.at(0).all().write(memory);
              if (rank.number() == 1) {
                assertThatThrownBy(() -> file.at(0).all().read(memory.asReadOnly()))
                    .isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> file.at(-1).all().read(memory))
                    .isInstanceOf(IllegalArgumentException.class);
              } else {
                BadInputs.assertFails(ErrorCode.INVALID, () -> file.at(0).all().read(memory));
                BadInputs.assertFails(ErrorCode.INVALID, () -> file.at(0).all().read(memory));
              }
              assertThat(file.at(0).all().read(memory)).isEqualTo(100);
              assertThat(file.position()).isZero();
            }
          });
    }
  }

  @Test
  void stripingHintsLayOutNewFiles() throws Exception {
    Hints hints = Hints.DEFAULT.withStriping(new Striping(12345, 2, 0));
    try (RunningCluster cluster = BadInputs.inMemory(3)) {
      cluster.run(
          2,
          rank -> {
            try (var hinted = rank.open("a", OpenOptions.create().withHints(hints));
                var said =
                    rank.open("b", OpenOptions.create().withStripeUnit(99).withHints(hints))) {
              assertThat(hinted.layout().stripeUnitBytes()).isEqualTo(12345);
              assertThat(hinted.layout().strands()).isEqualTo(2);
              assertThat(said.layout().stripeUnitBytes()).isEqualTo(99);
            }
          });
    }
  }
}
