package org.millrace.heritage.mpiio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.heritage.mpiio.FileErrorsTest.assertFails;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Program;
import org.millrace.heritage.testing.Programs;

/** What is under way: requests, split collective calls, and what closing does with them. */
final class PendingTest {

  private static final Datatype INT = Datatype.INT;

  @TempDir private Path directory;

  private void run(int ranks, Program program) throws IOException {
    Programs.run(directory, ranks, 2, program);
  }

  @Test
  void manyRequestsAreUnderWayAtOnceAndEndInAnyOrder() throws IOException {
    run(
        2,
        rank -> {
          int base = 32 * 512 * rank.number();
          try (File file = File.open(rank, "many", Ints.CREATE)) {
            file.setView(4L * base, INT, INT, Ints.NATIVE);
            Request[] writes = new Request[32];
            for (int i = 0; i < writes.length; i++) {
              int first = base + 512 * i;
              writes[i] = file.iWriteAt(512L * i, Ints.of(512, k -> first + k), 512, INT);
            }
            for (Status status : Request.waitAllStatus(writes)) {
              assertThat(status.getCount(INT)).isEqualTo(512);
            }
            assertThat(writes[0].test()).isTrue();
            assertThat(writes[0].testStatus()).hasValue(new Status(2048));
            Request[] reads = new Request[32];
            MemorySegment all = Ints.of(32 * 512, _ -> -1);
            for (int i = 0; i < reads.length; i++) { // by the pointer, in order of issue
              reads[i] = file.iRead(all.asSlice(2048L * i, 2048), 512, INT);
            }
            assertThat(file.getPosition()).isEqualTo(32 * 512);
            Request.waitAllStatus(reads);
            assertThat(Ints.in(all)).isEqualTo(IntStream.range(base, base + 32 * 512).toArray());
          }
        });
  }

  @Test
  void sharedRequestsTakePlacesWithoutGapsOrOverlaps() throws IOException {
    run(
        3,
        rank -> {
          try (File file = File.open(rank, "places", Ints.CREATE)) {
            file.setView(0, INT, INT, Ints.NATIVE);
            Request[] writes = new Request[20];
            for (int i = 0; i < writes.length; i++) {
              int value = 100 * rank.number() + i;
              writes[i] = file.iWriteShared(Ints.of(1 + i % 3, _ -> value), 1 + i % 3, INT);
            }
            Request.waitAllStatus(writes);
            rank.barrier();
            assertThat(file.getPositionShared()).isEqualTo(3 * 39);
          }
          int[] all = Ints.file(rank, "places");
          assertThat(all).hasSize(3 * 39);
          int[] counts = new int[300];
          int[] last = {-1, -1, -1};
          for (int value : all) {
            counts[value]++;
            assertThat(value % 100).isGreaterThanOrEqualTo(last[value / 100]); // order of issue
            last[value / 100] = value % 100;
          }
          for (int i = 0; i < 20; i++) {
            assertThat(counts[i]).isEqualTo(1 + i % 3);
          }
        });
  }

  @Test
  void nonblockingCollectivesDoNotWaitForTheOthers() throws IOException {
    run(
        2,
        rank -> {
          int r = rank.number();
          try (File file = File.open(rank, "ahead", Ints.CREATE)) {
            file.setView(0, INT, Ints.slots(2, r), Ints.NATIVE);
            if (r == 1) {
              rank.receive(0, 1); // comes only after rank 0 has issued both its calls
            }
            Request first = file.iWriteAll(Ints.of(10, i -> 10 * r + i), 10, INT);
            Request second = file.iWriteAtAll(10, Ints.of(10, i -> 20 * r + i), 10, INT);
            if (r == 0) {
              rank.send(1, 1, new byte[0]);
            }
            Request.waitAllStatus(first, second);
            MemorySegment back = Ints.of(20, _ -> -1);
            Request read = file.iReadAtAll(0, back, 20, INT);
            assertThat(read.waitStatus().getCount(INT)).isEqualTo(20);
            assertThat(Ints.in(back))
                .isEqualTo(Ints.in(Ints.of(20, i -> i < 10 ? 10 * r + i : 20 * r + i - 10)));
          }
        });
  }

  @Test
  void oneSplitCallAtATimeAndItsEndMustFit() throws IOException {
    run(
        2,
        rank -> {
          MemorySegment a = Ints.of(2, i -> i + 1);
          MemorySegment b = Ints.of(2, _ -> 0);
          try (File file = File.open(rank, "split", Ints.CREATE)) {
            assertFails(ErrorClass.IO, () -> file.readAllEnd(a));
            file.writeAtAllBegin(8L * rank.number(), a, 2, INT);
            assertFails(ErrorClass.IO, () -> file.readAllBegin(b, 2, INT));
            assertFails(ErrorClass.IO, () -> file.readOrderedBegin(b, 2, INT));
            assertFails(ErrorClass.IO, () -> file.readAtAll(0, b, 2, INT));
            assertFails(ErrorClass.IO, () -> file.iWriteAll(b, 2, INT));
            assertFails(ErrorClass.IO, () -> file.writeAllEnd(a));
            assertFails(ErrorClass.BUFFER, () -> file.writeAtAllEnd(b));
            assertFails(ErrorClass.IO, () -> file.setView(0, INT, INT, Ints.NATIVE));
            assertFails(ErrorClass.IO, file::close);
            assertFails(ErrorClass.IO, () -> file.setSize(1));
            assertFails(ErrorClass.IO, () -> file.preallocate(1));
            assertFails(ErrorClass.IO, () -> file.setAtomicity(true));
            assertFails(ErrorClass.IO, () -> file.seekShared(0, Whence.SEEK_SET));
            assertFails(ErrorClass.IO, () -> file.setInfo(Info.NULL));
            assertFails(ErrorClass.IO, file::sync);
            assertThat(file.readAt(100, b, 2, INT).bytes()).isZero(); // alone it is allowed
            assertThat(file.writeAtAllEnd(a).getCount(INT)).isEqualTo(2);
            assertFails(ErrorClass.IO, () -> file.writeAtAllEnd(a));
            file.readOrderedBegin(b, 2, INT);
            assertThat(file.readOrderedEnd(b).bytes()).isEqualTo(8);
            assertThat(Ints.in(b)).containsExactly(1, 2);
          }
          assertThat(Ints.file(rank, "split")).containsExactly(1, 2, 1, 2);
        });
  }

  @Test
  void closingWaitsForRequestsAndTheyStayAnswerable() throws IOException {
    run(
        2,
        rank -> {
          int r = rank.number();
          MemorySegment data = Ints.of(100_000, i -> i + r);
          Request write;
          Request together;
          try (File file = File.open(rank, "pending", Ints.CREATE)) {
            write = file.iWriteAt(400_000L * r, data, 100_000, INT);
            together = file.iWriteAtAll(800_000 + 400_000L * r, data, 100_000, INT);
          }
          assertThat(write.test()).isTrue();
          assertThat(write.waitStatus().getCount(INT)).isEqualTo(100_000);
          assertThat(together.waitStatus().getCount(INT)).isEqualTo(100_000);
          assertThat(Ints.file(rank, "pending"))
              .isEqualTo(Ints.in(Ints.of(400_000, i -> i % 100_000 + i / 100_000 % 2)));
        });
  }

  @Test
  void requestsKeepTheViewTheyWereIssuedUnder() throws IOException {
    run(
        1,
        rank -> {
          try (File file = File.open(rank, "views", Ints.CREATE)) {
            file.setView(0, INT, Ints.slots(2, 0), Ints.NATIVE);
            Request evens = file.iWrite(Ints.of(3, i -> i), 3, INT);
            file.setView(4, INT, Ints.slots(2, 0), Ints.NATIVE);
            Request odds = file.iWrite(Ints.of(3, i -> 10 + i), 3, INT);
            Request.waitAllStatus(evens, odds);
          }
          assertThat(Ints.file(rank, "views")).containsExactly(0, 10, 1, 11, 2, 12);
        });
  }

  @Test
  void whatWentWrongOnAnotherRankIsToldByTheRequest() throws IOException {
    run(
        2,
        rank -> {
          try (File file = File.open(rank, "other", Ints.CREATE)) {
            if (rank.number() == 1) {
              assertFails(ErrorClass.COUNT, () -> file.iWriteAll(Ints.of(1, _ -> 1), -1, INT));
            } else {
              Request request = file.iWriteAll(Ints.of(1, _ -> 1), 1, INT);
              assertFails(ErrorClass.COUNT, request::waitStatus);
              assertFails(ErrorClass.COUNT, request::testStatus);
              assertFails(ErrorClass.COUNT, () -> Request.waitAllStatus(request, request));
            }
            rank.barrier();
            assertThat(file.getSize()).isZero();
          }
        });
  }
}
