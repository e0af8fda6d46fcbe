package org.millrace.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.testing.Seeds;

/** What walking costs: nodes entered and bytes allocated, never time. */
final class RunsCostTest {

  private static final long BILLION = 1_000_000_000;

  private static long allocated(Runnable work) {
    ThreadMXBean bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    work.run();
    long before = bean.getCurrentThreadAllocatedBytes();
    work.run();
    return bean.getCurrentThreadAllocatedBytes() - before;
  }

  /** Loops that cannot merge: rows of single elements. */
  private static Pattern rows(long rows) {
    return Pattern.loop(rows, 100_000, Pattern.loop(1000, 16, Pattern.run(4)));
  }

  /** Case 17. */
  @Test
  void aBillionRunsCostTheMemoryOfTen() {
    long ten = allocated(() -> seekInTheMiddle(10_000));
    long billion = allocated(() -> seekInTheMiddle(BILLION));
    assertThat(billion).isEqualTo(ten).isLessThan(4096);
  }

  private static void seekInTheMiddle(long rows) {
    View view = new View(0, rows(rows), rows * 100_000);
    long middle = view.tile().size() / 2 + 2;
    Runs runs = view.runs(middle, middle + 4);
    assertThat(runs.next()).isTrue();
    assertThat(runs.length()).isEqualTo(2);
    assertThat(runs.next()).isTrue();
    assertThat(runs.next()).isFalse();
    assertThat(runs.visited()).isLessThan(4);
  }

  @Test
  void windowsOfOffsetsAreEnteredWithoutWalkingToThem() {
    Pattern pattern = rows(BILLION);
    Runs runs = pattern.runs(0, pattern.size(), 70_000_000_000L, 70_000_000_100L);
    assertThat(runs.next()).isTrue();
    assertThat(runs.offset()).isEqualTo(70_000_000_000L);
    assertThat(runs.count()).isEqualTo(7);
    assertThat(runs.next()).isFalse();
    assertThat(runs.visited()).isLessThan(4);
  }

  @Test
  void windowsOfDescendingPatternsAreEnteredWithoutWalkingToThem() {
    Pattern pattern = Pattern.loop(BILLION, -100_000, Pattern.loop(1000, 16, Pattern.run(4)));
    Runs runs = pattern.runs(0, pattern.size(), -70_000_000_000L, -69_999_999_900L);
    assertThat(runs.next()).isTrue();
    assertThat(runs.offset()).isEqualTo(-70_000_000_000L);
    assertThat(runs.count()).isEqualTo(7);
    assertThat(runs.next()).isFalse();
    assertThat(runs.visited()).isLessThan(4);
  }

  @Test
  void longSequencesAreSearchedNotScanned() {
    long[] offsets = new long[100_000];
    long[] lengths = new long[100_000];
    Random random = new Random(Seeds.of(1)[0]);
    for (int i = 0; i < offsets.length; i++) {
      offsets[i] = i * 100L + random.nextInt(50);
      lengths[i] = 1L + random.nextInt(40);
    }
    Pattern list = Pattern.indexed(offsets, lengths);
    Runs runs = new Runs();
    runs.reset(list, 0, list.size(), 5_000_000, 5_000_100);
    assertThat(runs.next()).isTrue();
    assertThat(runs.offset()).isEqualTo(offsets[50_000]);
    assertThat(runs.next()).isFalse();
    Pattern shared = Pattern.loop(3, 1L << 30, list);
    Pattern sequence =
        Pattern.sequence(List.of(new Placed(0, shared), new Placed(1L << 40, shared)));
    assertThat(allocated(() -> sequence.runs(0, sequence.size(), 1L << 40, (1L << 40) + 200)))
        .isLessThan(2048);
  }

  @Test
  void steppingAndResettingAllocatesNothing() {
    View view = new View(64, rows(1000), 200_000_000);
    Runs runs = new Runs();
    runs.reset(view, 0, 1);
    long bytes =
        allocated(
            () -> {
              for (int i = 0; i < 100; i++) {
                runs.reset(view, i * 5000L, i * 5000L + 9_000);
                while (runs.next()) {
                  assertThatNoByteIsMissing(runs);
                }
              }
            });
    assertThat(bytes).isLessThan(256);
  }

  private static void assertThatNoByteIsMissing(Runs runs) {
    if (runs.length() < 1) {
      throw new AssertionError("empty run");
    }
  }

  @Test
  void runsOutsideAPeriodicWindowAreNotEntered() {
    // All rows start at the same place of a 4 MiB round; the window lies elsewhere in it.
    long round = 4 << 20;
    View view =
        new View(
            0, Pattern.loop(BILLION, round, Pattern.loop(10, 16, Pattern.run(4))), round * BILLION);
    Runs runs = new Runs();
    runs.resetTouching(view, 0, 40 * BILLION, round, 1 << 20, 1 << 20);
    assertThat(runs.next()).isFalse();
    assertThat(runs.visited()).isLessThan(3);
  }
}
