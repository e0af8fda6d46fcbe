package org.millrace.wire;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Keys for TLS in a folder: {@code key.p12} with a private key and its certificates, {@code
 * trust.p12} with the authorities that are believed, both PKCS #12, and {@code password}, the
 * password of both. {@code millrace keys} makes such folders. Stateless.
 */
public final class Tls {

  /** File with the private key. */
  public static final String KEY = "key.p12";

  /** File with the trusted authorities. */
  public static final String TRUST = "trust.p12";

  /** File with the password of both. */
  public static final String PASSWORD = "password";

  private static final Set<PosixFilePermission> OWNERS =
      EnumSet.of(
          PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.OWNER_EXECUTE);

  private Tls() {}

  /**
   * The keys in {@code folder}, for both sides of connections.
   *
   * @throws IOException if they are missing or do not fit together, or if others than their owner
   *     can touch the private ones
   */
  public static TlsKeys load(Path folder) throws IOException {
    TlsManagers managers = managers(folder);
    try {
      SSLContext context = SSLContext.getInstance("TLSv1.3");
      context.init(new KeyManager[] {managers.keys()}, new TrustManager[] {managers.trust()}, null);
      return new TlsKeys(context, managers.hosts());
    } catch (GeneralSecurityException e) {
      throw unusable(folder, e);
    }
  }

  /** As {@link #load}, for others who make connections. */
  public static TlsManagers managers(Path folder) throws IOException {
    checkPrivate(folder.resolve(KEY));
    char[] password = password(folder);
    try {
      KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
      KeyStore own = store(folder.resolve(KEY), password);
      keys.init(own, password);
      TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
      trust.init(store(folder.resolve(TRUST), password));
      if (keys.getKeyManagers()[0] instanceof X509ExtendedKeyManager keyManager
          && trust.getTrustManagers()[0] instanceof X509ExtendedTrustManager trustManager) {
        return new TlsManagers(keyManager, trustManager, hosts(own));
      }
      throw new GeneralSecurityException("they are not of X.509");
    } catch (GeneralSecurityException e) {
      throw unusable(folder, e);
    } finally {
      Arrays.fill(password, ' ');
    }
  }

  /** The hosts that the certificate in a key store names, as names and as numbers. */
  public static List<String> hosts(KeyStore store) throws GeneralSecurityException {
    return store.getCertificate(store.aliases().nextElement()) instanceof X509Certificate one
        ? hosts(one)
        : List.of();
  }

  /** The hosts that a certificate names, as names and as numbers. */
  public static List<String> hosts(X509Certificate certificate) throws CertificateParsingException {
    List<String> hosts = new ArrayList<>();
    if (certificate.getSubjectAlternativeNames() != null) {
      certificate.getSubjectAlternativeNames().forEach(name -> hosts.add("" + name.get(1)));
    }
    return hosts;
  }

  /** Whom the other side's certificate names. */
  public static Identity identity(SSLSession session) throws SSLPeerUnverifiedException {
    return Certificates.identity(session);
  }

  /** The password in a folder of keys; the caller wipes it. */
  public static char[] password(Path folder) throws IOException {
    Path file = folder.resolve(PASSWORD);
    checkPrivate(file);
    return Files.readString(file).strip().toCharArray();
  }

  /** A key store that is there. */
  public static KeyStore store(Path file, char[] password) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(in, password);
      return store;
    } catch (GeneralSecurityException e) {
      throw unusable(file, e);
    }
  }

  private static MillraceException unusable(Path place, Exception e) {
    return new MillraceException(
        ErrorCode.REFUSED,
        "the keys in %s are of no use: %s; make others with: millrace keys issue"
            .formatted(place, e.getMessage()),
        e);
  }

  /** Users who could read or replace it could impersonate us. */
  private static void checkPrivate(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new MillraceException(
          ErrorCode.REFUSED, "there is no %s; make keys with: millrace keys init".formatted(file));
    }
    if (!OWNERS.containsAll(Files.getPosixFilePermissions(file))) {
      throw new MillraceException(
          ErrorCode.REFUSED,
          "others than its owner may use %1$s; keep it private with: chmod 600 %1$s"
              .formatted(file));
    }
  }
}
