package org.millrace.sim.hunt;

import java.io.IOException;
import java.util.List;
import java.util.random.RandomGenerator;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.error.MillraceException;

/**
 * A random program, as one rank runs it: all ranks run the same chapters, each with its own random
 * choices. After an error it regroups with the remaining ranks and continues with the next chapter.
 *
 * <p>Belongs to the rank's thread.
 */
final class Program {

  private static final int MAX_REGROUPS = 3;

  /** A bit for each rank of an episode, below the number of a chapter. */
  private static final long ALL_RANKS = 0xff;

  /** What a chapter is about, as often as it is named. */
  private static final List<Kind> KINDS =
      List.of(
          Kind.INDEPENDENT,
          Kind.INDEPENDENT,
          Kind.INDEPENDENT,
          Kind.COLLECTIVE,
          Kind.COLLECTIVE,
          Kind.COLLECTIVE,
          Kind.LOGGING,
          Kind.ORDERED,
          Kind.ORDERED,
          Kind.MEETING,
          Kind.NAMING,
          Kind.DUEL,
          Kind.MEETING,
          Kind.NAMING,
          Kind.DUEL,
          Kind.DUEL);

  private enum Kind {
    INDEPENDENT,
    COLLECTIVE,
    LOGGING,
    ORDERED,
    MEETING,
    NAMING,
    DUEL
  }

  // constant after construction
  private final Member me;
  private final int chapters;

  private int chapter;
  private int regrouped;

  Program(Member me, int chapters) {
    this.me = me;
    this.chapters = chapters;
  }

  /** The same for all ranks of this chapter. */
  private RandomGenerator common(String purpose) {
    return me.world().env().random(me.episode().number() + " " + chapter + " " + purpose);
  }

  void run() throws IOException {
    int regroups = 0;
    while (chapter < chapters) {
      try {
        runChapter();
        chapter++;
      } catch (MillraceException e) {
        me.episode().excuse(); // other ranks miss it from now on
        if (++regroups > MAX_REGROUPS) {
          throw e;
        }
        regroup();
      }
    }
  }

  /** The ranks that are left agree on where they go on. */
  private void regroup() throws IOException {
    Rank fresh = me.call("regroup", "", () -> me.rank().regroup());
    me.closeRest(); // what the old group has open
    me.check(fresh.size() <= me.rank().size(), "the group has grown to " + fresh.size());
    long mine = (long) chapter << Byte.SIZE | 1L << me.number();
    long all = me.call("agree", "", () -> fresh.allReduceLong(mine, Program::later));
    chapter = Math.toIntExact(all >> Byte.SIZE);
    me.episode().lost(all & ALL_RANKS);
    RandomGenerator common = common("common");
    Files.Named _ = file(common);
    if (kind(common) != Kind.DUEL) { // who is left fights a duel to its end
      chapter++;
    }
    me.rank(fresh, "from chapter " + chapter + " after " + ++regrouped);
  }

  /** The later chapter, and the ranks of both. */
  private static long later(long a, long b) {
    return Math.max(a, b) & ~ALL_RANKS | (a | b) & ALL_RANKS;
  }

  private Files.Named file(RandomGenerator common) {
    return me.episode().files().get(common.nextInt(me.episode().files().count()));
  }

  private static Kind kind(RandomGenerator common) {
    return KINDS.get(common.nextInt(KINDS.size()));
  }

  private void runChapter() throws IOException {
    RandomGenerator common = common("common");
    RandomGenerator own = common("of rank " + me.rank().number());
    Files.Named file = file(common);
    Kind kind = kind(common);
    if (!file.isCertain() && kind != Kind.LOGGING && kind != Kind.MEETING) {
      return; // somebody has to look first, when all is quiet
    }
    switch (kind) {
      case INDEPENDENT -> independent(file.model, common, own);
      case COLLECTIVE -> new CollectiveChapter(me, common, own).collective(file.model);
      case LOGGING -> new Logging(me, common, own).run(me.episode().number() + "-" + chapter);
      case ORDERED -> new CollectiveChapter(me, common, own).ordered(file.model);
      case MEETING -> new Meetings(me, common, own).run();
      case NAMING ->
          new Naming(me, common)
              .run(
                  file,
                  common("contention of rank " + me.rank().number()),
                  me.episode().number() + "-" + chapter + "-" + regrouped);
      case DUEL -> duel(file.model, common);
    }
  }

  /** Each rank for itself. */
  private void independent(FileModel model, RandomGenerator common, RandomGenerator own)
      throws IOException {
    Mode mode = common.nextInt(3) == 0 ? Mode.ATOMIC : Mode.INDEPENDENT;
    Accesses file = Accesses.open(me, model, OpenOptions.create().withMode(mode));
    int rounds = 2 + common.nextInt(5);
    for (int i = 0; i < rounds; i++) {
      switch (common.nextInt(10)) {
        case 0, 1, 2 -> {
          for (int n = own.nextInt(4); n >= 0; n--) {
            file.writeAt(file.anyRow(own));
          }
        }
        case 3 -> file.throughVector(own, own.nextBoolean());
        case 4 -> file.writeAsync(own);
        case 5 -> {
          if (own.nextBoolean()) {
            file.flush();
          }
        }
        case 6 -> me.barrier();
        case 7 -> file.checkSize();
        case 8 -> file.resize(common.nextInt(model.most()));
        default -> me.pause(own, 20 * World.MILLI);
      }
      file.readAt(file.anyRow(own));
    }
    file.close();
  }

  /** All write the same place in atomic mode: it must be as one of them wrote it. */
  private void duel(FileModel model, RandomGenerator common) throws IOException {
    Accesses file = Accesses.open(me, model, OpenOptions.create().withMode(Mode.ATOMIC));
    long[] place = file.anyRow(common);
    for (int round = common.nextInt(6); round >= 0; round--) {
      me.episode().fate().duels(me.who(), true);
      try {
        file.writeAt(place);
      } finally {
        me.episode().fate().duels(me.who(), false);
      }
      checkWhole(place, file.readAt(place));
    }
    file.close();
  }

  private void checkWhole(long[] place, List<Write> seen) {
    // what rots in one episode may tear a write in the next
    if (me.isCalm() && !me.oracle().isRotten() && seen.size() == place.length) {
      Write first = seen.getFirst();
      me.check(
          seen.stream().allMatch(write -> write == first),
          "an atomic write was torn: cells %s to %s are of %s"
              .formatted(place[0], place[place.length - 1], seen.stream().distinct().toList()));
    }
  }
}
