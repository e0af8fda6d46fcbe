package org.millrace.raft;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.SslProvider;
import org.millrace.wire.Tls;
import org.millrace.wire.TlsManagers;

/**
 * Mutual TLS between members, with keys as {@code millrace keys} makes them. Keys of the same
 * authority are not enough: users have such, too. A member's certificate names a host of the group,
 * which is looked up at each connection: members come and go. Stateless.
 */
final class RaftKeys {

  private RaftKeys() {}

  /**
   * The keys in a folder.
   *
   * @param hosts of the members, as they are when it is asked
   */
  static GrpcTlsConfig load(Path folder, Supplier<Set<String>> hosts) throws IOException {
    TlsManagers managers = Tls.managers(folder);
    return GrpcTlsConfig.newBuilder()
        .setKeyManager(managers.keys())
        .setTrustManager(new Members(managers.trust(), hosts))
        .setMutualTls(true)
        .setSslProvider(SslProvider.JDK)
        .setProtocols(List.of("TLSv1.3"))
        .build();
  }

  /** Trusts hosts of the group alone. */
  static final class Members extends X509ExtendedTrustManager {

    private final X509ExtendedTrustManager authority;
    private final Supplier<Set<String>> hosts;

    Members(X509ExtendedTrustManager authority, Supplier<Set<String>> hosts) {
      this.authority = authority;
      this.hosts = hosts;
    }

    private void check(X509Certificate[] chain) throws CertificateException {
      Set<String> known = hosts.get();
      if (Tls.hosts(chain[0]).stream().noneMatch(known::contains)) {
        throw new CertificateException(
            "these keys are of no coordinator's host: "
                + chain[0].getSubjectX500Principal().getName());
      }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      authority.checkClientTrusted(chain, type, socket);
      check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      authority.checkServerTrusted(chain, type, socket);
      check(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      authority.checkClientTrusted(chain, type, engine);
      check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      authority.checkServerTrusted(chain, type, engine);
      check(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      authority.checkClientTrusted(chain, type);
      check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      authority.checkServerTrusted(chain, type);
      check(chain);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return authority.getAcceptedIssuers();
    }
  }
}
