package org.millrace.bench.grid;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Section;
import org.millrace.array.ElementType;
import org.millrace.array.GlobalArray;
import org.millrace.array.Local;
import org.millrace.bench.measure.WrongResultException;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;

/**
 * One rank's part in a strategy of Millrace: collective calls for sections of an array where the
 * workload has some, else through a view. Belongs to the rank's thread. Closing closes the file,
 * together with all ranks.
 */
public final class StrategyMethod implements Method, AutoCloseable {

  private final Strategy strategy;
  private final RankMemory memory;
  private final SharedFile file;
  private final Rank rank;
  private final String path;

  // of the workload
  private @Nullable GlobalArray array;
  private @Nullable Section section;

  /** Opens the file {@code name}; a collective call. */
  public StrategyMethod(Rank rank, Strategy strategy, RankMemory memory, String name)
      throws IOException {
    this.strategy = strategy;
    this.memory = memory;
    Hints hints = Hints.DEFAULT.withStrategy(strategy);
    this.rank = rank;
    this.path = name;
    this.file = rank.open(name, OpenOptions.readWrite().withHints(hints));
  }

  @Override
  public boolean leavesBlocksClean() {
    return strategy == Strategy.DISK_DIRECTED;
  }

  /** Sees this part from now on; all ranks a section, or none. Synchronizing. */
  public void lay(Workload.Part part) throws IOException {
    file.setView(part.access().view());
    section = null;
    if (part.array().isPresent()) {
      Workload.ArrayPart mine = part.array().get();
      section = mine.section();
      if (array == null || !array.shape().equals(mine.shape())) {
        closeArray();
        OpenOptions options = OpenOptions.readWrite().withHints(file.hints());
        array = GlobalArray.openRaw(rank, path, mine.shape(), ElementType.INT64, 0, options);
      }
    }
  }

  private void closeArray() throws IOException {
    if (array != null) {
      array.close();
      array = null;
    }
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
  public double run(int number, Call call) throws IOException {
    MemorySegment all =
        call.write() ? memory.source(number, call.complement()) : memory.target(number);
    MemorySegment part = all.asSlice(0, call.bytes(all.byteSize()));
    for (int i = 0; i < call.times(); i++) {
      boolean whole = part.byteSize() == all.byteSize();
      long moved = whole && section != null ? ofArray(call, part) : throughView(call, part);
      if (moved != part.byteSize()) {
        throw new WrongResultException(
            "%s: rank %s moved %s bytes of %s".formatted(name(), number, moved, part.byteSize()));
      }
    }
    return 1;
  }

  private long ofArray(Call call, MemorySegment part) throws IOException {
    GlobalArray of = Objects.requireNonNull(array);
    Section mine = Objects.requireNonNull(section);
    Local local = Local.of(part, mine.shape(of.shape().order()));
    return call.write() ? of.writeSection(mine, local) : of.readSection(mine, local);
  }

  private long throughView(Call call, MemorySegment part) throws IOException {
    file.seek(0);
    Memory bytes = Memory.of(part);
    return call.write() ? file.all().write(bytes) : file.all().read(bytes);
  }

  @Override
  public void close() throws IOException {
    closeArray();
    file.close();
  }
}
