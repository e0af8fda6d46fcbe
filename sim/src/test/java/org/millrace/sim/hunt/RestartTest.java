package org.millrace.sim.hunt;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.millrace.client.DataAccess;
import org.millrace.client.HeldLock;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.client.Transaction;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.sim.hunt.RestartScene.Moment;
import org.millrace.sim.hunt.RestartScene.Part;

/**
 * That a coordinator that dies and is started again costs programs nothing but time, whatever they
 * were doing when it died.
 */
final class RestartTest {

  private static final int CAMPAIGN = Integer.getInteger("millrace.campaign", 1);
  private static final int RANKS = 3;
  private static final int ROUNDS = 3;
  private static final int RECORD = 64;
  private static final int SOME = 4; // of so many requests one, unless the campaign is larger

  /** How many shared writes of the scene failed: their places may be lost. */
  private int unknown;

  private final Part sharedWrites =
      rank -> {
        try (SharedFile file = rank.open("f", OpenOptions.create())) {
          writeAll(rank, file.shared());
        }
      };

  private final Part appends =
      rank -> {
        try (SharedFile file = rank.open("f", OpenOptions.create().withAppend())) {
          writeAll(rank, file);
        }
      };

  private void writeAll(Rank rank, DataAccess to) throws IOException {
    for (int round = 0; round < ROUNDS; round++) {
      try {
        to.write(Memory.of(filled(RECORD, value(rank.number(), round))));
      } catch (MillraceException e) {
        // a rank that ended before the restart may have moved the pointer last
        assertThat(e.code()).as(e.toString()).isIn(ErrorCode.UNKNOWN, ErrorCode.RANK_FAILED);
        unknown++;
      }
    }
  }

  private final Part eachOnceOrUnknown =
      rank -> {
        List<Integer> found = records(content(rank, "f"));
        List<Integer> whole = found.stream().filter(value -> value != 0).toList();
        assertThat(whole).doesNotHaveDuplicates().hasSize(RANKS * ROUNDS - unknown);
        assertThat(found.size() - whole.size()).as("holes").isLessThanOrEqualTo(unknown);
        unknown = 0;
      };

  private static final Part EACH_ONCE =
      rank ->
          assertThat(records(content(rank, "f"))).containsExactlyInAnyOrderElementsOf(eachOnce());

  /** Counts under a lock, for as long as so many reads take. */
  private static Part counting(int reads) {
    return rank -> {
      try (SharedFile file = rank.open("f", OpenOptions.create())) {
        for (int round = 0; round < ROUNDS; round++) {
          try (HeldLock _ = rank.lock("counter")) {
            increment(file, reads);
          }
        }
      }
    };
  }

  private static final Part COUNTED =
      rank -> assertThat(content(rank, "f")[0]).isEqualTo((byte) (RANKS * ROUNDS));

  /**
   * Runs a program with a restart at each of its requests in turn, at one moment of each; with a
   * larger campaign at all moments.
   */
  private static void everywhere(Part part, Part after) {
    atEvery(Math.max(1, SOME / CAMPAIGN), part, after);
  }

  private static void atEvery(int step, Part part, Part after) {
    int moments = Moment.values().length;
    int number = 0;
    for (Moment moment : Moment.values()) {
      int restarts = 0;
      boolean happened = true;
      for (int at = 1 + number++ * step / moments; happened; at += step) {
        happened = at(at, moment, at, part, after);
        restarts += happened ? 1 : 0;
      }
      assertThat(restarts).as("restarts " + moment).isGreaterThan(RANKS);
    }
  }

  private static boolean at(long seed, Moment moment, int at, Part part, Part after) {
    RestartScene scene = run(seed, moment, at, real -> real, part, after);
    assertThat(scene.errors).as("%s request %d, seed %d", moment, at, seed).isEmpty();
    return scene.happened;
  }

  private static RestartScene run(
      long seed, Moment moment, int at, RestartScene.Front later, Part part, Part after) {
    var scene = new RestartScene(seed, moment, at, at % 2 == 0 ? 1 : 16, later);
    scene.run(RANKS, part, after);
    return scene;
  }

  /** What a coordinator hears that forgets a part of what sessions bring back. */
  private interface Forgetting {
    CoordinatorRequest.Recall heard(CoordinatorRequest.Recall recall);
  }

  /** Whether a program notices, wherever the coordinator dies, that the next one forgets. */
  private static boolean isNoticed(Moment moment, Forgetting forgetting, Part part, Part after) {
    boolean noticed = false;
    boolean happened = true;
    for (int at = 1; happened && !noticed; at++) {
      RestartScene scene = run(at, moment, at, real -> front(real, forgetting), part, after);
      noticed = !scene.errors.isEmpty();
      happened = scene.happened;
    }
    return noticed;
  }

  private static Endpoint front(Endpoint real, Forgetting forgetting) {
    return new ForwardingEndpoint(real) {
      @Override
      public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
        boolean recalls = request instanceof CoordinatorRequest.Recall;
        super.onRequest(
            from,
            recalls ? forgetting.heard((CoordinatorRequest.Recall) request) : request,
            payload,
            replyTo);
      }
    };
  }

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static byte[] content(Rank rank, String path) throws IOException {
    try (SharedFile file = rank.open(path, OpenOptions.read())) {
      byte[] bytes = new byte[(int) file.size()];
      file.at(0).read(Memory.of(bytes));
      return bytes;
    }
  }

  /** How often each value fills a record; fails if any record is of several values. */
  private static List<Integer> records(byte[] all) {
    List<Integer> values = new ArrayList<>();
    assertThat(all.length % RECORD).as("whole records").isZero();
    for (int at = 0; at < all.length; at += RECORD) {
      byte[] record = Arrays.copyOfRange(all, at, at + RECORD);
      assertThat(record).as("the record at " + at).isEqualTo(filled(RECORD, record[0]));
      values.add((int) record[0]);
    }
    return values;
  }

  /** One record of each rank and round, whatever their order. */
  private static List<Integer> eachOnce() {
    List<Integer> values = new ArrayList<>();
    for (int rank = 0; rank < RANKS; rank++) {
      for (int round = 0; round < ROUNDS; round++) {
        values.add(value(rank, round));
      }
    }
    return values;
  }

  private static int value(int rank, int round) {
    return 1 + rank * ROUNDS + round;
  }

  @Test
  void barriersAndExchangesGoOnWithLateRanks() {
    atEvery(
        1, // they make few requests
        rank -> {
          for (int round = 0; round < ROUNDS; round++) {
            rank.barrier();
            List<Long> all = rank.allGather(value(rank.number(), round));
            for (int r = 0; r < RANKS; r++) {
              assertThat(all.get(r)).isEqualTo(value(r, round));
            }
          }
        },
        _ -> {});
  }

  @Test
  void collectiveWritesAndReadsLoseNothing() {
    everywhere(
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.create())) {
            for (int round = 0; round < ROUNDS; round++) {
              long place = (long) RECORD * (round * RANKS + rank.number());
              file.at(place).all().write(Memory.of(filled(RECORD, value(rank.number(), round))));
              byte[] back = new byte[RECORD];
              int neighbour = (rank.number() + 1) % RANKS;
              file.at((long) RECORD * (round * RANKS + neighbour)).all().read(Memory.of(back));
              assertThat(back).isEqualTo(filled(RECORD, value(neighbour, round)));
            }
          }
        },
        EACH_ONCE);
  }

  @Test
  void placesOfTheSharedPointerAreGivenOnce() {
    everywhere(sharedWrites, eachOnceOrUnknown);
  }

  @Test
  void aPointerThatBeginsAnewIsNoticed() {
    assertThat(
            isNoticed(Moment.AFTER, RestartTest::withoutPointers, sharedWrites, eachOnceOrUnknown))
        .isTrue();
  }

  private static CoordinatorRequest.Recall withoutPointers(CoordinatorRequest.Recall r) {
    return new CoordinatorRequest.Recall(
        r.groups(),
        r.places(),
        r.opens(),
        List.of(),
        r.locks(),
        r.outcomes(),
        r.unanswered(),
        r.assembling(),
        r.waits(),
        r.splits(),
        r.regroups());
  }

  @Test
  void locksThatAreGivenToOthersBeforeTheirHoldersComeBackAreNoticed() {
    assertThat(
            isNoticed(Moment.AFTER_ONE_ANSWER, RestartTest::withoutLocks, counting(400), COUNTED))
        .isTrue();
  }

  private static CoordinatorRequest.Recall withoutLocks(CoordinatorRequest.Recall r) {
    return new CoordinatorRequest.Recall(
        r.groups(),
        r.places(),
        r.opens(),
        r.pointers(),
        List.of(),
        r.outcomes(),
        r.unanswered(),
        r.assembling(),
        r.waits(),
        r.splits(),
        r.regroups());
  }

  @Test
  void appendedRecordsHavePlacesOfTheirOwn() {
    everywhere(appends, eachOnceOrUnknown);
  }

  @Test
  void rewoundPointersStandWhereTheyWereSetLast() {
    everywhere(
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.create())) {
            for (int round = 0; round < ROUNDS; round++) {
              file.seekShared((long) (ROUNDS - round) * RECORD);
              file.ordered().write(Memory.of(filled(RECORD, value(rank.number(), round))));
            }
            assertThat(file.sharedPosition()).isEqualTo((1 + RANKS) * RECORD);
            rank.barrier(); // who has ended cannot tell any more how far it moved the pointer
          }
        },
        _ -> {});
  }

  @Test
  void pendingOrderedWritesKeepTheirOrder() {
    everywhere(
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.create())) {
            List<CompletableFuture<Long>> pending = new ArrayList<>();
            for (int round = 0; round < ROUNDS; round++) {
              byte[] record = filled(RECORD, value(rank.number(), round));
              pending.add(file.ordered().writeAsync(Memory.of(record)));
            }
            for (CompletableFuture<Long> one : pending) {
              rank.await(one);
            }
          }
        },
        rank -> {
          List<Integer> inOrder = new ArrayList<>();
          for (int round = 0; round < ROUNDS; round++) {
            for (int r = 0; r < RANKS; r++) {
              inOrder.add(value(r, round));
            }
          }
          assertThat(records(content(rank, "f"))).isEqualTo(inOrder);
        });
  }

  @Test
  void locksKeepOthersOut() {
    everywhere(counting(1), COUNTED);
  }

  private static void increment(SharedFile file, int reads) throws IOException {
    byte[] counter = new byte[1];
    file.at(0).read(Memory.of(counter));
    for (int i = 0; i < reads; i++) {
      file.at(0).read(Memory.of(new byte[1]));
    }
    counter[0]++;
    file.at(0).write(Memory.of(counter));
  }

  @Test
  void atomicWritesAreWhole() {
    everywhere(
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.create().withMode(Mode.ATOMIC))) {
            for (int round = 0; round < ROUNDS; round++) {
              file.at(0).write(Memory.of(filled(RECORD, value(rank.number(), round))));
            }
          }
        },
        rank -> assertThat(records(content(rank, "f"))).hasSize(1));
  }

  @Test
  void filesAreClosedOneByOneAndOpenedAgain() {
    everywhere(
        rank -> {
          for (int round = 0; round < ROUNDS; round++) {
            try (SharedFile file = rank.open("f" + round % 2, OpenOptions.create())) {
              file.at((long) RECORD * rank.number())
                  .write(Memory.of(filled(RECORD, 1 + rank.number())));
            }
          }
        },
        rank -> {
          for (String name : List.of("f0", "f1")) {
            assertThat(records(content(rank, name))).containsExactly(1, 2, 3);
          }
          rank.names().remove("f0"); // nobody has it open any more
        });
  }

  /** Each rank changes names of its own, so that every answer is known beforehand. */
  private static final Part NAMING =
      rank -> {
        String own = "d" + rank.number();
        rank.names().makeDirectory(own);
        rank.names().rename(own, own + "x");
        rank.names().setPermissions(own + "x", 0700);
        rank.names().makeDirectory(own);
        rank.names().setCopies(own, 1);
        rank.names().remove(own + "x");
        assertThat(refusal(() -> rank.names().remove(own + "x"))).isEqualTo(ErrorCode.NO_SUCH_NAME);
        assertThat(refusal(() -> rank.names().makeDirectory(own))).isEqualTo(ErrorCode.NAME_EXISTS);
      };

  private static final Part NAMED =
      rank -> assertThat(rank.names().list("")).containsExactly("d0/", "d1/", "d2/");

  /** A call that is refused. */
  private interface Refused {
    void run() throws IOException;
  }

  private static ErrorCode refusal(Refused call) throws IOException {
    try {
      call.run();
    } catch (MillraceException e) {
      return e.code();
    }
    throw new AssertionError("it was not refused");
  }

  @Test
  void changesOfNamesEndAsTheyWouldHave() {
    atEvery(1, NAMING, NAMED);
  }

  @Test
  void answersThatAreForgottenAreNoticed() {
    boolean noticed = false;
    boolean happened = true;
    for (int at = 1; happened && !noticed; at++) {
      var scene = new RestartScene(at, Moment.AFTER_DURABLE, at, 1, RestartTest::withoutNumbers);
      scene.run(RANKS, NAMING, NAMED);
      noticed = !scene.errors.isEmpty();
      happened = scene.happened;
    }
    assertThat(noticed).isTrue();
  }

  /** A coordinator that takes repeated requests for new ones. */
  private static Endpoint withoutNumbers(Endpoint real) {
    return new ForwardingEndpoint(real) {
      @Override
      public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
        super.onRequest(from, request, payload, new PlantedRequests.Unnumbered(replyTo));
      }
    };
  }

  @Test
  void aSplitGivesAllRanksTheSameGroups() {
    atEvery(
        1,
        rank -> {
          for (int round = 0; round < ROUNDS; round++) {
            int color = (rank.number() + round) % 2;
            Rank half = rank.split(color == 0 && round == 2 ? -1 : color, -rank.number());
            List<Long> inIt = half.allGather(rank.number());
            assertThat(inIt.get(half.number())).isEqualTo(rank.number());
            int now = round;
            assertThat(inIt).allMatch(other -> round(other, now) == color || inIt.size() == 1);
            assertThat(inIt).isSortedAccordingTo(Comparator.reverseOrder());
          }
          rank.barrier();
        },
        _ -> {});
  }

  private static int round(long rank, int round) {
    return (int) (rank + round) % 2;
  }

  @Test
  void aGroupThatRegroupsIsTheSameForAllRanks() {
    atEvery(
        1,
        rank -> {
          Rank now = rank;
          for (int round = 0; round < ROUNDS; round++) {
            now = now.regroup();
            assertThat(now.number()).isEqualTo(rank.number());
            assertThat(now.allGather(rank.number())).containsExactly(0L, 1L, 2L);
          }
        },
        _ -> {});
  }

  @Test
  void filesAreMadeExclusivelyOnceByAll() {
    atEvery(
        1,
        rank -> {
          for (int round = 0; round < ROUNDS; round++) {
            rank.open("f" + round, OpenOptions.create().withExclusive()).close();
          }
          assertThat(refusal(() -> rank.open("f0", OpenOptions.create().withExclusive())))
              .isEqualTo(ErrorCode.NAME_EXISTS);
        },
        rank -> assertThat(rank.names().list("")).containsExactly("f0", "f1", "f2"));
  }

  @Test
  void transactionsHappen() {
    everywhere(
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.create())) {
            for (int round = 0; round < ROUNDS; round++) {
              try (Transaction transaction = rank.begin()) {
                byte[] record = filled(RECORD, value(rank.number(), round));
                file.at(0).in(transaction).write(Memory.of(record));
                file.at(RECORD).in(transaction).write(Memory.of(record));
                transaction.commit();
              }
            }
          }
        },
        rank -> {
          List<Integer> both = records(content(rank, "f"));
          assertThat(both).hasSize(2);
          assertThat(both.get(0)).as("all of a transaction or nothing").isEqualTo(both.get(1));
        });
  }
}
