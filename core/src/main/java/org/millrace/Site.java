package org.millrace;

import java.io.IOException;
import java.nio.file.Path;
import org.millrace.disk.RunFolder;
import org.millrace.env.Env;
import org.millrace.message.Door;
import org.millrace.message.Transport;
import org.millrace.message.TransportOptions;
import org.millrace.protocol.WireCodec;
import org.millrace.wire.Address;

/**
 * This process's place among others: its transport, the door at which it listens, and its ways to
 * the cluster.
 *
 * <p>Immutable. Closing ends all connections.
 *
 * @param transport to other processes
 * @param door where this one listens
 * @param dialer how the cluster's endpoints are reached
 */
record Site(Transport transport, Door door, Dialer dialer) implements AutoCloseable {

  /** Listens at an address that is given, or at a socket in {@code folder}. */
  static Site open(
      Env env, RunFolder folder, String socket, ServerOptions options, Whereabouts where)
      throws IOException {
    TransportOptions given = options.transport();
    TransportOptions how = given.withSecurity(where.security(given.security()));
    Transport transport = Transport.open(env, WireCodec.INSTANCE, how);
    try {
      Address at =
          options.address().isPresent()
              ? options.address().get()
              : new Address.Unix(folder.socket(socket, Address.MOST_PATH_BYTES).toString());
      Door door = transport.listen(at);
      if (door.address() instanceof Address.Unix(String path)) {
        folder.admit(Path.of(path));
      }
      return new Site(transport, door, new Dialer(env, transport, where));
    } catch (IOException | RuntimeException e) {
      transport.close();
      throw e;
    }
  }

  @Override
  public void close() {
    door.close();
    transport.close();
  }
}
