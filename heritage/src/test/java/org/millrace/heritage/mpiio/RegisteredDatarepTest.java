package org.millrace.heritage.mpiio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.heritage.mpiio.FileErrorsTest.assertFails;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Program;
import org.millrace.heritage.testing.Programs;

/** Representations that a program registers: here ints as six decimal digits. */
final class RegisteredDatarepTest {

  private static final Datatype INT = Datatype.INT;
  private static final int DIGITS = 6;

  @TempDir private Path directory;

  private void run(int ranks, Program program) throws IOException {
    Programs.run(directory, ranks, 2, program);
  }

  private static void toDigits(
      MemorySegment user, Datatype type, long items, MemorySegment file, long position) {
    assertThat(file.byteSize()).isEqualTo(DIGITS * items);
    for (long i = 0; i < items; i++) {
      int value = user.get(ValueLayout.JAVA_INT_UNALIGNED, type.displacement(position + i));
      byte[] digits = "%06d".formatted(value).getBytes(StandardCharsets.US_ASCII);
      MemorySegment.copy(digits, 0, file, ValueLayout.JAVA_BYTE, DIGITS * i, DIGITS);
    }
  }

  private static void fromDigits(
      MemorySegment user, Datatype type, long items, MemorySegment file, long position) {
    byte[] digits = file.toArray(ValueLayout.JAVA_BYTE);
    assertThat(digits.length).isEqualTo(DIGITS * items);
    for (int i = 0; i < items; i++) {
      String text = new String(digits, DIGITS * i, DIGITS, StandardCharsets.US_ASCII);
      user.set(
          ValueLayout.JAVA_INT_UNALIGNED,
          type.displacement(position + i),
          Integer.parseInt(text.strip()));
    }
  }

  private static Environment digits() throws IOException {
    Environment environment = new Environment();
    environment.registerDatarep(
        "digits", RegisteredDatarepTest::fromDigits, RegisteredDatarepTest::toDigits, _ -> DIGITS);
    return environment;
  }

  @Test
  void valuesAreConvertedBothWaysAndViewsCountTheFilesWidths() throws IOException {
    run(
        2,
        rank -> {
          int r = rank.number();
          Datatype mine = Filetypes.scatter(2, r, 1, INT);
          try (File file = digits().open(rank, "digits", Ints.CREATE, Info.NULL)) {
            file.setView(0, INT, mine, "digits");
            assertThat(file.getTypeExtent(INT)).isEqualTo(DIGITS);
            assertThat(file.getTypeExtent(mine)).isEqualTo(2 * DIGITS);
            assertThat(file.getByteOffset(1)).isEqualTo(DIGITS * (2L + r));
            assertThat(file.getView().datarep()).isEqualTo("digits");
            int[] values = {10 + r, 20 + r, 30 + r};
            assertThat(file.writeAll(values, 3, INT).getCount(INT)).isEqualTo(3);
            assertThat(file.getPosition()).isEqualTo(3);
            assertThat(values).containsExactly(10 + r, 20 + r, 30 + r);
            int[] back = new int[4];
            Status status = file.readAtAll(0, back, 4, INT); // one beyond the end
            assertThat(status.getCount(INT)).isEqualTo(3);
            assertThat(back).containsExactly(10 + r, 20 + r, 30 + r, 0);
            Request request = file.iWriteAt(2, new int[] {7 + r}, 1, INT);
            assertThat(request.waitStatus().bytes()).isEqualTo(4);
          }
          assertThat(Ints.bytes(rank, "digits"))
              .asString(StandardCharsets.US_ASCII)
              .isEqualTo("000010000011000020000021000007000008");
        });
  }

  @Test
  void memoryWithHolesIsConvertedWhereItsElementsLie() throws IOException {
    run(
        1,
        rank -> {
          try (File file = digits().open(rank, "holes", Ints.CREATE, Info.NULL)) {
            file.setView(0, INT, INT, "digits");
            Datatype everyOther = Datatype.createVector(2, 1, 2, INT); // extent of three
            file.write(new int[] {1, -1, 2, 3, -1, 4}, 2, everyOther);
            int[] back = new int[6];
            file.readAt(0, back, 2, everyOther);
            assertThat(back).containsExactly(1, 0, 2, 3, 0, 4);
          }
          assertThat(Ints.bytes(rank, "holes"))
              .asString(StandardCharsets.US_ASCII)
              .isEqualTo("000001000002000003000004");
        });
  }

  @Test
  void longAccessesAreConvertedInSeveralCallsThatSayWhereTheyBegin() throws IOException {
    int count = (int) (Staging.PART_BYTES / DIGITS) + 1000;
    run(
        1,
        rank -> {
          List<Long> positions = new ArrayList<>();
          Environment environment = new Environment();
          environment.registerDatarep(
              "watched",
              RegisteredDatarepTest::fromDigits,
              (user, type, items, file, position) -> {
                positions.add(position);
                toDigits(user, type, items, file, position);
              },
              _ -> DIGITS);
          try (File file = environment.open(rank, "long", Ints.CREATE, Info.NULL)) {
            file.setView(0, INT, INT, "watched");
            int[] values = Ints.in(Ints.of(count, i -> i % 1000));
            file.write(values, count, INT);
            assertThat(positions).containsExactly(0L, Staging.PART_BYTES / DIGITS);
            int[] back = new int[count];
            file.readAt(0, back, count, INT);
            assertThat(back).isEqualTo(values);
          }
        });
  }

  @Test
  void aConversionThatFailsFailsOnAllRanksAndNothingIsWritten() throws IOException {
    run(
        2,
        rank -> {
          Environment environment = new Environment();
          environment.registerDatarep(
              "broken",
              (_, _, _, _, _) -> {
                throw new IOException("no way back");
              },
              (_, _, _, _, _) -> {
                if (rank.number() == 1) {
                  throw new IllegalStateException("no way out");
                }
              },
              basic -> (int) basic.getSize());
          try (File file = environment.open(rank, "broken", Ints.CREATE, Info.NULL)) {
            file.setView(0, INT, INT, "broken");
            assertFails(ErrorClass.CONVERSION, () -> file.writeAll(new int[1], 1, INT));
            assertFails(ErrorClass.CONVERSION, () -> file.writeOrdered(new int[1], 1, INT));
            assertThat(file.getSize()).isZero();
            assertThat(file.getPositionShared()).isZero();
            file.setSize(4);
            assertFails(ErrorClass.CONVERSION, () -> file.readAt(0, new int[1], 1, INT));
            assertFails(
                ErrorClass.CONVERSION, () -> file.iReadAt(0, new int[1], 1, INT).waitStatus());
          }
        });
  }

  @Test
  void namesAreTakenOnceAndHaveALengthAndMustBeKnown() throws IOException {
    run(
        2,
        rank -> {
          Environment environment = digits();
          for (String name : List.of("digits", "native", "internal", "external32")) {
            assertFails(
                ErrorClass.DUP_DATAREP,
                () -> environment.registerDatarep(name, null, null, _ -> 1));
          }
          String longest = "n".repeat(Environment.MAX_DATAREP);
          environment.registerDatarep(longest, null, null, basic -> (int) basic.getSize());
          assertFails(
              ErrorClass.ARG, () -> environment.registerDatarep(longest + "n", null, null, _ -> 1));
          assertFails(ErrorClass.ARG, () -> environment.registerDatarep("", null, null, _ -> 1));
          Environment onOne = rank.number() == 0 ? environment : new Environment();
          try (File file = onOne.open(rank, "known", Ints.CREATE, Info.NULL)) {
            assertFails(ErrorClass.UNSUPPORTED_DATAREP, () -> file.setView(0, INT, INT, "digits"));
          }
        });
  }

  @Test
  void withoutConversionFunctionsValuesLieAsInMemory() throws IOException {
    run(
        1,
        rank -> {
          Environment environment = new Environment();
          environment.registerDatarep("same", null, null, basic -> (int) basic.getSize());
          environment.registerDatarep("wider", null, null, basic -> (int) basic.getSize() + 1);
          environment.registerDatarep("none", null, null, _ -> 0);
          try (File file = environment.open(rank, "same", Ints.CREATE, Info.NULL)) {
            file.setView(0, INT, INT, "same");
            file.write(new int[] {258}, 1, INT);
            int[] back = new int[1];
            file.readAt(0, back, 1, INT);
            assertThat(back).containsExactly(258);
            assertFails(ErrorClass.CONVERSION, () -> file.setView(0, INT, INT, "wider"));
            assertFails(ErrorClass.CONVERSION, () -> file.setView(0, INT, INT, "none"));
          }
          assertThat(Ints.file(rank, "same")).containsExactly(258);
        });
  }
}
