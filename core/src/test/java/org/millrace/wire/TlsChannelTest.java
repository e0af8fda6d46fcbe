package org.millrace.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.testing.Seeds;

/** Both ends are driven by one thread, so that nothing depends on timing. */
final class TlsChannelTest {

  @TempDir private static Path folder;
  private static SSLContext serverKeys;
  private static SSLContext clientKeys;
  private static SSLContext foreignKeys;
  private static SSLContext elsewhere;
  private static SSLContext nameless;

  @BeforeAll
  static void makeKeys() throws Exception {
    TestKeys keys = new TestKeys(folder, "ours");
    serverKeys = keys.server();
    clientKeys = keys.client();
    elsewhere =
        Tls.load(keys.issue("elsewhere", "CN=miller", "-ext", "san=dns:mill.example")).context();
    nameless = Tls.load(keys.issue("nameless", "OU=staff")).context();
    TestKeys others = new TestKeys(folder, "theirs");
    foreignKeys = others.client();
  }

  @Test
  void bothSidesLearnWhoTheOtherIs() throws IOException {
    try (TlsPair pair = new TlsPair()) {
      TlsChannel client = pair.client(clientKeys);
      TlsChannel server = pair.server(serverKeys);
      assertThat(server.identity().isKnown()).isFalse();
      assertThat(TlsPair.shakeHands(client, server)).isNull();
      assertThat(server.identity().user()).isEqualTo("rosa");
      assertThat(server.identity().groups()).containsExactlyInAnyOrder("staff", "guests");
      assertThat(client.identity().user()).isEqualTo("miller");
    }
  }

  @Test
  void bytesArriveInOrderThroughBuffersOfAnySizeAndASlowReader() throws IOException {
    for (long seed : Seeds.of(3)) {
      exchange(seed);
    }
  }

  private static void exchange(long seed) throws IOException {
    Random random = new Random(seed);
    byte[] sent = new byte[600_000];
    random.nextBytes(sent);
    byte[] received = new byte[sent.length];
    try (TlsPair pair = new TlsPair()) {
      var below = TlsPair.slow(pair.clientSocket, 1 + random.nextInt(40_000), random);
      TlsChannel client = TlsChannel.client(below, clientKeys, "localhost", 0);
      TlsChannel server = pair.server(serverKeys);
      ByteBuffer[] parts = {
        ByteBuffer.wrap(sent, 0, 100_001), ByteBuffer.wrap(sent, 100_001, sent.length - 100_001)
      };
      long taken = 0;
      int came = 0;
      while (came < sent.length) {
        client.read(ByteBuffer.allocate(1));
        taken += client.write(parts, 0, 2);
        // A reader that takes little, so that the sender has to wait for it.
        int room = Math.min(received.length - came, 1 + random.nextInt(50_000));
        came += Math.max(0, server.read(ByteBuffer.wrap(received, came, room)));
        server.flush();
      }
      assertThat(taken).isEqualTo(sent.length);
      assertThat(received).as(Seeds.replay(seed)).isEqualTo(sent);
      assertThat(client.wantsWrite()).isFalse();
    }
  }

  @Test
  void writerIsHeldUpWithBoundedMemoryWhenNobodyReads() throws IOException {
    try (TlsPair pair = new TlsPair()) {
      TlsChannel client = pair.client(clientKeys);
      TlsChannel server = pair.server(serverKeys);
      assertThat(TlsPair.shakeHands(client, server)).isNull();
      ByteBuffer[] large = {ByteBuffer.allocate(64 << 20)};
      long taken = 0;
      long now = client.write(large, 0, 1);
      while (now > 0) {
        taken += now;
        now = client.write(large, 0, 1);
      }
      assertThat(client.wantsWrite()).isTrue();
      assertThat(taken).isLessThan(16 << 20); // what sockets hold, and a few records
      byte[] all = new byte[(int) taken];
      ByteBuffer into = ByteBuffer.wrap(all);
      while (into.hasRemaining()) {
        server.read(into);
        client.flush();
      }
      assertThat(client.wantsWrite()).isFalse();
    }
  }

  @Test
  void farewellIsTheEndAndItsAbsenceAnError() throws IOException {
    try (TlsPair pair = new TlsPair()) {
      TlsChannel client = pair.client(clientKeys);
      TlsChannel server = pair.server(serverKeys);
      assertThat(TlsPair.shakeHands(client, server)).isNull();
      client.write(new ByteBuffer[] {text("last words")}, 0, 1);
      client.close();
      client.close();
      assertThat(readText(server)).isEqualTo("last words");
      assertThat(readUntilSomething(server)).isEqualTo(-1);
      server.close();
    }
    try (TlsPair pair = new TlsPair()) {
      TlsChannel client = pair.client(clientKeys);
      TlsChannel server = pair.server(serverKeys);
      assertThat(TlsPair.shakeHands(client, server)).isNull();
      pair.clientSocket.shutdownOutput();
      assertThatThrownBy(() -> readUntilSomething(server))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN))
          .hasMessageContaining("cut");
    }
  }

  @Test
  void bytesThatAreNoHandshakeAreRefused() throws IOException {
    try (TlsPair pair = new TlsPair()) {
      TlsChannel server = pair.server(serverKeys);
      pair.clientSocket.write(text("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
      refused(() -> readUntilSomething(server));
      refused(() -> server.read(ByteBuffer.allocate(10))); // and stays refused
      refused(() -> server.write(new ByteBuffer[] {text("x")}, 0, 1));
      server.close();
    }
  }

  @Test
  void changedBytesAreNoticed() throws IOException {
    try (TlsPair pair = new TlsPair()) {
      TlsChannel client = pair.client(clientKeys);
      TlsChannel server = pair.server(serverKeys);
      assertThat(TlsPair.shakeHands(client, server)).isNull();
      client.write(new ByteBuffer[] {text("well")}, 0, 1);
      assertThat(readText(server)).isEqualTo("well");
      byte[] forged = {
        23, 3, 3, 0, 20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20
      };
      pair.clientSocket.write(ByteBuffer.wrap(forged));
      assertThatThrownBy(() -> readUntilSomething(server))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
    }
  }

  @Test
  void olderVersionsAreRefused() throws Exception {
    try (TlsPair pair = new TlsPair()) {
      TlsChannel server = pair.server(serverKeys);
      SSLEngine old = SSLContext.getDefault().createSSLEngine();
      old.setUseClientMode(true);
      old.setEnabledProtocols(new String[] {"TLSv1.2"});
      ByteBuffer hello = ByteBuffer.allocate(old.getSession().getPacketBufferSize());
      old.wrap(ByteBuffer.allocate(0), hello);
      pair.clientSocket.write(hello.flip());
      refused(() -> readUntilSomething(server));
    }
  }

  @Test
  void clientsWithoutCertificateAreRefused() throws Exception {
    SSLContext bare = SSLContext.getInstance("TLSv1.3");
    var trust = javax.net.ssl.TrustManagerFactory.getInstance("PKIX");
    trust.init(
        Tls.store(
            folder.resolve("ours/server").resolve(Tls.TRUST),
            Tls.password(folder.resolve("ours/server"))));
    bare.init(null, trust.getTrustManagers(), null);
    bothFail(bare, serverKeys);
  }

  @Test
  void foreignAuthoritiesAreRefusedByEitherSide() throws Exception {
    bothFail(foreignKeys, serverKeys);
    bothFail(clientKeys, foreignKeys);
  }

  @Test
  void serversMustBeTheHostThatWasWantedAndMayNotBeMereUsers() throws Exception {
    bothFail(clientKeys, elsewhere);
    bothFail(serverKeys, clientKeys);
  }

  @Test
  void certificatesThatNameNoUserAreRefused() throws Exception {
    try (TlsPair pair = new TlsPair()) {
      TlsChannel client = pair.client(nameless);
      TlsChannel server = pair.server(serverKeys);
      assertThat(TlsPair.shakeHands(client, server)).hasMessageContaining("0 users");
      assertThat(server.isEstablished()).isFalse();
      refused(() -> readUntilSomething(server));
      assertThat(readUntilSomething(client)).isEqualTo(-1);
    }
  }

  /** Who is refused learns of it, though with TLS 1.3 only after its own handshake is done. */
  private static void bothFail(SSLContext clientSide, SSLContext serverSide) throws IOException {
    try (TlsPair pair = new TlsPair()) {
      TlsChannel client = pair.client(clientSide);
      TlsChannel server = pair.server(serverSide);
      IOException first = TlsPair.shakeHands(client, server);
      assertThat(first).isInstanceOf(MillraceException.class);
      refused(() -> readUntilSomething(client));
      refused(() -> readUntilSomething(server));
      client.close();
      server.close();
    }
  }

  private static void refused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.REFUSED));
  }

  private static int readUntilSomething(TlsChannel channel) throws IOException {
    ByteBuffer into = ByteBuffer.allocate(100);
    int count = 0;
    while (count == 0) {
      count = channel.read(into);
    }
    return count;
  }

  private static String readText(TlsChannel channel) throws IOException {
    ByteBuffer into = ByteBuffer.allocate(100);
    while (into.position() == 0) {
      channel.read(into);
    }
    return StandardCharsets.UTF_8.decode(into.flip()).toString();
  }

  private static ByteBuffer text(String text) {
    return StandardCharsets.UTF_8.encode(text);
  }
}
