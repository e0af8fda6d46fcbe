package org.millrace.sim.scale;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.millrace.access.View;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.env.Env;
import org.millrace.plan.Hints;

/**
 * What the ranks do: each moves its part of the file in one collective call, and what is written is
 * made durable. All bytes are zero, and all ranks share one memory, so that thousands fit.
 *
 * <p>Used by the threads of all ranks, which the seeded environment runs one at a time.
 */
final class Task {

  /** Ranks that make the file. */
  static final int PREPARING = 16;

  private static final String FILE = "file";

  /** Buffers of a node in a disk-directed call, chunks of an aggregator under way. */
  private static final int DEPTH = 4;

  // constant after construction
  private final Env env;
  private final Case what;
  private final Runnable atBegin;
  private final Runnable atEnd;
  private final MemorySegment memory = Arena.ofAuto().allocate(Sharing.RANK_BYTES, Long.BYTES);
  private final Hints hints;

  // owned by whichever thread runs
  private long began = -1;
  private long ended;
  private int done;

  /**
   * A task.
   *
   * @param atBegin called when the time that counts begins
   * @param atEnd called when it has ended
   */
  Task(Env env, Case what, Runnable atBegin, Runnable atEnd) {
    this.env = env;
    this.what = what;
    this.atBegin = atBegin;
    this.atEnd = atEnd;
    this.hints =
        Hints.DEFAULT
            .withStrategy(what.strategy())
            .withBufferBytes(Sharing.RANK_BYTES)
            .withDepth(DEPTH);
  }

  /** How long it took. */
  long nanos() {
    return ended - began;
  }

  /** What an aggregator takes for its chunks. */
  long bufferBytes() {
    return switch (what.strategy()) {
      case TWO_PHASE -> hints.bufferBytes();
      case EXTENDED_TWO_PHASE -> hints.bufferBytes() / hints.depth();
      case DIRECT, SIEVED, DISK_DIRECTED, AUTO -> 0;
    };
  }

  /** Makes the file. */
  void prepare(Rank rank) throws IOException {
    try (SharedFile file = rank.open(FILE, OpenOptions.create())) {
      for (int part = rank.number(); part < what.nodes(); part += rank.size()) {
        file.writeAt((long) part * Sharing.RANK_BYTES, memory);
      }
    }
  }

  /** The call that counts. */
  void run(Rank rank) throws IOException {
    OpenOptions how = what.write() ? OpenOptions.readWrite() : OpenOptions.read();
    try (SharedFile file = rank.open(FILE, how)) {
      View view = what.sharing().view(rank.number(), rank.size());
      file.hints(hints);
      file.setView(view);
      rank.barrier();
      if (began < 0) { // the first to go
        began = env.nanoTime();
        atBegin.run();
      }
      long moved = what.write() ? file.writeAtAll(0, memory) : file.readAtAll(0, memory);
      if (moved != memory.byteSize()) {
        throw new IOException(what + ": " + moved + " bytes moved");
      }
      if (what.write()) {
        flush(rank, file);
      }
      ended = Math.max(ended, env.nanoTime());
      done++;
      if (done == rank.size()) {
        atEnd.run();
      }
    }
  }

  /** One rank makes durable what all have written. */
  private static void flush(Rank rank, SharedFile file) throws IOException {
    rank.barrier();
    if (rank.number() == 0) {
      file.flush();
    }
    rank.barrier();
  }
}
