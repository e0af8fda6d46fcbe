package org.millrace.heritage.mpiio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.millrace.client.Rank;
import org.millrace.heritage.mpiio.Call.Where;
import org.millrace.heritage.testing.Programs;

/** All calls of the table in random order, through random views and memories, against arrays. */
final class AccessModelTest {

  private static final Datatype[] BASIC = {Datatype.BYTE, Datatype.SHORT, Datatype.INT};

  @TempDir private Path directory;

  /** A type and what it is. */
  private record Shape(Datatype type, TypeMap map) {}

  @ParameterizedTest(name = "{0} ranks on {1} nodes, {2}")
  @CsvSource({"1,1,native", "3,2,native", "4,3,internal", "2,2,external32", "3,1,external32"})
  void everyCallDoesWhatTheArraysSay(int ranks, int nodes, String datarep) throws IOException {
    Programs.run(
        directory,
        ranks,
        nodes,
        rank -> {
          for (int seed = 1; seed <= 6; seed++) {
            run(rank, seed, datarep);
          }
        });
  }

  private static void run(Rank rank, int seed, String datarep) throws IOException {
    Random random = new Random(seed); // the same on all ranks
    FileModel model = new FileModel(rank.size(), datarep.equals("external32"));
    String name = "model" + seed;
    try (File file = File.open(rank, name, Ints.CREATE)) {
      for (int epoch = 0; epoch < 4; epoch++) {
        Datatype etype = BASIC[random.nextInt(BASIC.length)];
        setViews(rank, file, random, model, etype, datarep);
        for (int i = 0; i < 40; i++) {
          AccessCall call = AccessCall.ALL.get(random.nextInt(AccessCall.ALL.size()));
          String what = "seed %d, epoch %d, call %d: %s".formatted(seed, epoch, i, call);
          step(rank, file, random, model, call, etype, what);
        }
        assertThat(Ints.bytes(rank, name)).isEqualTo(model.bytes);
        rank.barrier();
      }
    }
  }

  /** The same filetype everywhere, since all share a pointer; displacements may differ. */
  private static void setViews(
      Rank rank, File file, Random random, FileModel model, Datatype etype, String datarep)
      throws IOException {
    int width = (int) etype.getSize();
    int blocks = 1 + random.nextInt(3);
    long[] at = new long[blocks];
    long[] lengths = new long[blocks];
    long end = 0;
    for (int b = 0; b < blocks; b++) {
      at[b] = end + random.nextInt(3);
      lengths[b] = 1L + random.nextInt(4);
      end = at[b] + lengths[b];
    }
    long extent = (end + random.nextInt(3)) * width;
    long[] scaled = Arrays.stream(at).map(one -> one * width).toArray();
    Datatype filetype =
        Datatype.createResized(Datatype.createIndexed(lengths, at, etype), 0, extent);
    List<Long> tile = TypeMap.basic(width).hindexed(lengths, scaled).bytes();
    long mine = 0;
    for (int r = 0; r < rank.size(); r++) {
      long disp = random.nextInt(20);
      model.view(r, new FileModel.Seen(disp, tile, extent));
      mine = r == rank.number() ? disp : mine;
    }
    file.setView(mine, etype, filetype, datarep);
    assertThat(file.getByteOffset(11)).isEqualTo(model.seen[rank.number()].offset(11L * width));
  }

  private static void step(
      Rank rank,
      File file,
      Random random,
      FileModel model,
      AccessCall call,
      Datatype etype,
      String what)
      throws IOException {
    int actor = random.nextInt(rank.size());
    for (int r = 0; r < rank.size(); r++) {
      Shape shape = shape(random, etype);
      long count = random.nextInt(4);
      long offset = random.nextInt(40);
      byte[] memory = new byte[200];
      random.nextBytes(memory);
      if (!call.together() && r != actor) {
        continue;
      }
      TypeMap map = shape.map.contiguous(count);
      byte[] before = memory.clone();
      byte[] expected = memory.clone();
      long start = model.place(r, call.where(), offset * etype.getSize(), map.size());
      long moved = map.size();
      if (call.write()) {
        model.write(r, start, before, map);
      } else {
        moved = model.read(r, start, expected, map);
      }
      if (r == rank.number()) {
        Status status =
            call.made().by(file, offset, MemorySegment.ofArray(memory), count, shape.type);
        assertThat(status.bytes()).as(what).isEqualTo(moved);
        assertThat(memory).as(what).isEqualTo(expected);
      }
    }
    rank.barrier();
    assertThat(file.getSize()).as(what).isEqualTo(model.bytes.length);
    assertThat(file.getPosition() * etype.getSize()).as(what).isEqualTo(model.own[rank.number()]);
    assertThat(file.getPositionShared() * etype.getSize()).as(what).isEqualTo(model.shared);
    rank.barrier();
  }

  /** Some memory: elements of the etype with holes, in any order, within 200 bytes for three. */
  private static Shape shape(Random random, Datatype etype) {
    int width = (int) etype.getSize();
    TypeMap map = TypeMap.basic(width);
    return switch (random.nextInt(4)) {
      case 0 -> new Shape(etype, map);
      case 1 -> new Shape(Datatype.createVector(3, 2, 3, etype), map.hvector(3, 2, 3L * width));
      case 2 -> {
        long[] lengths = {1, 2};
        long[] at = {13, 1}; // backwards, unaligned
        yield new Shape(Datatype.createHIndexed(lengths, at, etype), map.hindexed(lengths, at));
      }
      default -> {
        long wide = 5L * width + random.nextInt(3);
        yield new Shape(
            Datatype.createResized(Datatype.createContiguous(4, etype), 0, wide),
            map.contiguous(4).resized(0, wide));
      }
    };
  }

  @Test
  void everyCallOfTheTableIsThere() {
    assertThat(AccessCall.ALL).hasSize(28);
    assertThat(AccessCall.ALL.stream().map(AccessCall::where)).contains(Where.values());
  }
}
