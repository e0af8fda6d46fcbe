package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.millrace.disk.NodeMemory;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

final class StartsTest {

  @Test
  void whatTheCoordinatorWritesIsRead() throws MillraceException {
    List<NodeMemory.Run> runs = List.of(new NodeMemory.Run(3, 17), new NodeMemory.Run(4, -5));
    Map<String, String> settings =
        Map.of(AdminRequests.RUNS_SETTING, Starts.text(runs), AdminRequests.EPOCHS_SETTING, "7,9");
    assertThat(Starts.of(settings, 1)).isEqualTo(new Starts(runs, 9));
  }

  @Test
  void aUserWhoIsToldNothingHearsWhoMayRunNodes() {
    assertThatThrownBy(() -> Starts.of(Map.of(), 1))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.REFUSED))
        .hasMessageContaining("start node 1 as that user")
        .hasMessageContaining("millrace keys init --user");
  }

  @Test
  void settingsThatAreNoNumbersAreAnError() {
    Map<String, String> settings =
        Map.of(AdminRequests.RUNS_SETTING, "3,x", AdminRequests.EPOCHS_SETTING, "7");
    assertThatThrownBy(() -> Starts.of(settings, 0))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }
}
