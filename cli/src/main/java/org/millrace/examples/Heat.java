package org.millrace.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.millrace.client.ClusterOptions;

/**
 * Heat that spreads over a plate: an explicit five-point scheme on a square grid of doubles, whose
 * rows are dealt out to the ranks in blocks. Neighbours exchange halo rows in each step; now and
 * then all write a snapshot into one shared file, together, and a checkpoint, with which a later
 * run continues, with any number of ranks.
 *
 * <p>Each cell is computed by the same operations no matter which rank has it, so that the field
 * does not depend on the number of ranks or nodes, to the last bit. Stateless.
 */
public final class Heat {

  private static final long MAX_CACHE_BYTES = 1L << 30;
  private static final long SMALLEST_CACHE_BYTES = 1L << 20;

  private Heat() {}

  /** Runs to the end, or until the watch wants to stop, on a cluster in this JVM. */
  public static HeatResult run(HeatRequest request, HeatWatch watch) throws IOException {
    checkMemory(request);
    Ranks all = Ranks.embedded(request.directory(), request.ranks(), request.nodes());
    return run(request, watch, all).orElseThrow();
  }

  /**
   * Runs to the end, or until the watch wants to stop, as the ranks that are in this process. There
   * is a result where rank 0 is.
   */
  public static Optional<HeatResult> run(HeatRequest request, HeatWatch watch, Ranks here)
      throws IOException {
    if (request.resume() && !Files.isDirectory(request.directory())) {
      throw nothingToResume(request);
    }
    AtomicReference<@Nullable HeatResult> result = new AtomicReference<>();
    ClusterOptions options = ClusterOptions.DEFAULT;
    long cacheBytes = Math.min(options.cacheBytesPerNode(), MAX_CACHE_BYTES / request.nodes());
    here.run(
        options.withCacheBytesPerNode(Math.max(cacheBytes, SMALLEST_CACHE_BYTES)),
        rank -> new HeatRank(rank, request, watch).run().ifPresent(result::set));
    return Optional.ofNullable(result.get());
  }

  /** What can be told before anything is touched. */
  private static void checkMemory(HeatRequest request) throws HeatException {
    if (request.resume()) {
      return;
    }
    HeatPlan plan = request.fresh();
    double needed = 2.0 * plan.fieldBytes(); // now and next
    double most = Runtime.getRuntime().maxMemory();
    if (needed > 0.9 * most) {
      throw new HeatException(
          String.format(
              Locale.ROOT,
              "--size %s needs %.1f GB of Java's heap, which has %.1f; set MILLRACE_JAVA_OPTS=-Xmx%.0fg",
              plan.size(),
              needed / 1e9,
              most / 1e9,
              Math.ceil(needed / 0.85 / (1 << 30))));
    }
  }

  static HeatException nothingToResume(HeatRequest request) {
    return new HeatException(
        "there is no checkpoint in %s; leave --resume out to begin".formatted(request.directory()));
  }
}
