package org.millrace.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.plan.Hints;
import org.millrace.testing.Seeds;

final class SectionWindowTest {

  private static final int BYTES = 8;

  @Test
  void onlyWhatTheNextSectionDoesNotShareIsRead() throws Exception {
    try (RunningCluster cluster = ArrayFixture.cluster(2)) {
      cluster.run(
          1,
          rank -> {
            Shape shape = Shape.rowMajor(20, 20);
            NaiveArray model = NaiveArray.filled(shape, BYTES, 1);
            try (GlobalArray array = filled(rank, model);
                SectionWindow window = array.windowAlone()) {
              check(window, model, Section.parse("0:9,0:9"), window.next(at("0:9,0:9")));
              assertThat(window.bytesRead()).isEqualTo(100 * BYTES);
              check(window, model, at("1:10,0:9"), window.next(at("1:10,0:9")));
              assertThat(window.bytesRead()).isEqualTo(110 * BYTES);
              assertThat(window.bytesReused()).isEqualTo(90 * BYTES);
              check(window, model, at("3:12,4:13"), window.next(at("3:12,4:13")));
              assertThat(window.bytesRead()).isEqualTo((110 + 100 - 48) * BYTES);
              check(window, model, at("3:12,4:13"), window.next(at("3:12,4:13")));
              assertThat(window.bytesRead()).isEqualTo((110 + 100 - 48) * BYTES);
              check(window, model, at("3:12,5:13:3"), window.next(at("3:12,5:13:3"))); // no box
              check(window, model, at("0:0,0:0"), window.next(at("0:0,0:0")));
            }
          });
    }
  }

  private static Section at(String text) {
    return Section.parse(text);
  }

  @Test
  void namedSectionsAreReadAheadAndOthersStillComeRight() throws Exception {
    try (RunningCluster cluster = ArrayFixture.cluster(2)) {
      for (boolean together : new boolean[] {false, true}) {
        for (long seed : Seeds.of(6)) {
          cluster.run(3, rank -> moves(rank, together, seed));
        }
      }
    }
  }

  private static void moves(Rank rank, boolean together, long seed) throws IOException {
    Random shared = new Random(seed);
    Shape shape = RandomSections.shape(shared, 9);
    NaiveArray model = NaiveArray.filled(shape, BYTES, 3);
    Random random = new Random(seed + rank.number());
    try (GlobalArray array = filled(rank, model);
        SectionWindow window = together ? array.window() : array.windowAlone()) {
      Section next = RandomSections.section(random, shape);
      for (int i = 0; i < 12; i++) {
        Section now = random.nextInt(4) == 0 ? RandomSections.section(random, shape) : next;
        next = RandomSections.section(random, shape);
        boolean ahead = shared.nextInt(3) > 0;
        Local found = ahead ? window.next(now, next) : window.next(now);
        check(window, model, now, found);
      }
      assertThat(window.inTime()).isLessThanOrEqualTo(window.prefetched());
    }
  }

  @Test
  void aSectionOutOfBoundsFailsOnAllRanksAndTheWindowGoesOn() throws Exception {
    try (RunningCluster cluster = ArrayFixture.cluster(2)) {
      cluster.run(
          3,
          rank -> {
            Shape shape = Shape.rowMajor(8, 8);
            NaiveArray model = NaiveArray.filled(shape, BYTES, 4);
            try (GlobalArray array = filled(rank, model);
                SectionWindow window = array.window()) {
              String mine = rank.number() == 1 ? "0:8,0:1" : "0:1,0:1";
              assertThatThrownBy(() -> window.next(at(mine)))
                  .isInstanceOfSatisfying(
                      MillraceException.class,
                      e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID))
                  .hasMessageContaining("rank 1")
                  .hasMessageContaining("0:8");
              check(window, model, at("2:5,1:3"), window.next(at("2:5,1:3")));
            }
          });
    }
  }

  /** Columns 0 and 1 are held, 1 and 2 are asked for after a write: none of them is the old one. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aWindowNeverMixesOldAndNewColumnsAfterACollectiveWrite(boolean named) throws Exception {
    Shape shape = Shape.columnMajor(4, 3);
    Section whole = Section.whole(shape);
    try (RunningCluster cluster = ArrayFixture.cluster(2)) {
      cluster.run(
          2,
          rank -> {
            try (GlobalArray array =
                    GlobalArray.create(
                        rank,
                        "w.npy",
                        shape,
                        ElementType.INT32,
                        OpenOptions.create().withTruncate());
                SectionWindow window = array.window()) {
              Section first = Section.parse("0:3,0:1");
              Section second = Section.parse("0:3,1:2");
              if (named) {
                window.next(first, second);
              } else {
                window.next(first);
              }
              int[] ones = new int[12];
              Arrays.fill(ones, 1);
              Section mine = rank.number() == 0 ? whole : Section.of(Range.EMPTY, Range.EMPTY);
              array.withHints(Hints.DEFAULT).writeSection(mine, Local.of(ones, shape));
              assertThat(ints(window.next(second))).containsOnly(1);
              long reused = window.bytesReused();
              assertThat(ints(window.next(first))).containsOnly(1);
              assertThat(window.bytesReused()).isEqualTo(reused + 16);
              array.writeSectionAsync(mine, Local.of(new int[12], shape)).get();
              assertThat(ints(window.next(second))).containsOnly(0);
            }
          });
    }
  }

  private static int[] ints(Local local) {
    long bytes = local.shape().bytes(4);
    return local.segment().asSlice(0, bytes).toArray(ValueLayout.JAVA_INT);
  }

  @Test
  void whatThisRankWritesIsNotHiddenByAPrefetch() throws Exception {
    try (RunningCluster cluster = ArrayFixture.cluster(2)) {
      cluster.run(
          1,
          rank -> {
            Shape shape = Shape.rowMajor(4);
            try (GlobalArray array =
                GlobalArray.create(rank, "w.npy", shape, ElementType.INT32, OpenOptions.create())) {
              Section whole = Section.whole(shape);
              array.prefetch(whole);
              array.writeSectionAlone(whole, ArrayFixture.ints(new int[] {1, 2, 3, 4}, 4));
              int[] found = new int[4];
              array.readSectionAlone(whole, ArrayFixture.ints(found, 4));
              assertThat(found).containsExactly(1, 2, 3, 4);
              assertThat(array.prefetchHits()).isZero();
              array.prefetch(whole);
              int[] turned = new int[8];
              array.readSection(whole, ArrayFixture.ints(turned, 8).startingAt(1).stepping(2));
              assertThat(turned).containsExactly(0, 1, 0, 2, 0, 3, 0, 4);
              assertThat(array.prefetchHits()).isOne();
              array.prefetch(whole);
              array.prefetch(Section.parse("1:2")); // the first is forgotten
              assertThatThrownBy(() -> array.prefetch(Section.parse("1:4")))
                  .isInstanceOf(IndexOutOfBoundsException.class);
            }
          });
    }
  }

  private static GlobalArray filled(Rank rank, NaiveArray model) throws IOException {
    GlobalArray array =
        GlobalArray.create(
            rank,
            "w.npy",
            model.shape(),
            ElementType.raw(BYTES),
            OpenOptions.create().withTruncate());
    Section whole = Section.whole(model.shape());
    array.writeSection(whole, Local.of(MemorySegment.ofArray(model.bytes()), model.shape()));
    return array;
  }

  private static void check(SectionWindow window, NaiveArray model, Section section, Local found) {
    Shape counts = section.shape(model.shape().order());
    NaiveArray wanted = NaiveArray.zeros(counts, BYTES);
    NaiveArray.each(counts, i -> wanted.put(i, model, NaiveArray.at(section, i)));
    byte[] bytes = found.segment().asSlice(0, counts.bytes(BYTES)).toArray(ValueLayout.JAVA_BYTE);
    assertThat(bytes)
        .as("%s, %d bytes read", section, window.bytesRead())
        .isEqualTo(wanted.bytes());
  }
}
