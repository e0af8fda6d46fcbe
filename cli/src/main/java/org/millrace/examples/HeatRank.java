package org.millrace.examples;

import java.io.IOException;
import java.util.Optional;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NameExistsException;
import org.millrace.error.NoSuchNameException;

/**
 * What each rank of {@link Heat} does, from the first step to the last. Belongs to the rank's
 * thread.
 */
final class HeatRank {

  private static final String DIRECTORY = "heat";

  /** The field at the end. */
  static final String FIELD = "heat/field";

  /** Fields of the way there, one after the other. */
  static final String SNAPSHOTS = "heat/snapshots";

  /** Cells to compute, about, until ranks ask each other again whether to stop. */
  private static final long CELLS_BETWEEN_QUESTIONS = 4_000_000;

  private static final long MAX_STEPS_BETWEEN_QUESTIONS = 64;

  // constant after construction
  private final Rank rank;
  private final HeatRequest request;
  private final HeatWatch watch;
  private final OpenOptions fresh;

  HeatRank(Rank rank, HeatRequest request, HeatWatch watch) {
    this.rank = rank;
    this.request = request;
    this.watch = watch;
    this.fresh = OpenOptions.create().withStrands(request.nodes());
  }

  /** Runs; rank 0 has the result. */
  Optional<HeatResult> run() throws IOException {
    clear();
    try (Checkpoints checkpoints = Checkpoints.open(rank, request.nodes());
        SharedFile snapshots = rank.open(SNAPSHOTS, fresh)) {
      HeatPlan plan;
      RowBlock field;
      if (request.resume()) {
        Checkpoints.Saved saved =
            checkpoints.newest().orElseThrow(() -> Heat.nothingToResume(request));
        plan = request.continuing(saved.plan());
        field = saved.field();
      } else {
        plan = request.fresh();
        field = new RowBlock(rank, plan.size());
        field.begin();
      }
      int step = new Loop(plan, field, snapshots, checkpoints).run();
      if (step < plan.steps()) {
        return rank.number() == 0
            ? Optional.of(new HeatResult.Stopped(plan.at(step)))
            : Optional.empty();
      }
      return finish(plan.at(step), field);
    }
  }

  /** Removes what an earlier run left: its layout is that of its number of nodes. */
  private void clear() throws IOException {
    if (rank.number() == 0) {
      try {
        rank.names().makeDirectory(DIRECTORY);
      } catch (NameExistsException e) {
        // from an earlier run
      }
      remove(FIELD);
      if (!request.resume()) {
        remove(SNAPSHOTS);
        for (String name : Checkpoints.NAMES) {
          remove(name);
        }
      }
    }
    rank.barrier();
  }

  private void remove(String name) throws IOException {
    try {
      rank.names().remove(name);
    } catch (NoSuchNameException e) {
      // so much the better
    }
  }

  /** From the step where the plan stands on. */
  private final class Loop {

    private final HeatPlan plan;
    private final RowBlock field;
    private final SharedFile snapshots;
    private final Checkpoints checkpoints;
    private final int question;

    Loop(HeatPlan plan, RowBlock field, SharedFile snapshots, Checkpoints checkpoints) {
      this.plan = plan;
      this.field = field;
      this.snapshots = snapshots;
      this.checkpoints = checkpoints;
      long cells = (long) plan.size() * plan.size();
      this.question =
          Math.clamp(CELLS_BETWEEN_QUESTIONS / cells, 1, (int) MAX_STEPS_BETWEEN_QUESTIONS);
    }

    /** Returns how many steps are done, and in a checkpoint. */
    int run() throws IOException {
      snapshots.setView(field.view(0));
      if (rank.number() == 0) {
        watch.begun(plan);
      }
      if (!request.resume()) {
        snapshot(0);
        save(0);
      }
      for (int step = plan.step(); step < plan.steps(); step++) {
        if (step % question == 0 && step > plan.step() && allStop()) {
          save(step);
          return step;
        }
        field.step();
        int done = step + 1;
        if (done % plan.every() == 0) {
          snapshot(done);
        }
        if (done % plan.every() == 0 || done == plan.steps()) {
          save(done);
        }
        if (rank.number() == 0) {
          watch.stepped();
        }
      }
      return plan.steps();
    }

    /** A rank's bytes of the fields that came before lie before it in its view. */
    private void snapshot(int step) throws IOException {
      long before = step / plan.every() * field.cells().byteSize();
      snapshots.at(before).all().write(field.cells());
    }

    /** A checkpoint says that the snapshots up to it are there, so they go to the disks first. */
    private void save(int step) throws IOException {
      if (rank.number() == 0) {
        snapshots.flush();
      }
      checkpoints.save(plan.at(step), field);
      if (rank.number() == 0) {
        watch.saved(step);
      }
    }

    /** Rank 0 knows, and all must do the same. */
    private boolean allStop() throws IOException {
      long mine = rank.number() == 0 && watch.wantsStop() ? 1 : 0;
      return rank.allReduceLong(mine, Long::max) == 1;
    }
  }

  /** Writes the field; rank 0 then reads all of it, as anybody could. */
  private Optional<HeatResult> finish(HeatPlan plan, RowBlock field) throws IOException {
    int computed = field.checksum();
    try (SharedFile file = rank.open(FIELD, fresh)) {
      file.setView(field.view(0));
      file.at(0).all().write(field.cells());
    }
    rank.barrier();
    if (rank.number() != 0) {
      return Optional.empty();
    }
    HeatResult.Done done = new FieldReader(rank.alone(), plan).read();
    if (done.checksum() != computed) {
      throw new MillraceException(
          ErrorCode.CORRUPT,
          "%s has checksum %08x, but %08x was computed"
              .formatted(FIELD, done.checksum(), computed));
    }
    return Optional.of(done);
  }
}
