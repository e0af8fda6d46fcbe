package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.error.MillraceException;

final class BatchTest {

  private static final String GOLDEN =
      "01" + "0123456789abcdef" + "0000000000000007" + "00000002" + "00000001" + "2a" + "00000000";

  @Test
  void entriesHaveTheseBytes() throws IOException {
    Batch batch = new Batch(0x0123456789abcdefL, 7, List.of(new byte[] {42}, new byte[0]));
    assertThat(HexFormat.of().formatHex(batch.encode())).isEqualTo(GOLDEN);
    Batch read = Batch.decode(HexFormat.of().parseHex(GOLDEN));
    assertThat(read.writer()).isEqualTo(batch.writer());
    assertThat(read.number()).isEqualTo(7);
    assertThat(read.records()).hasSize(2);
    assertThat(read.records().getFirst()).containsExactly(42);
    assertThat(Batch.beat(3).isBeat()).isTrue();
    assertThat(Batch.decode(Batch.beat(3).encode()).isBeat()).isTrue();
  }

  @Test
  void anEntryThatIsCutOrOfAnotherVersionIsRefused() {
    byte[] good = HexFormat.of().parseHex(GOLDEN);
    for (int length = 0; length < good.length; length++) {
      byte[] cut = Arrays.copyOf(good, length);
      assertThatThrownBy(() -> Batch.decode(cut)).isInstanceOf(IOException.class);
    }
    byte[] later = good.clone();
    later[0] = 2;
    assertThatThrownBy(() -> Batch.decode(later))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("version 2");
  }
}
