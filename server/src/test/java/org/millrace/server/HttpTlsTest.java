package org.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;
import org.millrace.files.FileTree;
import org.millrace.wire.Tls;
import org.millrace.wire.TlsKeys;
import org.millrace.wire.TransportKeys;

/** TLS 1.3, with a token or with a certificate of the user. */
final class HttpTlsTest {

  @TempDir private Path folder;

  /** Believes the authority, and shows no certificate. */
  private static SSLContext stranger(Path keys) throws IOException, GeneralSecurityException {
    char[] password = Tls.password(keys);
    KeyStore trust = Tls.store(keys.resolve(Tls.TRUST), password);
    TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
    factory.init(trust);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, factory.getTrustManagers(), null);
    return context;
  }

  private static int status(HttpFiles files, SSLContext context, String token) throws Exception {
    try (HttpClient client = HttpClient.newBuilder().sslContext(context).build()) {
      HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(files.url() + "/files/"));
      if (!token.isEmpty()) {
        request.header("Authorization", "Bearer " + token);
      }
      return client.send(request.build(), BodyHandlers.ofString()).statusCode();
    }
  }

  @Test
  void aCertificateOfTheUserOrTheTokenLetsIn() throws Exception {
    TlsKeys keys = TransportKeys.make(folder).tls().orElseThrow();
    SSLContext without = stranger(folder.resolve("keys/both"));
    InetSocketAddress address = new InetSocketAddress("localhost", 0);
    ServeOptions options = ServeOptions.local(address, Served.TOKEN, Served.USER).withTls(keys);
    try (Cluster cluster = Cluster.embedded(folder.resolve("cluster"), 1);
        FileTree tree = cluster.files()) {
      try (HttpFiles files = HttpFiles.start(Env.real(), tree, options)) {
        assertThat(status(files, keys.context(), "")).isEqualTo(200);
        assertThat(status(files, without, "")).isEqualTo(401);
        assertThat(status(files, without, Served.TOKEN)).isEqualTo(200);
        assertThat(status(files, keys.context(), "0".repeat(32))).isEqualTo(401);
        oldVersionsAreRefused(files, without);
      }
      ServeOptions others = ServeOptions.local(address, Served.TOKEN, "rosa").withTls(keys);
      try (HttpFiles files = HttpFiles.start(Env.real(), tree, others)) {
        assertThat(status(files, keys.context(), "")).isEqualTo(401); // it is miller's
      }
      ServeOptions elsewhere =
          ServeOptions.local(new InetSocketAddress("127.0.0.2", 0), Served.TOKEN, Served.USER)
              .withTls(keys);
      assertThatThrownBy(() -> HttpFiles.start(Env.real(), tree, elsewhere))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("millrace keys issue --host");
    }
  }

  private static void oldVersionsAreRefused(HttpFiles files, SSLContext context) {
    SSLParameters old = new SSLParameters();
    old.setProtocols(new String[] {"TLSv1.2"});
    try (HttpClient client =
        HttpClient.newBuilder().sslContext(context).sslParameters(old).build()) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(files.url() + "/files/")).build();
      assertThatThrownBy(() -> client.send(request, BodyHandlers.discarding()))
          .isInstanceOf(SSLException.class);
    }
  }
}
