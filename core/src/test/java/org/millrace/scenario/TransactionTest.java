package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.FileAccess;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.client.Transaction;
import org.millrace.env.Env;
import org.millrace.error.DeadlockException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.testing.Seeds;

/** What transactions see, whom they keep out, and what ends them. */
final class TransactionTest {

  private static final OpenOptions ATOMIC = OpenOptions.create().withMode(Mode.ATOMIC);

  private static void run(int ranks, Program program) throws IOException {
    try (var world = ClusterWorld.inMemory(Env.real(), new Worlds.Build(3, 7))) {
      world.run(ranks, program);
    }
  }

  @Test
  void readsSeeTheTransactionsOwnWritesAndOthersDoNot() throws IOException {
    run(
        1,
        rank -> {
          try (SharedFile file = rank.open("own", OpenOptions.create())) {
            file.at(0).write(Memory.of(new byte[] {1, 1, 1, 1, 1, 1}));
            try (Transaction transaction = rank.begin()) {
              assertThat(file.at(2).in(transaction).write(Memory.of(new byte[] {2, 2})))
                  .isEqualTo(2);
              assertThat(file.at(9).in(transaction).write(Memory.of(new byte[] {3}))).isEqualTo(1);
              byte[] seen = new byte[20];
              assertThat(file.at(0).in(transaction).read(Memory.of(seen))).isEqualTo(10);
              assertThat(seen).startsWith(1, 1, 2, 2, 1, 1, 0, 0, 0, 3);
              assertThat(transaction.endPosition(file)).isEqualTo(10);
              assertThat(file.at(50).in(transaction).write(Memory.of(new byte[0]))).isZero();
              byte[] plain = new byte[20];
              assertThat(file.at(0).read(Memory.of(plain))).isEqualTo(6);
              assertThat(plain).startsWith(1, 1, 1, 1, 1, 1);
              transaction.commit();
            }
            byte[] plain = new byte[20];
            assertThat(file.at(0).read(Memory.of(plain))).isEqualTo(10);
            assertThat(plain).startsWith(1, 1, 2, 2, 1, 1, 0, 0, 0, 3);
          }
        });
  }

  @Test
  void anAbortedTransactionLeavesNothing() throws IOException {
    run(
        1,
        rank -> {
          try (SharedFile file = rank.open("aborted", OpenOptions.create())) {
            Transaction aborted = rank.begin();
            file.at(0).in(aborted).write(Memory.of(new byte[] {1}));
            aborted.abort();
            aborted.abort();
            assertThat(aborted.isEnded()).isTrue();
            try (Transaction closed = rank.begin()) {
              file.at(0).in(closed).write(Memory.of(new byte[] {1}));
            }
            assertThat(file.size()).isZero();
            assertThatThrownBy(() -> file.at(0).in(aborted).write(Memory.of(new byte[] {1})))
                .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(aborted::commit).isInstanceOf(IllegalStateException.class);
          }
        });
  }

  @Test
  void throughAnyViewATransactionDoesWhatPlainAccessesDo() throws IOException {
    long seed = Seeds.of(1)[0];
    run(
        1,
        rank -> {
          Random random = new Random(seed);
          try (SharedFile in = rank.open("in", OpenOptions.create());
              SharedFile plain = rank.open("plain", OpenOptions.create())) {
            for (int i = 0; i < 100; i++) {
              int run = 1 + random.nextInt(9);
              View view =
                  new View(random.nextInt(30), Pattern.run(run), run + random.nextInt(3) * 1000L);
              in.setView(view);
              plain.setView(view);
              try (Transaction transaction = rank.begin()) {
                for (int k = 0; k < 5; k++) {
                  byte[] bytes = new byte[random.nextInt(60)];
                  random.nextBytes(bytes);
                  long position = random.nextInt(100);
                  plain.at(position).write(Memory.of(bytes));
                  in.at(position).in(transaction).write(Memory.of(bytes));
                  byte[] expected = new byte[200];
                  byte[] found = new byte[200];
                  long from = random.nextInt(60);
                  assertThat(in.at(from).in(transaction).read(Memory.of(found)))
                      .as(Seeds.replay(seed))
                      .isEqualTo(plain.at(from).read(Memory.of(expected)));
                  assertThat(found).as(Seeds.replay(seed)).isEqualTo(expected);
                }
                transaction.commit();
              }
            }
          }
        });
  }

  /** Each moves an amount between two of ten accounts, which lie in two files. */
  @Test
  void transfersBetweenAccountsLoseNothing() throws IOException {
    int ranks = 4;
    int rounds = 25;
    ReentrantLock again = new ReentrantLock();
    run(
        ranks,
        rank -> {
          Rank lone = rank.alone();
          try (SharedFile a = lone.open("a", ATOMIC);
              SharedFile b = lone.open("b", ATOMIC)) {
            if (rank.number() == 0) {
              a.at(0).write(Memory.of(Bytes.ints(5, _ -> 100)));
              b.at(0).write(Memory.of(Bytes.ints(5, _ -> 100)));
            }
            rank.barrier();
            Random random = new Random(rank.number());
            for (int i = 0; i < rounds; i++) {
              int from = random.nextInt(10);
              int to = random.nextInt(10);
              int amount = 1 + random.nextInt(20);
              persist(again, lone, its -> move(its, a, b, from, to, amount));
              if (i % 5 == 0) {
                assertThat(persist(again, lone, its -> sum(its, a, b))).isEqualTo(1000);
              }
            }
            rank.barrier();
            assertThat(persist(again, lone, its -> sum(its, a, b))).isEqualTo(1000);
          }
        });
  }

  /** What a rank does as one transaction. */
  private interface Deed {
    int in(Transaction transaction) throws IOException;
  }

  /**
   * Does it, again if it was in a circle. All of a circle are told, so that ranks which all tried
   * again at once could meet again and again: of those that were told one at a time goes on.
   */
  private static int persist(ReentrantLock again, Rank rank, Deed deed) throws IOException {
    try {
      return commit(rank, deed);
    } catch (DeadlockException e) {
      assertThat(e).hasMessageContaining("circle");
    }
    again.lock();
    try {
      while (true) {
        try {
          return commit(rank, deed);
        } catch (DeadlockException e) {
          assertThat(e).hasMessageContaining("circle"); // with one that was not told before
        }
      }
    } finally {
      again.unlock();
    }
  }

  private static int commit(Rank rank, Deed deed) throws IOException {
    try (Transaction transaction = rank.begin()) {
      int result = deed.in(transaction);
      transaction.commit();
      return result;
    }
  }

  private static int move(
      Transaction transaction, SharedFile a, SharedFile b, int from, int to, int amount)
      throws IOException {
    add(transaction, from < 5 ? a : b, from % 5, -amount);
    add(transaction, to < 5 ? a : b, to % 5, amount);
    return amount;
  }

  private static void add(Transaction transaction, SharedFile file, int account, int amount)
      throws IOException {
    byte[] bytes = new byte[4];
    file.at(account * 4L).in(transaction).read(Memory.of(bytes));
    int value = Bytes.toInts(bytes)[0];
    file.at(account * 4L).in(transaction).write(Memory.of(Bytes.ints(1, _ -> value + amount)));
  }

  private static int sum(Transaction transaction, SharedFile a, SharedFile b) throws IOException {
    int sum = 0;
    for (SharedFile file : new SharedFile[] {a, b}) {
      byte[] bytes = new byte[20];
      file.at(0).in(transaction).read(Memory.of(bytes));
      for (int i = 0; i < 5; i++) {
        sum += Bytes.toInts(bytes)[i];
      }
    }
    return sum;
  }

  @Test
  void atomicAccessesWaitForTheEnd() throws IOException {
    run(
        2,
        rank -> {
          Rank lone = rank.alone();
          try (SharedFile file = lone.open("kept", ATOMIC)) {
            if (rank.number() == 0) {
              Transaction transaction = lone.begin();
              file.at(0).in(transaction).write(Memory.of(new byte[] {1, 1}));
              rank.barrier();
              file.at(10).in(transaction).write(Memory.of(new byte[] {1, 1}));
              transaction.commit();
              rank.barrier();
            } else {
              rank.barrier();
              byte[] all = new byte[12];
              assertThat(file.at(0).read(Memory.of(all))).isEqualTo(12);
              assertThat(all).startsWith(1, 1).endsWith(1, 1);
              rank.barrier();
            }
          }
        });
  }

  @Test
  void whoWaitsForATransactionIsNotInTheWayOfItsNextLock() throws IOException {
    run(
        2,
        rank -> {
          Rank lone = rank.alone();
          try (SharedFile file = lone.open("next", ATOMIC)) {
            if (rank.number() == 0) {
              Transaction transaction = lone.begin();
              file.at(0).in(transaction).write(Memory.of(new byte[] {1}));
              rank.barrier();
              rank.receive(1, 0); // it is about to wait
              for (int i = 1; i < 200; i++) {
                file.at(i).in(transaction).write(Memory.of(new byte[] {1}));
              }
              transaction.commit();
            } else {
              rank.barrier();
              byte[] all = new byte[200];
              var reading = file.at(0).readAsync(MemorySegment.ofArray(all));
              rank.send(0, 0, new byte[0]);
              assertThat(reading.join()).isEqualTo(200);
              assertThat(all).containsOnly(1);
            }
            rank.barrier();
          }
        });
  }

  @Test
  void aCircleOfTransactionsHasOneVictimAndTheOthersCommit() throws IOException {
    int ranks = 3;
    run(
        ranks,
        rank -> {
          Rank lone = rank.alone();
          try (SharedFile file = lone.open("circle", ATOMIC)) {
            long first = rank.number() * 100L;
            long second = (rank.number() + 1) % ranks * 100L;
            Memory mine = Memory.of(new byte[] {(byte) (rank.number() + 1)});
            Transaction transaction = lone.begin();
            file.at(first).in(transaction).write(mine);
            rank.barrier();
            int victim = 0;
            try {
              file.at(second).in(transaction).write(mine);
              transaction.commit();
            } catch (DeadlockException e) {
              victim = 1;
            }
            assertThat(transaction.isEnded()).isTrue();
            assertThat(rank.allReduceLong(victim, Long::sum)).isEqualTo(1);
            if (victim == 1) { // and again
              try (Transaction again = lone.begin()) {
                file.at(first).in(again).write(mine);
                file.at(second).in(again).write(mine);
                again.commit();
              }
            }
            rank.barrier();
            assertThat(file.size()).isEqualTo(201);
          }
        });
  }

  /** While all transactions are open: so nobody waited for anybody. */
  @Test
  void transactionsOnDifferentStrandsNeverWaitForEachOther() throws IOException {
    int ranks = 3;
    run(
        ranks,
        rank -> {
          Rank lone = rank.alone();
          OpenOptions strands = ATOMIC.withStripeUnit(4).withStrands(ranks);
          try (SharedFile file = lone.open("strands", strands)) {
            file.setView(new View(4L * rank.number(), Pattern.run(4), 4L * ranks));
            byte[] mine = new byte[40];
            Arrays.fill(mine, (byte) (rank.number() + 1));
            try (Transaction transaction = lone.begin()) {
              file.at(10).in(transaction).write(Memory.of(mine));
              rank.barrier();
              file.at(0).in(transaction).write(Memory.of(mine)); // partly locked by now
              byte[] seen = new byte[60];
              assertThat(file.at(0).in(transaction).read(Memory.of(seen))).isEqualTo(50);
              assertThat(seen).startsWith(Arrays.copyOf(mine, 40));
              rank.barrier();
              transaction.commit();
            }
            rank.barrier();
            byte[] seen = new byte[50];
            assertThat(file.at(0).read(Memory.of(seen))).isEqualTo(50);
            assertThat(seen).containsOnly(rank.number() + 1);
          }
        });
  }

  @Test
  void aViewThatLeavesTheFileAndComesBackShowsOwnAndOldBytes() throws IOException {
    run(
        1,
        rank -> {
          try (SharedFile file = rank.open("back", OpenOptions.create());
              Transaction transaction = rank.begin()) {
            file.at(0).write(Memory.of(new byte[] {1, 2, 3}));
            View back = new View(0, Pattern.indexed(new long[] {4, 0}, new long[] {4, 4}), 8);
            FileAccess through = file.through(back);
            through.in(transaction).write(Memory.of(new byte[] {5, 6, 7, 8}));
            byte[] seen = new byte[10];
            assertThat(through.in(transaction).read(Memory.of(seen))).isEqualTo(8);
            assertThat(seen).containsExactly(5, 6, 7, 8, 1, 2, 3, 0, 0, 0);
          }
        });
  }

  @Test
  void aRankCannotWaitForItsOwnTransaction() throws IOException {
    run(
        1,
        rank -> {
          try (SharedFile file = rank.open("self", ATOMIC);
              Transaction transaction = rank.begin()) {
            file.at(0).in(transaction).write(Memory.of(new byte[10]));
            assertThatThrownBy(() -> file.at(5).read(Memory.of(new byte[1])))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("own transaction");
            file.at(10).write(Memory.of(new byte[1])); // other bytes
            try (Transaction other = rank.begin()) {
              assertThatThrownBy(() -> file.at(5).in(other).read(Memory.of(new byte[1])))
                  .isInstanceOf(DeadlockException.class);
            }
            transaction.commit();
          }
        });
  }

  @Test
  void accessesOfATransactionTakeViewsOfTheirOwnAndMemoryInParts() throws IOException {
    run(
        1,
        rank -> {
          try (SharedFile file = rank.open("parts", OpenOptions.create());
              Transaction transaction = rank.begin()) {
            file.at(0).write(Memory.of(new byte[] {9, 9, 9, 9, 9}));
            View everyOther = new View(1, Pattern.run(1), 2);
            byte[] source = {1, 0, 2, 0, 3};
            Memory odd =
                Memory.of(MemorySegment.ofArray(source), Pattern.loop(3, 2, Pattern.run(1)));
            assertThat(file.through(everyOther).in(transaction).write(odd)).isEqualTo(3);
            byte[] first = new byte[2];
            byte[] spread = new byte[8];
            Memory parts =
                new Memory(
                    List.of(
                        new Memory.Part(MemorySegment.ofArray(first), Pattern.run(2)),
                        new Memory.Part(
                            MemorySegment.ofArray(spread), Pattern.loop(4, 2, Pattern.run(1)))),
                    6);
            file.at(0).in(transaction).readFully(parts);
            assertThat(first).containsExactly(9, 1);
            assertThat(spread).containsExactly(9, 0, 2, 0, 9, 0, 3, 0);
            transaction.commit();
            byte[] all = new byte[6];
            file.at(0).readFully(Memory.of(all));
            assertThat(all).containsExactly(9, 1, 9, 2, 9, 3);
          }
        });
  }

  @Test
  void collectiveAndAsynchronousAccessesAreNoPartOfATransaction() throws IOException {
    run(
        1,
        rank -> {
          try (SharedFile file = rank.open("refused", OpenOptions.create());
              Transaction transaction = rank.begin()) {
            assertThatThrownBy(() -> file.at(0).all().in(transaction))
                .isInstanceOf(IllegalStateException.class);
            Memory one = Memory.of(new byte[1]);
            assertThatThrownBy(() -> file.at(0).in(transaction).writeAsync(one))
                .isInstanceOf(IllegalStateException.class);
          }
        });
  }

  @Test
  void boundsAndWrongUseAreRefused() throws IOException {
    run(
        2,
        rank -> {
          Rank lone = rank.alone();
          String path = "mine" + rank.number();
          try (SharedFile file = lone.open(path, OpenOptions.create());
              SharedFile readOnly = lone.open(path, OpenOptions.read());
              SharedFile twice = lone.open(path, OpenOptions.readWrite());
              Transaction transaction = lone.begin()) {
            twice.setView(new View(0, Pattern.run(2), 1));
            byte[] one = {1};
            assertThatThrownBy(() -> file.at(-1).in(transaction).write(Memory.of(one)))
                .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> twice.at(0).in(transaction).write(Memory.of(one)))
                .isInstanceOf(IllegalStateException.class);
            assertCode(
                ErrorCode.NOT_PERMITTED,
                () -> readOnly.at(0).in(transaction).write(Memory.of(one)));
            byte[] large = new byte[(int) Transaction.MAX_BYTES + 1];
            assertCode(ErrorCode.INVALID, () -> file.at(0).in(transaction).write(Memory.of(large)));
            file.at(0).in(transaction).write(Memory.of(one));
            transaction.commit();
            assertThat(file.size()).isEqualTo(1);
          }
        });
  }

  @Test
  void manySmallRunsOfFewPagesAreNoLargeTransaction() throws IOException {
    run(
        1,
        rank -> {
          try (SharedFile file = rank.open("strided", OpenOptions.create())) {
            file.setView(new View(0, Pattern.run(8), 16));
            byte[] bytes = new byte[20_000 * 8];
            Arrays.fill(bytes, (byte) 7);
            for (int again = 0; again < 2; again++) {
              try (Transaction transaction = rank.begin()) {
                file.at(0).in(transaction).write(Memory.of(bytes));
                file.at(0).in(transaction).write(Memory.of(bytes));
                transaction.commit();
              }
            }
            byte[] found = new byte[bytes.length];
            file.at(0).read(Memory.of(found));
            assertThat(found).isEqualTo(bytes);
          }
        });
  }

  @Test
  void whatWasReadThroughOneHandleMayBeWrittenThroughAnother() throws IOException {
    run(
        1,
        rank -> {
          rank.open("two", OpenOptions.create()).close();
          SharedFile reading = rank.open("two", OpenOptions.read());
          try (SharedFile writing = rank.open("two", OpenOptions.readWrite());
              Transaction transaction = rank.begin()) {
            reading.at(0).in(transaction).read(Memory.of(new byte[1]));
            writing.at(0).in(transaction).write(Memory.of(new byte[] {5}));
            reading.close();
            transaction.commit();
            byte[] found = new byte[1];
            assertThat(writing.at(0).read(Memory.of(found))).isEqualTo(1);
            assertThat(found[0]).isEqualTo((byte) 5);
          }
        });
  }

  @Test
  void aFileWithADataCacheIsRefused() throws IOException {
    run(
        1,
        rank -> {
          rank.open("cached", OpenOptions.create()).close();
          try (SharedFile file = rank.open("cached", OpenOptions.read().withDataCache());
              Transaction transaction = rank.begin()) {
            assertThatThrownBy(() -> file.at(0).in(transaction).read(Memory.of(new byte[1])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("data cache");
          }
        });
  }

  @Test
  void onlySoManyFilesFitIntoATransaction() throws IOException {
    run(
        1,
        rank -> {
          SharedFile[] files = new SharedFile[Transaction.MAX_FILES + 1];
          for (int i = 0; i < files.length; i++) {
            files[i] = rank.open("f" + i, OpenOptions.create());
          }
          for (int count : new int[] {Transaction.MAX_FILES, Transaction.MAX_FILES + 1}) {
            try (Transaction transaction = rank.begin()) {
              for (SharedFile file : Arrays.copyOf(files, count)) {
                file.at(count).in(transaction).write(Memory.of(new byte[] {1}));
              }
              if (count > Transaction.MAX_FILES) {
                assertCode(ErrorCode.INVALID, transaction::commit);
              } else {
                transaction.commit();
              }
            }
          }
          for (SharedFile file : files) {
            assertThat(file.size()).isEqualTo(file == files[8] ? 0 : 9);
            file.close();
          }
        });
  }

  @Test
  void aFileThatWasClosedMeanwhileIsAnErrorAndNothingHappens() throws IOException {
    run(
        1,
        rank -> {
          try (SharedFile open = rank.open("open", OpenOptions.create())) {
            SharedFile closed = rank.open("closed", OpenOptions.create());
            Transaction transaction = rank.begin();
            open.at(0).in(transaction).write(Memory.of(new byte[] {1}));
            closed.at(0).in(transaction).write(Memory.of(new byte[] {1}));
            closed.close();
            assertCode(ErrorCode.CLOSED, transaction::commit);
            assertThat(transaction.isEnded()).isTrue();
            assertThat(open.size()).isZero();
          }
        });
  }

  private interface Call {
    void run() throws IOException;
  }

  private static void assertCode(ErrorCode code, Call call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(MillraceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
