package org.millrace.examples;

import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.millrace.client.ClusterOptions;
import org.millrace.env.Env;

/**
 * The product of two matrices that need not fit into memory: A of n by n with a(i,j) = i + j, B of
 * n by m with b(i,j) = j, indices from 1, so that every element of C is known: 0.5 n j (n + 1 + 2
 * i). All three are global arrays, in {@code .npy} files or in shards of Zarr.
 *
 * <pre>
 *   C(:, chunk) += A(:, panel) * B(panel, chunk)      for all panels of A, then the next chunk
 * </pre>
 *
 * Each rank has a chunk of C's columns in memory, and a panel of A's columns together with B's rows
 * for it, while the next ones are on their way. Stateless.
 */
public final class Matmul {

  /** How far an element may be from the formula, relative to it. */
  public static final double TOLERANCE = 1e-8;

  private static final long MAX_CACHE_BYTES = 1L << 30;
  private static final long SMALLEST_CACHE_BYTES = 1L << 20;
  private static final int LONGEST_ARRAY = Integer.MAX_VALUE - 8;

  private Matmul() {}

  /** Runs to the end, or until the watch wants to stop, on a cluster in this JVM. */
  public static MatmulResult run(MatmulRequest request, Env env, MatmulWatch watch)
      throws IOException {
    Ranks all = Ranks.embedded(request.directory(), request.ranks(), request.nodes());
    return run(request, env, watch, all).orElseThrow();
  }

  /**
   * Runs to the end, or until the watch wants to stop, as the ranks that are in this process. There
   * is a result where rank 0 is.
   */
  public static Optional<MatmulResult> run(
      MatmulRequest request, Env env, MatmulWatch watch, Ranks here) throws IOException {
    check(request);
    AtomicReference<@Nullable MatmulResult> result = new AtomicReference<>();
    ClusterOptions options = ClusterOptions.DEFAULT;
    long cacheBytes = Math.min(options.cacheBytesPerNode(), MAX_CACHE_BYTES / request.nodes());
    here.run(
        options.withCacheBytesPerNode(Math.max(cacheBytes, SMALLEST_CACHE_BYTES)),
        rank -> {
          MatmulResult its = new MatmulRank(rank, env, request, watch).run();
          if (rank.number() == 0) {
            result.set(its);
          }
        });
    return Optional.ofNullable(result.get());
  }

  /** What can be told before anything is touched. */
  private static void check(MatmulRequest request) throws MatmulException {
    long longest = (long) request.n() * Math.min(request.panel(), request.n());
    double most = Runtime.getRuntime().maxMemory();
    if (longest > LONGEST_ARRAY || request.heapBytes() > 0.8 * most) {
      throw new MatmulException(
          String.format(
              Locale.ROOT,
              "panels of %s columns need %.1f GB of Java's heap, which has %.1f; give a smaller --panel",
              request.panel(),
              request.heapBytes() / 1e9,
              most / 1e9));
    }
  }
}
