package org.millrace;

import java.util.Optional;
import org.millrace.disk.PageCache;
import org.millrace.message.TransportOptions;
import org.millrace.wire.Address;

/**
 * How a coordinator or a node works in a process of its own. Immutable; start from {@link
 * #DEFAULT}.
 *
 * @param address where it listens; a Unix-domain socket in the cluster's directory if not given
 * @param cacheBytes memory that a node may use to cache blocks
 * @param stripeUnitBytes of files made without one of their own
 * @param pageCache which transfers go past the operating system's page cache
 * @param shared whether other users may connect to its Unix-domain sockets
 * @param transport how processes talk
 */
public record ServerOptions(
    Optional<Address> address,
    long cacheBytes,
    long stripeUnitBytes,
    PageCache pageCache,
    boolean shared,
    TransportOptions transport) {

  /** As {@link ClusterOptions#DEFAULT}, for one user on one host. */
  public static final ServerOptions DEFAULT = of(ClusterOptions.DEFAULT, TransportOptions.DEFAULT);

  /** As a cluster in one JVM would work. */
  public static ServerOptions of(ClusterOptions options, TransportOptions transport) {
    return new ServerOptions(
        Optional.empty(),
        options.cacheBytesPerNode(),
        options.stripeUnitBytes(),
        options.pageCache(),
        false,
        transport);
  }

  /** The same at another address. */
  public ServerOptions withAddress(Address newAddress) {
    return new ServerOptions(
        Optional.of(newAddress), cacheBytes, stripeUnitBytes, pageCache, shared, transport);
  }

  /** The same with another size of cache. */
  public ServerOptions withCacheBytes(long bytes) {
    return new ServerOptions(address, bytes, stripeUnitBytes, pageCache, shared, transport);
  }

  /** The same with another stripe unit. */
  public ServerOptions withStripeUnitBytes(long bytes) {
    return new ServerOptions(address, cacheBytes, bytes, pageCache, shared, transport);
  }

  /** The same, open to other users or not. */
  public ServerOptions withShared(boolean open) {
    return new ServerOptions(address, cacheBytes, stripeUnitBytes, pageCache, open, transport);
  }

  /** The same with other ways of talking. */
  public ServerOptions withTransport(TransportOptions other) {
    return new ServerOptions(address, cacheBytes, stripeUnitBytes, pageCache, shared, other);
  }
}
