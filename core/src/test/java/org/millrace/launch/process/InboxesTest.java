package org.millrace.launch.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.millrace.daemon.ServerOptions;
import org.millrace.launch.Launch;
import org.millrace.message.TransportOptions;
import org.millrace.wire.Address;
import org.millrace.wire.Security;
import org.millrace.wire.TlsKeys;

/** Where a rank listens whose cluster is elsewhere. */
final class InboxesTest {

  private static final Address TLS = Address.parse("tls:127.0.0.1:7000");

  private static ServerOptions withKeys() throws Exception {
    TlsKeys keys = new TlsKeys(SSLContext.getInstance("TLSv1.3"), List.of("127.0.0.1"));
    return ServerOptions.DEFAULT.withTransport(
        TransportOptions.DEFAULT.withSecurity(Security.LOCAL.withTls(keys)));
  }

  private static Optional<Address> chosen(
      Address coordinator, ServerOptions options, Map<String, String> environment)
      throws IOException {
    return Inboxes.beside(coordinator, options, environment).address();
  }

  @Test
  void aRankListensAsTheCoordinatorIsReached() throws Exception {
    ServerOptions options = withKeys();
    assertThat(chosen(new Address.Unix("/a"), options, Map.of())).isEmpty();
    assertThat(chosen(Address.parse("tcp:127.0.0.1:7000"), options, Map.of()))
        .contains(Address.parse("tcp:127.0.0.1:0"));
    assertThat(chosen(TLS, options, Map.of())).contains(Address.parse("tls:127.0.0.1:0"));
  }

  @Test
  void theVariableGoesBeforeTheRouteAndTheOptionBeforeTheVariable() throws Exception {
    Map<String, String> said = Map.of(Launch.LISTEN, " tls:mill-b:0 ");
    Address variable = Address.parse("tls:mill-b:0");
    assertThat(chosen(TLS, withKeys(), said)).contains(variable);
    assertThat(chosen(new Address.Unix("/a"), withKeys(), said)).contains(variable);
    Address option = Address.parse("tls:mill-c:0");
    assertThat(chosen(TLS, withKeys().withAddress(option), said)).contains(option);
    assertThat(chosen(TLS, withKeys(), Map.of(Launch.LISTEN, " ")))
        .contains(Address.parse("tls:127.0.0.1:0"));
  }

  @Test
  void aVariableThatIsNoAddressIsNamed() throws Exception {
    ServerOptions options = withKeys();
    assertThatThrownBy(() -> chosen(TLS, options, Map.of(Launch.LISTEN, "mill-b")))
        .hasMessageContaining("MILLRACE_LISTEN: 'mill-b' is not an address");
  }
}
