package org.millrace.bench;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;

/**
 * One rank's part in a strategy of Millrace: collective calls through a view. Belongs to the rank's
 * thread. Closing closes the file, together with all ranks.
 */
final class StrategyMethod implements Method, AutoCloseable {

  private final Strategy strategy;
  private final RankMemory memory;
  private final SharedFile file;

  StrategyMethod(Rank rank, Strategy strategy, RankMemory memory, String name) throws IOException {
    this.strategy = strategy;
    this.memory = memory;
    Hints hints = Hints.DEFAULT.withStrategy(strategy);
    this.file = rank.open(name, OpenOptions.readWrite().hints(hints));
  }

  /** Sees this part from now on. Synchronizing. */
  void lay(Workload.Part part) throws IOException {
    file.setView(part.access().view());
  }

  @Override
  public String name() {
    return strategy.word();
  }

  @Override
  public boolean isPlain() {
    return false;
  }

  @Override
  public boolean isSlow() {
    return strategy == Strategy.DIRECT;
  }

  @Override
  public double run(int rank, Call call) throws IOException {
    MemorySegment all = call.write() ? memory.source(rank, call.complement()) : memory.target(rank);
    Memory part = Memory.of(all.asSlice(0, call.bytes(all.byteSize())));
    for (int i = 0; i < call.times(); i++) {
      file.seek(0);
      long moved = call.write() ? file.writeAll(part) : file.readAll(part);
      if (moved != part.length()) {
        throw new WrongResultException(
            "%s: rank %d moved %d bytes of %d".formatted(name(), rank, moved, part.length()));
      }
    }
    return 1;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
