package org.millrace.spark;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.SparkEnv;
import org.jspecify.annotations.Nullable;
import org.millrace.error.RankFailedException;
import org.millrace.launch.Launch;
import org.millrace.launch.Launched;
import org.millrace.launch.LaunchedOptions;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;

/**
 * One task of the barrier stage. The name of the job has the stage's attempt in it, so ranks of
 * different attempts never meet. Immutable; sent to executors.
 *
 * @param <T> what Spark gives the task
 * @param <R> what the rank returns
 */
final class RankTask<T, R> extends AbstractFunction1<Iterator<T>, Iterator<RankResult>>
    implements Serializable {

  private static final long serialVersionUID = 1;
  private static final long REPORT_NANOS = 10_000_000_000L;
  private static final long POLL_MILLIS = 20;

  /**
   * What all tasks share.
   *
   * @param run no other has it
   * @param ranks how many there are
   * @param where the cluster is
   * @param keys the folder with the keys for {@code tls:} addresses; empty for none
   */
  record Job(String run, int ranks, Where where, String keys) implements Serializable {

    /** Takes part in the attempt, at a cluster of daemons. */
    private Launched join(BarrierTaskContext context, String location) throws IOException {
      return Launched.join(launch(context), location, options());
    }

    /** Takes part as a node, too. Spark tells all ranks where rank 0 is. */
    private Launched asPeer(BarrierTaskContext context, Path own) throws IOException {
      LaunchedOptions plain = options();
      String host = SparkEnv.get().blockManager().blockManagerId().host();
      return Launched.asPeer(
          launch(context),
          own,
          ranks,
          said -> context.allGather(said)[0],
          keys.isEmpty() ? plain : plain.withListen("tls:" + host + ":0"));
    }

    LaunchedOptions options() {
      LaunchedOptions plain = LaunchedOptions.DEFAULT;
      return keys.isEmpty() ? plain : plain.withKeys(Path.of(keys));
    }

    Launch launch(BarrierTaskContext context) {
      String name = "%s.%s.%s".formatted(run, context.stageId(), context.stageAttemptNumber());
      return new Launch("Spark", name, context.partitionId(), ranks);
    }
  }

  /** Makes a rank's program of what Spark gives the task, before the ranks meet. */
  interface Preparation<T, R> extends Serializable {
    RankProgram<R> of(BarrierTaskContext context, Iterator<T> given);
  }

  private final Job job;
  private final Preparation<T, R> preparation;

  RankTask(Job job, Preparation<T, R> preparation) {
    this.job = job;
    this.preparation = preparation;
  }

  @Override
  public Iterator<RankResult> apply(Iterator<T> given) {
    BarrierTaskContext context = BarrierTaskContext.get();
    try {
      R result = run(context, preparation.of(context, given));
      return CollectionConverters.asScala(
          List.of(new RankResult(context.partitionId(), result)).iterator());
    } catch (RankFailedException e) {
      awaitReport(context);
      throw sneaky(e);
    } catch (IOException e) {
      throw sneaky(e);
    }
  }

  private R run(BarrierTaskContext context, RankProgram<R> program) throws IOException {
    return switch (job.where()) {
      case Where.Daemons(String location) -> {
        try (Launched launched = job.join(context, location)) {
          yield run(context, launched, program);
        }
      }
      case Where.Executors(String directory) -> {
        try (AttemptFolder own = AttemptFolder.make(Path.of(directory), job.run(), context);
            Launched launched = job.asPeer(context, own.path())) {
          yield run(context, launched, program);
        }
      }
    };
  }

  private static <R> R run(BarrierTaskContext context, Launched launched, RankProgram<R> program)
      throws IOException {
    AtomicReference<@Nullable R> result = new AtomicReference<>();
    try (KillWatch watch = KillWatch.over(context, launched)) {
      launched.run(
          rank -> {
            result.set(program.run(rank));
            watch.check(); // or a rank that was told to end could report that all is well
          });
    }
    return value(result);
  }

  @SuppressWarnings("NullAway") // null if the program returned it
  private static <R> R value(AtomicReference<@Nullable R> result) {
    return result.get();
  }

  /**
   * Another rank has failed. Its own error says more than that of this one, and Spark shows the one
   * that it hears first: so this one waits until Spark ends it, but not for ever.
   */
  private static void awaitReport(BarrierTaskContext context) {
    long begin = System.nanoTime();
    try {
      while (!context.isInterrupted() && System.nanoTime() - begin < REPORT_NANOS) {
        Thread.sleep(POLL_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // Spark ends it
    }
  }

  /** Spark reports what was thrown; wrapped, its message would come second. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Throwable> RuntimeException sneaky(Throwable e) throws E {
    throw (E) e;
  }
}
