package org.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;
import org.millrace.wire.Address;

final class CoordinatorGroupTest {

  private static final CoordinatorGroup THREE =
      new CoordinatorGroup(
          List.of(
              new CoordinatorGroup.Member(0, "a:7101", new Address.Tcp("a", 7100, true)),
              new CoordinatorGroup.Member(2, "b:7101", new Address.Tcp("b", 7100, true)),
              new CoordinatorGroup.Member(4, "c:7101", new Address.Unix("/a b/socket"))));

  @TempDir private Path directory;

  @Test
  void whatWasWrittenIsRead() throws IOException {
    assertThat(CoordinatorGroup.read(directory)).isEmpty();
    THREE.write(directory);
    assertThat(CoordinatorGroup.read(directory)).contains(THREE);
    assertThat(THREE.member(2).orElseThrow().host()).isEqualTo("b");
    assertThat(THREE.member(2).orElseThrow().port()).isEqualTo(7101);
    assertThat(THREE.nextNumber()).as("none has had it").isEqualTo(5);
    assertThat(THREE.addresses(2).getFirst()).isEqualTo(new Address.Tcp("b", 7100, true));
    assertThat(THREE.addresses(2)).hasSize(3);
  }

  @Test
  void aFileThatListsSomethingElseIsRefused() {
    for (String text :
        List.of(
            "",
            "millrace coordinators 2\n0 a:1 unix:/x\n",
            "millrace coordinators 1\n",
            "millrace coordinators 1\n0 a unix:/x\n",
            "millrace coordinators 1\n0 a:1 unix:/x\n0 b:1 unix:/y\n")) {
      assertThatThrownBy(() -> CoordinatorGroup.parse(directory, text))
          .as(text)
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("coordinators");
    }
  }

  @Test
  void oneOfSeveralThatLostItsFolderIsNotBegunAgain() throws IOException {
    THREE.write(directory);
    String cluster = "11111111-2222-3333-4444-555555555555";
    ClusterDirectory.openMember(directory, 0, cluster, true, 4).close();
    ClusterDirectory.openMember(directory, 0, cluster, false, 0).close();
    assertThatThrownBy(() -> ClusterDirectory.openMember(directory, 2, cluster, false, 4))
        .hasMessageContaining("millrace coordinators replace 2");
    assertThatThrownBy(() -> ClusterDirectory.openMember(directory, 0, "another", false, 0))
        .hasMessageContaining("another cluster");
    assertThatThrownBy(() -> ClusterDirectory.openCoordinator(Env.real(), directory, 4))
        .hasMessageContaining("several coordinators");
  }
}
