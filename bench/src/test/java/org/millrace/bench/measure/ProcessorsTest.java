package org.millrace.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ProcessorsTest {

  @Test
  void listsAreReadAsLinuxWritesThem() {
    assertThat(Processors.parse("0-3,8").numbers()).containsExactly(0, 1, 2, 3, 8);
    assertThat(Processors.parse("5").numbers()).containsExactly(5);
  }

  @Test
  void theLastProcessorIsForThoseThatDoNotCompute() {
    Processors processors = Processors.parse("2,4-5");
    assertThat(processors.bound(0)).containsExactly("taskset", "-c", "2");
    assertThat(processors.bound(1)).containsExactly("taskset", "-c", "4");
    assertThat(processors.bound(2)).containsExactly("taskset", "-c", "2");
    assertThat(processors.boundToLast()).containsExactly("taskset", "-c", "5");
  }
}
