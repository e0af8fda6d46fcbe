package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.layout.CopySet;
import org.millrace.message.Link;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.OpenFlags;
import org.millrace.protocol.StrandId;

/** When the coordinator gives strands with copies to other nodes. */
final class CopyRequestsTest {

  private static final long SECOND = 1_000_000_000L;
  private static final int SECONDS = 10; // more than a lease
  private static final OpenFlags TWO_COPIES =
      new OpenFlags(true, true, true, false, false, false, false, false, 0644, 0, 1, 0, 0, 2);

  private final SeededEnv env = SeededEnv.of(1);

  /** What a test does in virtual time. */
  private interface Scene {
    void play(Harness harness, StrandId strand) throws IOException, InterruptedException;
  }

  private void play(Scene scene) {
    env.run(
        () -> {
          var options = CoordinatorOptions.of(2, Harness.ROOT);
          try (Harness harness = new Harness(env, new MemoryDisk("test"), options)) {
            CoordinatorReply.Opened opened = harness.ranks(1).open("f", TWO_COPIES);
            scene.play(harness, new StrandId(opened.file(), 0));
          } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
          }
        });
  }

  private static Link registered(Harness harness, int node) throws IOException {
    Link link = harness.link(Harness.ROOT);
    harness.call(link, new CoordinatorRequest.Register(node, "unix:/" + node, 1));
    beat(harness, link, node);
    return link;
  }

  private static void beat(Harness harness, Link link, int node) throws IOException {
    harness.call(link, new CoordinatorRequest.Heartbeat(node, List.of(), 0, 0));
  }

  private static CopySet set(Harness harness, StrandId strand) throws IOException {
    Link link = harness.link(Harness.ROOT);
    var asked = new CoordinatorRequest.AskCopies(strand);
    return ((CoordinatorReply.CopiesAt) harness.call(link, asked)).set();
  }

  /** Its disk fails, say: it asks what there is to do, and gets no further. */
  @Test
  void aNodeThatTriesToRegisterAgainAndCannotHasNoLease() {
    play(
        (harness, strand) -> {
          Link owner = registered(harness, 0);
          Link other = registered(harness, 1);
          owner.close();
          for (int i = 0; i < SECONDS; i++) {
            env.sleep(SECOND);
            beat(harness, other, 1);
            beat(harness, harness.link(Harness.ROOT), 0);
          }
          assertThat(set(harness, strand).inSync()).containsExactly(1);
        });
  }

  @Test
  void aNodeThatHasRegisteredAgainKeepsItsStrands() {
    play(
        (harness, strand) -> {
          Link before = registered(harness, 0);
          Link other = registered(harness, 1);
          before.close();
          Link owner = registered(harness, 0);
          for (int i = 0; i < SECONDS; i++) {
            env.sleep(SECOND);
            beat(harness, other, 1);
            beat(harness, owner, 0);
          }
          assertThat(set(harness, strand).inSync()).containsExactly(0, 1);
        });
  }
}
