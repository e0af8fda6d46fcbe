package org.millrace.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.access.Order;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.cluster.RunningCluster;

/** NumPy reads what we write, and we read what NumPy writes. Skipped where there is no NumPy. */
final class NumpyTest {

  @TempDir private Path folder;

  @BeforeAll
  static void needsNumpy() throws Exception {
    boolean there;
    try {
      there = python("import numpy").isEmpty();
    } catch (IOException e) {
      there = false;
    }
    if (!there) {
      System.err.println("NumpyTest is skipped: install python3-numpy to run it");
    }
    assumeTrue(there, "python3 with numpy is not installed");
  }

  private static String python(String program, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("python3", "-c", program));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return printed;
  }

  @Test
  void numpyReadsWhatRanksWroteInEitherOrder() throws Exception {
    try (RunningCluster cluster = ArrayFixture.cluster(3)) {
      for (Order order : Order.values()) {
        Shape shape = Shape.of(order, 6, 5);
        cluster.run(
            2,
            rank -> {
              try (GlobalArray array =
                  GlobalArray.create(
                      rank,
                      "x.npy",
                      shape,
                      ElementType.FLOAT64,
                      OpenOptions.create().withTruncate())) {
                double[] mine = new double[15];
                Shape rows = Shape.rowMajor(3, 5);
                for (int i = 0; i < 15; i++) {
                  mine[i] = 10 * (i / 5 + 3 * rank.number()) + i % 5;
                }
                int first = 3 * rank.number();
                array.writeSection(
                    Section.parse(first + ":" + (first + 2) + ",0:4"), Local.of(mine, rows));
              }
            });
        Path plain = Files.write(folder.resolve("x.npy"), ArrayFixture.file(cluster, "x.npy"));
        String printed =
            python(
                """
                import numpy, sys
                a = numpy.load(sys.argv[1])
                i, j = numpy.indices((6, 5))
                assert a.dtype == numpy.dtype('<f8') and (a == 10 * i + j).all(), a
                m = numpy.load(sys.argv[1], mmap_mode='r')
                assert m.flags.f_contiguous == (sys.argv[2] == 'COLUMN_MAJOR')
                assert m.offset % 4096 == 0, m.offset
                print('fine')
                """,
                plain.toString(), order.name());
        assertThat(printed.strip()).isEqualTo("fine");
      }
    }
  }

  @Test
  void numpyAgreesOnEveryElementType() throws Exception {
    List<String> all =
        List.of(
            "|b1",
            "|i1",
            "<i2",
            ">i2",
            "<i4",
            ">i4",
            "<i8",
            ">i8",
            "|u1",
            "<u2",
            ">u2",
            "<u4",
            "<u8",
            "<f2",
            "<f4",
            ">f4",
            "<f8",
            ">f8",
            "<c8",
            "<c16",
            ">c16",
            "|V3",
            "|V24",
            "|S10",
            "<U8",
            ">U3",
            "<M8[ns]",
            ">m8[25s]",
            "<f16",
            "<c32");
    for (String descr : all) {
      NpyHeader header = NpyHeader.of(Shape.columnMajor(2, 0, 3), ElementType.parse(descr));
      Files.write(folder.resolve("t" + all.indexOf(descr) + ".npy"), header.encode());
    }
    String printed =
        python(
            """
            import numpy, sys
            for k, d in enumerate(sys.argv[2:]):
                a = numpy.load('%s/t%d.npy' % (sys.argv[1], k))
                assert a.dtype == numpy.dtype(d) and a.shape == (2, 0, 3), (d, a.dtype)
            print('fine')
            """,
            Stream.concat(Stream.of(folder.toString()), all.stream()).toArray(String[]::new));
    assertThat(printed.strip()).isEqualTo("fine");
  }

  @Test
  void arraysThatNumpySavedAreRead() throws Exception {
    String printed =
        python(
            """
            import numpy, sys
            a = numpy.arange(24).reshape(2, 3, 4)
            numpy.save(sys.argv[1] + '/c.npy', a.astype('<i4'))
            numpy.save(sys.argv[1] + '/f.npy', numpy.asfortranarray(a.astype('<i4')))
            numpy.save(sys.argv[1] + '/big.npy', a.astype('>i4'))
            numpy.save(sys.argv[1] + '/scalar.npy', numpy.array(7, '<i4'))
            for v in (1, 2, 3):
                with open('%s/v%d.npy' % (sys.argv[1], v), 'wb') as out:
                    numpy.lib.format.write_array(out, a.astype('<i4'), version=(v, 0))
            """,
            folder.toString());
    assertThat(printed).isEmpty();
    try (RunningCluster cluster = ArrayFixture.cluster(2)) {
      int[] wanted = new int[24];
      Arrays.setAll(wanted, i -> i);
      for (String name : List.of("c", "f", "big", "v1", "v2", "v3")) {
        ArrayFixture.store(cluster, name, Files.readAllBytes(folder.resolve(name + ".npy")));
        cluster.run(
            2,
            rank -> {
              try (GlobalArray array = GlobalArray.open(rank, name, OpenOptions.read())) {
                int[] found = new int[24];
                Shape memory = Shape.rowMajor(2, 3, 4);
                array.readSection(ArrayFixture.whole(array), Local.of(found, memory));
                assertThat(found).as(name).isEqualTo(wanted);
              }
            });
      }
      ArrayFixture.store(cluster, "scalar", Files.readAllBytes(folder.resolve("scalar.npy")));
      cluster.run(
          1,
          rank -> {
            try (GlobalArray array = GlobalArray.open(rank, "scalar", OpenOptions.read())) {
              int[] found = new int[1];
              array.readSection(ArrayFixture.whole(array), ArrayFixture.ints(found, 1));
              assertThat(found).containsExactly(7);
            }
          });
    }
  }

  /** Sections in, sections out: what NumPy saved is what NumPy loads, type and bytes. */
  @Test
  void elementsOfAnyFixedSizeGoThroughSectionsByteForByte() throws Exception {
    String printed =
        python(
            """
            import numpy, sys
            r = numpy.random.default_rng(7)
            types = ['S5', '<U3', '>U2', '<M8[us]', '>m8[s]', '<f2', '>f2', '<f16', '<c32',
                [('a', '<f8'), ('b', '>i2', (3,)), ('größe', 'S3')],
                numpy.dtype([('x', 'i1'), ('y', '<f8')], align=True),
                [('p', [('q', '<u4'), ('r', 'U2')]), (('a title', 's'), '<M8[D]')],
                [('field number %d' % k, '<f4') for k in range(150)]]
            for k, t in enumerate(types):
                t = numpy.dtype(t)
                a = numpy.frombuffer(r.bytes(7 * 6 * t.itemsize), 'V%d' % t.itemsize).view(t)
                a = a.reshape(7, 6)
                numpy.save('%s/in%d.npy' % (sys.argv[1], k), numpy.asfortranarray(a) if k % 2 else a)
            print(len(types))
            """,
            folder.toString());
    int types = Integer.parseInt(printed.strip());
    try (RunningCluster cluster = ArrayFixture.cluster(2)) {
      for (int k = 0; k < types; k++) {
        ArrayFixture.store(cluster, "in", Files.readAllBytes(folder.resolve("in" + k + ".npy")));
        cluster.run(3, rank -> copySections(rank));
        Files.write(folder.resolve("out" + k + ".npy"), ArrayFixture.file(cluster, "out"));
      }
    }
    String compared =
        python(
            """
            import numpy, sys
            for k in range(int(sys.argv[2])):
                a = numpy.load('%s/in%d.npy' % (sys.argv[1], k))
                b = numpy.load('%s/out%d.npy' % (sys.argv[1], k))
                assert a.dtype == b.dtype and a.shape == b.shape, (a.dtype, b.dtype)
                assert a.tobytes() == b.tobytes(), (k, a.dtype)
            print('fine')
            """,
            folder.toString(), Integer.toString(types));
    assertThat(compared.strip()).isEqualTo("fine");
  }

  /** Copies array "in" to "out": every third column in turn, through packed memory. */
  private static void copySections(Rank rank) throws IOException {
    try (GlobalArray in = GlobalArray.open(rank, "in", OpenOptions.read());
        GlobalArray out =
            GlobalArray.create(
                rank, "out", in.shape(), in.type(), OpenOptions.create().withTruncate())) {
      Section mine = Section.of(Range.all(7), new Range(rank.number(), 5, 3));
      Shape memory = mine.shape(Order.COLUMN_MAJOR);
      byte[] bytes = new byte[(int) memory.bytes(in.type().bytes())];
      Local local = Local.of(MemorySegment.ofArray(bytes), memory);
      in.readSection(mine, local);
      out.writeSection(mine, local);
    }
  }
}
