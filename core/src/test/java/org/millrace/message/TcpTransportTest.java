package org.millrace.message;

import java.nio.file.Path;
import java.util.Arrays;
import org.millrace.wire.Address;
import org.millrace.wire.Secret;
import org.millrace.wire.Security;

/** The same over TCP within the host, where both sides prove the secret. */
final class TcpTransportTest extends TransportTest {

  @Override
  Address address(Path in) {
    return new Address.Tcp("127.0.0.1", 0, false);
  }

  @Override
  Security security() {
    byte[] key = new byte[Secret.BYTES];
    Arrays.fill(key, (byte) 7);
    return Security.LOCAL.withSecret(new Secret(key));
  }
}
