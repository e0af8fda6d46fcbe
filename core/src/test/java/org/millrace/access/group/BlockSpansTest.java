package org.millrace.access.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.access.Pattern;
import org.millrace.access.Runs;
import org.millrace.testing.Seeds;

/** What is wanted of blocks, against a look at every byte. */
final class BlockSpansTest {

  private static Pattern pattern(Random random) {
    Pattern pattern = Pattern.run(1 + random.nextInt(9));
    for (int depth = random.nextInt(3); depth > 0; depth--) {
      long stride = pattern.end() - pattern.first() + random.nextInt(30);
      pattern = Pattern.loop(1 + random.nextInt(4), stride, pattern);
    }
    return pattern.shifted(random.nextInt(50));
  }

  @Test
  void spansGoFromTheFirstToTheLastByteThatAnybodyWants() {
    for (long seed : Seeds.of(2000)) {
      Random random = new Random(seed);
      int block = 1 << random.nextInt(6);
      boolean[] wanted = new boolean[4096];
      Pattern[] patterns = new Pattern[1 + random.nextInt(3)];
      long offset = Long.MAX_VALUE;
      long end = 0;
      for (int i = 0; i < patterns.length; i++) {
        patterns[i] = pattern(random);
        for (long position = 0; position < patterns[i].size(); position++) {
          wanted[(int) patterns[i].offsetOf(position)] = true;
        }
        offset = Math.min(offset, patterns[i].first());
        end = Math.max(end, patterns[i].end());
      }
      var builder = new BlockSpans.Builder(block, offset, end);
      for (Pattern one : patterns) {
        Runs runs = one.runs(0, one.size());
        builder.add(runs);
      }
      BlockSpans spans = builder.build();
      checkAgainst(wanted, block, spans, Seeds.replay(seed));
      assertThat(spans.begin()).as(Seeds.replay(seed)).isEqualTo(offset);
      assertThat(spans.end()).as(Seeds.replay(seed)).isEqualTo(end);
    }
  }

  /** A block between two runs that lie closer than a block is never skipped. */
  private static void checkAgainst(boolean[] wanted, int block, BlockSpans spans, String seed) {
    int count = 0;
    for (int i = 0; i < spans.count(); i++) {
      int first = -1;
      int end = 0;
      for (int byteIn = 0; byteIn < block; byteIn++) {
        if (wanted[(int) ((spans.first() + i) * block) + byteIn]) {
          first = first < 0 ? byteIn : first;
          end = byteIn + 1;
        }
      }
      count += spans.isWanted(i) ? 1 : 0;
      if (first >= 0) {
        assertThat(spans.isWanted(i)).as(seed).isTrue();
        assertThat(spans.from(i)).as(seed).isLessThanOrEqualTo(first);
        assertThat(spans.to(i)).as(seed).isGreaterThanOrEqualTo(end);
      } else {
        assertThat(spans.isWanted(i)).as(seed).isFalse();
      }
    }
    assertThat(spans.wanted()).as(seed).isEqualTo(count);
  }
}
