package org.millrace.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A clock that a thread reads for others. */
final class CoarseClockTest {

  private final List<Runnable> started = new ArrayList<>();

  @Test
  void oneThreadReadsItForAll() {
    CoarseClock clock = new CoarseClock(started::add);
    long before = System.nanoTime();
    assertThat(clock.nanoTime()).isGreaterThanOrEqualTo(before).isEqualTo(clock.nanoTime());
    assertThat(started).hasSize(1);
  }

  /** A machine may have no thread to spare. */
  @Test
  void whereNoThreadCouldBeStartedTheNextWhoAsksTriesAgain() {
    CoarseClock clock =
        new CoarseClock(
            work -> {
              started.add(work);
              if (started.size() == 1) {
                throw new OutOfMemoryError("unable to create native thread");
              }
            });
    assertThatThrownBy(clock::nanoTime).isInstanceOf(OutOfMemoryError.class);
    long before = System.nanoTime();
    assertThat(clock.nanoTime()).isGreaterThanOrEqualTo(before);
    assertThat(started).hasSize(2);
  }
}
