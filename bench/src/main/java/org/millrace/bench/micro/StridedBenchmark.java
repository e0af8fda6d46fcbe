package org.millrace.bench.micro;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.millrace.Cluster;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.bench.measure.Bench;
import org.millrace.bench.measure.Content;
import org.millrace.bench.measure.PlainFile;
import org.millrace.bench.measure.Race;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Sizes;
import org.millrace.bench.measure.Target;
import org.millrace.bench.measure.Unit;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * Elements of eight bytes at a stride, all in one call through a view, against one FileChannel call
 * for each on a plain file that the page cache holds.
 */
final class StridedBenchmark implements Bench.Benchmark {

  private static final Target TARGET = Target.ratio(5);
  private static final long[] STRIDES = {16, 4096};
  private static final int CALLS = 8;

  @Override
  public String name() {
    return "strided";
  }

  @Override
  public int steps() {
    return STRIDES.length;
  }

  @Override
  public List<Row> run(Bench bench) throws IOException {
    List<Row> rows = new ArrayList<>();
    for (long stride : STRIDES) {
      rows.addAll(rows(bench, stride));
      bench.step();
    }
    return rows;
  }

  private List<Row> rows(Bench bench, long stride) throws IOException {
    Sizes sizes = bench.sizes();
    Race race = new Race(bench.env(), 1, 4, sizes.warmUps(), sizes.laps());
    long span = sizes.elements() * stride;
    try (PlainFile plain = new PlainFile(bench.dir().resolve("plain-" + stride));
        Cluster cluster = bench.cluster("strided-" + stride, Bench.cacheFor(span))) {
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("strided", OpenOptions.create())) {
              World world = new World(sizes.elements(), stride, plain, file);
              world.fill();
              file.setView(new View(0, Pattern.run(Long.BYTES), stride));
              race.run(rank, phases(world));
              file.setView(View.WHOLE);
              world.check(sizes.warmUps() + sizes.laps() - 1);
            }
          });
    }
    String by = ", stride " + stride;
    return List.of(
        Row.of(name(), "read" + by, race.series(1), Unit.PER_SECOND, race.series(0), TARGET),
        Row.of(name(), "write" + by, race.series(3), Unit.PER_SECOND, race.series(2), TARGET));
  }

  private static List<Race.Phase> phases(World world) {
    ByteBuffer packed = world.elements.asByteBuffer();
    return List.of(
        new Phase(world, false, 1, () -> world.plain.readElements(packed, world.stride)),
        new Phase(world, false, CALLS, () -> world.file.at(0).read(world.elements)),
        new Phase(world, true, 1, () -> world.plain.writeElements(packed, world.stride)),
        new Phase(world, true, CALLS, () -> world.file.at(0).write(world.elements)));
  }

  private interface Move {
    void run() throws IOException;
  }

  private record Phase(World world, boolean write, int calls, Move move) implements Race.Phase {

    @Override
    public void before(Rank rank, int lap) {
      if (write) {
        world.setElements(lap);
      } else {
        world.elements.fill((byte) 0);
      }
    }

    @Override
    public long run(Rank rank, int lap) throws IOException {
      for (int i = 0; i < calls; i++) {
        move.run();
      }
      return (long) calls * world.count;
    }

    @Override
    public void after(Rank rank, int lap) {
      world.checkElements(write ? lap : lap - 1);
    }
  }

  /**
   * The two files and the elements. Version -1 is what they are filled with. Used by one thread.
   */
  private static final class World {

    private final int count;
    private final long stride;
    private final PlainFile plain;
    private final SharedFile file;
    private final MemorySegment elements;

    World(int count, long stride, PlainFile plain, SharedFile file) {
      this.count = count;
      this.stride = stride;
      this.plain = plain;
      this.file = file;
      this.elements =
          MemorySegment.ofBuffer(ByteBuffer.allocateDirect(count * Long.BYTES)).asSlice(0);
    }

    void fill() throws IOException {
      MemorySegment all = MemorySegment.ofBuffer(ByteBuffer.allocateDirect((int) (count * stride)));
      Content.fill(all, 0, -1);
      plain.write(all, (int) all.byteSize());
      file.at(0).write(all);
    }

    void setElements(long version) {
      for (long i = 0; i < count; i++) {
        elements.setAtIndex(JAVA_LONG, i, Content.at(i * stride, version));
      }
    }

    void checkElements(long version) {
      for (long i = 0; i < count; i++) {
        long expected = Content.at(i * stride, version);
        Content.checkEqual("element", i * stride, elements.getAtIndex(JAVA_LONG, i), expected);
      }
    }

    /** All bytes of the file: the elements as last written, what lies between as it was. */
    void check(long version) throws IOException {
      MemorySegment all = MemorySegment.ofArray(new long[(int) (count * stride / Long.BYTES)]);
      file.at(0).read(all);
      for (long at = 0; at < all.byteSize(); at += Long.BYTES) {
        long expected = Content.at(at, at % stride == 0 ? version : -1);
        Content.checkEqual("eight bytes", at, all.get(JAVA_LONG, at), expected);
      }
    }
  }
}
