package org.millrace.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Hints as values. */
class HintsTest {

  @Test
  void onlyWhatIsNotAsUsualIsShown() {
    assertThat(Hints.DEFAULT).hasToString("{}");
    Hints hints =
        Hints.DEFAULT
            .withRead(Strategy.SIEVED)
            .withAggregators(4)
            .withStriping(Striping.DEFAULT.withStrands(3));
    assertThat(hints).hasToString("{aggregators=4, read=sieved, strands=3}");
  }

  @Test
  void differentHintsAreShownDifferently() {
    assertThat(Hints.DEFAULT.withDurable(true)).hasToString("{durable=true}");
    assertThat(Hints.DEFAULT.withSieveReadBytes(6).withSieveWriteBytes(7))
        .hasToString("{sieveReadBytes=6, sieveWriteBytes=7}");
    assertThat(Hints.DEFAULT.withBufferBytes(5).withDomainBlockBytes(8).withDepth(9))
        .hasToString("{bufferBytes=5, depth=9, domainBlockBytes=8}");
  }

  @Test
  void valuesThatMeanNothingAreRefused() {
    assertThatThrownBy(() -> Hints.DEFAULT.withBufferBytes(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("buffers of 0 bytes");
    assertThatThrownBy(() -> Hints.DEFAULT.withDepth(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("depth 0");
  }
}
