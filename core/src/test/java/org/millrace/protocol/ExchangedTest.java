package org.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.View;
import org.millrace.protocol.CoordinatorReply.Exchanged;

/** What all ranks of a collective call learn of what each of them said. */
final class ExchangedTest {

  private static Effect.Exchange said(
      boolean reachable, boolean remote, boolean mapped, long size) {
    Access access = new Access(View.WHOLE, 0, 10);
    return new Effect.Exchange(access, reachable, remote, mapped, size, Optional.empty());
  }

  @Test
  void oneRankThatReachesStrandsElsewhereIsEnoughToBeRemote() {
    Exchanged all = Exchanged.of(List.of(said(true, false, true, 1), said(true, true, true, 9)));
    assertThat(all.remote()).isTrue();
    assertThat(all.reachable()).isTrue();
    assertThat(all.size()).isEqualTo(9);
  }

  @Test
  void oneRankThatCannotMapIsEnoughNotToBeMapped() {
    assertThat(Exchanged.of(List.of(said(true, true, true, 0), said(true, true, true, 0))).mapped())
        .isTrue();
    assertThat(
            Exchanged.of(List.of(said(true, true, true, 0), said(true, true, false, 0))).mapped())
        .isFalse();
  }

  @Test
  void aRankThatHasAllStrandsItselfDoesNotDecideForOthers() {
    assertThat(
            Exchanged.of(List.of(said(true, false, true, 0), said(true, true, true, 0))).mapped())
        .isTrue();
  }
}
