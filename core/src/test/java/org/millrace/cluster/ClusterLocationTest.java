package org.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.disk.RunFolder;
import org.millrace.error.MillraceException;
import org.millrace.wire.Address;

final class ClusterLocationTest {

  @TempDir private Path directory;

  @Test
  void whatLooksLikeAnAddressIsOneAndAllElseIsADirectory() {
    assertThat(ClusterLocation.parse("unix:/a/b"))
        .isEqualTo(new ClusterLocation.At(new Address.Unix("/a/b")));
    assertThat(ClusterLocation.parse("tls:host:7"))
        .isEqualTo(new ClusterLocation.At(new Address.Tcp("host", 7, true)));
    assertThat(ClusterLocation.parse("unixes"))
        .isEqualTo(new ClusterLocation.In(Path.of("unixes")));
    assertThatIllegalArgumentException().isThrownBy(() -> ClusterLocation.parse("tcp:x"));
    assertThatIllegalArgumentException().isThrownBy(() -> ClusterLocation.parse(""));
  }

  @Test
  void theCoordinatorsAddressIsFoundInItsDirectoryUntilItIsTakenAway() throws IOException {
    RunFolder folder = RunFolder.make(directory, false);
    var location = new ClusterLocation.In(directory);
    Address address = new Address.Unix("/a/b");
    assertThatThrownBy(location::coordinator)
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("no coordinator runs in " + directory);
    var said = new CoordinatorAddress(List.of(address), 4711, "job 7", "then");
    said.write(folder);
    assertThat(location.coordinator()).isEqualTo(address);
    assertThat(CoordinatorAddress.read(folder)).contains(said);
    new CoordinatorAddress(List.of(address), 4712, "job 7", "then").delete(folder);
    assertThat(CoordinatorAddress.read(folder)).as("another's is left alone").contains(said);
    said.delete(folder);
    assertThat(CoordinatorAddress.read(folder)).isEmpty();
  }

  @Test
  void onlyALivingDaemonCountsAsOne() throws IOException {
    RunFolder folder = RunFolder.make(directory, false);
    var location = new ClusterLocation.In(directory);
    Address address = new Address.Unix("/a/b");
    long self = ProcessHandle.current().pid();
    assertThat(location.hasDaemons()).isFalse();
    new CoordinatorAddress(List.of(address), self, "", "").write(folder);
    assertThat(location.hasDaemons()).isTrue();
    new CoordinatorAddress(List.of(address), self, "a job", "").write(folder);
    assertThat(location.hasDaemons()).isFalse();
    new CoordinatorAddress(List.of(address), 1L << 40, "", "").write(folder);
    assertThat(location.hasDaemons()).isFalse();
    new CoordinatorAddress(List.of(address), self, "", "another boot 1").write(folder);
    assertThat(location.hasDaemons()).as("a later process of that number").isFalse();
    CoordinatorAddress.ofThis(address, "").write(folder);
    assertThat(location.hasDaemons()).isTrue();
  }

  @Test
  void aFileThatSaysSomethingElseIsRefusedByName() throws IOException {
    RunFolder folder = RunFolder.make(directory, false);
    folder.write(CoordinatorAddress.FILE, "hello\npid x\njob\n");
    assertThatThrownBy(() -> CoordinatorAddress.read(folder))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(CoordinatorAddress.FILE)
        .hasMessageContaining("delete it");
  }
}
