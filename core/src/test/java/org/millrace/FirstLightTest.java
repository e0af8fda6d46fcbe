package org.millrace;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;

/** The smallest program that uses everything once. */
class FirstLightTest {

  @TempDir Path dir;

  /** Digits of its own, as Lucene's tests once drew them: names on disks must not have them. */
  @Test
  void itWorksInEveryLanguage() throws Exception {
    Locale usual = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("fa-AF-u-nu-arabext"));
    try {
      assertThat("%d".formatted(1)).isNotEqualTo("1"); // or this shows nothing
      writeAndReadAgain();
    } finally {
      Locale.setDefault(usual);
    }
  }

  @Test
  void whatRanksWroteIsThereForOtherRanksAfterReopening() throws Exception {
    writeAndReadAgain();
  }

  private void writeAndReadAgain() throws Exception {
    try (Cluster cluster = Cluster.embedded(dir, 3)) {
      cluster.run(
          4,
          rank -> {
            try (var file = rank.open("a", OpenOptions.create().withMode(Mode.ORDERED))) {
              byte[] mine = new byte[100_000 + rank.number()];
              java.util.Arrays.fill(mine, (byte) (rank.number() + 1));
              assertThat(file.write(Memory.of(mine))).isEqualTo(mine.length);
              rank.barrier();
              assertThat(file.size()).isEqualTo(400_006);
            }
          });
    }
    try (Cluster cluster = Cluster.embedded(dir, 2)) {
      cluster.run(
          2,
          rank -> {
            try (var file = rank.open("a", OpenOptions.read())) {
              byte[] all = new byte[500_000];
              assertThat(file.at(0).read(MemorySegment.ofArray(all))).isEqualTo(400_006);
              assertThat(all[0]).isEqualTo((byte) 1);
              assertThat(all[400_005]).isEqualTo((byte) 4);
            }
          });
    }
  }
}
