package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.error.ErrorCode;
import org.millrace.error.NoSuchNameException;
import org.millrace.message.Link;
import org.millrace.message.Pending;
import org.millrace.protocol.Capability;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Effect;
import org.millrace.protocol.OpenFlags;
import org.millrace.protocol.Recalled;
import org.millrace.wire.Secret;

/** What a coordinator that was restarted takes back from sessions, and what it does not. */
final class RecallsTest {

  private static final long SECOND = 1_000_000_000L;
  private static final long GRACE_NANOS = 5 * SECOND;
  private static final CoordinatorOptions OPTIONS =
      CoordinatorOptions.of(1, Harness.ROOT)
          .withSecret(new Secret(new byte[Secret.BYTES]))
          .withGraceNanos(GRACE_NANOS);

  private final SeededEnv env = SeededEnv.of(1);
  private MemoryDisk disk = new MemoryDisk("test");

  @SuppressWarnings("NullAway.Init") // set by restarted, which every test begins with
  private CoordinatorReply.Opened opened;

  private long group;

  /** What a test does in virtual time. */
  private interface Scene {
    void play() throws IOException, InterruptedException;
  }

  private void play(Scene scene) {
    env.run(
        () -> {
          try {
            scene.play();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  /** A coordinator at which two ranks have a file open, and the one that follows its crash. */
  private Harness restarted(boolean inOrder) throws IOException {
    Harness before = new Harness(env, disk, OPTIONS);
    Harness.Ranks ranks = before.ranks(2);
    opened = ranks.open("f", Harness.CREATE);
    before.call(ranks.links.getFirst(), new CoordinatorRequest.Confirm(opened.file()));
    group = ranks.group;
    MemoryDisk crashed = disk.crash();
    before.close(); // its threads would stay
    disk = inOrder ? disk.crash() : crashed;
    return new Harness(env, disk, OPTIONS);
  }

  private Recalled.Place place(int rank) {
    return new Recalled.Place(group, 2, rank, group, "", "");
  }

  private Recalled.Opening opening(Capability proof) {
    return new Recalled.Opening(group, Harness.CREATE, opened, proof);
  }

  private static CoordinatorRequest.Recall recall(
      List<Recalled.Place> places,
      List<Recalled.Opening> opens,
      List<Recalled.Pointer> pointers,
      List<Recalled.HeldLock> locks) {
    return new CoordinatorRequest.Recall(
        List.of(), places, opens, pointers, locks, List.of(), List.of(), List.of(), List.of(),
        List.of(), List.of());
  }

  private CoordinatorRequest.Recall recallOf(int rank, Recalled.Pointer... pointers) {
    return recall(
        List.of(place(rank)), List.of(opening(opened.capability())), List.of(pointers), List.of());
  }

  private Recalled.Pointer at(long value, long stamp) {
    return new Recalled.Pointer(opened.pointer(), value, stamp, 0, 0);
  }

  private static long heartbeat(Harness harness, Link node, long fenced) throws IOException {
    var beat = new CoordinatorRequest.Heartbeat(0, List.of(), 2, fenced);
    return ((CoordinatorReply.Removals) harness.call(node, beat)).returned().isPresent() ? 0 : -1;
  }

  @Test
  void aGroupIsThereWhenAllItsRanksHaveComeBackAndItsPointerStandsWhereItWasSeenLast() {
    play(
        () -> {
          try (Harness harness = restarted(false)) {
            Link one = harness.link(Harness.ROOT);
            Link other = harness.link(Harness.ROOT);
            Pending first = Harness.start(one, recallOf(0, at(500, 4), at(30, 6)));
            assertThat(first.isDone()).as("the other rank is missing").isFalse();
            Pending second = Harness.start(other, recallOf(1, at(40, 6), at(900, 2)));
            assertThat(first.isDone()).isTrue();
            assertThat(second.isDone()).isTrue();
            assertThat(one.advance(opened.pointer(), 10, 0, Long.MAX_VALUE, SECOND)).isEqualTo(40);
          }
        });
  }

  @Test
  void aRankThatDoesNotComeBackIsLostAndWhereItsPointerStandsIsNotKnown() {
    play(
        () -> {
          try (Harness harness = restarted(false)) {
            Link one = harness.link(Harness.ROOT);
            Pending first = Harness.start(one, recallOf(0, at(30, 6)));
            env.sleep(GRACE_NANOS - SECOND);
            assertThat(first.isDone()).isFalse();
            env.sleep(2 * SECOND);
            assertThat(first.isDone()).isTrue();
            assertThat(harness.refused(one, new CoordinatorRequest.PointerAt(opened.pointer())))
                .isEqualTo(ErrorCode.RANK_FAILED);
            harness.call(one, new CoordinatorRequest.PointerSet(opened.pointer(), 7));
            assertThat(one.advance(opened.pointer(), 1, 0, Long.MAX_VALUE, SECOND)).isEqualTo(7);
            assertThat(harness.refused(harness.link(Harness.ROOT), recallOf(1)))
                .as("too late")
                .isEqualTo(ErrorCode.RESTARTED);
          }
        });
  }

  @Test
  void oneThatComesBackLateIsWaitedForWhileOthersStillArrive() {
    play(
        () -> {
          try (Harness harness = restarted(false)) {
            env.sleep(GRACE_NANOS - SECOND);
            Pending first = Harness.start(harness.link(Harness.ROOT), recallOf(0, at(30, 6)));
            env.sleep(2 * SECOND);
            assertThat(first.isDone()).as("the other rank is missing").isFalse();
            Link late = harness.link(Harness.ROOT);
            Pending second = Harness.start(late, recallOf(1, at(40, 6)));
            assertThat(first.isDone()).isTrue();
            assertThat(second.isDone()).isTrue();
            assertThat(late.advance(opened.pointer(), 10, 0, Long.MAX_VALUE, SECOND)).isEqualTo(40);
          }
        });
  }

  @Test
  void theGraceEndsThoughSessionsStillArrive() {
    play(
        () -> {
          try (Harness harness = restarted(false)) {
            Pending first = Harness.start(harness.link(Harness.ROOT), recallOf(0, at(30, 6)));
            var nothing = recall(List.of(), List.of(), List.of(), List.of());
            for (int i = 0; i < 2 * GRACE_NANOS / SECOND; i++) {
              assertThat(first.isDone()).isFalse();
              Harness.start(harness.link(Harness.ROOT), nothing);
              env.sleep(SECOND);
            }
            assertThat(first.isDone()).as("twice the grace is over").isTrue();
            assertThat(harness.refused(harness.link(Harness.ROOT), nothing))
                .as("too late")
                .isEqualTo(ErrorCode.RESTARTED);
          }
        });
  }

  @Test
  void nothingIsLockedOpenedOrRemovedThatSomebodyMayHoldWhoHasNotComeBack() {
    play(
        () -> {
          try (Harness harness = restarted(false)) {
            Link node = harness.link(Harness.ROOT);
            assertThat(heartbeat(harness, node, -1)).as("not decided").isEqualTo(-1);
            Harness.Ranks ranks = harness.ranks(1);
            CoordinatorReply.Opened fresh = ranks.open("new", Harness.CREATE);
            Pending lock = ranks.lock(0, "file " + fresh.file());
            Pending removal =
                Harness.start(harness.link(Harness.ROOT), new CoordinatorRequest.Remove("f"));
            heartbeat(harness, node, 0); // a node that says too much
            env.sleep(GRACE_NANOS - SECOND);
            assertThat(lock.isDone()).isFalse();
            assertThat(removal.isDone()).isFalse();
            env.sleep(2 * SECOND);
            assertThat(removal.isDone()).isTrue();
            assertThat(lock.isDone()).as("nodes may let others write").isFalse();
            assertThat(heartbeat(harness, node, -1)).isZero();
            heartbeat(harness, node, 0);
            assertThat(lock.isDone()).isTrue();
          }
        });
  }

  @Test
  void aCoordinatorThatEndedInOrderHasNobodyToWaitFor() {
    play(
        () -> {
          try (Harness harness = restarted(true)) {
            harness.call(harness.link(Harness.ROOT), new CoordinatorRequest.Remove("f"));
            assertThat(harness.refused(harness.link(Harness.ROOT), recallOf(0)))
                .isEqualTo(ErrorCode.RESTARTED);
          }
        });
  }

  @Test
  void whatIsNotProvedOrContradictsWhatWasSaidIsNotRestored() {
    play(
        () -> {
          try (Harness harness = restarted(false)) {
            Capability mine = opened.capability();
            Capability forged =
                new Capability(
                    mine.file() + 1,
                    mine.open(),
                    mine.read(),
                    mine.write(),
                    mine.user(),
                    mine.expiresMillis(),
                    mine.seal());
            Link one = harness.link(Harness.ROOT);
            Link stranger = harness.link("stranger");
            var lock =
                new CoordinatorRequest.Lock(
                    group, 0, "group " + group + "/l", 0, 9, false, false, false);
            Pending first =
                Harness.start(
                    one,
                    recall(
                        List.of(place(0)),
                        List.of(opening(forged)),
                        List.of(),
                        List.of(new Recalled.HeldLock(77, lock))));
            Pending strange = Harness.start(stranger, recallOf(1));
            assertThat(strange.isDone()).as("it has no group").isTrue();
            assertThat(first.isDone()).as("a stranger is not its other rank").isFalse();
            env.sleep(GRACE_NANOS + SECOND);
            assertThat(first.isDone()).isTrue();
            assertThat(harness.refused(one, new CoordinatorRequest.Renew(group, opened.open())))
                .isEqualTo(ErrorCode.CLOSED);
            harness.call(one, new CoordinatorRequest.Unlock(77));
            assertThat(harness.refused(stranger, new CoordinatorRequest.Leave(group, 1, "")))
                .isNotNull();
          }
        });
  }

  /** Whether Ann's file is there after {@code user} came back as one whose close removes it. */
  private boolean staysAfterTheCloseOf(String user) throws IOException, InterruptedException {
    OpenFlags reading = new OpenFlags(true, false, false, false, false, false, false, 0, 0, 0);
    OpenFlags claimed = new OpenFlags(true, false, false, false, false, false, true, 0, 0, 0);
    Harness before = new Harness(env, disk, OPTIONS);
    Harness.Ranks ann = before.ranks(1, "ann");
    CoordinatorReply.Opened made = ann.open("f", Harness.CREATE);
    before.call(ann.links.getFirst(), new CoordinatorRequest.Confirm(made.file()));
    ann.closeFile(made.open());
    Harness.Ranks reader = before.ranks(1, user);
    CoordinatorReply.Opened read = reader.open("f", reading);
    MemoryDisk crashed = disk.crash();
    before.close();
    try (Harness harness = new Harness(env, crashed, OPTIONS)) {
      Link back = harness.link(user);
      var place = new Recalled.Place(reader.group, 1, 0, reader.group, "", "");
      var opening = new Recalled.Opening(reader.group, claimed, read, read.capability());
      harness.call(back, recall(List.of(place), List.of(opening), List.of(), List.of()));
      harness.call(back, new CoordinatorRequest.Leave(reader.group, 0, ""));
      env.sleep(GRACE_NANOS + SECOND);
      Harness.Ranks later = harness.ranks(1, "ann");
      Pending open = later.meet(0, "open", 0, new Effect.Open("f", Harness.EXISTING));
      try {
        harness.awaitAll(List.of(open));
        return true;
      } catch (NoSuchNameException e) {
        return false;
      }
    }
  }

  @Test
  void aReaderCannotClaimThatItsCloseRemovesTheFile() {
    play(() -> assertThat(staysAfterTheCloseOf("bob")).isTrue());
  }

  @Test
  void itsOwnerCan() {
    play(() -> assertThat(staysAfterTheCloseOf("ann")).isFalse());
  }

  @Test
  void aSessionOfThisLifeHasNothingToComeBackFrom() {
    play(
        () -> {
          try (Harness harness = restarted(false)) {
            Link one = harness.link(Harness.ROOT);
            Harness.start(one, recallOf(0));
            assertThat(harness.refused(one, recallOf(0))).as("twice").isEqualTo(ErrorCode.PROTOCOL);
          }
        });
  }
}
