package org.millrace.cli.cluster;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.millrace.cli.terminal.Shown;
import org.millrace.cluster.Administration.NodeReport;

/**
 * What went on between two reports of some nodes: sums that more can be added to. Used by one
 * thread.
 */
public final class Rates {

  /** The kinds of requests that nodes count. */
  public static final List<String> KINDS = List.of("get", "put", "list", "direct", "flush");

  private static final double PERCENTILE = 0.99;

  private double operations;
  private double bytes;
  private double timed;
  private double nanos;
  private double hits;
  private double accesses;
  private final TreeMap<Long, Long> buckets = new TreeMap<>();

  /** Adds what a node did in these kinds of requests. */
  public Rates add(NodeReport before, NodeReport now, List<String> kinds) {
    for (String kind : kinds) {
      operations += (double) grown(before, now, kind + ".count");
      bytes += (double) grown(before, now, kind + ".bytes");
      timed += (double) grown(before, now, kind + ".timed");
      nanos += (double) grown(before, now, kind + ".nanos");
      String bucket = kind + ".upTo.";
      for (Map.Entry<String, Long> counter : now.counters().entrySet()) {
        String name = counter.getKey();
        if (name.startsWith(bucket)) {
          long more = grown(before, now, name);
          buckets.merge(Long.parseLong(name.substring(bucket.length())), more, Long::sum);
        }
      }
    }
    long hit = grown(before, now, "hits");
    hits += (double) hit;
    accesses += (double) (hit + grown(before, now, "misses"));
    return this;
  }

  /** By how much a counter has grown; from 0 if the node has begun anew. */
  public static long grown(NodeReport before, NodeReport now, String counter) {
    long value = now.counter(counter);
    boolean anew = now.counter("upNanos") < before.counter("upNanos");
    return anew ? value : Math.max(0, value - before.counter(counter));
  }

  /** How many requests there were. */
  public double operations() {
    return operations;
  }

  /** How many bytes they moved. */
  public double bytes() {
    return bytes;
  }

  String hitsShown() {
    return Shown.percent(hits, accesses);
  }

  String meanShown() {
    return timed > 0 ? Shown.nanos(nanos / timed) : "-";
  }

  /** The time within which 99 of 100 requests were done; of a few, the longest. */
  String p99Shown() {
    long all = buckets.values().stream().mapToLong(Long::longValue).sum();
    long wanted = (long) Math.ceil(all * PERCENTILE);
    long seen = 0;
    for (Map.Entry<Long, Long> bucket : buckets.entrySet()) {
      seen += bucket.getValue();
      if (all > 0 && seen >= wanted) {
        return Shown.nanos(bucket.getKey());
      }
    }
    return "-";
  }
}
