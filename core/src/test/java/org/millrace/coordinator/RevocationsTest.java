package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.message.Link;
import org.millrace.protocol.Capability;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Revocation;
import org.millrace.wire.Secret;

/** What nodes are told when a file is reset. */
final class RevocationsTest {

  private static final CoordinatorOptions OPTIONS =
      CoordinatorOptions.of(2, Harness.ROOT).withSecret(new Secret(new byte[Secret.BYTES]));

  private static List<Revocation> heartbeat(Harness harness, Link link, int node)
      throws IOException {
    var beat = new CoordinatorRequest.Heartbeat(node, List.of(), 0, 0);
    return ((CoordinatorReply.Removals) harness.call(link, beat)).revoked();
  }

  private static void reset(Harness harness, Link link) throws IOException {
    harness.call(link, new CoordinatorRequest.Reset(List.of("f")));
  }

  @Test
  void everyNodeIsToldOnceOfEachOpenThatWasResetAndAllAgainWhenItRegisters() throws IOException {
    try (Harness harness = new Harness(Env.real(), new MemoryDisk("test"), OPTIONS)) {
      Link root = harness.link(Harness.ROOT);
      harness.call(root, new CoordinatorRequest.Register(0, "unix:/0", 1));
      Harness.Ranks ranks = harness.ranks(1);
      Capability kept = ranks.open("g", Harness.CREATE).capability();
      CoordinatorReply.Opened closed = ranks.open("f", Harness.CREATE);
      ranks.closeFile(closed.open());
      Capability first = ranks.open("f", Harness.CREATE).capability();
      Capability second = ranks.open("f", Harness.CREATE).capability();
      assertThat(heartbeat(harness, root, 0)).isEmpty();
      reset(harness, root);
      for (int node = 0; node < 2; node++) {
        List<Revocation> told = heartbeat(harness, root, node);
        assertThat(told.stream().map(Revocation::open))
            .containsExactly(first.open(), second.open())
            .doesNotContain(kept.open(), closed.capability().open());
        assertThat(told)
            .allMatch(one -> one.untilMillis() >= second.expiresMillis(), "outlives the rights");
        assertThat(heartbeat(harness, root, node)).isEmpty();
      }
      Capability third = ranks.open("f", Harness.CREATE).capability();
      reset(harness, root);
      assertThat(heartbeat(harness, root, 0).stream().map(Revocation::open))
          .containsExactly(third.open());
      harness.call(root, new CoordinatorRequest.Register(0, "unix:/0", 1));
      assertThat(heartbeat(harness, root, 0)).hasSize(3);
    }
  }

  @Test
  void aCoordinatorThatWasRestartedGivesOpensOtherNumbers() throws IOException {
    MemoryDisk disk = new MemoryDisk("test");
    long before;
    try (Harness harness = new Harness(Env.real(), disk, OPTIONS)) {
      before = harness.ranks(1).open("f", Harness.CREATE).capability().open();
    }
    try (Harness harness = new Harness(Env.real(), disk, OPTIONS)) {
      assertThat(harness.ranks(1).open("f", Harness.CREATE).capability().open())
          .isNotEqualTo(before);
    }
  }
}
