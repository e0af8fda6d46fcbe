package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.disk.NodeMemory.Run;
import org.millrace.error.CorruptBlockException;

/** A node knows the last generation of its strands, and which starts were the last. */
final class NodeMemoryTest {

  private static final StrandKey A = new StrandKey(3, 0);
  private static final StrandKey B = new StrandKey(4, 1);

  private final MemoryDisk disk = new MemoryDisk("node");

  private long now;

  private NodeMemory open(Disk of) throws IOException {
    return NodeMemory.open(of, () -> now);
  }

  /** Found by the campaign: older files of a strand, or of the log, after a loss of power. */
  @Test
  void whatWasThereBeforeTheStartIsKnownToHaveChangedThoughThePowerFails() throws IOException {
    StrandKey unknown = new StrandKey(5, 0);
    try (NodeMemory memory = open(disk)) {
      memory.begin(0, run(1, 11));
      memory.onDurable(A, 5);
      memory.onLog(new EndMark(1, 3));
    }
    disk.force();
    NodeMemory memory = open(disk);
    memory.begin(1, run(1, 11));
    memory.onLog(new EndMark(1, 4));
    memory.onFound(A, 5);
    memory.onDurable(A, 6);
    memory.onFound(unknown, 2);
    memory.onDurable(unknown, 3);
    memory.onDurable(B, 1); // was not there
    memory.onDurable(A, 7);
    try (NodeMemory again = open(disk.crash())) {
      assertThat(again.generation(A)).isEqualTo(6);
      assertThat(again.generation(unknown)).isEqualTo(3);
      assertThat(again.generation(B)).as("the control: not forced").isZero();
      assertThatThrownBy(() -> again.onLogFound(new EndMark(1, 3)))
          .isInstanceOf(CorruptBlockException.class)
          .hasMessageContaining("older copy");
    }
    now = 1_000_000_000;
    memory.onDurable(A, 8);
    try (NodeMemory again = open(disk.crash())) {
      assertThat(again.generation(A)).as("a second later").isEqualTo(8);
      assertThat(again.generation(B)).isEqualTo(1);
    }
  }

  @Test
  void aForceThatFailsIsReportedOnceAndHoldsUpNothingElse() throws IOException {
    try (NodeMemory memory = open(disk)) {
      memory.begin(0, run(1, 11));
      memory.onDurable(A, 5);
      memory.onDurable(B, 5);
    }
    Faults faults = Faults.seeded(1);
    NodeMemory memory = open(new FaultyDisk(disk, faults));
    faults.fail(Faults.Operation.FORCE, name -> name.equals("epochs"), 0, 1);
    assertThatThrownBy(() -> memory.onDurable(A, 6)).hasMessageContaining("injected");
    memory.onDurable(B, 6);
    memory.onDurable(A, 7);
    assertThat(memory.generation(A)).isEqualTo(7);
  }

  @Test
  void generationsAreKeptAndOnlyGrow() throws IOException {
    try (NodeMemory memory = open(disk)) {
      memory.onDurable(A, 5);
      memory.onDurable(B, 7);
      memory.onDurable(A, 4);
      memory.onDurable(B, 8);
    }
    disk.force();
    try (NodeMemory memory = open(disk.crash())) {
      assertThat(memory.generation(A)).isEqualTo(5);
      assertThat(memory.generation(B)).isEqualTo(8);
      assertThat(memory.generation(new StrandKey(4, 0))).isZero();
    }
  }

  @Test
  void aRemovedStrandIsForgottenAndItsPlaceTakenAgain() throws IOException {
    NodeMemory memory = open(disk);
    memory.onDurable(A, 5);
    memory.onRemoved(A);
    memory.onDurable(B, 2);
    memory.close();
    assertThat(Blocks.file(disk, "epochs")).hasSize(512 + 32);
    NodeMemory again = open(disk);
    again.checkNeverWas(A);
    assertThatThrownBy(() -> again.checkNeverWas(B))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining("lost")
        .hasMessageContaining("[strand 1: all of it]");
  }

  private static List<Run> run(long number, long mark) {
    return List.of(new Run(number, mark));
  }

  @Test
  void everyStartHasAHigherNumberThanTheCoordinatorKnows() throws IOException {
    assertThat(open(disk).begin(0, run(1, 11))).isEqualTo(1);
    assertThat(open(disk.crash()).begin(1, run(1, 11))).isEqualTo(2);
    assertThat(open(disk).begin(1, run(4, 44))).isEqualTo(2);
  }

  @Test
  void anOlderNodeAndAnOlderCoordinatorAreRefused() throws IOException {
    open(disk).begin(0, run(1, 11));
    MemoryDisk older = disk.crash();
    open(disk).begin(1, run(2, 22));
    assertThatThrownBy(() -> open(older).begin(2, run(3, 33)))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining("older copy")
        .hasMessageContaining("remove its file epochs");
    NodeMemory last = open(disk);
    Run first = new Run(1, 11);
    List<List<Run>> restored =
        List.of(
            List.of(first),
            List.of(new Run(2, 99), first),
            List.of(new Run(3, 98), new Run(2, 99), first));
    for (List<Run> coordinator : restored) {
      assertThatThrownBy(() -> last.begin(2, coordinator))
          .isInstanceOf(CorruptBlockException.class)
          .hasMessageContaining("coordinator's directory is an older copy");
    }
    assertThat(last.begin(2, run(2, 22))).as("the same start, again").isEqualTo(3);
  }

  @Test
  void aDestroyedHeaderOrEntrySaysNothingAndNoFlipIsBelieved() throws IOException {
    try (NodeMemory memory = open(disk)) {
      memory.begin(0, run(6, 66));
      memory.onDurable(A, 5);
      memory.onDurable(B, 7);
    }
    FaultyDisk faulty = new FaultyDisk(disk, Faults.seeded(1));
    for (int bit = 0; bit < 8 * (512 + 64); bit++) {
      faulty.flipBit("epochs", bit);
      NodeMemory rotten = open(disk);
      assertThat(rotten.generation(A)).isIn(0L, 5L);
      assertThat(rotten.generation(B)).isIn(0L, 7L);
      rotten.close();
      faulty.flipBit("epochs", bit);
    }
    Blocks.overwrite(disk, "epochs", 0, new byte[512]);
    assertThat(open(disk).begin(40, run(1, 1))).isEqualTo(41);
  }

  @Test
  void theBytesAreFrozen() throws IOException {
    try (NodeMemory memory = open(disk)) {
      memory.begin(2, run(5, 0x0102));
      memory.onLog(new EndMark(4, 7));
      memory.onDurable(B, 9);
    }
    byte[] bytes = Blocks.file(disk, "epochs");
    HexFormat hex = HexFormat.of();
    assertThat(hex.formatHex(bytes, 0, 60))
        .isEqualTo(
            "4d494c4c4e4f4445"
                + "0200000000000000"
                + "0300000000000000"
                + "0500000000000000"
                + "0201000000000000"
                + "0400000000000000"
                + "0700000000000000"
                + "cb5ea4b9");
    assertThat(hex.formatHex(bytes, 512, 544))
        .isEqualTo(
            "0400000000000000" + "0100000000000000" + "0900000000000000" + "b05425ec" + "00000000");
    assertThat(bytes).hasSize(544);
  }
}
