package org.millrace.sim.hunt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.millrace.sim.hunt.CutOffScene.LATE_NANOS;
import static org.millrace.sim.hunt.CutOffScene.LENGTH;
import static org.millrace.sim.hunt.CutOffScene.SECOND;
import static org.millrace.sim.hunt.CutOffScene.filled;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.client.Transaction;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.sim.hunt.CutOffScene.Late;

/**
 * A rank that is cut off from the coordinator, and not from the nodes, writes late under a lock
 * that has gone to another. What the next holder wrote must stay; without the fence at the nodes
 * the old bytes come back. Time is virtual.
 */
final class CutOffSessionTest {

  private static final int SEEDS = 10;

  /** What came of a run. */
  private static final class Course {
    @Nullable Throwable olderFailed;
    final List<Throwable> newerFailed = new ArrayList<>();
    long newerNanos; // when the newer bytes were written, since the cut
    byte @Nullable [] found;
  }

  private static SharedFile open(Rank rank) throws IOException {
    return rank.open("f", OpenOptions.create().withMode(Mode.ATOMIC));
  }

  private static void writeAtomically(SharedFile file, int value) throws IOException {
    file.at(0).write(Memory.of(filled(value)));
  }

  private static void writeInTransaction(Rank rank, SharedFile file, int value) throws IOException {
    try (Transaction transaction = rank.begin()) {
      file.at(0).in(transaction).write(Memory.of(filled(value)));
      transaction.commit();
    }
  }

  /** How both ranks write. */
  private interface Writing {
    void write(Rank rank, SharedFile file, int value) throws IOException;
  }

  /** Rank 0: writes old bytes, and is cut off meanwhile. */
  private static void older(CutOffScene scene, Course course, Rank rank, Writing how)
      throws IOException {
    SharedFile file = open(rank);
    rank.barrier();
    scene.armed = true;
    course.olderFailed = catchThrowable(() -> how.write(rank, file, 1));
    throw new IOException("cut off");
  }

  /** Rank 1: writes newer bytes as soon as it gets the lock, and looks again much later. */
  private static void newer(CutOffScene scene, Course course, Rank rank, Writing how)
      throws IOException {
    SharedFile file = open(rank);
    rank.barrier();
    while (scene.cutNanos == 0) {
      scene.pause(SECOND / 10);
    }
    while (course.newerNanos == 0) {
      try {
        how.write(rank, file, 2);
        course.newerNanos = scene.env.nanoTime() - scene.cutNanos;
      } catch (MillraceException e) {
        course.newerFailed.add(e);
        scene.pause(SECOND);
      }
    }
    while (scene.env.nanoTime() < scene.cutNanos + 2 * LATE_NANOS || course.olderFailed == null) {
      scene.pause(SECOND);
    }
    byte[] found = new byte[LENGTH];
    file.at(0).read(Memory.of(found));
    course.found = found;
  }

  private static Course run(CutOffScene scene, Writing how, Runnable meanwhile) {
    Course course = new Course();
    scene.run(
        List.of(rank -> older(scene, course, rank, how), rank -> newer(scene, course, rank, how)),
        meanwhile);
    return course;
  }

  private static Course runAtomic(long seed, Late late, boolean fenced) {
    CutOffScene scene = new CutOffScene(seed, late, fenced, CoordinatorRequest.Lock.class);
    return run(scene, (_, file, value) -> writeAtomically(file, value), () -> {});
  }

  private static Course runTransaction(long seed, Late late, boolean fenced) {
    CutOffScene scene = new CutOffScene(seed, late, fenced, CoordinatorRequest.Rename.class);
    return run(scene, CutOffSessionTest::writeInTransaction, () -> {});
  }

  private static void checkFenced(Course course, Late late, long seed) {
    assertThat(course.found).as("seed %d", seed).containsOnly(2);
    assertThat(course.newerFailed).as("seed %d", seed).isEmpty();
    assertThat(course.olderFailed).as("seed %d", seed).isInstanceOf(MillraceException.class);
    if (late == Late.ON_THE_WIRE) { // it is not waited for
      assertThat(course.olderFailed).hasMessageContaining("it has ended at the coordinator");
      assertThat(course.newerNanos).isLessThan(LATE_NANOS);
    } else { // it was let in before, and is waited for
      assertThat(course.newerNanos).isGreaterThan(LATE_NANOS);
    }
  }

  @ParameterizedTest
  @EnumSource(Late.class)
  void anAtomicWriteThatComesLateNeverOverwritesTheNextHolders(Late late) {
    for (long seed = 1; seed <= SEEDS; seed++) {
      checkFenced(runAtomic(seed, late, true), late, seed);
    }
  }

  @ParameterizedTest
  @EnumSource(Late.class)
  void aTransactionThatIsAppliedLateNeverOverwritesTheNextHolders(Late late) {
    for (long seed = 1; seed <= SEEDS; seed++) {
      checkFenced(runTransaction(seed, late, true), late, seed);
    }
  }

  /** The control. */
  @ParameterizedTest
  @EnumSource(Late.class)
  void withoutTheFenceOldBytesComeBack(Late late) {
    for (long seed = 1; seed <= 3; seed++) {
      assertThat(runAtomic(seed, late, false).found).as("atomic, seed %d", seed).containsOnly(1);
      assertThat(runTransaction(seed, late, false).found)
          .as("transaction, seed %d", seed)
          .containsOnly(1);
    }
  }

  @Test
  void aNodeThatCannotBeReachedDelaysTheLockForABoundedTimeAndThenTheLockFails() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      CutOffScene scene =
          new CutOffScene(seed, Late.ON_THE_WIRE, true, CoordinatorRequest.Lock.class);
      long[] back = {0};
      List<Long> failed = new ArrayList<>();
      Course course =
          run(
              scene,
              (_, file, value) -> {
                try {
                  writeAtomically(file, value);
                } catch (MillraceException e) {
                  if (value == 2) {
                    failed.add(scene.env.nanoTime() - scene.cutNanos);
                  }
                  throw e;
                }
              },
              () -> {
                while (scene.cutNanos == 0) {
                  scene.pause(SECOND / 100);
                }
                var coordinator = scene.coordinator;
                if (coordinator != null) {
                  scene.net.cut(scene.nodes[1], coordinator, 30 * SECOND);
                }
                scene.pause(40 * SECOND);
                back[0] = scene.env.nanoTime() - scene.cutNanos;
              });
      assertThat(course.newerFailed).as("seed %d", seed).isNotEmpty();
      assertThat(course.newerFailed)
          .allSatisfy(e -> assertThat(((MillraceException) e).code()).isEqualTo(ErrorCode.NODE))
          .allSatisfy(e -> assertThat(e).hasMessageContaining("nodes [1] have not confirmed"));
      // the session is missed after at most six seconds, and nodes have ten
      assertThat(failed.getFirst()).isLessThan(17 * SECOND);
      assertThat(course.found).as("seed %d", seed).containsOnly(2);
    }
  }

  @Test
  void aNodeThatWasRestartedBeforeTheLateWriteDoesNotTakeIt() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      CutOffScene scene =
          new CutOffScene(seed, Late.ON_THE_WIRE, true, CoordinatorRequest.Lock.class);
      Course course = new Course();
      scene.run(
          List.of(
              rank -> older(scene, course, rank, (_, file, value) -> writeAtomically(file, value)),
              rank -> newerOnRestartedNodes(scene, course, rank)),
          () -> {});
      assertThat(course.found).as("seed %d", seed).containsOnly(2);
      assertThat(course.olderFailed)
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.RESTARTED));
    }
  }

  private static void newerOnRestartedNodes(CutOffScene scene, Course course, Rank rank)
      throws IOException {
    SharedFile file = open(rank);
    rank.barrier();
    while (scene.cutNanos == 0) {
      scene.pause(SECOND / 10);
    }
    writeAtomically(file, 2);
    file.flush();
    for (int i = 0; i < CutOffScene.NODES; i++) {
      scene.restartNode(i);
    }
    while (scene.env.nanoTime() < scene.cutNanos + 2 * LATE_NANOS || course.olderFailed == null) {
      scene.pause(SECOND);
    }
    SharedFile again = rank.alone().open("f", OpenOptions.read());
    byte[] found = new byte[LENGTH];
    again.at(0).read(Memory.of(found));
    course.found = found;
  }

  @Test
  void aCoordinatorThatWasRestartedGivesNoLockWhileItsFormerHoldersMayWrite() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      CutOffScene scene =
          new CutOffScene(seed, Late.ON_THE_WIRE, true, CoordinatorRequest.Lock.class);
      Course course = new Course();
      scene.run(
          List.of(
              rank -> older(scene, course, rank, (_, file, value) -> writeAtomically(file, value))),
          () -> {
            while (scene.cutNanos == 0) {
              scene.pause(SECOND / 100);
            }
            scene.restartCoordinator();
            scene.pause(3 * SECOND); // nodes register
            scene.startRank(
                "later",
                0,
                1,
                rank ->
                    newer(scene, course, rank, (_, file, value) -> writeAtomically(file, value)));
          });
      assertThat(course.found).as("seed %d", seed).containsOnly(2);
      assertThat(course.newerFailed).isEmpty();
      assertThat(course.newerNanos).isLessThan(LATE_NANOS);
      assertThat(course.olderFailed).hasMessageContaining("it has ended at the coordinator");
    }
  }
}
