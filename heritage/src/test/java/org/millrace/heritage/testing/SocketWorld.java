package org.millrace.heritage.testing;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Program;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.RankFailedException;
import org.millrace.launch.Launch;
import org.millrace.launch.process.ProcessRank;
import org.millrace.launch.process.ProcessRankOptions;

/**
 * Ranks that are to each other as processes are: each has a thread, nodes, sockets and shared
 * memory of its own, and the first the coordinator. Safe for use by several threads.
 */
record SocketWorld(AtomicLong jobs) implements World {

  /** Far above what any machine needs. */
  private static final long ASSEMBLE_NANOS = 300_000_000_000L;

  SocketWorld() {
    this(new AtomicLong());
  }

  @Override
  public void watch(Place place, Programs.Watching program) throws IOException {
    run(
        place,
        rank -> {
          try (RunningCluster cluster =
              RunningCluster.connect(place.directory().toString(), place.options())) {
            program.run(rank, cluster);
          }
        });
  }

  @Override
  public void run(Place place, Program program) throws IOException {
    String job = "job " + jobs.incrementAndGet();
    ProcessRankOptions options =
        ProcessRankOptions.of(place.options()).withAssembleNanos(ASSEMBLE_NANOS);
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int r = 0; r < place.ranks(); r++) {
      Launch launch = new Launch("test", job, r, place.ranks());
      FutureTask<Void> task =
          new FutureTask<>(
              () -> {
                try (ProcessRank peer =
                    ProcessRank.asPeer(launch, place.directory(), place.nodes(), options)) {
                  peer.run(program);
                }
                return null;
              });
      Thread.ofPlatform().name("rank " + r).daemon().start(task);
      tasks.add(task);
    }
    await(tasks);
  }

  /** Waits for all, then throws what went wrong first in the chain of causes. */
  private static void await(List<FutureTask<Void>> tasks) throws IOException {
    List<Throwable> failures = new ArrayList<>();
    int causes = 0;
    for (FutureTask<Void> task : tasks) {
      Throwable failure = failure(task);
      if (failure instanceof RankFailedException) { // it missed another
        failures.addLast(failure);
      } else if (failure != null) {
        failures.add(causes++, failure);
      }
    }
    if (failures.isEmpty()) {
      return;
    }
    Throwable first = failures.getFirst();
    failures.stream().skip(1).filter(one -> one != first).forEach(first::addSuppressed);
    first.addSuppressed(new IllegalStateException("world sockets"));
    switch (first) {
      case IOException e -> throw e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException(first);
    }
  }

  private static @Nullable Throwable failure(FutureTask<Void> task) {
    try {
      task.get();
      return null;
    } catch (ExecutionException e) {
      return e.getCause();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new IllegalStateException(e);
    }
  }

  @Override
  public void pause() {
    Thread.yield();
  }
}
