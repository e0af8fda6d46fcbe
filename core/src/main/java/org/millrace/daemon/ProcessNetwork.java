package org.millrace.daemon;

import java.io.IOException;
import java.nio.file.Path;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.Dialer;
import org.millrace.disk.RunFolder;
import org.millrace.env.Env;
import org.millrace.message.Acceptor;
import org.millrace.message.Transport;
import org.millrace.message.TransportOptions;
import org.millrace.protocol.WireCodec;
import org.millrace.wire.Address;

/**
 * How this process communicates: its transport, its acceptor, and its dialer for the cluster.
 *
 * <p>Immutable. Closing ends all connections.
 *
 * @param transport to other processes
 * @param acceptor accepts connections to this process
 * @param dialer how the cluster's endpoints are reached
 */
public record ProcessNetwork(Transport transport, Acceptor acceptor, Dialer dialer)
    implements AutoCloseable {

  /** Listens at an address that is given, or at a socket in {@code folder}. */
  public static ProcessNetwork open(
      Env env, RunFolder folder, String socket, ServerOptions options, ClusterLocation location)
      throws IOException {
    return open(env, folder, socket, options, location, true);
  }

  /**
   * As above.
   *
   * @param returning as of {@link Dialer}
   */
  public static ProcessNetwork open(
      Env env,
      RunFolder folder,
      String socket,
      ServerOptions options,
      ClusterLocation location,
      boolean returning)
      throws IOException {
    TransportOptions given = options.transport();
    TransportOptions transportOptions = given.withSecurity(location.security(given.security()));
    Transport transport = Transport.open(env, WireCodec.INSTANCE, transportOptions);
    try {
      Address at =
          options.address().isPresent()
              ? options.address().get()
              : new Address.Unix(folder.socket(socket, Address.MAX_PATH_BYTES).toString());
      Acceptor acceptor = transport.listen(at);
      if (acceptor.address() instanceof Address.Unix(String path)) {
        folder.admit(Path.of(path));
      }
      return new ProcessNetwork(
          transport, acceptor, new Dialer(env, transport, location, returning));
    } catch (IOException | RuntimeException e) {
      transport.close();
      throw e;
    }
  }

  @Override
  public void close() {
    acceptor.close();
    transport.close();
  }
}
