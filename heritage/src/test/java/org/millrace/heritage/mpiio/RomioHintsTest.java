package org.millrace.heritage.mpiio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.plan.Striping;

/** Hints by ROMIO's names. */
class RomioHintsTest {

  @Test
  void romiosNamesAreUnderstood() {
    Hints hints =
        RomioHints.parse(
            Map.of(
                "cb_nodes", "4",
                "cb_buffer_size", "16M",
                "romio_cb_read", "enable",
                "romio_cb_write", "disable",
                "ind_rd_buffer_size", "65536",
                "ind_wr_buffer_size", " 64k ",
                "striping_unit", "1M",
                "striping_factor", "3",
                "millrace_domain_block", "128K",
                "millrace_pipeline_depth", "3"));
    assertThat(with(hints, "millrace_durable", "enable"))
        .isEqualTo(
            new Hints(
                Strategy.EXTENDED_TWO_PHASE,
                Strategy.SIEVED,
                4,
                16 << 20,
                65536,
                65536,
                128 << 10,
                3,
                new Striping(1 << 20, 3, 0),
                true));
  }

  @Test
  void sievingIsSwitchedOffOnlyForRanksThatAreLeftToThemselves() {
    Map<String, String> alone = Map.of("romio_ds_read", "disable", "romio_cb_read", "disable");
    assertThat(RomioHints.parse(alone).read()).isEqualTo(Strategy.DIRECT);
    assertThat(RomioHints.parse(alone).write()).isEqualTo(Strategy.AUTO);
    assertThat(RomioHints.parse(Map.of("romio_ds_write", "disable")).write())
        .isEqualTo(Strategy.AUTO);
    Hints direct = Hints.DEFAULT.withStrategy(Strategy.DIRECT);
    assertThat(with(direct, "romio_ds_write", "enable").write()).isEqualTo(Strategy.SIEVED);
    assertThat(with(direct, "romio_ds_read", "automatic")).isEqualTo(direct);
  }

  @Test
  void ownWordsGoUnderBothNamesAndTheOwnNameWins() {
    assertThat(with(Hints.DEFAULT, "romio_cb_read", "disk-directed").read())
        .isEqualTo(Strategy.DISK_DIRECTED);
    Hints both =
        RomioHints.parse(Map.of("millrace_strategy", "two_phase", "romio_cb_write", "disable"));
    assertThat(both).isEqualTo(Hints.DEFAULT.withStrategy(Strategy.TWO_PHASE));
  }

  @Test
  void allStrategiesSurviveTheirNames() {
    for (Strategy read : Strategy.values()) {
      for (Strategy write : Strategy.values()) {
        Hints hints =
            Hints.DEFAULT
                .withRead(read)
                .withWrite(write)
                .withAggregators(3)
                .withBufferBytes(5)
                .withSieveReadBytes(6)
                .withSieveWriteBytes(7)
                .withDomainBlockBytes(8)
                .withDepth(9)
                .withStriping(new Striping(10, 11, 8192))
                .withDurable(read == write);
        assertThat(RomioHints.parse(RomioHints.toMap(hints))).isEqualTo(hints);
        assertThat(RomioHints.unknownKeys(RomioHints.toMap(hints))).isEmpty();
      }
    }
  }

  @Test
  void unknownNamesAreIgnoredAndListed() {
    Map<String, String> named = Map.of("cb_nodes", "2", "romio_no_indep_rw", "true", "x", "");
    assertThat(RomioHints.parse(named)).isEqualTo(Hints.DEFAULT.withAggregators(2));
    assertThat(RomioHints.unknownKeys(named)).containsExactly("romio_no_indep_rw", "x");
    assertThat(with(Hints.DEFAULT, "x", "y")).isEqualTo(Hints.DEFAULT);
  }

  @Test
  void badValuesNameKeyValueAndWhatIsAllowed() {
    refuses("cb_nodes", "-1", "whole number");
    refuses("cb_nodes", "4294967297", "whole number");
    refuses("cb_buffer_size", "0", "bytes from 1 on");
    refuses("cb_buffer_size", "", "bytes");
    refuses("cb_buffer_size", "9999999999999G", "bytes");
    refuses("striping_unit", "64X", "64K");
    refuses("millrace_block_size", "2K", "a power of two from 4K to 4M");
    refuses("millrace_block_size", "12K", "a power of two from 4K to 4M");
    refuses("millrace_block_size", "8M", "a power of two from 4K to 4M");
    refuses("romio_cb_read", "maybe", "enable, disable or automatic");
    refuses("romio_ds_write", "direct", "enable, disable or automatic");
    refuses("millrace_strategy", "fast", "disk-directed");
    refuses("millrace_pipeline_depth", "0", "from 1");
  }

  private static Hints with(Hints hints, String key, String value) {
    return RomioHints.parse(hints, Map.of(key, value));
  }

  private static void refuses(String key, String value, String allowed) {
    assertThatThrownBy(() -> with(Hints.DEFAULT, key, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(key + "=" + value)
        .hasMessageContaining(allowed);
  }
}
