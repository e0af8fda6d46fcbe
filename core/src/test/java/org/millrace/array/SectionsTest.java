package org.millrace.array;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.access.Order;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.cluster.RunningCluster;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.testing.Seeds;

/** Sections between files and memory of any shape, against naive arrays. */
final class SectionsTest {

  private static final int[] SIZES = {1, 2, 3, 4, 8, 16, 24};

  /** The ways in which a rank can have a section moved. */
  private enum Way {
    TOGETHER,
    ALONE,
    TOGETHER_ASYNC,
    ALONE_ASYNC,
    SPLIT;

    long read(GlobalArray array, Section section, Local into) throws Exception {
      return switch (this) {
        case TOGETHER -> array.readSection(section, into);
        case ALONE -> array.readSectionAlone(section, into);
        case TOGETHER_ASYNC -> array.readSectionAsync(section, into).get();
        case ALONE_ASYNC -> array.readSectionAloneAsync(section, into).get();
        case SPLIT -> {
          array.beginReadSection(section, into);
          yield array.endSection();
        }
      };
    }

    long write(GlobalArray array, Section section, Local from) throws Exception {
      return switch (this) {
        case TOGETHER -> array.writeSection(section, from);
        case ALONE -> array.writeSectionAlone(section, from);
        case TOGETHER_ASYNC -> array.writeSectionAsync(section, from).get();
        case ALONE_ASYNC -> array.writeSectionAloneAsync(section, from).get();
        case SPLIT -> {
          array.beginWriteSection(section, from);
          yield array.endSection();
        }
      };
    }
  }

  @Test
  void everySectionOfSmallArraysInEveryWay() throws Exception {
    try (RunningCluster cluster = ArrayFixture.cluster(3, 7)) {
      for (Order order : Order.values()) {
        for (long[] dims : List.of(new long[] {4}, new long[] {3, 2}, new long[] {2, 2, 2})) {
          Shape shape = Shape.of(order, dims);
          cluster.run(2, rank -> everySection(rank, shape, 3));
        }
      }
    }
  }

  private static void everySection(Rank rank, Shape shape, int elementBytes) {
    NaiveArray whole = NaiveArray.filled(shape, elementBytes, 1);
    try (GlobalArray array = create(rank, shape, elementBytes)) {
      array.writeSection(rank.number() == 0 ? Section.whole(shape) : nothing(shape), packed(whole));
      List<Section> all = NaiveArray.sections(shape);
      for (int i = 0; i < all.size(); i++) {
        Section mine = all.get((i + rank.number() * 7) % all.size()); // each rank another one
        NaiveArray into = NaiveArray.zeros(mine.shape(shape.order()), elementBytes);
        Way way = Way.values()[i % Way.values().length];
        assertThat(way.read(array, mine, packed(into))).isEqualTo(into.bytes().length);
        NaiveArray wanted = NaiveArray.zeros(into.shape(), elementBytes);
        NaiveArray.each(
            into.shape(), index -> wanted.put(index, whole, NaiveArray.at(mine, index)));
        assertThat(into.bytes()).as("%s of %s", mine, shape).isEqualTo(wanted.bytes());
      }
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void randomSectionsInMemoryOfAnyShapeOrderRimAndPermutation() throws Exception {
    for (long seed : Seeds.of(12)) {
      Random random = new Random(seed);
      Shape shape = RandomSections.shape(random, 7);
      int elementBytes = SIZES[random.nextInt(SIZES.length)];
      try (RunningCluster cluster =
          ArrayFixture.cluster(1 + random.nextInt(3), 1 + random.nextInt(99))) {
        cluster.run(3, rank -> randomSections(rank, shape, elementBytes, seed));
      }
    }
  }

  /** All ranks read what they like; they take turns in writing, so that the outcome is known. */
  private static void randomSections(Rank rank, Shape shape, int elementBytes, long seed) {
    Random random = new Random(seed);
    NaiveArray model = NaiveArray.zeros(shape, elementBytes);
    try (GlobalArray array = create(rank, shape, elementBytes)) {
      Strategy[] all = Strategy.values();
      array.file().setHints(Hints.DEFAULT.withStrategy(all[random.nextInt(all.length)]));
      for (int i = 0; i < 30; i++) {
        Way way = Way.values()[random.nextInt(Way.values().length)];
        boolean write = random.nextBoolean();
        int writer = random.nextInt(rank.size());
        for (int r = 0; r < rank.size(); r++) { // every rank draws what every rank will do
          Section section =
              write && r != writer ? nothing(shape) : RandomSections.section(random, shape);
          Local local = RandomSections.memory(random, section, elementBytes);
          NaiveArray wanted = RandomSections.naive(local, elementBytes, false);
          NaiveArray.each(
              section.shape(shape.order()),
              index -> {
                long[] inFile = NaiveArray.at(section, index);
                long[] inMemory = NaiveArray.at(local, index);
                if (write) {
                  model.put(inFile, wanted, inMemory);
                } else {
                  wanted.put(inMemory, model, inFile);
                }
              });
          if (r == rank.number()) {
            long moved = write ? way.write(array, section, local) : way.read(array, section, local);
            String what =
                "%s %s of %s as %s: %s".formatted(way, section, array, local, Seeds.replay(seed));
            assertThat(moved).as(what).isEqualTo(section.elements() * elementBytes);
            assertThat(RandomSections.naive(local, elementBytes, true).bytes())
                .as(what)
                .isEqualTo(wanted.bytes());
          }
        }
        rank.barrier();
      }
      array.flush();
      rank.barrier();
      assertThat(ArrayFixture.elements(rank, "a.npy"))
          .as(Seeds.replay(seed))
          .isEqualTo(model.bytes());
    } catch (Exception e) {
      throw new AssertionError(Seeds.replay(seed) + ": " + e, e);
    }
  }

  @Test
  void asynchronousReadsOfSeveralSectionsAtOnce() throws Exception {
    try (RunningCluster cluster = ArrayFixture.cluster(2)) {
      cluster.run(
          2,
          rank -> {
            Shape shape = Shape.rowMajor(20, 30);
            NaiveArray whole = NaiveArray.filled(shape, 4, 5);
            try (GlobalArray array = create(rank, shape, 4)) {
              array.writeSection(
                  rank.number() == 1 ? Section.whole(shape) : nothing(shape), packed(whole));
              NaiveArray copy = NaiveArray.zeros(shape, 4);
              CompletableFuture<?>[] all = new CompletableFuture<?>[20];
              for (int row = 0; row < all.length; row++) {
                all[row] =
                    array.readSectionAsync(
                        Section.parse(row + ",0:29"), packed(copy).startingAt(row, 0));
              }
              CompletableFuture.allOf(all).join();
              assertThat(copy.bytes()).isEqualTo(whole.bytes());
            }
          });
    }
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void whereWritesOverlapTheHighestRankIsTheLast(Strategy strategy) throws Exception {
    Hints hints = Hints.DEFAULT.withStrategy(strategy);
    try (RunningCluster cluster = ArrayFixture.cluster(2)) {
      cluster.run(3, rank -> overlap(rank, OpenOptions.create().withHints(hints)));
    }
  }

  private static void overlap(Rank rank, OpenOptions options) throws IOException {
    Shape shape = Shape.rowMajor(10, 10);
    try (GlobalArray array = GlobalArray.create(rank, "i.npy", shape, ElementType.INT32, options)) {
      for (int round = 1; round <= 20; round++) {
        int[] mine = new int[64];
        int r = rank.number();
        Arrays.fill(mine, 10 * round + r);
        Section section = Section.parse("%d:%d,%d:%d".formatted(r, r + 7, r, r + 7));
        array.writeSection(section, ArrayFixture.ints(mine, 8, 8));
        int[] found = new int[100];
        array.readSection(Section.whole(shape), ArrayFixture.ints(found, 10, 10));
        for (int i = 0; i < 100; i++) {
          assertThat(found[i]).as("element %d", i).isEqualTo(last(i / 10, i % 10, 10 * round));
        }
      }
    }
  }

  /** What the highest of the ranks that write an element writes there. */
  private static int last(int row, int column, int base) {
    for (int r = 2; r >= 0; r--) {
      if (row >= r && row <= r + 7 && column >= r && column <= r + 7) {
        return base + r;
      }
    }
    return 0;
  }

  private static GlobalArray create(Rank rank, Shape shape, int elementBytes) throws IOException {
    return GlobalArray.create(
        rank, "a.npy", shape, ElementType.raw(elementBytes), OpenOptions.create().withTruncate());
  }

  private static Local packed(NaiveArray array) {
    return Local.of(MemorySegment.ofArray(array.bytes()), array.shape());
  }

  private static Section nothing(Shape shape) {
    return new Section(shape.dims().stream().map(_ -> Range.EMPTY).toList());
  }
}
