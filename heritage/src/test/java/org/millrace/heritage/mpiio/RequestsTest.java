package org.millrace.heritage.mpiio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.heritage.mpiio.FileErrorsTest.assertFails;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.heritage.testing.Programs;

/** Waits and tests for one, any, some and all requests, and cancelling. */
final class RequestsTest {

  private static final Datatype BYTE = Datatype.BYTE;

  @TempDir private Path directory;

  private void run(int ranks, Program program) throws IOException {
    Programs.run(directory, ranks, 2, program);
  }

  /** Requests of rank 0: the first cannot end before {@link #letGo}, the others can. */
  private static Request[] requests(File file) throws IOException {
    Request held = file.iWriteAtAll(100, new byte[] {1}, 1, BYTE);
    return new Request[] {
      held, file.iWriteAt(0, new byte[3], 3, BYTE), file.iWriteAt(3, new byte[4], 4, BYTE)
    };
  }

  /** Rank 1 comes to the collective access only when rank 0 says so. */
  private static void letGo(Rank rank) throws IOException {
    rank.send(1, 1, new byte[0]);
  }

  private void withAHeldRequest(Held program) throws IOException {
    run(
        2,
        rank -> {
          try (File file = File.open(rank, "held", Ints.CREATE)) {
            if (rank.number() == 1) {
              rank.receive(0, 1);
              file.iWriteAtAll(101, new byte[] {2}, 1, BYTE).waitStatus();
            } else {
              program.run(rank, requests(file));
            }
          }
        });
  }

  private interface Held {
    void run(Rank rank, Request[] requests) throws IOException;
  }

  @Test
  void waitAnyTellsEachRequestOnceAndThenThatNoneIsActive() throws IOException {
    withAHeldRequest(
        (rank, requests) -> {
          TreeSet<Integer> told = new TreeSet<>();
          for (int i = 0; i < 2; i++) {
            Request.Completion one = Request.waitAny(requests);
            assertThat(one.status().bytes()).isEqualTo(one.index() == 1 ? 3 : 4);
            assertThat(requests[one.index()].isNull()).isTrue();
            told.add(one.index());
          }
          assertThat(told).containsExactly(1, 2);
          letGo(rank);
          Request.Completion last = Request.waitAny(requests);
          assertThat(last.index()).isZero();
          assertThat(last.status().bytes()).isEqualTo(1);
          Request.Completion none = Request.waitAny(requests);
          assertThat(none.index()).isEqualTo(Status.UNDEFINED);
          assertThat(none.status()).isEqualTo(new Status(0));
          assertThat(Request.testAny(requests))
              .map(Request.Completion::index)
              .hasValue(Status.UNDEFINED);
        });
  }

  @Test
  void waitSomeTellsAllThatAreCompleteAndNothingWhenNoneIsActive() throws IOException {
    withAHeldRequest(
        (rank, requests) -> {
          requests[1].waitStatus();
          List<Request.Completion> some = Request.waitSome(requests);
          assertThat(some).hasSize(1);
          assertThat(some.getFirst().index()).isEqualTo(2);
          assertThat(Request.testSome(requests)).isEmpty();
          letGo(rank);
          assertThat(Request.waitSome(requests)).hasSize(1);
          assertThat(Request.waitSome(requests)).isEmpty();
        });
  }

  @Test
  void testsReturnAtOnceAndLeaveWhatIsNotCompleteAsItIs() throws IOException {
    withAHeldRequest(
        (rank, requests) -> {
          assertThat(requests[0].test()).isFalse();
          assertThat(requests[0].testStatus()).isEmpty();
          assertThat(requests[0].isNull()).isFalse();
          assertThat(Request.testAny(requests[0])).isEmpty();
          assertThat(Request.testSome(requests[0])).isEmpty();
          Request.waitAllStatus(requests[1], requests[2]);
          assertThat(Request.testAllStatus(requests)).isEmpty();
          assertThat(requests[0].isNull()).isFalse();
          letGo(rank);
          requests[0].waitStatus();
          Optional<Status[]> all = Request.testAllStatus(requests);
          assertThat(all.orElseThrow())
              .containsExactly(new Status(1), new Status(3), new Status(4));
        });
  }

  @Test
  void anyAndSomeAmongNoRequestsAtAllReturnAtOnce() throws IOException {
    assertThat(Request.waitAny().index()).isEqualTo(Status.UNDEFINED);
    assertThat(Request.waitSome()).isEmpty();
    assertThat(Request.testSome()).isEmpty();
    assertThat(Request.testAllStatus().orElseThrow()).isEmpty();
    assertThat(Request.waitAllStatus()).isEmpty();
  }

  @Test
  void aRequestThatFailedIsToldByAnyAndSomeAndThrowsWhenItsStatusIsAsked() throws IOException {
    run(
        2,
        rank -> {
          try (File file = File.open(rank, "failed", Ints.CREATE)) {
            if (rank.number() == 1) {
              assertFails(ErrorClass.COUNT, () -> file.iWriteAtAll(0, new byte[1], -1, BYTE));
            } else {
              Request bad = file.iWriteAtAll(0, new byte[1], 1, BYTE);
              Request good = file.iWriteAt(7, new byte[1], 1, BYTE);
              good.waitStatus();
              Request.Completion one = Request.waitAny(good, bad);
              assertThat(one.index()).isEqualTo(1);
              assertFails(ErrorClass.COUNT, one::status);
              assertFails(ErrorClass.COUNT, () -> Request.testAllStatus(good, bad));
            }
          }
        });
  }

  @Test
  void cancellingLetsAnAccessCompleteAndIsRefusedForCollectiveOnes() throws IOException {
    withAHeldRequest(
        (rank, requests) -> {
          requests[1].cancel();
          Status status = requests[1].waitStatus();
          assertThat(status.isCancelled()).isFalse();
          assertThat(status.bytes()).isEqualTo(3);
          assertFails(ErrorClass.REQUEST, requests[0]::cancel);
          letGo(rank);
          assertThat(requests[0].waitStatus().bytes()).isEqualTo(1);
        });
  }

  @Test
  void closingARequestWaitsForItsAccess() throws IOException {
    run(
        1,
        rank -> {
          byte[] back = new byte[2];
          try (File file = File.open(rank, "closed", Ints.CREATE)) {
            file.write(new byte[] {5, 6}, 2, BYTE);
            try (Request read = file.iReadAt(0, back, 2, BYTE)) {
              assertThat(read.isNull()).isFalse();
            }
            assertThat(back).containsExactly(5, 6);
          }
        });
  }

  @Test
  void sizesAndSyncsWaitForAccessesThatAreUnderWay() throws IOException {
    run(
        2,
        rank -> {
          int r = rank.number();
          byte[] much = new byte[1 << 20];
          try (File file = File.open(rank, "sized", Ints.CREATE)) {
            Request write = file.iWriteAt((long) r << 20, much, much.length, BYTE);
            file.setSize(5);
            assertThat(write.test()).isTrue();
            assertThat(file.getSize()).isEqualTo(5);
            rank.barrier();
            Request again = file.iWriteAt((long) r << 20, much, much.length, BYTE);
            file.sync();
            assertThat(again.test()).isTrue();
            assertThat(file.getSize()).isEqualTo(2 << 20);
          }
        });
  }
}
