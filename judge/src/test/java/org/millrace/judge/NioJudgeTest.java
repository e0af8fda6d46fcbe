package org.millrace.judge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What niotest says about the provider of {@code java.nio.file}. */
final class NioJudgeTest {

  /** How many of these tests jimfs fails, which is the measure. */
  private static final int JIMFS = 12;

  @Test
  void everyTestThatFailsIsWrittenDownWithItsReason() throws IOException {
    ForeignSuite suite = new ForeignSuite(KnownFailures.of("nio"));
    suite.run(NioSuite.class);
    suite.write(Path.of(System.getProperty("millrace.judges"), "nio.tsv"));
    assertThat(suite.unexpected()).isEmpty();
    assertThat(suite.failed()).isLessThan(JIMFS);
    assertThat(suite.passed()).isGreaterThan(500);
  }
}
