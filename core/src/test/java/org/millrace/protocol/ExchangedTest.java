package org.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.View;
import org.millrace.access.group.Reach;
import org.millrace.protocol.CoordinatorReply.Exchanged;

/** What all ranks of a collective call learn of what each of them said. */
final class ExchangedTest {

  private static Effect.Exchange said(boolean remote, Reach reach, long size) {
    Access access = new Access(View.WHOLE, 0, 10);
    return new Effect.Exchange(access, true, remote, reach, size, Optional.empty());
  }

  @Test
  void oneRankThatReachesStrandsElsewhereIsEnoughToBeRemote() {
    Exchanged all = Exchanged.of(List.of(said(false, Reach.KNOWN, 1), said(true, Reach.MAPPED, 9)));
    assertThat(all.remote()).isTrue();
    assertThat(all.reachable()).isTrue();
    assertThat(all.size()).isEqualTo(9);
  }

  private static Reach of(Reach... each) {
    return Exchanged.of(Stream.of(each).map(one -> said(true, one, 0)).toList()).reach();
  }

  @Test
  void allReachWhatTheRankDoesThatReachesLeast() {
    assertThat(of(Reach.KNOWN, Reach.KNOWN)).isEqualTo(Reach.KNOWN);
    assertThat(of(Reach.KNOWN, Reach.MAPPED, Reach.KNOWN)).isEqualTo(Reach.MAPPED);
    assertThat(of(Reach.MAPPED, Reach.KNOWN, Reach.MESSAGES)).isEqualTo(Reach.MESSAGES);
  }
}
