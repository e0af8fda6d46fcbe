package org.millrace.heritage.kotz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.MillraceException;
import org.millrace.heritage.testing.Programs;

/** Multifiles: a subfile and an end for each process, one plain file for everybody else. */
final class MultifileTest {

  private static final FileType TYPE = FileType.records(3).multifile(3, 2);

  @TempDir private Path directory;

  private static MemorySegment records(int count, int value) {
    return MemorySegment.ofArray(Files.filled(3 * count, value));
  }

  /** Subfile s gets s + 2, and a second time 3, records of value 10 + s and 20 + s. */
  private static void write(Rank rank) throws IOException {
    try (Multifile file = new Kotz(rank).multiopenSubfiles("m", MultiOpen.create(TYPE))) {
      for (Subfile one : file.subfiles()) {
        int s = one.number();
        assertThat(one.append(records(s + 2, 10 + s))).isEqualTo(new Moved(0, s + 2));
        assertThat(one.end()).isEqualTo(s + 2);
        one.seek(0);
        assertThat(one.append(records(3, 20 + s))).isEqualTo(new Moved(s + 2, 3));
        assertThat(one.position()).isEqualTo(s + 5);
      }
      assertThat(file.ends()).containsExactly(5, 6, 7);
    }
  }

  /** The plain file by the formula: byte i of block b of subfile s is at (b * 3 + s) * 6 + i. */
  private static byte[] plain() {
    byte[] bytes = new byte[200];
    int end = 0;
    for (int s = 0; s < 3; s++) {
      for (int i = 0; i < (s + 5) * 3; i++) {
        int at = (i / 6 * 3 + s) * 6 + i % 6;
        bytes[at] = (byte) (i < (s + 2) * 3 ? 10 + s : 20 + s);
        end = Math.max(end, at + 1);
      }
    }
    return Arrays.copyOf(bytes, end);
  }

  @Test
  void theSubfilesAreOnePlainFile() throws IOException {
    for (int processes = 1; processes <= 4; processes++) {
      Programs.run(
          directory.resolve("p" + processes),
          processes,
          2,
          rank -> {
            write(rank);
            assertThat(Files.bytes(rank, "m")).isEqualTo(plain());
            rank.barrier();
            Kotz kotz = new Kotz(rank);
            assertThat(kotz.type("m")).isEqualTo(TYPE);
            for (FileType type : List.of(FileType.BYTES, FileType.records(3))) {
              try (KotzFile file = kotz.multiopen("m", MultiOpen.read(type))) {
                byte[] found = new byte[plain().length];
                file.read(found);
                assertThat(found).isEqualTo(plain());
              }
            }
            try (KotzFile file = kotz.multiopen("m", MultiOpen.read())) {
              assertThat(file.type()).isEqualTo(FileType.records(3));
            }
          });
    }
  }

  @Test
  void anyNumberOfProcessesReopensThemAndReadsUpToTheEndOfEach() throws IOException {
    Programs.run(directory, 3, 2, MultifileTest::write);
    for (int processes : new int[] {1, 2, 5}) {
      Programs.run(
          directory,
          processes,
          2,
          rank -> {
            Kotz kotz = new Kotz(rank);
            try (Multifile file = kotz.multiopenSubfiles("m", MultiOpen.read())) {
              assertThat(file.ends()).containsExactly(5, 6, 7);
              for (Subfile one : file.subfiles()) {
                assertThat(one.number() % processes).isEqualTo(rank.number());
                byte[] found = new byte[30];
                assertThat(one.read(found)).isEqualTo(one.number() + 5);
                assertThat(found[0]).isEqualTo((byte) (10 + one.number()));
                int end = (one.number() + 5) * 3;
                assertThat(found[end - 1]).isEqualTo((byte) (20 + one.number()));
                assertThat(Arrays.copyOfRange(found, end, 30)).containsOnly(0);
                assertThat(one.read(found)).isZero();
                assertThat(one.position()).isEqualTo(one.number() + 5);
              }
            }
            // all processes read the same subfile, in the order of its bytes
            MultiOpen same = MultiOpen.read().mySubfiles(2, 0);
            try (Multifile file = kotz.multiopenSubfiles("m", same)) {
              assertThat(file.subfile(2).end()).isEqualTo(7);
              assertThatThrownBy(() -> file.subfile(1)).isInstanceOf(NoSuchElementException.class);
            }
          });
    }
  }

  @Test
  void writingGoesOnWhereEachSubfileEnded() throws IOException {
    Programs.run(directory, 3, 2, MultifileTest::write);
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          MultiOpen how = MultiOpen.update(TYPE);
          MultiOpen mine = rank.number() == 0 ? how.mySubfiles(2) : how.mySubfiles(0, 1);
          try (Multifile file = new Kotz(rank).multiopenSubfiles("m", mine)) {
            for (Subfile one : file.subfiles()) {
              one.seek(1);
              one.write(Files.filled(3, 99)); // in the middle: the end stays
              assertThat(one.end()).isEqualTo(one.number() + 5);
              one.seek(one.end() + 2);
              one.write(Files.filled(3, 98)); // behind a gap of two
              one.write(new byte[0]);
              assertThat(one.end()).isEqualTo(one.number() + 8);
              one.seek(one.end() - 3);
              byte[] found = new byte[9];
              assertThat(one.read(found)).isEqualTo(3);
              assertThat(found).containsExactly(0, 0, 0, 0, 0, 0, 98, 98, 98);
            }
          }
        });
  }

  @Test
  void anyFileIsReadAsAMultifile() throws IOException {
    byte[] content = Files.counting(20);
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Files.store(rank, "plain", content);
          Kotz kotz = new Kotz(rank);
          FileType type = FileType.BYTES.multifile(2, 3);
          try (Multifile file = kotz.multiopenSubfiles("plain", MultiOpen.read(type))) {
            byte[] found = new byte[20];
            long count = file.subfiles().getFirst().read(found);
            int at = 0;
            for (int i = 0; i < 20; i++) {
              if (i / 3 % 2 == rank.number()) {
                assertThat(found[at++]).isEqualTo(content[i]);
              }
            }
            assertThat(count).isEqualTo(at);
          }
          assertThatThrownBy(() -> kotz.multiopenSubfiles("plain", MultiOpen.read()))
              .hasMessageContaining("byte plain file");
        });
  }

  @Test
  void filesAreWrittenOnlyAsWhatTheyWereMade() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Kotz kotz = new Kotz(rank);
          write(rank);
          kotz.multiopen("r", MultiOpen.create(FileType.records(4))).close();
          Files.store(rank, "b", new byte[8]);
          assertWrongType(() -> kotz.multiopen("m", MultiOpen.update()));
          assertWrongType(() -> kotz.multiopen("m", MultiOpen.update(FileType.BYTES)));
          assertWrongType(() -> kotz.multiopen("r", MultiOpen.update(FileType.records(2))));
          assertWrongType(() -> kotz.multiopen("b", MultiOpen.update(FileType.records(2))));
          FileType others = FileType.records(3).multifile(2, 2);
          assertWrongType(() -> kotz.multiopenSubfiles("m", MultiOpen.update(others)));
          assertWrongType(() -> kotz.multiopenSubfiles("b", MultiOpen.update(others)));
          assertThatThrownBy(() -> kotz.multiopen("m", MultiOpen.update(TYPE)))
              .isInstanceOf(IllegalArgumentException.class);
          kotz.multiopen("r", MultiOpen.update()).close();
          kotz.multiopen("r", MultiOpen.update(FileType.records(4))).close();
          kotz.multiopen("b", MultiOpen.update()).close();
          kotz.multiopen("m", MultiOpen.create(FileType.BYTES)).close(); // now it is another
          assertThat(kotz.type("m")).isEqualTo(FileType.BYTES);
        });
  }

  private static void assertWrongType(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(WrongFileTypeException.class)
        .hasMessageContaining("can be written only as such");
  }

  @Test
  void wrongSubfilesAreToldToAll() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Kotz kotz = new Kotz(rank);
          write(rank);
          assertThatThrownBy(() -> kotz.multiopenSubfiles("m", MultiOpen.update().mySubfiles(1)))
              .isInstanceOf(MillraceException.class)
              .hasMessageContaining("subfile 1 would be written by several");
          int mine = rank.number() == 0 ? 3 : 0;
          assertThatThrownBy(() -> kotz.multiopenSubfiles("m", MultiOpen.read().mySubfiles(mine)))
              .hasMessageContaining("not one of 3");
          assertThatThrownBy(() -> kotz.multiopenSubfiles("m", MultiOpen.read().globalPointer()))
              .isInstanceOf(IllegalArgumentException.class);
          try (Multifile file = kotz.multiopenSubfiles("m", MultiOpen.read())) {
            Subfile one = file.subfiles().getFirst();
            assertThatThrownBy(() -> one.write(new byte[3])).isInstanceOf(MillraceException.class);
            assertThatThrownBy(() -> one.read(new byte[4])).hasMessageContaining("no number");
            assertThatThrownBy(() -> one.seek(-1)).isInstanceOf(IllegalArgumentException.class);
            assertThat(one.position()).isZero();
            assertThat(one.end()).isEqualTo(5 + rank.number());
          }
          Files.store(rank, "bad.kotz", new byte[30]);
          Files.store(rank, "bad", new byte[3]);
          assertThatThrownBy(() -> kotz.type("bad")).hasMessageContaining("keeps no type");
          if (rank.number() == 0) {
            kotz.remove("m");
          }
          rank.barrier();
          assertThat(rank.names().list("")).containsExactly("bad", "bad.kotz");
        });
    assertThatThrownBy(() -> FileType.BYTES.multifile(0)).hasMessageContaining("0 subfiles");
  }

  @Test
  void aProgramThatEndsWithoutClosingLosesNoRecords() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Multifile lost = new Kotz(rank).multiopenSubfiles("m", MultiOpen.create(TYPE));
          lost.subfiles().getFirst().append(records(5, 1 + rank.number()));
        });
    Programs.run(
        directory,
        1,
        2,
        rank -> {
          try (Multifile file = new Kotz(rank).multiopenSubfiles("m", MultiOpen.update())) {
            assertThat(file.ends()).containsExactly(5, 5, 0);
            for (int s = 0; s < 2; s++) {
              byte[] found = new byte[15];
              assertThat(file.subfile(s).read(found)).isEqualTo(5);
              assertThat(found).isEqualTo(Files.filled(15, 1 + s));
              assertThat(file.subfile(s).append(records(1, 9))).isEqualTo(new Moved(5, 1));
            }
          }
        });
  }

  @Test
  void whatOthersCutIsGoneAndWhatWasNotClosedIsKept() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Multifile lost = new Kotz(rank).multiopenSubfiles("m", MultiOpen.create(TYPE));
          lost.subfiles().getFirst().append(records(4, 1));
          lost.flush();
          lost.subfiles().getFirst().append(records(4, 2)); // and the program ends without closing
        });
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          try (Multifile file = new Kotz(rank).multiopenSubfiles("m", MultiOpen.read())) {
            assertThat(file.ends()).containsExactly(8, 8, 0);
          }
          try (SharedFile raw = rank.open("m", OpenOptions.readWrite())) {
            raw.resize(7); // one block of subfile 0 and a byte of subfile 1
          }
          try (Multifile file = new Kotz(rank).multiopenSubfiles("m", MultiOpen.read())) {
            assertThat(file.ends()).containsExactly(2, 0, 0);
          }
        });
  }
}
