package org.millrace.cli.copy;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.millrace.error.CorruptBlockException;

final class CourierTest {

  @Test
  void damageIsTold() throws Exception {
    Courier.compare("x", new Courier.Load(3, 7), new Courier.Load(3, 7));
    assertThatThrownBy(() -> Courier.compare("x", new Courier.Load(3, 7), new Courier.Load(3, 8)))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessage(
            "x is damaged: 3 bytes with checksum 00000007 were sent, 3 bytes with checksum 00000008"
                + " arrived; nothing was kept, try again");
  }
}
