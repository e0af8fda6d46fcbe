package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Link;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Effect;

/** Who asks for too much is refused with the bound, and others go on. */
final class BoundsTest {

  private static final Quotas SMALL = new Quotas(3, 4, 3, 2, 3, 2, 4, 60);

  private Harness harness;

  @BeforeEach
  void setUp() throws IOException {
    harness =
        new Harness(
            Env.real(), new MemoryDisk("test"), CoordinatorOptions.of(4, Harness.ROOT), SMALL);
  }

  @AfterEach
  void tearDown() {
    harness.close();
  }

  private void refused(Pending pending, int bound) {
    MillraceException error = harness.refusal(pending);
    assertThat(error.code()).as(error.getMessage()).isEqualTo(ErrorCode.REFUSED);
    assertThat(error).hasMessageContaining("at most " + bound);
  }

  private void refused(Link link, CoordinatorRequest request, int bound) {
    refused(Harness.start(link, request), bound);
  }

  private long form(Link link, int size) throws IOException {
    return ((CoordinatorReply.Group) harness.call(link, new CoordinatorRequest.Form(size))).group();
  }

  @Test
  void aSessionFormsSoManyGroupsAndIsSoManyRanks() throws IOException {
    Link link = harness.link("ada");
    long first = form(link, 1);
    long large = form(link, Groups.MAX_SIZE);
    form(link, 1);
    refused(link, new CoordinatorRequest.Form(1), 3);
    refused(link, new CoordinatorRequest.Assemble("j", 0, 1, "", 1_000_000_000L), 3);
    form(harness.link("ada"), 1);
    harness.call(link, new CoordinatorRequest.Join(first, 0));
    harness.call(link, new CoordinatorRequest.Leave(first, 0, ""));
    form(link, 1); // the first is over
    for (int rank = 0; rank < 4; rank++) {
      harness.call(link, new CoordinatorRequest.Join(large, 1000 * rank));
    }
    refused(link, new CoordinatorRequest.Join(large, 1), 4);
    harness.call(harness.link("ada"), new CoordinatorRequest.Join(large, 1));
  }

  @Test
  void groupsThatMostRanksNeverComeToTakeNoMemoryForThem() throws IOException {
    try (Harness wide = new Harness()) {
      Link link = wide.link("ada");
      long last = 0;
      for (int i = 0; i < 4000; i++) { // with room for all ranks this would take gigabytes
        var formed = wide.call(link, new CoordinatorRequest.Form(Groups.MAX_SIZE));
        last = ((CoordinatorReply.Group) formed).group();
      }
      Harness.Ranks ranks = wide.new Ranks(last, List.of(link));
      wide.call(link, new CoordinatorRequest.Join(last, 0));
      for (int i = 0; i < 1000; i++) {
        assertThat(ranks.barrier(0).isDone()).isFalse();
      }
    }
  }

  @Test
  void aFormedGroupIsSplitSoOftenAndHasSoManyFilesOpen() throws IOException {
    Harness.Ranks ranks = harness.ranks(2);
    for (int i = 0; i < 3; i++) {
      ranks.all("split", new Effect.Split(0, 0));
    }
    for (Pending pending : ranks.startAll("split", new Effect.Split(0, 0))) {
      refused(pending, 3);
    }
    ranks.open("a", Harness.CREATE);
    CoordinatorReply.Opened b = ranks.open("b", Harness.CREATE);
    for (Pending pending : ranks.startAll("open", new Effect.Open("a", Harness.CREATE))) {
      refused(pending, 2);
    }
    ranks.closeFile(b.open());
    ranks.open("a", Harness.CREATE);
  }

  @Test
  void aSessionHoldsSoManyLocksOfNamesThatAreNotTooLong() throws IOException {
    Harness.Ranks ranks = harness.ranks(2);
    refused(ranks.lock(0, "x".repeat(256)), Quotas.LOCK_NAME_CHARS);
    Pending held = ranks.lock(0, "x".repeat(255));
    assertThat(held.isDone()).isTrue();
    ranks.lock(0, "y");
    ranks.lock(1, "z");
    Pending waits = ranks.lock(0, "z");
    refused(ranks.lock(0, "w"), 3);
    assertThat(ranks.lock(1, "w").isDone()).isTrue();
    harness.call(
        ranks.links.getFirst(),
        new CoordinatorRequest.CancelLock(ranks.group, 0, "z", 0, Long.MAX_VALUE));
    assertThat(harness.refusal(waits).code()).isEqualTo(ErrorCode.DEADLINE);
    assertThat(ranks.lock(0, "v").isDone()).isTrue();
    refused(ranks.lock(0, "u"), 3);
    long number = ((CoordinatorReply.Locked) held.await(Env.NEVER)).lock();
    harness.call(ranks.links.getFirst(), new CoordinatorRequest.Unlock(number));
    assertThat(ranks.lock(0, "u").isDone()).isTrue();
  }

  @Test
  void aSessionWaitsInSoManyJobs() {
    Link link = harness.link("ada");
    for (int job = 0; job < 2; job++) {
      Harness.start(link, new CoordinatorRequest.Assemble("j" + job, 0, 2, "", 20_000_000_000L));
    }
    refused(link, new CoordinatorRequest.Assemble("j2", 0, 2, "", 1_000_000_000L), 2);
    refused(
        harness.link("ada"),
        new CoordinatorRequest.Assemble("k", 0, 2, "x".repeat(2000), 1_000_000_000L),
        Quotas.ADDRESS_CHARS);
  }

  @Test
  void aDirectoryHoldsSoManyNamesAndIsListedIfTheyFitAnAnswer() throws IOException {
    Link link = harness.link(Harness.ROOT);
    Harness.Ranks ranks = harness.ranks(1);
    harness.call(link, new CoordinatorRequest.MakeDirectory("d", 0755));
    for (String name : new String[] {"a", "b", "c"}) {
      harness.call(link, new CoordinatorRequest.MakeDirectory("d/" + name, 0755));
    }
    ranks.closeFile(ranks.open("d/f", Harness.CREATE).open());
    refused(link, new CoordinatorRequest.MakeDirectory("d/g", 0755), 4);
    for (Pending pending : ranks.startAll("open", new Effect.Open("d/g", Harness.CREATE))) {
      refused(pending, 4);
    }
    harness.call(link, new CoordinatorRequest.MakeDirectory("e", 0755));
    refused(link, new CoordinatorRequest.Rename("e", "d/e", false), 4);
    harness.call(
        link, new CoordinatorRequest.Rename("d/f", "d/h", false)); // within it there is room
    assertThat(harness.call(link, new CoordinatorRequest.ListNames("d")))
        .isEqualTo(new CoordinatorReply.Names(List.of("a/", "b/", "c/", "h")));
    harness.call(link, new CoordinatorRequest.Rename("d/h", "d/" + "h".repeat(100), false));
    refused(link, new CoordinatorRequest.ListNames("d"), 60);
  }
}
