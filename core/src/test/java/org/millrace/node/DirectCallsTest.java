package org.millrace.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.access.copy.Places;
import org.millrace.disk.Disk;
import org.millrace.disk.Faults;
import org.millrace.disk.FaultyDisk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.env.ThreadKind;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.message.Link;
import org.millrace.message.Pending;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;
import org.millrace.testing.Seeds;

/** How disk-directed calls begin, end and fail, and what they ask of the disk. */
class DirectCallsTest {

  private static final int B = 1 << 16;
  private static final Layout ONE = Layout.striped(B, 1);
  private static final NodeOptions MANY = NodeOptions.of(64L * B).withWorkers(2);

  private static DirectWorld.Part part(int rank, View view, long size, int value) {
    byte[] bytes = new byte[(int) size];
    Arrays.fill(bytes, (byte) value);
    MemorySegment memory = MemorySegment.ofArray(bytes);
    return new DirectWorld.Part(rank, new Access(view, 0, size), Places.packed(size), memory);
  }

  private static List<DirectWorld.Part> cyclic(int ranks, int grain, int size) {
    List<DirectWorld.Part> parts = new ArrayList<>();
    for (int r = 0; r < ranks; r++) {
      View view = new View((long) r * grain, Pattern.run(grain), (long) ranks * grain);
      parts.add(part(r, view, size / ranks, r + 1));
    }
    return parts;
  }

  private static byte[] random(int size) {
    byte[] bytes = new byte[size];
    new Random(9).nextBytes(bytes);
    return bytes;
  }

  private static @Nullable ErrorCode failure(Pending pending) {
    try {
      pending.await(Env.real().deadlineAfter(DirectWorld.LONG_NANOS));
      return null;
    } catch (MillraceException e) {
      assertThat(e).hasMessageContaining("node 0");
      return e.code();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Pending send(
      DirectWorld world, Link link, CollectiveId call, List<DirectWorld.Part> parts, int which) {
    NodeRequest request = world.request(0, call, true, parts.size(), parts, which);
    return link.start(request, parts.get(which).memory());
  }

  @Test
  void blocksThatAllRanksTogetherCoverAreNotReadBeforeTheyAreWritten() throws IOException {
    for (int grain : new int[] {8, 100, 4096}) {
      int size = 8 * grain * (8 * B / (8 * grain));
      try (DirectWorld world = new DirectWorld(Env.real(), ONE, 8 * B, MANY)) {
        world.fill(0, random(8 * B));
        world.restart();
        List<DirectWorld.Part> parts = cyclic(8, grain, size);
        world.expectWrite(parts);
        world.move(true, 8, parts, List.of(0, 1, 2, 3, 4, 5, 6, 7));
        // the last block is wanted in part, and goes to the disk with its other bytes
        assertThat(world.counter("reads")).isEqualTo(size % B == 0 ? 0 : 1);
        assertThat(DirectWorld.difference(world.content(), world.file)).isEmpty();
      }
    }
  }

  @Test
  void blocksWithGapsAreReadOnceAndKeepTheirOtherBytes() throws IOException {
    try (DirectWorld world = new DirectWorld(Env.real(), ONE, 8 * B, MANY)) {
      world.fill(0, random(8 * B));
      world.restart();
      List<DirectWorld.Part> parts = cyclic(8, 8, 8 * B).subList(0, 7);
      world.expectWrite(parts);
      world.move(true, 7, parts, List.of(0, 1, 2, 3, 4, 5, 6));
      assertThat(world.counter("bytesRead")).isEqualTo(8L * B);
      assertThat(DirectWorld.difference(world.content(), world.file)).isEmpty();
    }
  }

  @Test
  void overlapsDoNotHideGaps() throws IOException {
    try (DirectWorld world = new DirectWorld(Env.real(), ONE, B, MANY)) {
      world.fill(0, random(B));
      world.restart();
      List<DirectWorld.Part> parts =
          List.of(
              part(0, View.WHOLE, 1000, 1),
              part(1, View.WHOLE, 1000, 2),
              part(2, View.from(1500), 500, 3));
      world.expectWrite(parts);
      world.move(true, 3, parts, List.of(2, 1, 0));
      assertThat(DirectWorld.difference(world.content(), world.file)).isEmpty();
    }
  }

  @Test
  void overlappingElementsEndInTheOrderOfRanks() throws IOException {
    for (int apart = 1; apart < 24; apart++) {
      try (DirectWorld world = new DirectWorld(Env.real(), ONE, 3 * B, MANY)) {
        List<DirectWorld.Part> parts = new ArrayList<>();
        for (int r = 0; r < 4; r++) {
          Access access = new Access(new View((long) r * apart, Pattern.run(8), 24), 0, 8 * 5000);
          MemorySegment memory = world.memory(access.size(), r == 3 && apart % 4 == 0);
          memory.fill((byte) (r + 1));
          parts.add(new DirectWorld.Part(r, access, Places.packed(access.size()), memory));
        }
        world.expectWrite(parts);
        world.move(true, 4, parts, List.of(3, 1, 0, 2));
        assertThat(DirectWorld.difference(world.content(), world.file)).isEmpty();
      }
    }
  }

  @Test
  void aColdReadIsMadeOfLargeTransfersOfWantedBlocksOnly() throws IOException {
    int size = 64 * B;
    try (DirectWorld world =
        new DirectWorld(Env.real(), ONE, size, NodeOptions.of(256L * B).withWorkers(1))) {
      world.fill(0, random(size));
      world.restart();
      List<DirectWorld.Part> parts = cyclic(4, 8, size);
      world.move(false, 4, parts, List.of(0, 1, 2, 3));
      assertThat(world.counter("bytesRead")).isEqualTo((long) size);
      assertThat(world.counter("reads")).isLessThan(12);
      world.restart();
      View sparse = new View(0, Pattern.run(B), 4L * B);
      List<DirectWorld.Part> few = List.of(part(0, sparse, 16L * B, 0));
      byte[] expected = world.expectRead(few.getFirst());
      world.move(false, 1, few, List.of(0));
      assertThat(few.getFirst().memory().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(expected);
      assertThat(world.counter("bytesRead")).isEqualTo(16L * B);
    }
  }

  @Test
  void nothingMovesBeforeTheLastPartHasCome() throws IOException {
    try (DirectWorld world = new DirectWorld(Env.real(), ONE, B, MANY);
        Link link = world.link(0, 1)) {
      List<DirectWorld.Part> parts = cyclic(3, 8, 3 * 800);
      CollectiveId call = world.nextCall();
      Pending first = send(world, link, call, parts, 2);
      Pending second = send(world, link, call, parts, 0);
      assertThat(first.isDone() || second.isDone()).isFalse();
      assertThat(world.content()).containsOnly(0);
      assertThat(failure(send(world, link, call, parts, 1))).isNull();
      assertThat(first.isDone() && second.isDone()).isTrue();
    }
  }

  @Test
  void aWithdrawnCallFailsForAllWhoCameOrCome() throws IOException {
    try (DirectWorld world = new DirectWorld(Env.real(), ONE, B, MANY);
        Link link = world.link(0, 1)) {
      List<DirectWorld.Part> parts = cyclic(3, 8, 3 * 800);
      CollectiveId call = world.nextCall();
      Pending first = send(world, link, call, parts, 0);
      Pending second = send(world, link, call, parts, 1);
      NodeRequest withdrawal = new NodeRequest.WithdrawDirect(world.strand(0), call);
      assertThat(link.call(withdrawal, MemorySegment.NULL, Env.NEVER))
          .isEqualTo(new NodeReply.Done());
      assertThat(failure(first)).isEqualTo(ErrorCode.DEADLINE);
      assertThat(failure(second)).isEqualTo(ErrorCode.DEADLINE);
      assertThat(failure(send(world, link, call, parts, 2))).isEqualTo(ErrorCode.DEADLINE);
      link.call(withdrawal, MemorySegment.NULL, Env.NEVER); // once more does no harm
      assertThat(failure(send(world, link, call, parts, 1))).isEqualTo(ErrorCode.DEADLINE);
      assertThat(world.content()).containsOnly(0);
    }
  }

  @Test
  void callsOfAnotherUserNeitherMeetNorAreWithdrawn() throws IOException {
    try (DirectWorld world = new DirectWorld(Env.real(), ONE, B, MANY);
        Link link = world.link(0, 1);
        Link mate = world.link(0, 2);
        Link otherUser = world.link(0, 3, "eve")) {
      List<DirectWorld.Part> parts = cyclic(2, 8, 2 * 800);
      world.expectWrite(parts);
      CollectiveId call = world.nextCall();
      Pending first = send(world, link, call, parts, 0);
      Pending strange = send(world, otherUser, call, parts, 0); // same words, another call
      NodeRequest withdrawal = new NodeRequest.WithdrawDirect(world.strand(0), call);
      otherUser.call(withdrawal, MemorySegment.NULL, Env.NEVER);
      assertThat(failure(strange)).isEqualTo(ErrorCode.DEADLINE);
      assertThat(first.isDone()).isFalse();
      assertThat(failure(send(world, mate, call, parts, 1))).isNull();
      assertThat(failure(first)).isNull();
      assertThat(DirectWorld.difference(world.content(), world.file)).isEmpty();
    }
  }

  @Test
  void aWithdrawalThatOvertakesItsPartsCoversThisRoundAndLaterOnes() throws IOException {
    try (DirectWorld world = new DirectWorld(Env.real(), ONE, B, MANY);
        Link link = world.link(0, 1)) {
      List<DirectWorld.Part> parts = cyclic(2, 8, 2 * 800);
      CollectiveId call = world.nextCall();
      Pending later = send(world, link, call.inRound(7), parts, 0);
      Pending earlier = send(world, link, call.inRound(3), parts, 0);
      NodeRequest withdrawal = new NodeRequest.WithdrawDirect(world.strand(0), call.inRound(4));
      link.call(withdrawal, MemorySegment.NULL, Env.NEVER);
      assertThat(failure(later)).isEqualTo(ErrorCode.DEADLINE);
      for (int round = 4; round < 7; round++) {
        assertThat(failure(send(world, link, call.inRound(round), parts, 1)))
            .isEqualTo(ErrorCode.DEADLINE);
      }
      assertThat(earlier.isDone()).isFalse();
      assertThat(failure(send(world, link, call.inRound(3), parts, 1))).isNull();
      assertThat(failure(earlier)).isNull();
      Pending other = send(world, link, world.nextCall().inRound(9), parts, 0);
      assertThat(other.isDone()).isFalse();
    }
  }

  @Test
  @SuppressWarnings("try") // closed in the middle on purpose
  void partsThatComeBehindTheirSendersEndFailTheCallForAll() throws IOException {
    try (DirectWorld world = new DirectWorld(Env.real(), ONE, B, MANY);
        Link link = world.link(0, 1)) {
      List<DirectWorld.Part> parts = cyclic(3, 8, 3 * 800);
      CollectiveId call = world.nextCall();
      Pending first = send(world, link, call, parts, 0);
      world.link(0, 2).close();
      assertThat(first.isDone()).isFalse();
      try (Link queued = world.link(0, 2)) {
        assertThat(failure(send(world, queued, call, parts, 1))).isEqualTo(ErrorCode.RANK_FAILED);
      }
      assertThat(failure(first)).isEqualTo(ErrorCode.RANK_FAILED);
      assertThat(failure(send(world, link, call, parts, 2))).isEqualTo(ErrorCode.RANK_FAILED);
      assertThat(failure(send(world, link, call.inRound(1), parts, 2)))
          .isEqualTo(ErrorCode.RANK_FAILED);
    }
  }

  @Test
  void whatWasGivenUpLongAgoIsForgotten() throws IOException {
    try (DirectWorld world = new DirectWorld(Env.real(), ONE, B, MANY);
        Link link = world.link(0, 1)) {
      List<DirectWorld.Part> parts = cyclic(2, 8, 2 * 800);
      CollectiveId call = world.nextCall();
      for (int i = 0; i <= AbandonedCalls.MAX; i++) {
        CollectiveId one = i == 0 ? call : world.nextCall();
        link.call(
            new NodeRequest.WithdrawDirect(world.strand(0), one), MemorySegment.NULL, Env.NEVER);
      }
      assertThat(send(world, link, call, parts, 0).isDone()).isFalse();
    }
  }

  @Test
  @SuppressWarnings("try") // closed in the middle on purpose
  void aSenderThatGoesAwayFailsTheCallForTheOthers() throws IOException {
    try (DirectWorld world = new DirectWorld(Env.real(), ONE, B, MANY);
        Link link = world.link(0, 1)) {
      List<DirectWorld.Part> parts = cyclic(3, 8, 3 * 800);
      CollectiveId call = world.nextCall();
      Pending first = send(world, link, call, parts, 0);
      Pending other = send(world, link, world.nextCall(), parts, 0);
      try (Link dying = world.link(0, 2)) {
        send(world, dying, call, parts, 1);
      }
      assertThat(failure(first)).isEqualTo(ErrorCode.RANK_FAILED);
      assertThat(other.isDone()).isFalse();
      world.nodes.getFirst().close();
      assertThat(failure(other)).isEqualTo(ErrorCode.CLOSED);
      assertThat(failure(send(world, link, call, parts, 0))).isEqualTo(ErrorCode.CLOSED);
    }
  }

  @Test
  void partsThatDoNotFitFailTheCallForAll() throws IOException {
    try (DirectWorld world = new DirectWorld(Env.real(), ONE, B, MANY);
        Link link = world.link(0, 1)) {
      List<DirectWorld.Part> parts = cyclic(3, 8, 3 * 800);
      for (NodeRequest odd :
          List.of(
              world.request(0, new CollectiveId(7, 7, 1), false, 3, parts, 1),
              world.request(0, new CollectiveId(7, 7, 1), true, 4, parts, 1),
              world.request(0, new CollectiveId(7, 7, 1), true, 1, parts, 1),
              world.request(0, new CollectiveId(7, 7, 1), true, 3, parts, 0))) {
        Pending first = send(world, link, new CollectiveId(7, 7, 1), parts, 0);
        Pending second = link.start(odd, parts.get(1).memory());
        assertThat(failure(first)).isEqualTo(ErrorCode.MIXED_CALL);
        assertThat(failure(second)).isEqualTo(ErrorCode.MIXED_CALL);
      }
    }
  }

  @Test
  void memoryThatCannotBeTouchedFailsTheCallForAllAndNothingElse() throws IOException {
    try (DirectWorld world = new DirectWorld(Env.real(), ONE, 8 * B, MANY);
        Arena confined = Arena.ofConfined()) {
      List<DirectWorld.Part> good = cyclic(2, 8, 8 * B);
      Access access = good.get(1).access();
      Places places = good.get(1).places();
      Arena gone = Arena.ofShared();
      MemorySegment closed = gone.allocate(4L * B);
      gone.close();
      MemorySegment mine = confined.allocate(4L * B);
      for (MemorySegment bad : List.of(closed, mine, MemorySegment.ofArray(new byte[100]))) {
        List<DirectWorld.Part> parts =
            List.of(good.get(0), new DirectWorld.Part(1, access, places, bad));
        assertThatThrownBy(() -> world.move(true, 2, parts, List.of(0, 1)))
            .isInstanceOfSatisfying(
                MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID));
      }
      world.expectWrite(good);
      world.move(true, 2, good, List.of(0, 1));
      assertThat(DirectWorld.difference(world.content(), world.file)).isEmpty();
    }
  }

  @Test
  void writesBeyondWhatAStrandCanHoldAreRefusedBeforeAnythingChanges() throws IOException {
    try (DirectWorld world = new DirectWorld(Env.real(), ONE, B, MANY)) {
      List<DirectWorld.Part> parts =
          List.of(part(0, View.WHOLE, 10, 1), part(1, View.from(Long.MAX_VALUE - 20), 10, 1));
      assertThatThrownBy(() -> world.move(true, 2, parts, List.of(0, 1)))
          .isInstanceOf(MillraceException.class);
      assertThat(world.content()).containsOnly(0);
    }
  }

  @Test
  void aDiskThatFailsInTheMiddleFailsTheCallForAllAndLeavesTheRestRight() throws IOException {
    FaultyDisk disk = new FaultyDisk(new MemoryDisk("d"), Faults.seeded(1));
    List<Disk> disks = List.of(disk);
    int size = 32 * B;
    try (DirectWorld world = new DirectWorld(Env.real(), ONE, size, MANY, disks)) {
      world.fill(0, random(size));
      world.restart();
      disk.faults().fail(Faults.Operation.READ, file -> true, 3, 1000);
      List<DirectWorld.Part> parts = cyclic(4, 8, size);
      List<Integer> order = List.of(0, 1, 2, 3);
      assertThatThrownBy(() -> world.move(false, 4, parts, order))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("node 0");
      List<DirectWorld.Part> gaps = cyclic(4, 8, size).subList(0, 3);
      assertThatThrownBy(() -> world.move(true, 3, gaps, List.of(0, 1, 2)))
          .isInstanceOf(MillraceException.class);
      disk.faults().clear();
      world.expectWrite(gaps);
      world.move(true, 3, gaps, List.of(0, 1, 2));
      byte[] expected = world.expectRead(parts.get(2));
      world.move(false, 4, parts, order);
      assertThat(parts.get(2).memory().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(expected);
      assertThat(DirectWorld.difference(world.content(), world.file)).isEmpty();
    }
  }

  @Test
  void strandsThatAreClosedToMakeRoomAreOpenedAgain() throws IOException {
    try (DirectWorld world = new DirectWorld(Env.real(), ONE, 8 * B, MANY.withOpenStrands(1));
        Link link = world.link(0, 1)) {
      world.fill(0, random(8 * B));
      link.call(
          new NodeRequest.Create(new StrandId(77, 0), Layout.DEFAULT_BLOCK_BYTES),
          MemorySegment.NULL,
          Env.NEVER);
      List<DirectWorld.Part> parts = cyclic(2, 8, 8 * B);
      world.expectWrite(parts);
      world.move(true, 2, parts, List.of(1, 0));
      assertThat(DirectWorld.difference(world.content(), world.file)).isEmpty();
    }
  }

  @Test
  void ordinaryAccessesOfOtherBytesAndOtherStrandsGoOnMeanwhile() {
    for (long seed : Seeds.of(20)) {
      SeededEnv env = SeededEnv.of(seed);
      env.run(() -> besides(env, seed));
    }
    besides(Env.real(), 1);
  }

  /** Seven eighths by directed calls, the rest by another thread, with strands coming and going. */
  private static void besides(Env env, long seed) {
    int size = 10 * B;
    NodeOptions options = NodeOptions.of(4L * B).withWorkers(3).withOpenStrands(1);
    try (DirectWorld world = new DirectWorld(env, ONE, size, options)) {
      List<DirectWorld.Part> parts = cyclic(8, 8, 8 * B).subList(0, 7);
      List<DirectWorld.Part> mine = cyclic(8, 8, 8 * B).subList(7, 8);
      Throwable[] failure = new Throwable[1];
      Thread other =
          env.start(
              ThreadKind.RANK,
              "other",
              () -> {
                try (Link link = world.link(0, 9)) {
                  MemorySegment memory = mine.getFirst().memory();
                  var request =
                      new NodeRequest.Scatter(
                          world.strand(0), ONE, mine.getFirst().access(), false);
                  for (int i = 0; i < 3; i++) {
                    link.call(request, memory, Env.NEVER);
                    link.call(
                        new NodeRequest.Create(new StrandId(80 + i, 0), Layout.DEFAULT_BLOCK_BYTES),
                        MemorySegment.NULL,
                        Env.NEVER);
                  }
                } catch (IOException | RuntimeException e) {
                  failure[0] = e;
                }
              });
      for (int i = 0; i < 3; i++) {
        world.move(true, 7, parts, List.of(6, 5, 4, 3, 2, 1, 0));
      }
      other.join();
      world.expectWrite(parts);
      world.expectWrite(mine);
      assertThat(failure[0]).as(Seeds.replay(seed)).isNull();
      assertThat(DirectWorld.difference(world.content(), world.file))
          .as(Seeds.replay(seed))
          .isEmpty();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(Seeds.replay(seed), e);
    }
  }

  @Test
  void sendersOnTheirOwnThreadsAreAllAnswered() {
    for (long seed : Seeds.of(20)) {
      SeededEnv env = SeededEnv.of(seed);
      env.run(() -> threads(env, seed));
    }
    threads(Env.real(), 1);
  }

  private static void threads(Env env, long seed) {
    try (DirectWorld world = new DirectWorld(env, Layout.striped(5000, 2), 6 * B, MANY)) {
      List<DirectWorld.Part> parts = cyclic(6, 16, 6 * B);
      CollectiveId call = world.nextCall();
      Throwable[] failures = new Throwable[parts.size()];
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < parts.size(); i++) {
        int which = i;
        threads.add(
            env.start(
                ThreadKind.RANK,
                "rank " + i,
                () -> {
                  try (Link one = world.link(0, which);
                      Link two = world.link(1, which)) {
                    MemorySegment memory = parts.get(which).memory();
                    Pending a = one.start(world.request(0, call, true, 6, parts, which), memory);
                    Pending b = two.start(world.request(1, call, true, 6, parts, which), memory);
                    a.await(env.deadlineAfter(DirectWorld.LONG_NANOS));
                    b.await(env.deadlineAfter(DirectWorld.LONG_NANOS));
                  } catch (IOException | RuntimeException e) {
                    failures[which] = e;
                  }
                }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      world.expectWrite(parts);
      assertThat(failures).as(Seeds.replay(seed)).containsOnlyNulls();
      assertThat(DirectWorld.difference(world.content(), world.file))
          .as(Seeds.replay(seed))
          .isEmpty();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(Seeds.replay(seed), e);
    }
  }
}
