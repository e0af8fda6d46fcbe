package org.millrace.message;

/** The same between neighbours that share memory. */
final class SharedTransportTest extends TransportTest {

  @Override
  boolean shares() {
    return true;
  }
}
