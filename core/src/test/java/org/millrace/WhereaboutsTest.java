package org.millrace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.disk.RunFolder;
import org.millrace.error.MillraceException;
import org.millrace.wire.Address;

final class WhereaboutsTest {

  @TempDir private Path directory;

  @Test
  void whatLooksLikeAnAddressIsOneAndAllElseIsADirectory() {
    assertThat(Whereabouts.parse("unix:/a/b"))
        .isEqualTo(new Whereabouts.At(new Address.Unix("/a/b")));
    assertThat(Whereabouts.parse("tls:host:7"))
        .isEqualTo(new Whereabouts.At(new Address.Tcp("host", 7, true)));
    assertThat(Whereabouts.parse("unixes")).isEqualTo(new Whereabouts.In(Path.of("unixes")));
    assertThatIllegalArgumentException().isThrownBy(() -> Whereabouts.parse("tcp:x"));
    assertThatIllegalArgumentException().isThrownBy(() -> Whereabouts.parse(""));
  }

  @Test
  void theCoordinatorsAddressIsFoundInItsDirectoryUntilItIsTakenAway() throws IOException {
    RunFolder folder = RunFolder.make(directory, false);
    var where = new Whereabouts.In(directory);
    Address address = new Address.Unix("/a/b");
    assertThatThrownBy(where::coordinator)
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("no coordinator runs in " + directory);
    var said = new CoordinatorAddress(address, 4711, "job 7", "then");
    said.write(folder);
    assertThat(where.coordinator()).isEqualTo(address);
    assertThat(CoordinatorAddress.read(folder)).contains(said);
    new CoordinatorAddress(address, 4712, "job 7", "then").delete(folder);
    assertThat(CoordinatorAddress.read(folder)).as("another's is left alone").contains(said);
    said.delete(folder);
    assertThat(CoordinatorAddress.read(folder)).isEmpty();
  }

  @Test
  void onlyALivingDaemonCountsAsOne() throws IOException {
    RunFolder folder = RunFolder.make(directory, false);
    var where = new Whereabouts.In(directory);
    Address address = new Address.Unix("/a/b");
    long self = ProcessHandle.current().pid();
    assertThat(where.hasDaemons()).isFalse();
    new CoordinatorAddress(address, self, "", "").write(folder);
    assertThat(where.hasDaemons()).isTrue();
    new CoordinatorAddress(address, self, "a job", "").write(folder);
    assertThat(where.hasDaemons()).isFalse();
    new CoordinatorAddress(address, 1L << 40, "", "").write(folder);
    assertThat(where.hasDaemons()).isFalse();
    new CoordinatorAddress(address, self, "", "another boot 1").write(folder);
    assertThat(where.hasDaemons()).as("a later process of that number").isFalse();
    CoordinatorAddress.ofThis(address, "").write(folder);
    assertThat(where.hasDaemons()).isTrue();
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
