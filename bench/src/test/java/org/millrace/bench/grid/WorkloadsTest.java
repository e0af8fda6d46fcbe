package org.millrace.bench.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Patterns against the index formulas of the papers, element by element. */
class WorkloadsTest {

  private static final int EXTENT = 64;

  /** Whether a rank wants the element in row i and column j, from 0. */
  private interface Wants {
    boolean at(int rank, long i, long j);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 16})
  void distinctSectionsAreWhatTheirNamesSay(int ranks) {
    long share = EXTENT / ranks;
    long wide = (long) Math.sqrt(ranks);
    long part = EXTENT / wide;
    check("row-block", ranks, (p, i, j) -> i / share == p);
    check("column-block", ranks, (p, i, j) -> j / share == p);
    check("block-block", ranks, (p, i, j) -> i / part + wide * (j / part) == p);
    check("row-cyclic", ranks, (p, i, j) -> i % ranks == p);
    long rows = Math.min(16, share);
    check("row-cyclic by 16", ranks, (p, i, j) -> i / rows % ranks == p);
    check("column-cyclic", ranks, (p, i, j) -> j % ranks == p);
    check("cyclic-cyclic", ranks, (p, i, j) -> i % wide + wide * (j % wide) == p);
    check(
        "strided 2:2",
        ranks,
        (p, i, j) -> j / share == p && i % 2 == 0 && (j - p * share) % 2 == 0);
    long side = Math.max(1, share / 2);
    check(
        "blocks on the diagonal",
        ranks,
        (p, i, j) -> inside(i, share * p, side) && inside(j, share * p, side));
  }

  private static boolean inside(long index, long first, long count) {
    return index >= first && index < first + count;
  }

  private static void check(String name, int ranks, Wants wants) {
    Workload workload = find(Workloads.passion(ranks, EXTENT), name);
    checkColumnMajor(workload, EXTENT, wants);
  }

  private static void checkColumnMajor(Workload workload, long extent, Wants wants) {
    for (int p = 0; p < workload.ranks(); p++) {
      List<Long> expected = new ArrayList<>();
      for (long j = 0; j < extent; j++) {
        for (long i = 0; i < extent; i++) {
          if (wants.at(p, i, j)) {
            expected.add((j * extent + i) * Long.BYTES);
          }
        }
      }
      assertThat(words(workload.parts().get(p)))
          .as("%s, rank %d of %d", workload.name(), p, workload.ranks())
          .isEqualTo(expected);
    }
  }

  private static Workload find(List<Workload> all, String name) {
    return all.stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
  }

  /** Offsets of all words, by the plain loops and by the view, which must agree. */
  private static List<Long> words(Workload.Part part) {
    List<Long> naive = new ArrayList<>();
    RankMemory.forEachRun(
        part,
        part.loops().size() - 1,
        part.offset(),
        at -> {
          for (long b = 0; b < part.runBytes(); b += Long.BYTES) {
            naive.add(at + b);
          }
        });
    List<Long> seen = new ArrayList<>();
    var access = part.access();
    for (long p = access.from(); p < access.to(); p += Long.BYTES) {
      seen.add(access.view().offsetOf(p));
    }
    assertThat(seen).isEqualTo(naive);
    return naive;
  }

  @Test
  void commonSectionsAreThoseOfTableOne() {
    long[][] table = {
      {1, 100, 1, 100},
      {200, 300, 200, 300},
      {400, 800, 400, 800},
      {32, 64, 128, 1024},
      {1, 16, 1, 4096},
      {1, 4096, 1, 16}
    };
    List<Workload> all = Workloads.passion(16);
    for (int i = 0; i < table.length; i++) {
      Workload workload = all.get(i);
      long[] s = table[i];
      assertThat(workload.name()).contains("(%d:%d, %d:%d)".formatted(s[0], s[1], s[2], s[3]));
      long rows = s[1] - s[0] + 1;
      long columns = s[3] - s[2] + 1;
      assertThat(workload.size()).isEqualTo(16 * rows * columns * 8);
      assertThat(workload.fileBytes()).isEqualTo(4096L * 4096 * 8);
      assertThat(workload.ops()).isEqualTo(Workload.Ops.READ);
      for (Workload.Part part : workload.parts()) {
        assertThat(part.offset()).isEqualTo(((s[2] - 1) * 4096 + s[0] - 1) * 8);
        assertThat(new PartCopy(part).end()).isEqualTo(((s[3] - 1) * 4096 + s[1]) * 8);
        assertThat(part.runs()).isEqualTo(rows == 4096 ? 1 : columns);
      }
    }
  }

  @Test
  void overlappingSectionsMoveByRank() {
    List<Workload> all = Workloads.passion(16);
    Workload columns = find(all, "overlap (1:100, 1+10p:100+10p)");
    Workload rows = find(all, "overlap (1+10p:100+10p, 1:100)");
    Workload both = find(all, "overlap (1+100p:1000+100p, 1+100p:1000+100p)");
    Workload strided = find(all, "overlap (1+50p:1000+50p:2, 1+50p:1000+50p:2)");
    for (int p = 0; p < 16; p++) {
      assertThat(columns.parts().get(p).offset()).isEqualTo(10L * p * 4096 * 8);
      assertThat(rows.parts().get(p).offset()).isEqualTo(10L * p * 8);
      assertThat(both.parts().get(p).offset()).isEqualTo((100L * p * 4096 + 100L * p) * 8);
      assertThat(strided.parts().get(p).size()).isEqualTo(500 * 500 * 8);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 16})
  void everyPatternLiesInItsFile(int ranks) {
    List<Workload> all = new ArrayList<>(Workloads.passion(ranks, EXTENT));
    all.addAll(Workloads.patterns(ranks, 640 << 10));
    all.addAll(Workloads.iorHard(ranks, 3));
    for (Workload workload : all) {
      for (Workload.Part part : workload.parts()) {
        PartCopy copy = new PartCopy(part);
        assertThat(copy.end()).as(workload.name()).isBetween(0L, workload.fileBytes());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 16})
  void kotzPatternsDealOutARowMajorMatrixAsTheirLettersSay(int ranks) {
    int element = 8;
    long bytes = 40L * 32 * element; // as many elements as 10 MB of 8 KB have
    List<Workload> all = Workloads.patterns(ranks, 8192L * 40 * 32);
    assertThat(all).hasSize(20);
    List<Workload> large = all.subList(10, 20);
    assertThat(large).allSatisfy(one -> assertThat(one.fileBytes()).isEqualTo(bytes * 1024));
    long wide = (long) Math.sqrt(ranks);
    long high = ranks / wide;
    matrix(large, "none", ranks, (p, i, j) -> p == 0);
    matrix(large, "all", ranks, (p, i, j) -> true);
    matrix(large, "block", ranks, (p, i, j) -> (i * 32 + j) / (1280 / ranks) == p);
    matrix(large, "cyclic", ranks, (p, i, j) -> (i * 32 + j) % ranks == p);
    matrix(large, "nb", ranks, (p, i, j) -> j / (32 / ranks) == p);
    matrix(large, "cn", ranks, (p, i, j) -> i % ranks == p);
    matrix(large, "bb", ranks, (p, i, j) -> i / (40 / high) * wide + j / (32 / wide) == p);
    matrix(large, "cb", ranks, (p, i, j) -> i % high * wide + j / (32 / wide) == p);
    matrix(large, "bc", ranks, (p, i, j) -> i / (40 / high) * wide + j % wide == p);
    matrix(large, "cc", ranks, (p, i, j) -> i % high * wide + j % wide == p);
  }

  /** The matrix of 40 by 32 elements of 8 KiB. */
  private static void matrix(List<Workload> all, String name, int ranks, Wants wants) {
    Workload workload = find(all, name + ", 8 KiB");
    for (int p = 0; p < ranks; p++) {
      boolean[] expected = new boolean[40 * 32];
      boolean[] found = new boolean[40 * 32];
      for (int i = 0; i < 40; i++) {
        for (int j = 0; j < 32; j++) {
          expected[i * 32 + j] = wants.at(p, i, j);
        }
      }
      Workload.Part part = workload.parts().get(p);
      long last = -1;
      for (long at = 0; at < part.size(); at += 8192) {
        long offset = part.access().view().offsetOf(at);
        assertThat(offset).isGreaterThan(last);
        last = offset;
        found[(int) (offset / 8192)] = true;
      }
      assertThat(found).as("%s, rank %d of %d", name, p, ranks).isEqualTo(expected);
    }
  }

  @Test
  void sizesOfThePatternsAreThoseOfThePaper() {
    assertThat(Workloads.patterns(16, Workloads.SMALL_BYTES))
        .hasSize(20)
        .allSatisfy(one -> assertThat(one.fileBytes()).isEqualTo(10L << 20));
    assertThat(Workloads.patterns(16, Workloads.LARGE_BYTES))
        .hasSize(18) // without ALL: too much for a memory
        .allSatisfy(one -> assertThat(one.fileBytes()).isEqualTo(1L << 30));
  }

  @Test
  void hardRunHasIorsOffsets() {
    Workload workload = Workloads.iorHard(4, 3).getFirst();
    for (int r = 0; r < 4; r++) {
      List<Long> offsets = new ArrayList<>();
      Workload.Part part = workload.parts().get(r);
      RankMemory.forEachRun(part, part.loops().size() - 1, part.offset(), offsets::add);
      List<Long> expected = new ArrayList<>();
      for (long s = 0; s < 3; s++) {
        expected.add(s * (4 * 47008L) + r * 47008L);
      }
      assertThat(offsets).isEqualTo(expected);
      assertThat(part.runBytes()).isEqualTo(47008);
    }
  }

  @Test
  void arrayTooSmallForItsRanksIsRefused() {
    assertThatThrownBy(() -> Workloads.passion(16, 8))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("8 rows for 16 ranks");
  }
}
