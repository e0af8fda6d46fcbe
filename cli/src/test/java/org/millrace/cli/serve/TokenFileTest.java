package org.millrace.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;

/** Tokens are private, long and new. */
final class TokenFileTest {

  @TempDir private Path folder;

  @Test
  void aNewTokenIsInAFileOfItsOwnerAlone() throws IOException {
    Path file = folder.resolve("token");
    String token = TokenFile.readOrMake(Env.real(), file);
    assertThat(token).matches("[0-9a-f]{64}");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(Files.readString(file).strip()).isEqualTo(token);
    assertThat(TokenFile.readOrMake(Env.real(), file)).isEqualTo(token);
    assertThat(TokenFile.make(Env.real(), file)).isNotEqualTo(token);
  }

  @Test
  void aFileThatOthersCanReadIsRefused() throws IOException {
    Path file = folder.resolve("token");
    TokenFile.make(Env.real(), file);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    assertThatThrownBy(() -> TokenFile.readOrMake(Env.real(), file))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("chmod 600");
  }
}
