package org.millrace.heritage.sharedfiles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.error.NoSuchNameException;
import org.millrace.heritage.dio.Dio;
import org.millrace.heritage.dio.DioHandle;
import org.millrace.heritage.dio.DioRequest;
import org.millrace.heritage.testing.InOneJvm;
import org.millrace.heritage.testing.Programs;

/** The paper's rules of Shared Files, on both devices where there are two. */
final class SharedFilesRulesTest {

  private static final String REAL = "the device of plain files needs files of this machine";

  @TempDir private Path directory;

  /** Striped, or on a file system that all share. */
  private String name(boolean striped, String plain) {
    return striped ? plain : directory.resolve(plain).toAbsolutePath().toString();
  }

  private Path cluster() {
    return directory.resolve("cluster");
  }

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static void write(SharedFiles sf, SfHandle handle, long offset, byte[] bytes)
      throws IOException {
    SfRequest request = new SfRequest();
    sf.sf_write(handle, offset, bytes, request);
    sf.sf_wait(request);
  }

  private static byte[] read(SharedFiles sf, SfHandle handle, long offset, int length)
      throws IOException {
    byte[] bytes = new byte[length];
    SfRequest request = new SfRequest();
    sf.sf_read(handle, offset, bytes, request);
    sf.sf_wait(request);
    return bytes;
  }

  private interface Act {
    void run() throws IOException;
  }

  private static void fails(ErrorCode code, Act act) {
    assertThatThrownBy(act::run)
        .isInstanceOfSatisfying(MillraceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void aRequestBecomesRequestsToTheComponentsOfFigureThree() throws IOException {
    Programs.run(
        cluster(),
        3,
        3,
        rank -> {
          SharedFiles sf = new SharedFiles(rank);
          SfHandle handle = sf.sf_create("figure3", SizeHints.NONE, 4096);
          byte[] all = new byte[5 * 4096];
          new Random(1).nextBytes(all);
          if (rank.number() == 1) {
            write(sf, handle, 6000, all); // from within unit 1 to within unit 6
          }
          rank.barrier();
          Dio dio = new Dio(rank);
          DioHandle components = dio.dio_register("figure3");
          assertThat(components.components()).isEqualTo(3);
          long end = 6000L + all.length;
          for (int proc = 0; proc < 3; proc++) {
            byte[] component = new byte[(int) dio.dio_size(components, proc)];
            readComponent(dio, components, proc, component);
            for (int i = 0; i < component.length; i++) {
              long place = i / 4096 * 3L * 4096 + proc * 4096L + i % 4096;
              byte want = place < 6000 || place >= end ? 0 : all[(int) place - 6000];
              if (component[i] != want) {
                assertThat(i).as("first wrong byte of component %s", proc).isEqualTo(-1);
              }
            }
          }
          assertThat(dio.dio_size(components, 0)).isEqualTo(2 * 4096 + (end - 6 * 4096));
          assertThat(dio.dio_size(components, 1)).isEqualTo(2 * 4096);
          assertThat(dio.dio_size(components, 2)).isEqualTo(2 * 4096);
          dio.dio_deregister(components);
          rank.barrier();
          sf.sf_destroy(handle);
        });
  }

  private static void readComponent(Dio dio, DioHandle handle, int proc, byte[] into)
      throws IOException {
    DioRequest request = new DioRequest();
    dio.dio_read(handle, 0, into, proc, request);
    dio.dio_wait(request);
  }

  @Test
  void aReadInAGapExtendsTheComponentThatIsTooShort() throws IOException {
    Programs.run(
        cluster(),
        2,
        3,
        rank -> {
          SharedFiles sf = new SharedFiles(rank);
          SfHandle handle = sf.sf_create("figure4", SizeHints.NONE, 4096);
          Dio dio = new Dio(rank);
          DioHandle components = dio.dio_register("figure4");
          if (rank.number() == 0) {
            write(sf, handle, 5 * 4096, filled(100, 1)); // component 2; 0 and 1 stay empty
            assertThat(dio.dio_size(components, 0)).isZero();
            assertThat(dio.dio_size(components, 1)).isZero();
            assertThat(read(sf, handle, 3 * 4096 + 10, 20)).as("in component 0").containsOnly(0);
            assertThat(dio.dio_size(components, 0)).as("extended").isEqualTo(4096 + 30);
            assertThat(dio.dio_size(components, 1)).as("not touched").isZero();
            assertThat(handle.size()).as("nobody keeps it").isEqualTo(5 * 4096 + 100);
            fails(ErrorCode.INVALID, () -> read(sf, handle, 6 * 4096, 1));
            assertThat(dio.dio_size(components, 0)).as("beyond the end").isEqualTo(4096 + 30);
          }
          dio.dio_deregister(components);
          rank.barrier();
          sf.sf_destroy(handle);
        });
  }

  @Test
  void theFileGrowsFarBeyondTwoGigabytesAndReadsAsZerosBefore() throws IOException {
    long far = (5L << 30) + 3;
    Programs.run(
        cluster(),
        2,
        2,
        rank -> {
          SharedFiles sf = new SharedFiles(rank);
          SfHandle handle = sf.sf_create("large", SizeHints.NONE, 0);
          if (rank.number() == 1) {
            write(sf, handle, far, filled(10, 9));
          }
          rank.barrier();
          assertThat(handle.size()).isEqualTo(far + 10);
          assertThat(read(sf, handle, far, 10)).containsOnly(9);
          assertThat(read(sf, handle, 3L << 30, 100)).containsOnly(0);
          rank.barrier();
          sf.sf_destroy(handle);
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @InOneJvm(REAL)
  void testSaysWhetherARequestIsCompleteAndAWriteMayReturnBefore(boolean striped)
      throws IOException {
    Programs.run(
        cluster(),
        1,
        2,
        rank -> {
          SharedFiles sf = new SharedFiles(rank);
          SfHandle handle = sf.sf_create(name(striped, "tested"), SizeHints.NONE, 0);
          SfRequest request = new SfRequest();
          assertThat(sf.sf_test(request)).as("nothing is under way").isTrue();
          sf.sf_write(handle, 5, filled(100_000, 2), request);
          assertThat(request.isPending()).as("to be waited for, complete or not").isTrue();
          while (!sf.sf_test(request)) {
            rank.names().list("");
          }
          assertThat(request.isPending()).isFalse();
          assertThat(read(sf, handle, 5, 100_000)).containsOnly(2);
          sf.sf_read(handle, 100_000, new byte[10], request);
          assertThatThrownBy(
                  () -> {
                    while (!sf.sf_test(request)) {
                      rank.names().list("");
                    }
                  })
              .hasMessageContaining("beyond the end");
          sf.sf_destroy(handle);
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @InOneJvm(REAL)
  void waitallWaitsForAllAlsoBehindOneThatIsWrong(boolean striped) throws IOException {
    Programs.run(
        cluster(),
        1,
        2,
        rank -> {
          SharedFiles sf = new SharedFiles(rank);
          SfHandle handle = sf.sf_create(name(striped, "all"), SizeHints.NONE, 0);
          write(sf, handle, 0, filled(100, 4));
          List<SfRequest> requests = new ArrayList<>();
          List<byte[]> buffers = new ArrayList<>();
          for (int i = 12; i >= 0; i--) {
            byte[] buffer = new byte[10];
            SfRequest request = new SfRequest();
            sf.sf_read(handle, 10L * i, buffer, request);
            requests.add(request);
            buffers.add(buffer);
          }
          assertThatThrownBy(() -> sf.sf_waitall(requests))
              .hasMessageContaining("at 120 of ")
              .satisfies(e -> assertThat(e.getSuppressed()).hasSize(2));
          assertThat(requests).noneMatch(SfRequest::isPending);
          assertThat(buffers.subList(3, 13)).allSatisfy(b -> assertThat(b).containsOnly(4));
          sf.sf_destroy(handle);
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @InOneJvm(REAL)
  void requestsThatArePendingWhenTheFileIsClosedComplete(boolean striped) throws IOException {
    Programs.run(
        cluster(),
        2,
        2,
        rank -> {
          SharedFiles sf = new SharedFiles(rank);
          String name = name(striped, "pending");
          SfHandle handle = sf.sf_create(name, SizeHints.NONE, 4096);
          SfRequest write = new SfRequest();
          sf.sf_write(handle, 50_000L * rank.number(), filled(50_000, 1 + rank.number()), write);
          handle.close(); // the same as sf_close
          sf.sf_wait(write);
          rank.barrier();
          SfHandle again = sf.sf_open(name);
          SfRequest whole = new SfRequest();
          SfRequest beyond = new SfRequest();
          byte[] other = new byte[50_000];
          sf.sf_read(again, 50_000L * (1 - rank.number()), other, whole);
          sf.sf_read(again, 99_999, new byte[2], beyond);
          sf.sf_close(again);
          sf.sf_wait(whole);
          assertThat(other).containsOnly(2 - rank.number());
          fails(ErrorCode.INVALID, () -> sf.sf_wait(beyond));
          fails(ErrorCode.CLOSED, () -> sf.sf_read(again, 0, new byte[1], whole));
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @InOneJvm(REAL)
  void aRefusedCreateLeavesTheOldFile(boolean striped) throws IOException {
    Programs.run(
        cluster(),
        2,
        2,
        rank -> {
          SharedFiles sf = new SharedFiles(rank);
          String name = name(striped, "kept");
          SfHandle held = sf.sf_create(name, SizeHints.NONE, 0);
          if (rank.number() == 0) {
            write(sf, held, 0, filled(100, 7));
          }
          rank.barrier();
          fails(ErrorCode.IN_USE, () -> sf.sf_create(name, SizeHints.NONE, 0));
          assertThat(read(sf, held, 0, 100)).as("an open file is not cut").containsOnly(7);
          createOverAFolder(sf, rank, striped);
          rank.barrier();
          sf.sf_close(held);
          rank.barrier();
          assertThatThrownBy(() -> sf.sf_create(name, SizeHints.NONE, -1))
              .isInstanceOf(MillraceException.class);
          String mixed = rank.number() == 0 ? name : name(striped, "other");
          assertThatThrownBy(() -> sf.sf_create(mixed, SizeHints.NONE, 0))
              .isInstanceOf(MixedCallException.class);
          if (striped) {
            fails(ErrorCode.INVALID, () -> sf.sf_create(name, SizeHints.NONE, Long.MAX_VALUE - 1));
          }
          SfHandle again = sf.sf_open(name);
          assertThat(read(sf, again, 0, 100)).containsOnly(7);
          sf.sf_close(again);
          rank.barrier();
          SfHandle fresh = sf.sf_create(name, SizeHints.NONE, 0);
          assertThat(fresh.size()).as("made anew").isZero();
          sf.sf_destroy(fresh);
        });
    if (!striped) {
      try (var left = Files.list(directory)) {
        assertThat(left).as("nothing is left over").hasSize(2); // the cluster and a folder
      }
    }
  }

  /** Creates a file where a folder is. */
  private void createOverAFolder(SharedFiles sf, Rank rank, boolean striped) throws IOException {
    if (rank.number() == 0) {
      if (striped) {
        rank.names().makeDirectory("folder");
      } else {
        Files.createDirectories(directory.resolve("folder"));
      }
    }
    rank.barrier();
    fails(ErrorCode.WRONG_KIND, () -> sf.sf_create(name(striped, "folder"), SizeHints.NONE, 0));
    fails(ErrorCode.WRONG_KIND, () -> sf.sf_open(name(striped, "folder")));
    if (striped) {
      assertThat(rank.names().list("")).contains("folder/");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @InOneJvm(REAL)
  void aFileThatAnotherGroupHasOpenIsNotDestroyed(boolean striped) throws IOException {
    Programs.run(
        cluster(),
        2,
        2,
        rank -> {
          SharedFiles sf = new SharedFiles(rank);
          String name = name(striped, "used");
          SfHandle handle = sf.sf_create(name, SizeHints.NONE, 0);
          Rank half = rank.split(rank.number(), 0);
          SharedFiles own = new SharedFiles(half);
          SfHandle other = own.sf_open(name);
          write(own, other, 10L * rank.number(), filled(10, 1 + rank.number()));
          rank.barrier();
          fails(ErrorCode.IN_USE, () -> sf.sf_destroy(handle));
          assertThat(read(own, other, 0, 20)).contains(1, 2);
          rank.barrier();
          own.sf_close(other);
          rank.barrier();
          sf.sf_destroy(handle);
          assertThatThrownBy(() -> sf.sf_open(name)).isInstanceOf(NoSuchNameException.class);
        });
  }

  @Test
  @InOneJvm(REAL)
  void theDeviceIsChosenByWhetherTheFolderIsShared() throws IOException {
    Path shared = Files.createDirectories(directory.resolve("shared"));
    Path here = Path.of("").toAbsolutePath();
    Programs.run(
        cluster(),
        3,
        2,
        rank -> {
          SharedFiles sf = new SharedFiles(rank);
          assertDevice(sf, shared.resolve("a").toString(), "plain files");
          assertDevice(sf, here.relativize(shared.resolve("a")).toString(), "plain files");
          assertDevice(sf, "no-folder", "striped files");
          if (rank.number() == 0) {
            rank.names().makeDirectory("only");
            rank.names().makeDirectory("only/here");
          }
          rank.barrier();
          assertDevice(sf, "/only/here/b", "striped files"); // a slash does not make it a plain one
          assertDevice(sf, "only/here/b", "striped files");
        });
    try (var left = Files.list(shared)) {
      assertThat(left).as("no probe is left over").isEmpty();
    }
  }

  private static void assertDevice(SharedFiles sf, String name, String device) throws IOException {
    SfHandle handle = sf.sf_create(name, SizeHints.NONE, 0);
    assertThat(handle.device().name()).as(name).isEqualTo(device);
    sf.sf_destroy(handle);
  }

  @Test
  @InOneJvm(REAL)
  void roomForTheExpectedSizeIsTakenOnTheDisks() throws IOException {
    long expected = 8L << 20;
    Programs.run(
        cluster(),
        2,
        2,
        rank -> {
          SharedFiles sf = new SharedFiles(rank);
          SfHandle without = sf.sf_create("without", SizeHints.NONE, 0);
          long before = taken(rank);
          SfHandle with = sf.sf_create("with", new SizeHints(expected), 0);
          assertThat(taken(rank) - before).isGreaterThanOrEqualTo(expected);
          assertThat(with.size()).as("the end stays").isZero();
          rank.barrier();
          if (rank.number() == 0) {
            write(sf, with, expected + 5, filled(5, 1)); // and bounds nothing
          }
          rank.barrier();
          assertThat(with.size()).isEqualTo(expected + 10);
          SfHandle much = sf.sf_create("much", new SizeHints(1L << 50), 0);
          write(sf, much, 0, filled(5, 1)); // more than there is: only a hint
          sf.sf_destroy(much);
          sf.sf_destroy(with);
          sf.sf_destroy(without);
        });
  }

  /** Bytes that the cluster's files take of the disk, written or not. */
  private long taken(Rank rank) throws IOException {
    rank.barrier();
    Process du = new ProcessBuilder("du", "-s", "-B1", cluster().toString()).start();
    String said = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    rank.barrier();
    return Long.parseLong(said.replaceAll("(?s)\\s.*", ""));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @InOneJvm(REAL)
  void anyKindOfBufferIsReadAndWritten(boolean striped) throws IOException {
    Programs.run(
        cluster(),
        1,
        2,
        rank -> {
          SharedFiles sf = new SharedFiles(rank);
          try (SfHandle handle = sf.sf_create(name(striped, "buffers"), SizeHints.NONE, 4096)) {
            List<SfRequest> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
              all.add(new SfRequest());
            }
            int[] ints = new Random(1).ints(70_000).toArray();
            double[] doubles = new Random(2).doubles(2000).toArray();
            ByteBuffer bytes = ByteBuffer.allocateDirect(10).put(3, (byte) 77).position(2).limit(6);
            sf.sf_write(handle, 1, ints, all.get(0));
            sf.sf_write(handle, 300_000, doubles, all.get(1));
            sf.sf_write(handle, 320_000, bytes, all.get(2));
            sf.sf_waitall(all);
            assertThat(bytes.position()).isEqualTo(2);
            int[] gotInts = new int[ints.length];
            double[] gotDoubles = new double[doubles.length];
            ByteBuffer gotBytes = ByteBuffer.allocate(4);
            sf.sf_read(handle, 1, gotInts, all.get(0));
            sf.sf_read(handle, 300_000, gotDoubles, all.get(1));
            sf.sf_read(handle, 320_000, gotBytes, all.get(2));
            sf.sf_waitall(all);
            assertThat(gotInts).isEqualTo(ints);
            assertThat(gotDoubles).isEqualTo(doubles);
            assertThat(gotBytes.array()).containsExactly(0, 77, 0, 0);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @InOneJvm(REAL)
  void randomRequestsAreThoseOfAPlainArray(boolean striped) throws IOException {
    for (int run = 1; run <= 5; run++) {
      int seed = run;
      Programs.run(
          cluster(),
          2,
          3,
          rank -> {
            Random random = new Random(100L * seed + rank.number());
            SharedFiles sf = new SharedFiles(rank);
            SfHandle handle = sf.sf_create(name(striped, "random"), SizeHints.NONE, 4096);
            long base = 200_000L * rank.number();
            byte[] model = new byte[100_000];
            write(sf, handle, base + model.length - 1, new byte[1]);
            for (int i = 0; i < 60; i++) {
              int at = random.nextInt(model.length);
              byte[] bytes = new byte[random.nextInt(Math.min(30_000, model.length - at + 1))];
              if (random.nextBoolean()) {
                random.nextBytes(bytes);
                write(sf, handle, base + at, bytes);
                System.arraycopy(bytes, 0, model, at, bytes.length);
              } else {
                assertThat(
                        Arrays.equals(
                            read(sf, handle, base + at, bytes.length),
                            Arrays.copyOfRange(model, at, at + bytes.length)))
                    .as("seed %s of rank %s", seed, rank.number())
                    .isTrue();
              }
            }
            sf.sf_destroy(handle);
          });
    }
  }

  @Test
  void otherInterfacesSeeAStripedFileAsAPlainOne() throws IOException {
    Programs.run(
        cluster(),
        2,
        3,
        rank -> {
          SharedFiles sf = new SharedFiles(rank);
          SfHandle handle = sf.sf_create("seen", SizeHints.NONE, 5000);
          write(sf, handle, 20_000L * rank.number(), filled(20_000, 1 + rank.number()));
          sf.sf_close(handle);
          rank.barrier();
          try (SharedFile file = rank.open("seen", OpenOptions.read())) {
            byte[] all = new byte[40_000];
            assertThat(file.at(0).read(Memory.of(all))).isEqualTo(40_000);
            assertThat(Arrays.copyOf(all, 20_000)).containsOnly(1);
            assertThat(Arrays.copyOfRange(all, 20_000, 40_000)).containsOnly(2);
          }
        });
  }
}
