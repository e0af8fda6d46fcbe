package org.millrace.cli.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What was acknowledged must be there; what was not may be. */
final class SectorModelTest {

  @Test
  void beforeAnythingIsAcknowledgedEverythingThatWasWrittenMayBeThere() {
    SectorModel model = new SectorModel();
    model.written(5);
    model.written(6);
    assertThat(model.mayHold(Sector.NEVER)).isTrue();
    assertThat(model.mayHold(5)).isTrue();
    assertThat(model.mayHold(6)).isTrue();
    assertThat(model.mayHold(7)).isFalse();
    assertThat(model.mayHold(Sector.WRONG)).isFalse();
  }

  @Test
  void whatWasAcknowledgedMayNotBeLostAndNothingOlderMayComeBack() {
    SectorModel model = new SectorModel();
    model.written(5);
    model.written(6);
    assertThat(model.acknowledged()).isTrue();
    model.written(8);
    assertThat(model.mayHold(Sector.NEVER)).isFalse();
    assertThat(model.mayHold(5)).isFalse();
    assertThat(model.mayHold(6)).isTrue();
    assertThat(model.mayHold(8)).isTrue();
  }

  @Test
  void anAcknowledgementWithoutWritesSaysNothing() {
    assertThat(new SectorModel().acknowledged()).isFalse();
  }

  @Test
  void whatWasFoundIsWhatCounts() {
    SectorModel model = new SectorModel();
    model.written(5);
    model.found(Sector.NEVER);
    assertThat(model.mayHold(5)).isFalse();
    assertThat(model.mayHold(Sector.NEVER)).isTrue();
  }
}
