package org.millrace.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;

/** Which address of its own a process tells others. */
final class HostNameTest {

  private static InetAddress number(String text) throws UnknownHostException {
    return InetAddress.getByName(text);
  }

  @Test
  void onTheServersHostItIsTheServersName() throws Exception {
    String chosen = HostName.choose("mill-a", number("127.0.0.1"), List.of("x"), _ -> true);
    assertThat(chosen).isEqualTo("mill-a");
  }

  @Test
  void elsewhereItIsTheNumberIfTheKeysHaveIt() throws Exception {
    List<String> keys = List.of("mill-b", "10.0.0.2");
    assertThat(HostName.choose("mill-a", number("10.0.0.2"), keys, _ -> true))
        .isEqualTo("10.0.0.2");
  }

  @Test
  void keysForNamesGiveTheNameThatMeansThisHost() throws Exception {
    List<String> keys = List.of("localhost", "mill-a", "10.0.0.9", "mill-b", "mill-c");
    assertThat(HostName.choose("mill-a", number("10.0.0.2"), keys, "mill-b"::equals))
        .isEqualTo("mill-b");
  }

  @Test
  void withoutKeysForThisHostItIsTheNumber() throws Exception {
    assertThat(HostName.choose("mill-a", number("10.0.0.2"), List.of("mill-c"), _ -> false))
        .isEqualTo("10.0.0.2");
    assertThat(HostName.choose("mill-a", number("10.0.0.2"), List.of(), _ -> true))
        .isEqualTo("10.0.0.2");
  }

  @Test
  void aServerAtALoopbackAddressIsReachedFromOne() throws Exception {
    TlsKeys keys = new TlsKeys(SSLContext.getInstance("TLSv1.3"), List.of());
    for (String server : List.of("127.0.0.1", "localhost", "127.0.1.1")) {
      assertThat(HostName.beside(new Address.Tcp(server, 7000, true), keys)).isEqualTo(server);
    }
  }

  @Test
  void onlyLocalhostMeansThisHostEverywhere() {
    assertThat(List.of("localhost", "LOCALHOST", "a.localhost", "localhost.localdomain"))
        .allMatch(HostName::isLocalhost);
    assertThat(List.of("mill-a", "localhosts", "127.0.0.1")).noneMatch(HostName::isLocalhost);
  }
}
