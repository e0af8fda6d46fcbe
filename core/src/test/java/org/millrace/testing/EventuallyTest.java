package org.millrace.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class EventuallyTest {

  @Test
  void returnsAtTheFirstLookThatSucceeds() throws IOException {
    AtomicInteger looks = new AtomicInteger();
    Eventually.holds("there are three looks", () -> looks.incrementAndGet() == 3);
    assertThat(looks).hasValue(3);
  }

  @Test
  void whatNeverHoldsFailsByName() {
    assertThatThrownBy(() -> Eventually.holds("pigs fly", () -> false, 1))
        .isInstanceOf(AssertionError.class)
        .hasMessage("waited in vain until pigs fly");
  }
}
