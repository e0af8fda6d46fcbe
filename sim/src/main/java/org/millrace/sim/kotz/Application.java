package org.millrace.sim.kotz;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import org.millrace.access.Access;
import org.millrace.access.Pattern;
import org.millrace.access.Runs;
import org.millrace.access.View;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.env.Env;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;

/**
 * The I/O application: each rank transfers its part of the file once, with a barrier before and
 * after. Reads are checked, and writes are read back and checked, outside the measured time.
 *
 * <p>Used by the threads of all ranks, which the seeded environment runs one at a time.
 */
final class Application {

  static final String FILE = "matrix";

  /** Every element says where it belongs. */
  private static final int WORD = Long.BYTES;

  // constant after construction
  private final Env env;
  private final AccessPattern pattern;
  private final FileSystem system;
  private final long fileBytes;
  private final ApplicationOptions conduct;
  private final Runnable atEnds;
  private final Hints hints;

  // owned by whichever thread runs
  private long began = Long.MAX_VALUE;
  private long ended;
  private int done;

  /**
   * An application.
   *
   * @param fileBytes of the file
   * @param conduct what it does that the pattern does not say
   * @param atEnds called when the time that counts begins and when it ends
   */
  Application(
      Env env,
      AccessPattern pattern,
      FileSystem system,
      long fileBytes,
      ApplicationOptions conduct,
      Runnable atEnds) {
    this.hints = Hints.DEFAULT.withStrategy(Strategy.DISK_DIRECTED).withDepth(conduct.buffers());
    this.conduct = conduct;
    this.fileBytes = fileBytes;
    this.atEnds = atEnds;
    this.env = env;
    this.pattern = pattern;
    this.system = system;
  }

  long began() {
    return began;
  }

  long ended() {
    return ended;
  }

  /** Makes the file, one block after the other. The words of one to be written are all zero. */
  void prepare(Rank rank) throws IOException {
    try (Arena arena = Arena.ofShared();
        SharedFile file =
            rank.open(FILE, OpenOptions.create().withBlockSize(AccessPattern.BLOCK))) {
      long share = fileBytes / rank.size();
      long start = share * rank.number();
      MemorySegment memory = arena.allocate(share, WORD);
      if (!pattern.write()) {
        fill(memory, 0, start, share);
      }
      file.setView(View.WHOLE);
      file.setHints(hints);
      file.at(start).all().write(memory);
      file.flush();
    }
  }

  /** The experiment itself. */
  void run(Rank rank) throws IOException {
    Pattern part = pattern.part(rank.number(), rank.size(), fileBytes);
    try (Arena arena = Arena.ofShared();
        SharedFile file = rank.open(FILE, OpenOptions.readWrite())) {
      MemorySegment memory = arena.allocate(Math.max(1, part.size()), WORD);
      MemorySegment mine = memory.asSlice(0, part.size());
      if (pattern.write()) {
        walk(part, (offset, at, length) -> fill(mine, at, offset, length));
      }
      file.setHints(hints);
      file.setView(part.size() == 0 || isTraditional() ? View.WHOLE : view(part));
      rank.barrier();
      if (env.nanoTime() < began) { // the first to go
        began = env.nanoTime();
        atEnds.run();
      }
      move(rank, file, part, mine);
      if (pattern.write()) {
        rank.barrier();
        if (rank.number() == 0 && conduct.isFlushed()) {
          file.flush(); // of all nodes
        }
        rank.barrier();
      }
      done++;
      if (done == rank.size()) { // the last to come
        ended = env.nanoTime();
        atEnds.run();
      }
      rank.barrier(); // nobody checks before that is counted
      check(file, part, mine);
    }
  }

  private boolean isTraditional() {
    return system == FileSystem.TRADITIONAL;
  }

  private View view(Pattern part) {
    return new View(0, part, fileBytes);
  }

  private void move(Rank rank, SharedFile file, Pattern part, MemorySegment mine)
      throws IOException {
    if (isTraditional()) {
      int most = file.layout().strands();
      Step step = (offset, at, length) -> request(file, offset, mine.asSlice(at, length), most);
      long first = conduct.isStaggered() ? blocksOn(part, rank.number()) : 0;
      walk(part, first, part.size(), step);
      walk(part, 0, first, step);
    } else if (pattern.write()) {
      file.at(0).all().write(mine);
    } else {
      file.at(0).all().read(mine);
    }
  }

  /** One request of the application: block by block, at most one block of each disk at a time. */
  private void request(SharedFile file, long offset, MemorySegment memory, int most)
      throws IOException {
    long block = AccessPattern.BLOCK;
    long length = memory.byteSize();
    if (offset / block == (offset + length - 1) / block) {
      if (pattern.write()) {
        file.at(offset).write(memory);
      } else {
        file.at(offset).read(memory);
      }
      return;
    }
    ArrayDeque<CompletableFuture<Long>> underWay = new ArrayDeque<>();
    for (long done = 0; done < length; ) {
      long piece = Math.min(length - done, block - (offset + done) % block);
      if (underWay.size() == most) {
        underWay.remove().join();
      }
      MemorySegment slice = memory.asSlice(done, piece);
      underWay.add(
          pattern.write()
              ? file.at(offset + done).writeAsync(slice)
              : file.at(offset + done).readAsync(slice));
      done += piece;
    }
    underWay.forEach(CompletableFuture::join);
  }

  /** How many bytes of a part lie in front of the block so many blocks after its first. */
  private long blocksOn(Pattern part, int blocks) {
    Access all = new Access(view(part), 0, part.size());
    long first = all.span().offset();
    long block = first - first % AccessPattern.BLOCK + (long) blocks * AccessPattern.BLOCK;
    return Math.min(all.below(block), part.size());
  }

  private interface Step {
    void on(long offset, long at, long length) throws IOException;
  }

  /** Goes through the runs of a part: where each lies in the file and in memory. */
  private static void walk(Pattern part, Step step) throws IOException {
    walk(part, 0, part.size(), step);
  }

  private static void walk(Pattern part, long from, long to, Step step) throws IOException {
    Runs runs = new Runs();
    runs.reset(part, from, to);
    while (runs.next()) {
      for (long i = 0; i < runs.count(); i++) {
        step.on(
            runs.offset() + i * runs.stride(), runs.position() + i * runs.length(), runs.length());
      }
    }
  }

  private static void fill(MemorySegment memory, long at, long offset, long length) {
    for (long i = 0; i < length; i += WORD) {
      memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at + i, word(offset + i));
    }
  }

  private static long word(long offset) {
    return offset * 0x9E3779B97F4A7C15L + 1;
  }

  private void check(SharedFile file, Pattern part, MemorySegment mine) throws IOException {
    file.setView(View.WHOLE);
    if (!pattern.write()) {
      walk(part, (offset, at, length) -> checkWord(offset, mine, at));
      return;
    }
    MemorySegment word = MemorySegment.ofArray(new byte[WORD]);
    for (long i = 1; i <= 8 && part.size() > 0; i++) { // spread over the part
      Runs runs = new Runs();
      runs.reset(part, part.size() / WORD * i / 9 * WORD, part.size());
      if (runs.next()) {
        file.at(runs.offset()).read(word);
        checkWord(runs.offset(), word, 0);
      }
    }
  }

  private void checkWord(long offset, MemorySegment memory, long at) throws IOException {
    long found = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
    if (found != word(offset)) {
      throw new IOException("%s: wrong word %x at %s".formatted(pattern, found, offset));
    }
  }
}
