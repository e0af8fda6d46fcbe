package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.millrace.error.MillraceException;
import org.millrace.testing.Seeds;

/** The runs of a header hold every page that was made, in few runs. */
final class PageRunsTest {

  @Test
  void everyPageIsInThemAndThereAreNeverTooMany() throws IOException {
    for (long seed : Seeds.of(100)) {
      Random random = new Random(seed);
      PageRuns runs = PageRuns.FIRST;
      TreeSet<Long> made = new TreeSet<>();
      made.add(0L);
      for (int i = 0; i < 60; i++) {
        TreeSet<Long> more = new TreeSet<>();
        for (int j = 0; j <= random.nextInt(3); j++) {
          more.add((long) random.nextInt(500));
        }
        runs = runs.with(more, "test");
        made.addAll(more);
        if (random.nextInt(20) == 0) {
          long below = 1L + random.nextInt(500);
          runs = runs.below(below);
          made.removeIf(page -> page >= below);
        }
        assertThat(runs.runs()).as(Seeds.replay(seed)).hasSizeLessThanOrEqualTo(24);
        assertThat(made.stream().allMatch(runs::has)).as(Seeds.replay(seed)).isTrue();
        assertThat(runs.has(runs.end())).isFalse();
      }
    }
  }

  @Test
  void aStrandIsWrittenFarApartUpToALimitThatIsSaid() throws IOException {
    MemoryDisk disk = new MemoryDisk("memory");
    long far = (1L << 17) * SumsPage.ENTRIES;
    try (BlockFile file = BlockFile.create(disk, 1, 0, 4096)) {
      byte[] content = new byte[4096];
      for (int i = 0; i < 24; i++) {
        content[0] = (byte) (i + 1);
        Blocks.write(file, i * far, content);
        file.flush((i * far + 1) * 4096);
      }
      for (int i = 0; i < 24; i++) {
        assertThat(Blocks.read(file, i * far)[0]).isEqualTo((byte) (i + 1));
      }
      Blocks.write(file, 24 * far, content);
      assertThatThrownBy(() -> file.flush((24 * far + 1) * 4096))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("too sparse");
    }
  }
}
