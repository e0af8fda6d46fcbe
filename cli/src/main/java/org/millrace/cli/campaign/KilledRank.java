package org.millrace.cli.campaign;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.millrace.Millrace;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * A rank process that makes one synchronizing call after the other, and says before each which it
 * is, until another rank is gone. Then it goes on with those that are left.
 *
 * <pre>
 *   WRITE 3                 the third write is about to be called
 *   FAILED RANK_FAILED      another rank was gone, and this is how it was told
 *   DONE 3                  the three that were left have written a file together and read it
 * </pre>
 *
 * <p>Used by one thread.
 */
final class KilledRank {

  /** The calls, in the order in which they are made. */
  enum Call {
    OPEN,
    VIEW,
    WRITE,
    BARRIER,
    READ,
    EXCHANGE,
    MODE,
    APPEND,
    SIZE,
    FLUSH,
    LOCK,
    SPLIT,
    CLOSE
  }

  private static final int RECORD = 1 << 10;
  private static final int RECORDS = 64;
  private static final int ROUNDS = 10_000;

  private final PrintStream out;
  private final Rank rank;
  private final String job;
  private final Arena arena;
  private final MemorySegment memory;

  private KilledRank(PrintStream out, Rank rank, String job, Arena arena) {
    this.out = out;
    this.rank = rank;
    this.job = job;
    this.arena = arena;
    this.memory = arena.allocate((long) RECORDS * RECORD);
  }

  /**
   * The process.
   *
   * @param args the name of the job, which the names of its files begin with
   */
  public static void main(String[] args) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    ClusterOptions options =
        ClusterOptions.DEFAULT.withLimits(
            ClusterOptions.DEFAULT.limits().withMeetingNanos(60_000_000_000L));
    Millrace.run(
        options,
        rank -> {
          try (Arena arena = Arena.ofShared()) {
            new KilledRank(out, rank, args[0], arena).run();
          }
        });
  }

  private void say(Call call, int round) {
    out.println(call + " " + round);
  }

  private void run() throws IOException {
    MillraceException failure;
    try {
      for (int round = 1; round < ROUNDS; round++) {
        round(round);
      }
      throw new IllegalStateException("nobody was killed");
    } catch (MillraceException e) {
      failure = e;
    }
    out.println("FAILED " + failure.code() + " " + failure.getMessage());
    if (failure.code() != ErrorCode.RANK_FAILED) {
      throw failure;
    }
    Rank rest = rank.regroup();
    try (SharedFile file = rest.open(job + "-rest", OpenOptions.create())) {
      check(rest, file, ROUNDS);
      file.closeAll();
    }
    out.println("DONE " + rest.size());
  }

  private void round(int round) throws IOException {
    say(Call.OPEN, round);
    try (SharedFile file = rank.open(job, OpenOptions.create())) {
      say(Call.VIEW, round);
      file.setView(view(rank));
      check(rank, file, round);
      say(Call.MODE, round);
      file.setView(View.WHOLE);
      file.setMode(Mode.ORDERED);
      say(Call.APPEND, round);
      file.write(memory.asSlice(0, RECORD));
      file.setMode(Mode.INDEPENDENT);
      say(Call.SIZE, round);
      file.resize((long) RECORDS * RECORD * rank.size());
      say(Call.FLUSH, round);
      file.flushAll();
      say(Call.LOCK, round);
      try (var _ = rank.lock("a lock")) {
        file.at(0).read(memory.asSlice(0, RECORD));
      }
      say(Call.SPLIT, round);
      rank.split(rank.number() % 2, 0).barrier();
      say(Call.CLOSE, round);
      file.closeAll();
    }
  }

  /** Records that are dealt to the ranks in turn. */
  private static View view(Rank of) {
    return new View((long) of.number() * RECORD, Pattern.run(RECORD), (long) RECORD * of.size());
  }

  /** All write their records together, and read those of all. */
  private void check(Rank of, SharedFile file, int round) throws IOException {
    file.setView(view(of));
    say(Call.WRITE, round);
    memory.fill((byte) (round + of.number()));
    file.at(0).all().write(memory);
    say(Call.BARRIER, round);
    of.barrier();
    say(Call.READ, round);
    MemorySegment back = arena.allocate(memory.byteSize());
    file.at(0).all().readFully(back);
    if (back.mismatch(memory) >= 0) {
      throw new IllegalStateException("read what was not written, in round " + round);
    }
    say(Call.EXCHANGE, round);
    long sum = of.allReduceLong(of.number(), Long::sum);
    if (sum != (long) of.size() * (of.size() - 1) / 2) {
      throw new IllegalStateException("the numbers of all ranks add up to " + sum);
    }
  }
}
