package org.millrace.sim.hunt;

import java.util.List;
import java.util.random.RandomGenerator;
import org.millrace.coordinator.Batch;
import org.millrace.coordinator.LeaseTimes;

/**
 * Bugs of several coordinators that keep one log. Stateless; what they remember is of one world.
 */
final class PlantedGroups {

  private PlantedGroups() {}

  /** A world of several coordinators. */
  private abstract static class OfSeveral implements Planted {
    @Override
    public int coordinators(RandomGenerator random) {
      return SimGroup.MEMBERS;
    }
  }

  /** A new leader answers at once, while the lease of the one before may still be good. */
  static Planted impatientLeader() {
    return new OfSeveral() {
      @Override
      public LeaseTimes times() {
        LeaseTimes good = LeaseTimes.DEFAULT;
        return new LeaseTimes(good.electionMillis(), good.leaseMillis(), 0);
      }
    };
  }

  /** A leader goes on to answer until it hears of another one. */
  static Planted endlessLease() {
    return new OfSeveral() {
      @Override
      public LeaseTimes times() {
        LeaseTimes good = LeaseTimes.DEFAULT;
        return new LeaseTimes(good.electionMillis(), 60_000, good.waitMillis());
      }
    };
  }

  /** An entry that is in the log twice is applied twice. */
  static Planted doubledBatch() {
    return new OfSeveral() {
      @Override
      public Batch doubled(Batch batch) {
        return batch.records().isEmpty()
            ? batch
            : new Batch(batch.writer(), batch.number() + 1, batch.records());
      }
    };
  }

  /** A leader is elected that lacks what was acknowledged last. */
  static Planted forgetfulLeader() {
    return new OfSeveral() {
      private Batch before = new Batch(0, 0, List.of());

      @Override
      public Batch found(Batch all) {
        Batch older = before;
        before = all;
        return older.number() == 0 ? all : new Batch(all.writer(), all.number(), older.records());
      }
    };
  }
}
