package org.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.millrace.disk.DiskFile;
import org.millrace.disk.Faults;
import org.millrace.disk.FaultyDisk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.plan.collective.Costs;

/** Costs are measured once for a cluster, and never a reason to fail. */
final class StoredCostsTest {

  private final MemoryDisk coordinator = new MemoryDisk("coordinator");
  private final MemoryDisk node = new MemoryDisk("node");

  @Test
  void whatWasMeasuredOnceIsTakenAgain() throws Exception {
    Costs first = StoredCosts.of(Env.real(), coordinator, node);
    assertThat(StoredCosts.of(Env.real(), coordinator, node)).isEqualTo(first);
    assertThat(StoredCosts.parse(StoredCosts.text(first).lines().toList())).isEqualTo(first);
    assertThat(node.list()).as("the probe leaves nothing").isEmpty();
    assertThat(first.messageNanos() / first.copyNanosPerByte())
        .as("a young JVM is too slow to time messages: they follow the copies")
        .isCloseTo(
            Costs.DEFAULT.messageNanos() / Costs.DEFAULT.copyNanosPerByte(), Offset.offset(1e-6));
  }

  @Test
  void anUnreadableFileGivesTheDefaults() throws Exception {
    for (String text :
        new String[] {"\n", "costs 2\n1\n", "costs 1\n1\n2\n3\n4\n5\n6\n7\n8\nx\n"}) {
      MemoryDisk disk = new MemoryDisk("coordinator");
      try (DiskFile file = disk.create("costs")) {
        file.write(0, MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8)));
      }
      assertThat(StoredCosts.of(Env.real(), disk, node)).isEqualTo(Costs.DEFAULT);
    }
  }

  @Test
  void aDiskThatFailsGivesTheDefaults() {
    Faults faults = Faults.seeded(1);
    faults.fail(Faults.Operation.WRITE, _ -> true, 0, Long.MAX_VALUE);
    var broken = new FaultyDisk(node, faults);
    assertThat(StoredCosts.of(Env.real(), coordinator, broken)).isEqualTo(Costs.DEFAULT);
  }
}
