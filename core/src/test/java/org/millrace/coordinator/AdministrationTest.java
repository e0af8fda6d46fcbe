package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Link;
import org.millrace.message.Pending;
import org.millrace.protocol.Capabilities;
import org.millrace.protocol.Capability;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Effect;
import org.millrace.protocol.NodeFact;
import org.millrace.protocol.Status;
import org.millrace.protocol.StrandId;
import org.millrace.wire.Secret;

final class AdministrationTest {

  private static final CoordinatorOptions OPTIONS = CoordinatorOptions.of(2, Harness.ROOT);
  private static final Secret SECRET = new Secret(new byte[Secret.BYTES]);

  private static Harness harness(CoordinatorOptions options) throws IOException {
    return new Harness(Env.real(), new MemoryDisk("test"), options);
  }

  private static CoordinatorReply.Facts facts(Harness harness, Link link) throws IOException {
    return (CoordinatorReply.Facts) harness.call(link, new CoordinatorRequest.AskCluster());
  }

  private static List<StrandId> heartbeat(Harness harness, Link link, int node, StrandId... removed)
      throws IOException {
    var beat = new CoordinatorRequest.Heartbeat(node, List.of(removed), 0, 0);
    return ((CoordinatorReply.Removals) harness.call(link, beat)).strands();
  }

  private static Status status(Harness harness, Link link) throws IOException {
    return ((CoordinatorReply.Doing) harness.call(link, new CoordinatorRequest.AskStatus()))
        .status();
  }

  private static long reset(Harness harness, Link link, String... paths) throws IOException {
    var reset = new CoordinatorRequest.Reset(List.of(paths));
    return ((CoordinatorReply.Value) harness.call(link, reset)).value();
  }

  @Test
  void aNodeIsUpWhileItsSessionLives() {
    SeededEnv env = SeededEnv.of(1);
    env.run(
        () -> {
          var options = OPTIONS.withCluster("mill").withSettings(Map.of("a", "1"));
          try (Harness harness = new Harness(env, new MemoryDisk("test"), options)) {
            Link first = harness.link(Harness.ROOT);
            Link viewer = harness.link("ada");
            harness.call(first, new CoordinatorRequest.Register(1, "unix:/n1", 1));
            NodeFact zero = new NodeFact(0, "", false, "never registered");
            assertThat(facts(harness, viewer))
                .isEqualTo(
                    new CoordinatorReply.Facts(
                        "mill",
                        List.of(zero, new NodeFact(1, "unix:/n1", true, "up")),
                        Map.of("a", "1", "node-uses", "uu"),
                        "ada"));
            first.close();
            assertThat(facts(harness, viewer).nodes().get(1))
                .isEqualTo(
                    new NodeFact(
                        1,
                        "unix:/n1",
                        false,
                        "down since 2023-11-14T22:13:20Z: its link was closed"));
            Link again = harness.link(Harness.ROOT);
            Link overtaking = harness.link(Harness.ROOT);
            harness.call(again, new CoordinatorRequest.Register(1, "unix:/n1", 1));
            harness.call(overtaking, new CoordinatorRequest.Register(1, "unix:/other", 1));
            again.close();
            assertThat(facts(harness, viewer).nodes())
                .containsExactly(zero, new NodeFact(1, "unix:/other", true, "up"));
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  @Test
  void onlyTheSuperuserSpeaksForNodesAndEndsTheProcess() throws IOException {
    AtomicInteger shutdowns = new AtomicInteger();
    try (Harness harness = harness(OPTIONS.withOnShutdown(shutdowns::incrementAndGet))) {
      Link ada = harness.link("ada");
      for (CoordinatorRequest request :
          List.of(
              new CoordinatorRequest.Register(0, "unix:/mine", 1),
              new CoordinatorRequest.Heartbeat(0, List.of(), 0, 0),
              new CoordinatorRequest.AskFiles(),
              new CoordinatorRequest.Shutdown())) {
        assertThat(harness.refused(ada, request)).isEqualTo(ErrorCode.NOT_PERMITTED);
      }
      assertThat(shutdowns).hasValue(0);
      Link root = harness.link(Harness.ROOT);
      for (int node : new int[] {-1, 2}) {
        assertThat(harness.refused(root, new CoordinatorRequest.Register(node, "", 1)))
            .isEqualTo(ErrorCode.INVALID);
        assertThat(harness.refused(root, new CoordinatorRequest.Heartbeat(node, List.of(), 0, 0)))
            .isEqualTo(ErrorCode.INVALID);
      }
      harness.call(root, new CoordinatorRequest.Shutdown());
      assertThat(shutdowns).hasValue(1);
    }
  }

  @Test
  void strandsOfRemovedFilesAreHandedOutUntilTheirNodesHaveRemovedThem() throws IOException {
    MemoryDisk disk = new MemoryDisk("test");
    long file;
    try (Harness harness = new Harness(Env.real(), disk, OPTIONS)) {
      Harness.Ranks ranks = harness.ranks(1);
      Link root = harness.link(Harness.ROOT);
      CoordinatorReply.Opened open = ranks.open("f", Harness.CREATE);
      file = open.file();
      harness.call(root, new CoordinatorRequest.Confirm(file));
      ranks.closeFile(open.open());
      assertThat(heartbeat(harness, root, 0)).isEmpty();
      harness.call(root, new CoordinatorRequest.Remove("f"));
      int node0 = open.layout().nodes().indexOf(0);
      StrandId zero = new StrandId(file, node0);
      StrandId one = new StrandId(file, 1 - node0);
      assertThat(heartbeat(harness, root, 0)).containsExactly(zero);
      assertThat(heartbeat(harness, root, 0)).as("until acknowledged").containsExactly(zero);
      assertThat(heartbeat(harness, root, 0, one)).as("not its own").containsExactly(zero);
      assertThat(heartbeat(harness, root, 0, zero)).isEmpty();
      assertThat(heartbeat(harness, root, 1)).containsExactly(one);
    }
    try (Harness harness = new Harness(Env.real(), disk.crash(), OPTIONS)) {
      Link root = harness.link(Harness.ROOT);
      StrandId mine = heartbeat(harness, root, 0).getFirst();
      StrandId other = heartbeat(harness, root, 1).getFirst();
      assertThat(List.of(mine.file(), other.file())).containsOnly(file);
      assertThat(heartbeat(harness, root, 0, mine)).isEmpty();
      assertThat(heartbeat(harness, root, 1, other)).isEmpty();
      harness.call(root, new CoordinatorRequest.Stat("")); // answered when all that is durable
      try (Harness third = new Harness(Env.real(), ((MemoryDisk) harness.disk).crash(), OPTIONS)) {
        assertThat(heartbeat(third, third.link(Harness.ROOT), 0)).isEmpty();
        assertThat(third.coordinator.takeDropped()).isEmpty();
      }
    }
  }

  @Test
  void filesDroppedByTheirLastOpenOrByRecoveryAreHandedOutToo() throws IOException {
    MemoryDisk disk = new MemoryDisk("test");
    try (Harness harness = new Harness(Env.real(), disk, OPTIONS)) {
      Harness.Ranks ranks = harness.ranks(1);
      CoordinatorReply.Opened temporary = ranks.open("t", Harness.DELETE_ON_CLOSE);
      CoordinatorReply.Opened unconfirmed = ranks.open("u", Harness.CREATE.withBlockBytes(8192));
      ranks.links.getFirst().close();
      Link root = harness.link(Harness.ROOT);
      harness.call(root, new CoordinatorRequest.Stat(""));
      assertThat(heartbeat(harness, root, 1))
          .extracting(StrandId::file)
          .containsExactly(temporary.file());
      try (Harness next = new Harness(Env.real(), disk.crash(), OPTIONS)) {
        assertThat(heartbeat(next, next.link(Harness.ROOT), 1))
            .extracting(StrandId::file)
            .containsExactly(temporary.file(), unconfirmed.file());
        assertThat(next.coordinator.takeDropped())
            .allSatisfy(entry -> assertThat(entry.layout()).isPresent())
            .hasSize(2);
        assertThat(heartbeat(next, next.link(Harness.ROOT), 1)).isEmpty();
      }
    }
  }

  @Test
  void capabilitiesAreIssuedForWhatWasAskedFor() throws IOException {
    CoordinatorOptions options = OPTIONS.withSecret(SECRET).withCapabilityMillis(1000);
    try (Harness harness = harness(options)) {
      Harness.Ranks ranks = harness.ranks(2, "ada");
      long now = harness.env.wallMillis();
      CoordinatorReply.Opened open = ranks.open("f", Harness.CREATE);
      Capability issued = open.capability();
      assertThat(Capabilities.isSealed(SECRET, issued)).isTrue();
      assertThat(List.of(issued.file(), issued.read(), issued.write(), issued.user()))
          .containsExactly(open.file(), true, true, "ada");
      assertThat(issued.expiresMillis()).isBetween(now + 1000, harness.env.wallMillis() + 1000);
      var readOnly =
          new org.millrace.protocol.OpenFlags(
              true, false, false, false, false, false, false, 0644, 0, 0);
      assertThat(ranks.open("f", readOnly).capability().write()).isFalse();
      Capability renewed =
          ((CoordinatorReply.Granted)
                  harness.call(
                      ranks.links.get(1), new CoordinatorRequest.Renew(ranks.group, open.open())))
              .capability();
      assertThat(Capabilities.isSealed(SECRET, renewed)).isTrue();
      assertThat(renewed.expiresMillis()).isGreaterThanOrEqualTo(issued.expiresMillis());
      for (String user : List.of("ada", "bob", Harness.ROOT)) {
        assertThat(
                harness.refused(
                    harness.link(user), new CoordinatorRequest.Renew(ranks.group, open.open())))
            .isEqualTo(ErrorCode.NOT_PERMITTED);
      }
      ranks.closeFile(open.open());
      assertThat(
              harness.refused(
                  ranks.links.get(1), new CoordinatorRequest.Renew(ranks.group, open.open())))
          .isEqualTo(ErrorCode.CLOSED);
    }
    try (Harness harness = harness(OPTIONS)) {
      assertThat(harness.ranks(1).open("f", Harness.CREATE).capability())
          .isEqualTo(Capability.NONE);
    }
  }

  @Test
  void statusSaysWhoHasWhatOpenAndWhoWaits() throws IOException {
    try (Harness harness = harness(OPTIONS)) {
      Harness.Ranks ranks = harness.ranks(3, "ada");
      CoordinatorReply.Opened open = ranks.open("f", Harness.CREATE);
      harness.call(ranks.links.get(0), new CoordinatorRequest.PointerSet(open.pointer(), 42));
      harness.awaitAll(List.of(ranks.lock(0, "door")));
      Pending barrier = ranks.barrier(1);
      harness.awaitAll(List.of(ranks.leave(2, "")));
      harness.refusal(barrier);
      Pending lock = ranks.lock(1, "door");
      Pending job =
          Harness.start(
              harness.link("bob"),
              new CoordinatorRequest.Assemble("heat", 1, 2, "unix:/x", 60_000_000_000L));
      Link root = harness.link(Harness.ROOT);
      Status all = status(harness, root);
      assertThat(all.sessions()).isEqualTo(3);
      assertThat(all.groups())
          .containsExactly(
              new Status.OfGroup(
                  0, 2, "bob", "heat", List.of(new Status.OfMember(1, "unix:/x", ""))),
              new Status.OfGroup(
                  ranks.group,
                  3,
                  "ada",
                  "",
                  List.of(
                      new Status.OfMember(0, "", ""),
                      new Status.OfMember(1, "", ""),
                      new Status.OfMember(2, "", "well"))));
      assertThat(all.opens())
          .containsExactly(new Status.OfOpen(open.open(), ranks.group, "f", "rw", 42, 0, Map.of()));
      assertThat(all.waits())
          .singleElement()
          .satisfies(
              wait -> {
                assertThat(wait.call()).isEqualTo("lock \"door\"");
                assertThat(wait.sinceNanos()).isBetween(0L, 60_000_000_000L);
                assertThat(wait.waitsFor()).containsExactly(ranks.group + "/0");
              });
      assertThat(all.locks())
          .singleElement()
          .satisfies(
              held -> {
                assertThat(held.name()).contains("door");
                assertThat(held.holder()).isEqualTo(ranks.group + "/0");
              });
      assertThat(status(harness, harness.link("ada")).opens()).isEqualTo(all.opens());
      Status strange = status(harness, harness.link("bob"));
      assertThat(strange.toString()).doesNotContain("door", "path=f").contains("heat");
      assertThat(harness.waits(harness.link("bob")).toString()).doesNotContain("door");
      assertThat(List.of(lock, job)).noneMatch(Pending::isDone);
    }
  }

  @Test
  void resetTakesOpenFilesAway() throws IOException {
    try (Harness harness = harness(OPTIONS)) {
      Harness.Ranks ranks = harness.ranks(2, "ada");
      CoordinatorReply.Opened open = ranks.open("f", Harness.CREATE);
      CoordinatorReply.Opened kept = ranks.open("g", Harness.CREATE);
      Pending waits =
          ranks.start(0, ranks.meeting(0, open.open(), 0, "read", 0, new Effect.None()));
      assertThat(reset(harness, harness.link("ada"), "f")).isEqualTo(1);
      MillraceException error = harness.refusal(waits);
      assertThat(error.code()).isEqualTo(ErrorCode.CLOSED);
      assertThat(error).hasMessageContaining("user ada has reset the file");
      List<Pending> later = new ArrayList<>();
      for (int rank = 0; rank < 2; rank++) {
        later.add(
            ranks.start(rank, ranks.meeting(rank, open.open(), 2, "read", 0, new Effect.None())));
      }
      assertThat(harness.sameRefusal(later).code()).isEqualTo(ErrorCode.CLOSED);
      assertThat(
              harness.refused(ranks.links.get(0), new CoordinatorRequest.PointerAt(open.pointer())))
          .isEqualTo(ErrorCode.CLOSED);
      harness.call(ranks.links.get(0), new CoordinatorRequest.PointerAt(kept.pointer()));
      assertThat(reset(harness, harness.link("bob"))).as("nothing is bob's").isZero();
      assertThat(reset(harness, harness.link(Harness.ROOT))).isEqualTo(1);
      assertThat(reset(harness, harness.link(Harness.ROOT))).isZero();
      ranks.open("f", Harness.EXISTING);
      harness.call(harness.link("ada"), new CoordinatorRequest.MakeDirectory("d", 0755));
      for (Map.Entry<String, ErrorCode> wrong :
          Map.of("d", ErrorCode.WRONG_KIND, "x", ErrorCode.NO_SUCH_NAME).entrySet()) {
        assertThat(
                harness.refused(
                    harness.link("ada"),
                    new CoordinatorRequest.Reset(List.of("f", wrong.getKey()))))
            .isEqualTo(wrong.getValue());
      }
      assertThat(reset(harness, harness.link("ada"))).as("all or none").isEqualTo(1);
      assertThat(Optional.of(kept.open())).isPresent();
    }
  }
}
