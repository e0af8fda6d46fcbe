package org.millrace.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TlsTest {

  @TempDir private Path folder;

  @Test
  void keysThatOthersCanReadOrThatAreMissingAreRefusedWithWhatToDo() throws Exception {
    Path keys = new TestKeys(folder, "a").issue("x", "CN=x");
    assertThat(Tls.load(keys).context().getProtocol()).isEqualTo("TLSv1.3");
    for (String file : new String[] {Tls.KEY, Tls.PASSWORD}) {
      Path path = keys.resolve(file);
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r-----"));
      assertThatThrownBy(() -> Tls.load(keys)).hasMessageContaining("chmod 600 " + path);
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("r--------"));
    }
    assertThat(Tls.load(keys).context().getProtocol()).isEqualTo("TLSv1.3");
    Files.delete(keys.resolve(Tls.KEY));
    assertThatThrownBy(() -> Tls.load(keys)).hasMessageContaining("millrace keys init");
  }

  @Test
  void wrongPasswordIsToldWithoutThePassword() throws Exception {
    Path keys = new TestKeys(folder, "a").issue("x", "CN=x");
    Files.writeString(keys.resolve(Tls.PASSWORD), "a wrong one");
    assertThatThrownBy(() -> Tls.load(keys))
        .hasMessageContaining("password")
        .message()
        .doesNotContain("a wrong one");
  }

  @Test
  void userAndGroupsComeFromTheName() throws Exception {
    Identity identity = Certificates.identity("OU=staff,O=Mill,CN=rosa.m,OU=guests");
    assertThat(identity.user()).isEqualTo("rosa.m");
    assertThat(identity.groups()).containsExactlyInAnyOrder("staff", "guests");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "OU=staff",
        "CN=a,CN=b",
        "CN=",
        "CN=a b",
        "CN=../x",
        "CN=(millrace)",
        "CN=-x",
        "?"
      })
  void namesThatAreNoUserAreRefused(String name) {
    assertThatThrownBy(() -> Certificates.identity(name))
        .isInstanceOf(SSLPeerUnverifiedException.class);
  }
}
