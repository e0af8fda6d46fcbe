package org.millrace.sim.hunt;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * One rank of an episode while it runs its program. Every call goes through {@link #call}, which
 * logs it and checks its result.
 *
 * <p>Belongs to the rank's thread.
 */
final class Member {

  /** A call of the program. */
  interface Call<T> {
    /** Does it. */
    T run() throws IOException;
  }

  /** A call without a result. */
  interface Act {
    /** Does it. */
    void run() throws IOException;
  }

  /** No call may take longer, whatever happens: some are several requests and meetings. */
  private static final long MAX_NANOS = 300 * World.SECOND;

  /** As errors name what is lost. */
  private static final Pattern STRAND = Pattern.compile("writes to file \\d+ strand (\\d+)");

  // constant after construction
  private final World world;
  private final Episode episode;
  private final String who;
  private final int number;

  // owned by the rank's thread, read by the one that looks for hangs
  private Rank rank;
  private String group = "all";
  private int meetings;
  private final Map<SharedFile, Act> open = new LinkedHashMap<>();
  private volatile String doing = "begins";

  Member(World world, Episode episode, String who, int number, Rank rank) {
    this.number = number;
    this.world = world;
    this.episode = episode;
    this.who = who;
    this.rank = rank;
  }

  String who() {
    return who;
  }

  /** Its number in the episode, whatever group it is in now. */
  int number() {
    return number;
  }

  String doing() {
    return doing;
  }

  World world() {
    return world;
  }

  Oracle oracle() {
    return world.oracle();
  }

  Episode episode() {
    return episode;
  }

  Rank rank() {
    return rank;
  }

  /** Goes on in another group, of a name that its ranks agree on. */
  void rank(Rank newRank, String newGroup) {
    rank = newRank;
    group = newGroup;
    meetings = 0;
  }

  /** What all ranks of the group share: the first who comes here makes it. */
  <T> T shared(Class<T> type, Supplier<T> maker) {
    return type.cast(episode.shared(group + " " + meetings++, maker));
  }

  /** Whether anything has gone wrong in this episode. */
  boolean isCalm() {
    return !episode.fate().hasStruck();
  }

  /**
   * Makes a call, which must end in time, well or with an error that the faults explain.
   *
   * @param kind which call it is
   * @param detail its arguments, for people
   */
  <T> T call(String kind, String detail, Call<T> call) throws IOException {
    String what = detail.isEmpty() ? kind : kind + " " + detail;
    doing = what;
    world.tally().add(Occurrence.CALL, kind);
    world.story().tell(who, what);
    long began = world.env().nanoTime();
    try {
      T result = call.run();
      checkTime(what, began);
      world.story().tell(who, what + ": done");
      return result;
    } catch (MillraceException e) {
      checkTime(what, began);
      world.tally().add(Occurrence.ERROR, e.code().toString());
      world.story().tell(who, what + ": " + e.code() + " " + e.getMessage());
      if (!episode.explains(e)) {
        throw new Violation("%s: %s failed without a cause: %s".formatted(who, what, e), e);
      }
      throw e;
    } catch (IOException | RuntimeException e) {
      throw new Violation("%s: %s failed in no way that is allowed: %s".formatted(who, what, e), e);
    }
  }

  /** As {@link #call}, of a file: that writes to it are lost may be said only if some are. */
  <T> T call(FileModel model, String kind, String detail, Call<T> call) throws IOException {
    try {
      return call(kind, detail, call);
    } catch (MillraceException e) {
      checkLost(model, kind, e);
      throw e;
    }
  }

  private void checkLost(FileModel model, String kind, MillraceException e) {
    Matcher strand = STRAND.matcher(String.valueOf(e.getMessage()));
    if (e.code() == ErrorCode.LOST && episode.fate().isOneLoss() && strand.find()) {
      world.tally().add(Occurrence.ERROR, "LOST by one fault");
      int number = Integer.parseInt(strand.group(1));
      model.checkLost(number, oracle().lastLoss(), who + ": " + kind);
    }
  }

  /** As {@link #call}, for a call that all ranks make, and that fails on all or on none. */
  <T> T together(FileModel model, String kind, String detail, Call<T> call) throws IOException {
    Outcomes outcomes = shared(Outcomes.class, Outcomes::new);
    T result;
    try {
      result = call(model, kind, detail, call);
    } catch (MillraceException e) {
      outcomes.failed(who, e.code());
      throw e;
    }
    outcomes.succeeded(who);
    return result;
  }

  /** As {@link #call}. */
  void act(String kind, String detail, Act act) throws IOException {
    call(
        kind,
        detail,
        () -> {
          act.run();
          return 0;
        });
  }

  private void act(FileModel model, String kind, Act act) throws IOException {
    call(
        model,
        kind,
        model.name(),
        () -> {
          act.run();
          return 0;
        });
  }

  private void checkTime(String what, long began) {
    long took = world.env().nanoTime() - began;
    if (took > MAX_NANOS) {
      throw new Violation(
          "%s: %s took %s s, every call has a deadline".formatted(who, what, took / World.SECOND));
    }
  }

  void check(boolean holds, String what) {
    if (!holds) {
      throw new Violation(who + ": " + what);
    }
  }

  /** Waits for all, and sees that all have come. */
  void barrier() throws IOException {
    AtomicInteger came = shared(AtomicInteger.class, AtomicInteger::new);
    came.incrementAndGet();
    act("barrier", "", rank::barrier);
    check(came.get() == rank.size(), "the barrier opened when " + came + " had come");
  }

  /** It has opened something, and this is how it closes it. */
  void hasOpen(SharedFile file, Act close) {
    open.keySet().removeIf(SharedFile::isClosed);
    open.put(file, close);
  }

  /** Closes what it has left open when a call failed; whether that goes well is no matter. */
  void closeRest() throws IOException {
    for (Map.Entry<SharedFile, Act> rest : open.entrySet()) {
      try {
        if (!rest.getKey().isClosed()) { // a close that failed has closed it, or has not
          rest.getValue().run();
        }
      } catch (MillraceException e) {
        world.story().tell(who, "leaves it at that");
      }
    }
    open.clear();
  }

  /** Makes a file durable. */
  void flush(FileModel model, SharedFile file, long open) throws IOException {
    long began = oracle().tick();
    act(model, "flush", file::flush);
    model.flushed(open, began);
  }

  /** Closes a file, which makes it durable. */
  void close(FileModel model, SharedFile file, long number) throws IOException {
    long began = oracle().tick();
    act(model, "close", file::close);
    model.flushed(number, began);
  }

  /** As {@link #flush}, with all ranks of the group. */
  void flushAll(FileModel model, SharedFile file, long open) throws IOException {
    long began = oracle().tick();
    together(
        model,
        "flushAll",
        model.name(),
        () -> {
          file.flushAll();
          return 0;
        });
    model.flushed(open, began);
  }

  /** As {@link #close}, with all ranks of the group. */
  void closeAll(FileModel model, SharedFile file, long number) throws IOException {
    long began = oracle().tick();
    act(model, "closeAll", file::closeAll);
    model.flushed(number, began);
  }

  void pause(RandomGenerator random, long maxNanos) {
    World.pause(world.env(), 1 + random.nextLong(maxNanos));
  }
}
