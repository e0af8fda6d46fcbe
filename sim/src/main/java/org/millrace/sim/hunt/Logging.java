package org.millrace.sim.hunt;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.millrace.client.Mode;
import org.millrace.client.OpenFlag;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;

/**
 * A chapter in which all ranks write at the shared pointer or at the end of the file. If all writes
 * succeed, each record is in the file once, complete, in the order of its rank, and there is
 * nothing in between.
 *
 * <p>Belongs to the rank's thread.
 */
final class Logging {

  private static final int CELL = Content.CELL;

  /** A record that was written. */
  private record Entry(int rank, int number, int cells) {}

  /** What all ranks of the group have written. */
  private static final class Log {
    private final Map<Integer, Entry> entries = new HashMap<>();
    private long cells;
  }

  private final Member me;
  private final RandomGenerator common;
  private final RandomGenerator own;

  Logging(Member me, RandomGenerator common, RandomGenerator own) {
    this.me = me;
    this.common = common;
    this.own = own;
  }

  void run(String number) throws IOException {
    String name = "log-" + number + "-" + me.rank().size();
    boolean append = common.nextInt(3) == 0;
    OpenOptions options =
        append
            ? OpenOptions.create().withAppend()
            : OpenOptions.create().withMode(common.nextBoolean() ? Mode.SHARED : Mode.INDEPENDENT);
    SharedFile file = me.call("open", name, () -> me.rank().open(name, options));
    me.world()
        .tally()
        .add(Occurrence.MODE, append ? "append" : "shared pointer, " + options.mode());
    me.hasOpen(file, () -> me.act("close", name, file::close));
    Log log = me.shared(Log.class, Log::new);
    int records = 1 + own.nextInt(8);
    for (int i = 0; i < records; i++) {
      write(log, file, i, options);
    }
    me.barrier();
    if (!append) {
      long position = me.call("shared position", "", file::sharedPosition);
      me.check(
          position == log.cells * CELL,
          "the shared pointer is at %s after %s cells were written".formatted(position, log.cells));
    }
    check(log, file);
    me.act("close", name, file::close);
  }

  private void write(Log log, SharedFile file, int number, OpenOptions options) throws IOException {
    int cells = 1 + own.nextInt(own.nextInt(4) == 0 ? 300 : 6);
    int id = me.oracle().nextId();
    MemorySegment memory = MemorySegment.ofArray(new byte[cells * CELL]);
    for (int i = 0; i < cells; i++) {
      Content.fill(memory, i, id, i);
    }
    boolean shared = options.mode() == Mode.INDEPENDENT && !options.has(OpenFlag.APPEND);
    long moved =
        me.call(
            options.has(OpenFlag.APPEND) ? "append" : shared ? "shared write" : "log write",
            "record %s of %s cells".formatted(id, cells),
            () -> shared ? file.shared().write(memory) : file.write(memory));
    me.check(moved == memory.byteSize(), "a record of " + moved + " bytes was written");
    log.entries.put(id, new Entry(me.rank().number(), number, cells));
    log.cells += cells;
  }

  private void check(Log log, SharedFile file) throws IOException {
    MemorySegment memory = MemorySegment.ofArray(new byte[Math.toIntExact((log.cells + 8) * CELL)]);
    long got = me.call("read", "the log", () -> file.at(0).read(memory));
    me.check(
        got == log.cells * CELL,
        "the log has %s bytes, not %s cells of %s".formatted(got, log.cells, CELL));
    Set<Integer> seen = new HashSet<>();
    List<Integer> last = new ArrayList<>();
    for (int r = 0; r < me.rank().size(); r++) {
      last.add(-1);
    }
    int at = 0;
    while (at < log.cells) {
      int id = (int) (memory.get(Content.WORD, (long) at * CELL) >>> 32);
      Entry entry = log.entries.get(id);
      if (entry == null) {
        throw new Violation(
            "%s: cell %s of the log is of no record: %s"
                .formatted(me.who(), at, Content.describe(memory, at)));
      }
      for (int i = 0; i < entry.cells; i++) {
        me.check(
            at + i < log.cells && Content.matches(memory, at + i, id, i),
            "record %s at cell %s of the log is torn at its cell %s".formatted(id, at, i));
      }
      me.check(seen.add(id), "record " + id + " is in the log twice");
      me.check(last.get(entry.rank) < entry.number, "records of rank " + entry.rank + " overtook");
      last.set(entry.rank, entry.number);
      at += entry.cells;
    }
  }
}
