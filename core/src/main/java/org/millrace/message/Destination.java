package org.millrace.message;

import java.io.IOException;
import org.millrace.wire.Address;

/**
 * Where an endpoint may be found: asked for an address before each attempt to connect, because the
 * endpoint may have moved. Safe for use by several threads.
 */
public interface Destination {

  /**
   * Where to try next.
   *
   * @throws IOException if that is not known at the moment
   */
  Address next() throws IOException;

  /**
   * Whether another process may take the endpoint's place while this one is silent, and waits only
   * for a short time for those who used it: then silence must be noticed soon.
   */
  default boolean hasOthers() {
    return false;
  }

  /** Always the same address. */
  static Destination of(Address address) {
    return new Destination() {
      @Override
      public Address next() {
        return address;
      }

      @Override
      public String toString() {
        return address.toString();
      }
    };
  }
}
