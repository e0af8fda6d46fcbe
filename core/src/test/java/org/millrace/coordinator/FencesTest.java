package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.message.Link;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Fence;
import org.millrace.wire.Secret;

/** When the locks of sessions that have ended go to others. */
final class FencesTest {

  private static final CoordinatorOptions OPTIONS =
      CoordinatorOptions.of(1, Harness.ROOT).withSecret(new Secret(new byte[Secret.BYTES]));

  private static CoordinatorReply.Removals heartbeat(
      Harness harness, Link link, long epoch, long fenced) throws IOException {
    var beat = new CoordinatorRequest.Heartbeat(0, List.of(), epoch, fenced);
    return (CoordinatorReply.Removals) harness.call(link, beat);
  }

  @Test
  void theLockOfALostSessionIsAnothersWhenTheNodeHasCarriedOutTheFence() throws IOException {
    try (Harness harness = new Harness(Env.real(), new MemoryDisk("test"), OPTIONS)) {
      Link root = harness.link(Harness.ROOT);
      long epoch = heartbeat(harness, root, 0, 0).epoch();
      Harness.Ranks ranks = harness.ranks(2);
      CoordinatorReply.Opened opened = ranks.open("f", Harness.CREATE);
      String name = "file " + opened.file();
      Pending first = ranks.lock(0, name);
      assertThat(first.isDone()).as("the node may serve an earlier life").isFalse();
      assertThat(heartbeat(harness, root, epoch, 0).fences()).isEmpty();
      assertThat(first.isDone()).isTrue();
      Pending second = ranks.lock(1, name);
      ranks.links.get(0).close(); // gone without a word
      assertThat(second.isDone()).isFalse();
      List<Fence> told = heartbeat(harness, root, epoch, 0).fences();
      assertThat(told).hasSize(1);
      assertThat(told.getFirst().session()).isEqualTo(opened.holder().session());
      assertThat(heartbeat(harness, root, 0, 0).fences()).as("a restarted node").isEqualTo(told);
      assertThat(heartbeat(harness, root, epoch + 2, 7).fences())
          .as("another life")
          .isEqualTo(told);
      assertThat(second.isDone()).isFalse();
      assertThat(heartbeat(harness, root, epoch, told.getFirst().number()).fences()).isEmpty();
      assertThat(second.isDone()).isTrue();
    }
  }

  @Test
  void whoLeavesInOrderOrHoldsNothingAloneIsNotFenced() throws IOException {
    try (Harness harness = new Harness(Env.real(), new MemoryDisk("test"), OPTIONS)) {
      Link root = harness.link(Harness.ROOT);
      long epoch = heartbeat(harness, root, 0, 0).epoch();
      assertThat(heartbeat(harness, root, epoch, 0).fences()).isEmpty();
      Harness.Ranks ranks = harness.ranks(4);
      String name = "file " + ranks.open("f", Harness.CREATE).file();
      assertThat(ranks.lock(0, name).isDone()).isTrue();
      Pending shared = ranks.lock(1, name, 0, 9, true);
      ranks.leave(0, "");
      assertThat(shared.isDone()).isTrue();
      Pending last = ranks.lock(2, name);
      ranks.links.get(1).close();
      ranks.links.get(3).close();
      assertThat(last.isDone()).isTrue();
      assertThat(heartbeat(harness, root, epoch, 0).fences()).isEmpty();
    }
  }
}
