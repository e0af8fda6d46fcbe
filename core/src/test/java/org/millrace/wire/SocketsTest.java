package org.millrace.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** What listening takes over, and what it leaves alone. */
final class SocketsTest {

  @TempDir private Path directory;
  private Path path;
  private Address at;

  @BeforeEach
  void choose() {
    path = directory.resolve("s");
    at = new Address.Unix(path.toString());
  }

  private void inUse() {
    assertThatThrownBy(() -> Sockets.listen(at, Security.LOCAL))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IN_USE))
        .hasMessageContaining(path.toString());
  }

  @Test
  void aSocketThatAKilledProcessLeftIsTakenOver() throws IOException {
    Sockets.listen(at, Security.LOCAL).close();
    assertThat(path).exists(); // closing leaves it
    try (ServerSocketChannel again = Sockets.listen(at, Security.LOCAL)) {
      assertThat(again.isOpen()).isTrue();
      inUse();
    }
  }

  @Test
  void aFileALinkOrADirectoryAtTheAddressIsLeftAlone() throws IOException {
    Path precious = Files.writeString(directory.resolve("precious"), "mine");
    Files.copy(precious, path);
    inUse();
    assertThat(path).hasContent("mine");
    Files.delete(path);
    Files.createDirectory(path);
    inUse();
    Files.delete(path);
    Sockets.listen(new Address.Unix(directory.resolve("old").toString()), Security.LOCAL).close();
    for (String target : new String[] {"precious", "old", "missing"}) {
      Files.createSymbolicLink(path, directory.resolve(target));
      inUse();
      assertThat(Files.isSymbolicLink(path)).isTrue();
      Files.delete(path);
    }
    assertThat(precious).hasContent("mine");
    assertThat(Files.exists(directory.resolve("old"), LinkOption.NOFOLLOW_LINKS)).isTrue();
  }

  @Test
  void theLongestPathWorksAndOneByteMoreIsRefusedByName() throws IOException {
    int left = Address.MAX_PATH_BYTES - directory.toString().length() - 1;
    String longest = directory.resolve("x".repeat(left)).toString();
    try (ServerSocketChannel channel = Sockets.listen(new Address.Unix(longest), Security.LOCAL);
        SocketChannel to = SocketChannel.open(UnixDomainSocketAddress.of(longest))) {
      assertThat(channel.isOpen()).isTrue();
      assertThat(to.isConnected()).isTrue();
    }
    assertThatThrownBy(() -> Sockets.listen(new Address.Unix(longest + "x"), Security.LOCAL))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("too long for a Unix-domain socket");
  }
}
