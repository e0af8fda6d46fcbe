package org.millrace.sim.hunt;

import java.io.IOException;
import java.util.random.RandomGenerator;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.error.MillraceException;

/**
 * A random program, as one rank runs it: chapters that all ranks go through together, each with
 * what it draws for itself. After an error it regroups with whoever is left, and goes on with the
 * next chapter.
 *
 * <p>Belongs to the rank's thread.
 */
final class Program {

  private static final int MOST_REGROUPS = 3;

  // constant after construction
  private final Member me;
  private final int chapters;

  private int chapter;

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
        me.episode().excuse(); // whoever needs this rank misses it from now on
        if (++regroups > MOST_REGROUPS) {
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
    long next = me.call("agree", "", () -> fresh.allReduceLong(chapter, Math::max));
    chapter = Math.toIntExact(next) + 1;
    me.rank(fresh, "from chapter " + chapter);
  }

  private void runChapter() throws IOException {
    RandomGenerator common = common("common");
    RandomGenerator own = common("of rank " + me.rank().number());
    Files.Named file = me.episode().files().get(common.nextInt(me.episode().files().count()));
    int kind = common.nextInt(14);
    if (!file.isCertain() && kind != 6 && kind != 9 && kind != 12) {
      return; // somebody has to look first, when all is quiet
    }
    switch (kind) {
      case 0, 1, 2 -> independent(file.model, common, own);
      case 3, 4, 5 -> new Together(me, common, own).collective(file.model);
      case 6 -> new Logging(me, common, own).run(me.episode().number() + "-" + chapter);
      case 7, 8 -> new Together(me, common, own).ordered(file.model);
      case 9, 12 -> new Meetings(me, common, own).run();
      case 10, 13 -> new Naming(me, common).run(file);
      default -> duel(file.model, common);
    }
  }

  /** Each rank for itself. */
  private void independent(FileModel model, RandomGenerator common, RandomGenerator own)
      throws IOException {
    Mode mode = common.nextInt(3) == 0 ? Mode.M_UNIX : Mode.M_ASYNC;
    Accesses file = Accesses.open(me, model, OpenOptions.create().mode(mode));
    int rounds = 2 + common.nextInt(5);
    for (int i = 0; i < rounds; i++) {
      switch (common.nextInt(10)) {
        case 0, 1, 2 -> {
          for (int n = own.nextInt(4); n >= 0; n--) {
            file.writeAt(file.anyRow(own));
          }
        }
        case 3 -> file.throughComb(own, own.nextBoolean());
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
    Accesses file = Accesses.open(me, model, OpenOptions.create().mode(Mode.M_UNIX));
    long[] place = file.anyRow(common);
    file.writeAt(place);
    var seen = file.readAt(place);
    if (me.isCalm() && seen.size() == place.length) {
      Write first = seen.getFirst();
      me.check(
          seen.stream().allMatch(write -> write == first),
          "an atomic write was torn: cells %d to %d are of %s"
              .formatted(place[0], place[place.length - 1], seen.stream().distinct().toList()));
    }
    file.close();
  }
}
