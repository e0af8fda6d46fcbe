package org.millrace.wire;

import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** Reads users and groups from certificates. Stateless. */
final class Certificates {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.@-]{0,63}");

  private Certificates() {}

  /** The peer's identity in a TLS session. */
  static Identity identity(SSLSession session) throws SSLPeerUnverifiedException {
    if (session.getPeerCertificates()[0] instanceof X509Certificate certificate) {
      return identity(certificate.getSubjectX500Principal().getName());
    }
    throw new SSLPeerUnverifiedException(
        "the other side's certificate is not an X.509 certificate");
  }

  /** The user (CN) and groups (OU) in a distinguished name of RFC 2253. */
  static Identity identity(String name) throws SSLPeerUnverifiedException {
    List<String> users = new ArrayList<>();
    List<String> groups = new ArrayList<>();
    try {
      for (Rdn rdn : new LdapName(name).getRdns()) {
        switch (rdn.getType()) {
          case "CN" -> users.add(check(rdn.getValue()));
          case "OU" -> groups.add(check(rdn.getValue()));
          default -> {}
        }
      }
    } catch (InvalidNameException e) {
      throw unusable("its name cannot be read", e);
    }
    if (users.size() != 1) {
      throw unusable("it names " + users.size() + " users (CN), must be one", null);
    }
    return new Identity(users.getFirst(), groups);
  }

  private static String check(Object value) throws SSLPeerUnverifiedException {
    if (value instanceof String text && NAME.matcher(text).matches()) {
      return text;
    }
    throw unusable("users and groups are letters, digits and _ . @ - in it", null);
  }

  private static SSLPeerUnverifiedException unusable(
      String reason, @org.jspecify.annotations.Nullable Exception cause) {
    var e = new SSLPeerUnverifiedException("the certificate is of no use here: " + reason);
    if (cause != null) {
      e.initCause(cause);
    }
    return e;
  }
}
