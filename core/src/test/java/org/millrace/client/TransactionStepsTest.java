package org.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.Cluster;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.protocol.TransactionLogs;

/**
 * A rank ends in the middle of its commit, at every step of it, while another program has the same
 * files open in atomic mode: what that reads next is the whole transaction or nothing of it.
 */
final class TransactionStepsTest {

  private static final int LENGTH = 5000;
  private static final int READY = 1;

  @TempDir private Path directory;

  /** How a rank ends. */
  private static final class Ended extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private static byte[] filled(int value) {
    byte[] bytes = new byte[LENGTH];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static byte[] read(SharedFile file) throws IOException {
    byte[] bytes = new byte[LENGTH];
    assertThat(file.at(0).read(Memory.of(bytes))).isEqualTo(LENGTH);
    return bytes;
  }

  private Cluster cluster() throws IOException {
    return Cluster.embedded(directory, 2, ClusterOptions.DEFAULT.withStripeUnitBytes(700));
  }

  private static void writeOld(Rank rank) throws IOException {
    for (String path : List.of("a", "b")) {
      try (SharedFile file = rank.open(path, OpenOptions.create())) {
        file.at(0).write(Memory.of(filled(1)));
      }
    }
  }

  /** Commits new content and ends at a step. */
  private static void commitUntil(Rank rank, Commitment.Step last) throws IOException {
    Rank solo = rank.alone();
    OpenOptions options = OpenOptions.readWrite().withMode(Mode.ATOMIC);
    try (SharedFile a = solo.open("a", options);
        SharedFile b = solo.open("b", options)) {
      Transaction transaction =
          Transaction.begin(
              rank,
              step -> {
                if (step == last) {
                  throw new Ended();
                }
              });
      a.at(0).in(transaction).write(Memory.of(filled(2)));
      b.at(0).in(transaction).write(Memory.of(filled(2)));
      transaction.commit();
    }
  }

  @ParameterizedTest
  @EnumSource(Commitment.Step.class)
  void othersWhoHaveTheFilesOpenSeeAllOrNothing(Commitment.Step last) throws IOException {
    try (Cluster cluster = cluster()) {
      cluster.run(1, TransactionStepsTest::writeOld);
      assertThatThrownBy(
              () ->
                  cluster.run(
                      2,
                      rank -> {
                        if (rank.number() == 1) {
                          rank.receive(0, READY);
                          commitUntil(rank, last);
                          return;
                        }
                        watch(rank, last);
                      }))
          .isInstanceOf(Ended.class);
      cluster.run(1, rank -> check(rank, last, last == Commitment.Step.LOGGED ? 1 : 2));
    }
  }

  /** Opens the files before the transaction begins, and reads them again and again. */
  private static void watch(Rank rank, Commitment.Step last) throws IOException {
    Rank solo = rank.alone();
    OpenOptions options = OpenOptions.readWrite().withMode(Mode.ATOMIC);
    try (SharedFile a = solo.open("a", options);
        SharedFile b = solo.open("b", options)) {
      rank.send(1, READY, new byte[0]);
      int expected = last == Commitment.Step.LOGGED ? 1 : 2;
      for (int i = 0; i < 2000; i++) { // reads wait for the locks that the dying rank holds
        byte[] inA = read(a);
        byte[] inB = read(b);
        assertThat(inA).isEqualTo(filled(inA[0]));
        assertThat(inB).isEqualTo(filled(inB[0]));
        assertThat(inB[0]).as("b is read after a").isGreaterThanOrEqualTo(inA[0]);
        if (inA[0] == expected && expected == 2) {
          break;
        }
      }
    }
  }

  private static void check(Rank rank, Commitment.Step last, int expected) throws IOException {
    for (String path : List.of("a", "b")) {
      try (SharedFile file = rank.open(path, OpenOptions.read())) {
        assertThat(read(file)).as("%s after %s", path, last).isEqualTo(filled(expected));
      }
    }
    assertThat(rank.names().list("")).containsExactly("a", "b");
    assertThat(rank.names().list(TransactionLogs.DIRECTORY))
        .noneMatch(TransactionLogs::isCommitted);
    try (SharedFile a = rank.open("a", OpenOptions.readWrite());
        Transaction next = rank.begin()) { // tidies up what the dead one left
      a.at(0).in(next).write(Memory.of(new byte[] {9}));
      next.commit();
    }
    assertThat(rank.names().list(TransactionLogs.DIRECTORY)).isEmpty();
  }

  @Test
  void filesOfAnUnfinishedTransactionMayBeRenamedAndRemoved() throws IOException {
    try (Cluster cluster = cluster()) {
      cluster.run(1, TransactionStepsTest::writeOld);
      assertThatThrownBy(() -> cluster.run(1, rank -> commitUntil(rank, Commitment.Step.COMMITTED)))
          .isInstanceOf(Ended.class);
      cluster.run(
          1,
          rank -> {
            rank.names().rename("a", "c");
            rank.names().remove("b");
            try (SharedFile c = rank.open("c", OpenOptions.read())) {
              assertThat(read(c)).isEqualTo(filled(2));
            }
          });
    }
  }

  @Test
  void aRenamedFileOfACommittedTransactionGetsAllOfIt() throws IOException {
    try (Cluster cluster = cluster()) {
      cluster.run(1, TransactionStepsTest::writeOld);
      assertThatThrownBy(() -> cluster.run(1, rank -> commitUntil(rank, Commitment.Step.COMMITTED)))
          .isInstanceOf(Ended.class);
      cluster.run(
          1,
          rank -> {
            rank.names().makeDirectory("d");
            rank.names().rename("a", "d/a");
            rank.names().rename("d", "e");
            rank.open("a", OpenOptions.create()).close(); // another has got its name
            for (String path : List.of("b", "e/a")) {
              try (SharedFile file = rank.open(path, OpenOptions.read())) {
                assertThat(read(file)).as(path).isEqualTo(filled(2));
              }
            }
            assertThat(rank.names().size("a")).isZero();
          });
    }
  }

  @Test
  void aLogWithAbsurdLengthsFailsTheOpenOnAllRanks() throws IOException {
    ByteBuffer log = ByteBuffer.allocate(40);
    log.putLong(0x4d52_5245_444f_4c47L).putInt(1).putInt(1).putLong(1).putInt(Integer.MAX_VALUE);
    CRC32C sum = new CRC32C();
    sum.update(log.array(), 0, 36);
    log.putInt(36, (int) sum.getValue());
    try (Cluster cluster = cluster()) {
      cluster.run(1, TransactionStepsTest::writeOld);
      cluster.run(1, rank -> commitBytes(rank, "x", log.array()));
      opensFailAsCorrupt(cluster);
    }
  }

  @Test
  void aLogThatNoTransactionCanHaveWrittenFailsTheOpenOnAllRanks() throws IOException {
    try (Cluster cluster = cluster()) {
      cluster.run(1, TransactionStepsTest::writeOld);
      cluster.run(1, rank -> commitBytes(rank, "x", new byte[0]));
      opensFailAsCorrupt(cluster);
    }
    assertThatThrownBy(() -> RedoLog.requireLength(1L << 40, "huge"))
        .isInstanceOf(CorruptBlockException.class);
    assertThatThrownBy(() -> RedoLog.requireLength(Integer.MAX_VALUE, "large"))
        .isInstanceOf(CorruptBlockException.class);
  }

  /** Gives some bytes the name of a committed log of file a. */
  private static void commitBytes(Rank rank, String unique, byte[] bytes) throws IOException {
    String pending = TransactionLogs.pending(unique);
    try (SharedFile a = rank.open("a", OpenOptions.readWrite());
        SharedFile log = rank.open(pending, OpenOptions.create())) {
      log.at(0).write(Memory.of(bytes));
      List<Long> files = List.of(a.file().opened().file());
      rank.names().rename(pending, TransactionLogs.committed(unique, files));
    }
  }

  private static void opensFailAsCorrupt(Cluster cluster) throws IOException {
    cluster.run(
        2,
        rank ->
            assertThatThrownBy(() -> rank.open("a", OpenOptions.read()))
                .isInstanceOfSatisfying(
                    MillraceException.class,
                    e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT)));
  }

  @Test
  void onlyLogsGetTheNamesOfLogs() throws IOException {
    try (Cluster cluster = cluster()) {
      cluster.run(1, TransactionStepsTest::writeOld);
      cluster.run(
          1,
          rank -> {
            refused(() -> rank.names().makeDirectory(TransactionLogs.DIRECTORY));
            String committed = TransactionLogs.committed("x", List.of(rank.names().stat("a").id()));
            String pending = TransactionLogs.pending("x");
            rank.open(pending, OpenOptions.create()).close();
            refused(() -> rank.open(committed, OpenOptions.create()).close());
            refused(() -> rank.names().rename("b", committed));
            refused(() -> rank.names().rename(pending, committed)); // a is not open for writing
            refused(() -> rank.names().rename(pending, "somewhere"));
          });
    }
  }

  private interface Call {
    void run() throws IOException;
  }

  private static void refused(Call call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_PERMITTED));
  }
}
