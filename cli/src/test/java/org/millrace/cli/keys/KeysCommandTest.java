package org.millrace.cli.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.Tls;
import org.millrace.wire.TlsChannel;

final class KeysCommandTest {

  @TempDir private Path folder;

  private CommandLineRun keys(String command, String... args) {
    List<String> line =
        new ArrayList<>(List.of("keys", command, "--dir", folder.resolve("k").toString()));
    line.addAll(List.of(args));
    return CommandLineRun.of(line.toArray(String[]::new));
  }

  private void well(String command, String... args) {
    CommandLineRun run = keys(command, args);
    assertThat(run.exitCode()).as(run.err()).isZero();
  }

  @Test
  void keysLetHostsAndUsersTalkAndNobodyElse() throws IOException {
    well("init", "--user", "miller", "--host", "localhost", "--host", "10.0.0.7");
    well("issue", "--user", "rosa", "--group", "staff", "--group", "guests");
    Path all = folder.resolve("k");
    TlsChannel[] pair = talk(all.resolve("rosa"), all.resolve("localhost"));
    assertThat(pair[1].identity().user()).isEqualTo("rosa");
    assertThat(pair[1].identity().groups()).containsExactlyInAnyOrder("staff", "guests");
    assertThat(pair[0].identity().user()).isEqualTo("miller");
    // a node to the coordinator: the keys of a host serve on both sides
    assertThat(talk(all.resolve("localhost"), all.resolve("localhost"))[1].identity().user())
        .isEqualTo("miller");
    // another host's keys are not this one's, and a user's are no host's
    assertThatThrownBy(() -> talk(all.resolve("rosa"), all.resolve("10.0.0.7")))
        .isInstanceOf(MillraceException.class);
    assertThatThrownBy(() -> talk(all.resolve("miller"), all.resolve("rosa")))
        .isInstanceOf(MillraceException.class);
  }

  @Test
  void processesNeedNotHashTheRandomPasswordsOfTheirKeysThousandsOfTimes() throws IOException {
    well("init", "--user", "miller", "--host", "localhost");
    for (String store : List.of(Tls.KEY, Tls.TRUST)) {
      byte[] bytes = Files.readAllBytes(folder.resolve("k/localhost").resolve(store));
      String hex = HexFormat.of().formatHex(bytes);
      assertThat(hex).doesNotContain("02022710"); // the JDK's 10,000 as a number in DER
      assertThat(hex).contains("020101"); // 1
    }
  }

  @Test
  void everythingIsPrivateAndNothingIsOverwritten() throws IOException {
    well("init", "--user", "miller", "--host", "localhost");
    try (Stream<Path> files = Files.walk(folder.resolve("k"))) {
      files.forEach(
          file -> {
            try {
              assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                  .as(file.toString())
                  .endsWith("------");
            } catch (IOException e) {
              throw new java.io.UncheckedIOException(e);
            }
          });
    }
    byte[] before = Files.readAllBytes(folder.resolve("k/authority/key.p12"));
    CommandLineRun again = keys("init", "--user", "other", "--host", "localhost");
    assertThat(again.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(again.err()).contains("never overwritten");
    assertThat(keys("issue", "--user", "miller").err()).contains("never overwritten");
    assertThat(Files.readAllBytes(folder.resolve("k/authority/key.p12"))).isEqualTo(before);
    try (Stream<Path> left = Files.list(folder.resolve("k"))) {
      assertThat(left.map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrder("authority", "localhost", "miller");
    }
  }

  @Test
  void showTellsWhoseKeysTheyAreAndNothingSecret() throws IOException {
    well("init", "--user", "miller", "--host", "localhost", "--days", "3");
    CommandLineRun shown = keys("show");
    assertThat(shown.out()).contains("CN=miller", "localhost", "CN=millrace authority");
    CommandLineRun json = keys("show", "--json");
    assertThat(json.out()).contains("\"subject\": \"CN=miller\"", "\"fingerprint\"");
    String password = Files.readString(folder.resolve("k/localhost/password")).strip();
    assertThat(password).hasSizeGreaterThan(40);
    assertThat(shown.out() + json.out()).doesNotContain(password);
    assertThat(CommandLineRun.of("keys", "show", folder.resolve("k/miller").toString()).out())
        .contains("CN=miller");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "init --user a",
        "init --host a",
        "init --user a/b --host h",
        "init --user a,OU=root --host h",
        "init --user h --host h",
        "init --user a --host -x",
        "init --user a --host h --days 0",
        "issue --user ../a",
        "issue --user a --group b=c"
      })
  void wrongUseIsOneLine(String line) {
    String[] words = line.split(" ");
    CommandLineRun run =
        keys(words[0], List.of(words).subList(1, words.length).toArray(String[]::new));
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).matches("millrace: .* --help\\R");
    assertThat(folder.resolve("k")).doesNotExist();
  }

  @Test
  void whatIsMissingSaysHowToMakeIt() {
    assertThat(keys("issue", "--user", "a").err()).contains("millrace keys init");
    assertThat(keys("show").err()).contains("millrace keys init");
    assertThat(CommandLineRun.of("keys").exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(CommandLineRun.of("keys", "--help").out()).contains("init", "issue", "show");
  }

  private static TlsChannel[] talk(Path client, Path server) throws IOException {
    try (ServerSocketChannel listener = ServerSocketChannel.open();
        SocketChannel one = SocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      one.connect(listener.getLocalAddress());
      one.configureBlocking(false);
      try (SocketChannel other = listener.accept()) {
        other.configureBlocking(false);
        TlsChannel[] pair = {
          TlsChannel.client(one, Tls.load(client).context(), "localhost", 0),
          TlsChannel.server(other, Tls.load(server).context())
        };
        ByteBuffer nothing = ByteBuffer.allocate(1);
        while (!pair[0].isEstablished() || !pair[1].isEstablished()) {
          pair[0].read(nothing);
          pair[1].read(nothing);
        }
        return pair;
      }
    }
  }
}
