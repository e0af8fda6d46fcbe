package org.millrace.cli.copy;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.millrace.error.CorruptBlockException;

final class FileCopierTest {

  @Test
  void damageIsTold() throws Exception {
    FileCopier.compare("x", new FileCopier.Load(3, 7), new FileCopier.Load(3, 7));
    assertThatThrownBy(
            () -> FileCopier.compare("x", new FileCopier.Load(3, 7), new FileCopier.Load(3, 8)))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessage(
            "x is damaged: 3 bytes with checksum 00000007 were sent, 3 bytes with checksum 00000008"
                + " arrived; nothing was kept, try again");
  }
}
