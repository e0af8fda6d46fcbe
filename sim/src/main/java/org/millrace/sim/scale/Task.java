package org.millrace.sim.scale;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Access;
import org.millrace.access.View;
import org.millrace.access.group.AccessRuns;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.env.Env;
import org.millrace.plan.Hints;

/**
 * What the ranks do: each moves its part of the file in one collective call. Writes end when what
 * all have written is durable: the hints say so.
 *
 * <p>Used by the threads of all ranks, which the seeded environment runs one at a time.
 */
final class Task {

  /** Ranks that make the file. */
  static final int PREPARING = 16;

  private static final String FILE = "file";

  /** Buffers of a node in a disk-directed call, chunks of an aggregator under way. */
  private static final int DEPTH = 4;

  private static final long PAUSE_NANOS = 1_000_000_000L;

  /** What a rank keeps of each run of ranks that want alike: three objects. */
  private static final int RUN_BYTES = 112;

  // constant after construction
  private final Env env;
  private final Case what;
  private final Filling filling;
  private final Runnable atBegin;
  private final Runnable atEnd;
  private final Hints hints;

  // owned by whichever thread runs
  private long began = -1;
  private boolean isBegun;
  private long ended;
  private int done;

  /**
   * A task.
   *
   * @param atBegin called when the time that counts begins
   * @param atEnd called when it has ended
   */
  Task(Env env, Case what, Filling filling, Runnable atBegin, Runnable atEnd) {
    this.env = env;
    this.what = what;
    this.filling = filling;
    this.atBegin = atBegin;
    this.atEnd = atEnd;
    this.hints =
        Hints.DEFAULT
            .withStrategy(what.strategy())
            .withBufferBytes(Sharing.RANK_BYTES)
            .withDepth(DEPTH)
            .withDurable(true);
  }

  /** How long it took. */
  long nanos() {
    return ended - began;
  }

  /** What a rank keeps beside messages: who wants what, and an aggregator's chunk. */
  long rankBytes() {
    long chunk =
        switch (what.strategy()) {
          case TWO_PHASE -> hints.bufferBytes();
          case EXTENDED_TWO_PHASE -> hints.bufferBytes() / hints.depth();
          case DIRECT, SIEVED, DISK_DIRECTED, AUTO -> 0;
        };
    return chunk + (long) RUN_BYTES * runsOfRanks();
  }

  private int runsOfRanks() {
    List<Access> all = new ArrayList<>(what.ranks());
    for (int rank = 0; rank < what.ranks(); rank++) {
      View view = what.sharing().view(rank, what.ranks());
      all.add(new Access(view, 0, Sharing.RANK_BYTES));
    }
    return AccessRuns.of(all).runs().size();
  }

  /** Makes the file. */
  void prepare(Rank rank) throws IOException {
    try (SharedFile file = rank.open(FILE, OpenOptions.create())) {
      for (int part = rank.number(); part < what.ranks(); part += rank.size()) {
        View view = Sharing.BLOCKS.view(part, what.ranks());
        file.at((long) part * Sharing.RANK_BYTES).write(filling.toWrite(view, false));
      }
      file.closeAll();
    }
  }

  /** The call that counts. */
  void run(Rank rank) throws IOException {
    OpenOptions how = what.write() ? OpenOptions.readWrite() : OpenOptions.read();
    View view = what.sharing().view(rank.number(), rank.size());
    MemorySegment memory = what.write() ? filling.toWrite(view, true) : filling.toRead();
    try (SharedFile file = rank.open(FILE, how)) {
      file.setHints(hints);
      file.setView(view);
      rank.barrier();
      awaitBegin();
      long moved = what.write() ? file.at(0).all().write(memory) : file.at(0).all().read(memory);
      if (moved != memory.byteSize()) {
        throw new IOException(what + ": " + moved + " bytes moved");
      }
      end(rank);
      if (!what.write()) {
        filling.check(view, memory, false);
      }
      file.closeAll();
    }
  }

  /** All begin at the same instant, when nothing of what they did before is under way any more. */
  private void awaitBegin() throws IOException {
    if (began < 0) {
      began = env.nanoTime() + PAUSE_NANOS;
    }
    sleep(began - env.nanoTime());
    if (!isBegun) {
      isBegun = true;
      atBegin.run();
    }
  }

  /** What a rank does afterwards does not count: it waits until all have ended. */
  private void end(Rank rank) throws IOException {
    ended = Math.max(ended, env.nanoTime());
    done++;
    if (done == rank.size()) {
      atEnd.run();
    }
    sleep(PAUSE_NANOS);
  }

  private void sleep(long nanos) throws IOException {
    try {
      env.sleep(nanos);
    } catch (InterruptedException e) {
      throw new InterruptedIOException(what.toString());
    }
  }

  /** Reads what was written, by the simplest way. */
  void verify(Rank rank) throws IOException {
    try (SharedFile file = rank.open(FILE, OpenOptions.read())) {
      for (int part = 0; part < what.ranks(); part++) {
        MemorySegment memory = filling.toRead();
        file.at((long) part * Sharing.RANK_BYTES).read(memory);
        filling.check(Sharing.BLOCKS.view(part, what.ranks()), memory, true);
      }
    }
  }
}
