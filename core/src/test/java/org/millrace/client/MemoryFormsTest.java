package org.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;

/**
 * Every kind of access takes segments, lists of them, arrays and buffers, and moves the same bytes.
 */
class MemoryFormsTest {

  private static final byte[] TEXT = {1, 2, 3, 4, 5, 6, 7};

  private static final Map<String, Function<SharedFile, DataAccess>> ACCESSES =
      new LinkedHashMap<>();

  static {
    ACCESSES.put("at", file -> file.at(0));
    ACCESSES.put("pointer", file -> file);
    ACCESSES.put("shared", SharedFile::shared);
    ACCESSES.put("ordered", SharedFile::ordered);
    ACCESSES.put("at, all", file -> file.at(0).all());
    ACCESSES.put("all", SharedFile::all);
    ACCESSES.put("through", file -> file.through(file.view()));
    ACCESSES.put("through, all", file -> file.through(file.view()).all());
  }

  private static final List<Function<byte[], Memory>> FORMS =
      List.of(
          bytes -> Memory.of(MemorySegment.ofArray(bytes)),
          bytes -> Memory.of(pieces(bytes)),
          Memory::of,
          bytes -> Memory.of(ByteBuffer.wrap(bytes)));

  private static List<MemorySegment> pieces(byte[] bytes) {
    MemorySegment all = MemorySegment.ofArray(bytes);
    return List.of(all.asSlice(0, 2), all.asSlice(2, 0), all.asSlice(2));
  }

  private static void in(Program program) throws Exception {
    try (RunningCluster cluster =
        RunningCluster.over(
            Env.real(),
            new MemoryDisk("c"),
            List.of(new MemoryDisk("a"), new MemoryDisk("b")),
            ClusterOptions.DEFAULT.withStripeUnitBytes(3).withCacheBytesPerNode(1 << 20))) {
      cluster.run(1, program);
    }
  }

  private static void rewind(SharedFile file) throws Exception {
    file.seek(0);
    file.seekShared(0);
  }

  @Test
  void everyAccessTakesEveryForm() throws Exception {
    in(
        rank -> {
          for (var access : ACCESSES.entrySet()) {
            for (int form = 0; form < FORMS.size(); form++) {
              for (boolean async : new boolean[] {false, true}) {
                String what = access.getKey() + ", form " + form + (async ? ", async" : "");
                try (SharedFile file = rank.open("f", OpenOptions.create())) {
                  file.resize(0);
                  DataAccess data = access.getValue().apply(file);
                  Memory text = FORMS.get(form).apply(TEXT);
                  long written = async ? data.writeAsync(text).get() : data.write(text);
                  assertThat(written).as(what).isEqualTo(TEXT.length);
                  rewind(file);
                  byte[] got = new byte[TEXT.length + 2];
                  Memory into = FORMS.get(form).apply(got);
                  long count = async ? data.readAsync(into).get() : data.read(into);
                  assertThat(count).as(what).isEqualTo(TEXT.length);
                  assertThat(got).as(what).containsExactly(1, 2, 3, 4, 5, 6, 7, 0, 0);
                }
              }
            }
          }
        });
  }

  @Test
  void wholeSegmentsNeedNoWrapping() throws Exception {
    in(
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.create())) {
            for (var access : ACCESSES.values()) {
              rewind(file);
              DataAccess data = access.apply(file);
              assertThat(data.write(MemorySegment.ofArray(TEXT))).isEqualTo(7);
              rewind(file);
              byte[] got = new byte[TEXT.length];
              assertThat(data.read(MemorySegment.ofArray(got))).isEqualTo(7);
              assertThat(got).isEqualTo(TEXT);
              rewind(file);
              assertThat(data.writeAsync(MemorySegment.ofArray(TEXT)).get()).isEqualTo(7L);
              rewind(file);
              assertThat(data.readAsync(MemorySegment.ofArray(got)).get()).isEqualTo(7L);
            }
          }
        });
  }

  @Test
  void aBufferIsMovedFromItsPositionToItsLimitWhichStay() throws Exception {
    in(
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.create())) {
            ByteBuffer buffer = ByteBuffer.wrap(TEXT).position(2).limit(5);
            assertThat(file.at(0).write(Memory.of(buffer))).isEqualTo(3);
            assertThat(buffer.position()).isEqualTo(2);
            byte[] got = new byte[3];
            file.at(0).readFully(Memory.of(got));
            assertThat(got).containsExactly(3, 4, 5);
          }
        });
  }

  @Test
  void numbersAreBytesInTheOrderOfThisMachine() throws Exception {
    in(
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.create())) {
            file.at(0).write(Memory.of(new double[] {1.5, -2}));
            file.at(16).write(Memory.of(new long[] {7}));
            file.at(24).write(Memory.of(new int[] {8, 9}));
            file.at(32).write(Memory.of(new float[] {2.5f}));
            double[] doubles = new double[2];
            long[] longs = new long[1];
            int[] ints = new int[2];
            float[] floats = new float[1];
            file.at(0).readFully(Memory.of(doubles));
            file.at(16).readFully(Memory.of(longs));
            file.at(24).readFully(Memory.of(ints));
            file.at(32).readFully(Memory.of(floats));
            assertThat(doubles).containsExactly(1.5, -2);
            assertThat(longs).containsExactly(7);
            assertThat(ints).containsExactly(8, 9);
            assertThat(floats).containsExactly(2.5f);
          }
        });
  }

  @Test
  void readFullyFailsWhereTheFileEndsAndSaysHowMuchThereWas() throws Exception {
    in(
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.create())) {
            file.at(0).write(Memory.of(TEXT));
            byte[] got = new byte[9];
            assertThatThrownBy(() -> file.at(0).readFully(MemorySegment.ofArray(got)))
                .isInstanceOf(EOFException.class)
                .hasMessageContaining("7 of 9");
            assertThat(got).startsWith(TEXT);
          }
        });
  }
}
