package org.millrace.files;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Where the bytes of a file lie, for programs that want to work near them: stripe units go to the
 * strands in turn, from the first on, and each strand is at a node. It is a hint: strands with
 * copies may move. Immutable.
 *
 * @param stripeUnitBytes bytes that go to one strand before the next strand's turn
 * @param addresses of the nodes that serve the strands, in the order of the strands, such as {@code
 *     tcp:host:port}; empty for a node in this process
 */
public record Striping(long stripeUnitBytes, List<String> addresses) {

  /** Checks that there are a stripe unit and strands. */
  public Striping {
    addresses = List.copyOf(addresses);
    if (stripeUnitBytes < 1 || addresses.isEmpty()) {
      throw new IllegalArgumentException(
          "stripe unit of %s bytes and %s strands, must be at least 1 each"
              .formatted(stripeUnitBytes, addresses.size()));
    }
  }

  /**
   * The host of a strand's node.
   *
   * @param here the name of this host, for nodes in this process or behind a Unix-domain socket
   */
  public String host(int strand, String here) {
    String address = addresses.get(Objects.checkIndex(strand, addresses.size()));
    int port = address.lastIndexOf(':');
    if (!address.matches("(tcp|tls):.*") || port <= 4) {
      return here;
    }
    String host = address.substring(4, port);
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  /**
   * How many bytes of a range each host has; those that have the most come first, and of equals the
   * one that has the first byte.
   *
   * @param here as for {@link #host}
   */
  public Map<String, Long> bytesByHost(long from, long length, String here) {
    if (from < 0 || length < 0 || from > Long.MAX_VALUE - length) {
      throw new IllegalArgumentException("%s bytes from byte %s on".formatted(length, from));
    }
    Map<String, Long> counts = new LinkedHashMap<>();
    int strands = addresses.size();
    long first = from / stripeUnitBytes;
    for (int turn = 0; turn < strands; turn++) {
      int strand = (int) ((first % strands + turn) % strands);
      long bytes = before(strand, from + length) - before(strand, from);
      if (bytes > 0) {
        counts.merge(host(strand, here), bytes, Long::sum);
      }
    }
    Map<String, Long> sorted = new LinkedHashMap<>();
    counts.entrySet().stream()
        .sorted((a, b) -> Long.compare(b.getValue(), a.getValue()))
        .forEachOrdered(one -> sorted.put(one.getKey(), one.getValue()));
    return sorted;
  }

  /** How many of the bytes before an offset are on a strand. */
  private long before(int strand, long offset) {
    long units = offset / stripeUnitBytes;
    long turn = units % addresses.size();
    long cut = strand < turn ? stripeUnitBytes : strand == turn ? offset % stripeUnitBytes : 0;
    return units / addresses.size() * stripeUnitBytes + cut;
  }
}
