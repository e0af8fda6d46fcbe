package org.millrace.cli.keys;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.Tls;

/**
 * What may be told of a folder of keys. Immutable.
 *
 * @param folder where it is
 * @param subject whose keys: CN is the user, OU the groups
 * @param hosts at which hosts processes may listen with them
 * @param untilMillis when the certificate ends
 * @param fingerprint SHA-256 of the certificate, in hexadecimal digits
 */
record KeyFacts(
    Path folder, String subject, List<String> hosts, long untilMillis, String fingerprint) {

  static KeyFacts of(Path folder) throws IOException {
    char[] password = Tls.password(folder);
    try {
      KeyStore store = Tls.store(folder.resolve(Tls.KEY), password);
      String alias = store.aliases().nextElement();
      if (!(store.getCertificate(alias) instanceof X509Certificate certificate)) {
        throw new MillraceException(ErrorCode.REFUSED, folder + " holds no X.509 certificate");
      }
      byte[] sum = MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
      return new KeyFacts(
          folder,
          certificate.getSubjectX500Principal().getName(),
          Tls.hosts(store),
          certificate.getNotAfter().toInstant().toEpochMilli(),
          HexFormat.of().formatHex(sum));
    } catch (GeneralSecurityException e) {
      throw new MillraceException(ErrorCode.REFUSED, folder + ": " + e.getMessage(), e);
    } finally {
      Arrays.fill(password, ' ');
    }
  }

  /** For JSON. */
  Map<String, Object> values() {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("folder", folder.toString());
    values.put("subject", subject);
    values.put("hosts", hosts);
    values.put("untilMillis", untilMillis);
    values.put("fingerprint", fingerprint);
    return values;
  }
}
