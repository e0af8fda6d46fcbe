package org.millrace.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.bench.grid.Workload;
import org.millrace.bench.grid.Workloads;

/** What is told to the C program. */
class WorkloadFileTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 16})
  void whatIsWrittenIsReadAgain(int ranks) {
    List<Workload> workloads = new ArrayList<>(Workloads.passion(ranks, 64));
    workloads.addAll(Workloads.patterns(ranks, 640 << 10));
    workloads.addAll(Workloads.iorHard(ranks, 3));
    List<PeerCase> cases = new ArrayList<>();
    for (int i = 0; i < workloads.size(); i++) {
      cases.add(new PeerCase(i, false, i % 2 == 0, 3, 100, 2_000));
      cases.add(new PeerCase(i, true, i % 3 == 0, 1, 0, 1));
    }
    WorkloadFile file = WorkloadFile.of(ranks, workloads, cases);
    assertThat(file.cases()).isEqualTo(cases);
    assertThat(WorkloadFile.parse(file.text())).isEqualTo(file);
  }

  @Test
  void holdsOnlyWorkloadsThatCasesName() {
    List<Workload> workloads = Workloads.iorHard(2, 3);
    assertThat(WorkloadFile.of(2, workloads, List.of()).text())
        .isEqualTo("millrace-workloads 1\nranks 2\nend\n");
    assertThat(
            WorkloadFile.of(2, workloads, List.of(new PeerCase(0, true, true, 3, 50, 800))).text())
        .isEqualTo(
            """
            millrace-workloads 1
            ranks 2
            workload 0 282048
            part 0 47008 3:94016
            part 47008 47008 3:94016
            case write collective 3 50 800
            end
            """);
  }

  @Test
  void fileThatEndsTooEarlyIsRefused() {
    String text = WorkloadFile.of(2, Workloads.iorHard(2, 3), List.of()).text();
    assertThatThrownBy(() -> WorkloadFile.parse(text.replace("end\n", "")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> WorkloadFile.parse("something else\n"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("millrace-workloads 1");
  }

  @Test
  void workloadForOtherRanksIsRefused() {
    List<PeerCase> one = List.of(new PeerCase(0, false, false, 1, 1, 1));
    assertThatThrownBy(() -> WorkloadFile.of(3, Workloads.iorHard(2, 3), one))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2 parts for 3 ranks");
  }
}
