package org.millrace.daemon;

import java.util.Optional;
import org.millrace.client.ClusterOptions;
import org.millrace.client.PageCache;
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
 * @param capabilityMillis how long a rank may use a file at the nodes until its right is renewed,
 *     which it does by itself
 * @param scrubBytes how many bytes a second a node reads at most to scrub its disk in the
 *     background; 0 if it does not
 * @param transport how processes talk
 */
public record ServerOptions(
    Optional<Address> address,
    long cacheBytes,
    long stripeUnitBytes,
    PageCache pageCache,
    boolean shared,
    long capabilityMillis,
    long scrubBytes,
    TransportOptions transport) {

  private static final long HALF_A_DAY = 12L * 60 * 60 * 1000;

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
        HALF_A_DAY,
        0,
        transport);
  }

  /** The same at another address. */
  public ServerOptions withAddress(Address newAddress) {
    return new ServerOptions(
        Optional.of(newAddress),
        cacheBytes,
        stripeUnitBytes,
        pageCache,
        shared,
        capabilityMillis,
        scrubBytes,
        transport);
  }

  /** The same with another size of cache. */
  public ServerOptions withCacheBytes(long bytes) {
    return new ServerOptions(
        address,
        bytes,
        stripeUnitBytes,
        pageCache,
        shared,
        capabilityMillis,
        scrubBytes,
        transport);
  }

  /** The same with another stripe unit. */
  public ServerOptions withStripeUnitBytes(long bytes) {
    return new ServerOptions(
        address, cacheBytes, bytes, pageCache, shared, capabilityMillis, scrubBytes, transport);
  }

  /** The same, open to other users or not. */
  public ServerOptions withShared(boolean open) {
    return new ServerOptions(
        address,
        cacheBytes,
        stripeUnitBytes,
        pageCache,
        open,
        capabilityMillis,
        scrubBytes,
        transport);
  }

  /** The same with other ways of talking. */
  public ServerOptions withTransport(TransportOptions other) {
    return new ServerOptions(
        address,
        cacheBytes,
        stripeUnitBytes,
        pageCache,
        shared,
        capabilityMillis,
        scrubBytes,
        other);
  }

  /** The same with another lifetime of the right to use a file. */
  public ServerOptions withCapabilityMillis(long millis) {
    return new ServerOptions(
        address, cacheBytes, stripeUnitBytes, pageCache, shared, millis, scrubBytes, transport);
  }

  /** The same with another rate of scrubs in the background. */
  public ServerOptions withScrubBytes(long bytesPerSecond) {
    return new ServerOptions(
        address,
        cacheBytes,
        stripeUnitBytes,
        pageCache,
        shared,
        capabilityMillis,
        bytesPerSecond,
        transport);
  }
}
