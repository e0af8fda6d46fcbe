package org.millrace.message;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.env.Env;
import org.millrace.wire.Address;
import org.millrace.wire.NoListenerException;
import org.millrace.wire.Secret;
import org.millrace.wire.Security;

/**
 * Connections to a process that has ended, and to one that is slow. No call here has a deadline, so
 * that one which takes the first for the second never ends.
 */
@SuppressWarnings("try") // what is closed in the middle is what has ended
final class ConnectTimeoutTest {

  private static final long SHORT_NANOS = 1_000_000;

  @TempDir private Path folder;

  private static Transport open(TransportOptions options) {
    return Transport.open(Env.real(), new TestEndpoint.Words(), options);
  }

  private static void assertGone(TransportOptions options, Address at) {
    try (Transport client = open(options)) {
      assertThatThrownBy(() -> client.connectToPresent(at, "test", Env.NEVER))
          .isInstanceOf(NoListenerException.class);
    }
  }

  @Test
  void aProcessThatEndedIsGoneAtOnce() throws IOException {
    Security security = Security.LOCAL.withSecret(new Secret(new byte[Secret.BYTES]));
    TransportOptions options = TransportOptions.DEFAULT.withSecurity(security);
    for (String address : List.of("unix:" + folder.resolve("s"), "tcp:127.0.0.1:0")) {
      try (Transport server = open(options)) {
        Address at = server.listen(Address.parse(address)).address();
        server.close();
        assertGone(options, at);
      }
    }
  }

  @Test
  void aSocketsFileThatAKilledProcessLeftBehindIsNoProcess() throws IOException {
    Path left = folder.resolve("left");
    try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      killed.bind(UnixDomainSocketAddress.of(left)); // closing does not remove the file
    }
    assertGone(TransportOptions.DEFAULT, new Address.Unix(left.toString()));
  }

  @Test
  void anEndpointThatEndedBehindADoorIsGoneAtOnce() throws IOException {
    try (Transport server = open(TransportOptions.DEFAULT)) {
      assertGone(
          TransportOptions.DEFAULT,
          server.listen(new Address.Unix(folder.resolve("s").toString())).address());
    }
  }

  @Test
  void aProcessThatIsSlowToGreetIsAskedAgainUntilItIsGone() throws Exception {
    TransportOptions hasty = TransportOptions.DEFAULT.withConnections(8, SHORT_NANOS);
    List<SocketChannel> unheard = new ArrayList<>();
    Address at = new Address.Unix(folder.resolve("s").toString());
    try (ServerSocketChannel slow = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      slow.bind(UnixDomainSocketAddress.of(folder.resolve("s")));
      FutureTask<Void> caller =
          new FutureTask<>(
              () -> {
                try (slow) { // who gives up ends the wait for another connection, too
                  assertGone(hasty, at);
                }
                return null;
              });
      Thread.ofPlatform().daemon().start(caller);
      for (int i = 0; i < 3; i++) {
        unheard.add(slow.accept());
      }
      slow.close();
      caller.get();
    } finally {
      for (SocketChannel one : unheard) {
        one.close();
      }
    }
  }
}
