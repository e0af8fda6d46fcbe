package org.millrace.wire;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;

/** Keys for tests of other packages: one certificate that serves in both roles. */
public final class TransportKeys {

  private TransportKeys() {}

  /** Keys of user "miller" on localhost. */
  public static Security make(Path folder) throws IOException {
    try {
      TestKeys keys = new TestKeys(folder, "keys");
      Path both = keys.issue("both", "CN=miller, OU=staff", "-ext", "san=dns:localhost");
      return Security.LOCAL.withTls(Tls.load(both));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }
}
