package org.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.millrace.env.SeededEnv;
import org.millrace.testing.Seeds;

/** In mode GLOBAL one rank acts for all, so an access of any of them is an access of all. */
final class GlobalModeTest {

  private static final int BYTES = 3000;

  private static byte[] filled(int value) {
    byte[] bytes = new byte[BYTES];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  /** Some ranks write by calls that wait, some by others; a slow reader must not see it. */
  @Test
  void aReadUnderWaySeesNothingOfTheWriteThatFollowsIt() {
    for (long seed : Seeds.of(40)) {
      GroupOperationsTest.runTimed(
          SeededEnv.of(seed),
          3,
          ClusterOptions.DEFAULT,
          rank -> {
            OpenOptions options = OpenOptions.create().withStripeUnit(512).withMode(Mode.GLOBAL);
            try (SharedFile file = rank.open("f", options)) {
              file.write(Memory.of(filled(1)));
              file.seek(0);
              byte[] read = new byte[BYTES];
              CompletableFuture<Long> reading = file.readAsync(Memory.of(read));
              file.seek(0);
              if (rank.number() == seed % 3) {
                rank.await(file.writeAsync(Memory.of(filled(2))));
              } else {
                file.write(Memory.of(filled(2)));
              }
              rank.await(reading);
              assertThat(read).as(rank + ", " + Seeds.replay(seed)).isEqualTo(filled(1));
              file.seek(0);
              file.read(Memory.of(read));
              assertThat(read).as(rank + ", " + Seeds.replay(seed)).isEqualTo(filled(2));
            }
          });
    }
  }
}
