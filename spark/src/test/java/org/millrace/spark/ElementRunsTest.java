package org.millrace.spark;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.junit.jupiter.api.Test;
import org.millrace.spark.ElementRuns.Run;

/** Whether tasks have written each element once. */
final class ElementRunsTest {

  private static void check(long elements, Run... runs) {
    ElementRuns.checkTiling(new WriterCommitMessage[] {new ElementRuns(List.of(runs))}, elements);
  }

  @Test
  void runsThatTileTheArrayPassInAnyOrder() {
    assertThatCode(() -> check(9, new Run(4, 9), new Run(0, 2), new Run(2, 4)))
        .doesNotThrowAnyException();
    assertThatCode(() -> check(0)).doesNotThrowAnyException();
  }

  @Test
  void gapsAndOverlapsAreFound() {
    assertThatThrownBy(() -> check(9, new Run(0, 2), new Run(3, 9))).hasMessageContaining("2,");
    assertThatThrownBy(() -> check(9, new Run(0, 8))).hasMessageContaining("8,");
    assertThatThrownBy(() -> check(9, new Run(0, 5), new Run(3, 9)))
        .hasMessageContaining("several rows for element 3");
    assertThatThrownBy(() -> check(1)).hasMessageContaining("no row for element 0");
  }
}
