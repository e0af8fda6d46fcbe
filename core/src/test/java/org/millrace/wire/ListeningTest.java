package org.millrace.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

final class ListeningTest {

  private static final Security SECRET = Security.LOCAL.withSecret(new Secret(new byte[32]));

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.9.8.7", "::1"})
  void plainTcpStaysOnThisHostAndNeedsTheSecret(String host) {
    var at = new Address.Tcp(host, 7000, false);
    assertThatCode(() -> Listening.checkListen(at, number(host), SECRET))
        .doesNotThrowAnyException();
    refused(at, host, Security.LOCAL, "unix:");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.7", "128.0.0.1", "2001:db8::1"})
  void plainTcpBeyondThisHostIsRefusedWithWhatToDo(String host) {
    var at = new Address.Tcp(host, 7000, false);
    String instead = at.toString().replace("tcp:", "tls:");
    refused(at, host, SECRET, "use " + instead, "keys init");
    assertThatThrownBy(() -> Listening.checkConnect(at, number(host), SECRET))
        .hasMessageStartingWith("will not connect to " + at);
  }

  @Test
  void localhostIsBelievedOnlyIfItIsThisHost() {
    refused(new Address.Tcp("localhost", 7000, false), "192.0.2.7", SECRET, "beyond this host");
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "0.0.0.0", "192.0.2.7"})
  void tlsGoesAnywhereButOnlyWithKeys(String host) throws Exception {
    var at = new Address.Tcp(host, 7000, true);
    refused(at, host, SECRET, "millrace keys init");
    Security keys =
        Security.LOCAL.withTls(new TlsKeys(SSLContext.getInstance("TLSv1.3"), List.of()));
    assertThatCode(() -> Listening.checkListen(at, number(host), keys)).doesNotThrowAnyException();
  }

  @Test
  void aNameThatIsALoopbackAddressOnlyHereListensEverywhere() throws Exception {
    InetAddress debians = number("127.0.1.1");
    assertThat(Listening.isEverywhere(new Address.Tcp("mill-a", 7000, true), debians)).isTrue();
    assertThat(Listening.isEverywhere(new Address.Tcp("mill-a", 7000, false), debians)).isFalse();
    assertThat(Listening.isEverywhere(new Address.Tcp("localhost", 7000, true), debians)).isFalse();
    assertThat(Listening.isEverywhere(new Address.Tcp("127.0.1.1", 7000, true), debians)).isFalse();
    InetAddress real = number("192.0.2.7");
    assertThat(Listening.isEverywhere(new Address.Tcp("mill-a", 7000, true), real)).isFalse();
  }

  private static void refused(Address.Tcp at, String number, Security security, String... says) {
    assertThatThrownBy(() -> Listening.checkListen(at, number(number), security))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.REFUSED))
        .message()
        .contains(says)
        .contains(at.toString());
  }

  private static InetAddress number(String host) throws UnknownHostException {
    return InetAddress.getByName(host); // a number: nobody is asked
  }
}
