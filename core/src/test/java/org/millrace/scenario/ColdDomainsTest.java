package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.ClusterOptions;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;

/** File domains that no cache has, read by aggregators of the two-phase methods. */
class ColdDomainsTest {

  private static final int NODES = 2;
  private static final int RANKS = 4;
  private static final int PIECE = 1 << 10;
  private static final long BYTES = 32L << 20;

  private static final long STRIPE = 64 << 10;

  /** Transfers of a cache, when it reads in order what it was told at once. */
  private static final long TRANSFER = 1 << 20;

  @TempDir Path folder;

  @Test
  void nodesReadThemInLongTransfers() throws IOException {
    ClusterOptions options =
        ClusterOptions.DEFAULT.withCacheBytesPerNode(BYTES).withStripeUnitBytes(STRIPE);
    try (Cluster cluster = Cluster.embedded(folder, NODES, options)) {
      cluster.run(
          1,
          rank -> {
            try (Arena arena = Arena.ofConfined();
                SharedFile file = rank.open("f", OpenOptions.create())) {
              MemorySegment content = arena.allocate(BYTES, Long.BYTES);
              for (long at = 0; at < BYTES; at += Long.BYTES) {
                content.set(ValueLayout.JAVA_LONG, at, at);
              }
              file.at(0).write(content);
            }
          });
    }
    for (Strategy strategy : new Strategy[] {Strategy.TWO_PHASE, Strategy.EXTENDED_TWO_PHASE}) {
      try (Cluster cluster = Cluster.embedded(folder, NODES, options)) {
        read(cluster, strategy);
        long reads = cluster.report().stream().mapToLong(node -> node.get("reads")).sum();
        assertThat(reads).as(strategy.word()).isLessThanOrEqualTo(BYTES / TRANSFER * 5 / 4);
      }
    }
  }

  private static void read(Cluster cluster, Strategy strategy) throws IOException {
    OpenOptions how = OpenOptions.read().withHints(Hints.DEFAULT.withRead(strategy));
    cluster.run(
        RANKS,
        rank -> {
          int me = rank.number();
          try (Arena arena = Arena.ofShared();
              SharedFile file = rank.open("f", how)) {
            MemorySegment part = arena.allocate(BYTES / RANKS, Long.BYTES);
            if (me == 0) { // hints are for strands that are open
              file.at(0).read(part.asSlice(0, 1));
              file.at(STRIPE).read(part.asSlice(0, 1));
            }
            rank.barrier();
            file.setView(new View((long) me * PIECE, Pattern.run(PIECE), (long) RANKS * PIECE));
            file.at(0).all().read(part);
            for (long at = 0; at < part.byteSize(); at += Long.BYTES) {
              long place = at / PIECE * PIECE * RANKS + (long) me * PIECE + at % PIECE;
              if (part.get(ValueLayout.JAVA_LONG, at) != place) {
                throw new AssertionError(strategy + ": wrong at " + place);
              }
            }
          }
        });
  }
}
