package org.millrace.message;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.wire.Address;
import org.millrace.wire.Security;
import org.millrace.wire.TransportKeys;

/** The same over TLS: the user is who the certificate says. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TlsTransportTest extends TransportTest {

  private Security keys = Security.LOCAL;

  @BeforeAll
  void makeKeys(@TempDir Path folder) throws IOException {
    keys = TransportKeys.make(folder);
  }

  @Override
  Address address(Path in) {
    return new Address.Tcp("localhost", 0, true);
  }

  @Override
  Security security() {
    return keys;
  }

  @Override
  String user() {
    return "miller";
  }
}
