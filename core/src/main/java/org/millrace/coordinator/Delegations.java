package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.millrace.error.MillraceException;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorReply.WantedBack;
import org.millrace.protocol.CoordinatorRequest.OfFile.GiveBack;
import org.millrace.protocol.Delegated;

/**
 * Files whose bytes sessions may keep, such as mounts in the kernel's page cache. A session may
 * keep bytes of a file that it has open while nobody else has it open for writing; what it writes
 * itself goes to the nodes before it counts as written. So several sessions that read may keep the
 * same file, and one that writes may, beside others that read without keeping. Delegations and
 * their recall are those of NFS 4 (RFC 8881, section 10.4), for bytes alone.
 *
 * <p>Somebody else's open for writing is carried out when all who keep bytes of the file have given
 * them back:
 *
 * <pre>
 *   delegated --others open to write--> wanted back --GiveBack--> given back: the open goes on
 *                                                   --closed----> the same
 *                                                   --overdue---> the file is taken away from the
 *                                                                 session, then the same
 *   delegated --the session ends------> kept by a ghost, which is gone when the session's own
 *                                       right is over, whether it knows of its end or not
 * </pre>
 *
 * <p>Sessions keep a request waiting here, which is answered when something is wanted back; so they
 * know, too, that they are heard. One that is not answered for a while drops everything by itself
 * ({@code client.HeldDelegations}), before {@link #GHOST_NANOS} are over.
 *
 * <p>Guarded by the coordinator's lock.
 */
final class Delegations {

  /** How long a session may take to give back a file before the file is taken away from it. */
  static final long PATIENCE_NANOS = 10_000_000_000L;

  /** For how long a session that has ended may not know it yet. */
  static final long GHOST_NANOS = 5_000_000_000L;

  /** A session that keeps bytes. */
  private static final class Keeper {
    final Map<Long, Long> kept = new TreeMap<>(); // by file: the last open that gave the right
    final Map<Long, Long> untold = new LinkedHashMap<>(); // wanted back, and not told yet
    @Nullable ReplyTo asking;
    Timers.@Nullable Timer timer;
  }

  /** An open for writing that waits; the session is 0 for a group. */
  private record Waiting(long session, long file, Timers.Action action) {}

  // constant after construction
  private final Opens opens;
  private final Timers timers;
  private final Consumer<Open> takeAway;

  // guarded by the coordinator's lock
  private final Map<Long, Keeper> keepers = new TreeMap<>(); // by session
  private final Map<Long, Integer> ghosts = new HashMap<>(); // how many, by file
  private final List<Waiting> waiting = new ArrayList<>(); // in the order of asking

  /**
   * Without any.
   *
   * @param takeAway closes what a session has open, whether it wants it or not
   */
  Delegations(Opens opens, Timers timers, Consumer<Open> takeAway) {
    this.opens = opens;
    this.timers = timers;
    this.takeAway = takeAway;
  }

  /** Delegates a file that a session has just opened, if it may be. */
  boolean tryDelegate(Peer from, Open open) {
    Keeper keeper = keepers.get(from.session());
    boolean may =
        keeper != null
            && waiting.stream().noneMatch(one -> one.file == open.file())
            && opens.of(open.file()).stream()
                .noneMatch(other -> other.flags().write() && !isOf(other, from.session()));
    if (may && keeper != null) {
      keeper.kept.put(open.file(), open.number());
    }
    return may;
  }

  /** A session had a file open when the coordinator was restarted, and may keep its bytes. */
  void restore(Peer from, Open open) {
    keepers
        .computeIfAbsent(from.session(), _ -> new Keeper())
        .kept
        .merge(open.file(), open.number(), Math::max);
  }

  /** Whether somebody may have bytes of a file that this session is about to write to. */
  boolean isKeptByOthers(long session, long file) {
    return ghosts.containsKey(file)
        || keepers.entrySet().stream()
            .anyMatch(each -> each.getKey() != session && keeps(each.getKey(), file));
  }

  private boolean keeps(long session, long file) {
    Keeper keeper = keepers.get(session);
    return keeper != null && keeper.kept.containsKey(file) && opens.hasAlone(session, file);
  }

  private static boolean isOf(Open open, long session) {
    return open.group().isSession() && open.group().founder.session() == session;
  }

  /**
   * Wants a file back from all others who keep bytes of it.
   *
   * @param session who wants to write; 0 for a group
   * @param action runs when nobody keeps any; it must look again, for the name may be another's
   */
  void takeBack(long session, long file, Timers.Action action, DeferredReplies answers) {
    waiting.add(new Waiting(session, file, action));
    for (Map.Entry<Long, Keeper> each : keepers.entrySet()) {
      long holder = each.getKey();
      Keeper keeper = each.getValue();
      if (holder != session && keeps(holder, file)) {
        long open = keeper.kept.getOrDefault(file, 0L);
        keeper.untold.put(file, open);
        tell(keeper, answers);
        timers.after(PATIENCE_NANOS, late -> onOverdue(holder, file, open, late));
      }
    }
  }

  /** A session gives back, and asks what is wanted back. */
  void onGiveBack(Peer from, GiveBack request, ReplyTo replyTo, DeferredReplies answers) {
    Keeper keeper = keepers.computeIfAbsent(from.session(), _ -> new Keeper());
    for (Delegated given : request.given()) {
      giveBack(keeper, given.file(), given.open());
    }
    if (request.waitNanos() > 0) {
      stopAsking(keeper, answers); // it has asked again, and does not wait for the first answer
      keeper.asking = replyTo;
      keeper.timer = timers.after(request.waitNanos(), late -> stopAsking(keeper, late));
      tell(keeper, answers);
    } else {
      answers.reply(replyTo, new WantedBack(List.of()));
    }
    advance(answers);
  }

  private static void giveBack(Keeper keeper, long file, long open) {
    keeper.kept.computeIfPresent(file, (_, last) -> last <= open ? null : last);
    keeper.untold.computeIfPresent(file, (_, last) -> last <= open ? null : last);
  }

  private void stopAsking(Keeper keeper, DeferredReplies answers) {
    ReplyTo asking = keeper.asking;
    if (asking == null) {
      return;
    }
    keeper.asking = null;
    if (keeper.timer != null) {
      timers.cancel(keeper.timer);
      keeper.timer = null;
    }
    List<Delegated> wanted = new ArrayList<>();
    keeper.untold.forEach((file, open) -> wanted.add(new Delegated(file, open)));
    keeper.untold.clear();
    answers.reply(asking, new WantedBack(wanted));
  }

  private void tell(Keeper keeper, DeferredReplies answers) {
    if (!keeper.untold.isEmpty()) {
      stopAsking(keeper, answers);
    }
  }

  /** A session has not given back in time: it must not read or write the file any more. */
  private void onOverdue(long session, long file, long open, DeferredReplies answers) {
    Keeper keeper = keepers.get(session);
    if (keeper == null || keeper.kept.getOrDefault(file, Long.MAX_VALUE) > open) {
      return;
    }
    giveBack(keeper, file, open);
    opens.of(file).stream().filter(one -> isOf(one, session)).forEach(takeAway);
    advance(answers);
  }

  /** A session has closed a file, or has lost it: maybe for good. */
  void onClosed(Peer from, long file, DeferredReplies answers) {
    Keeper keeper = keepers.get(from.session());
    if (keeper != null && !opens.hasAlone(from.session(), file)) {
      keeper.kept.remove(file);
      keeper.untold.remove(file);
      advance(answers);
    }
  }

  /** A session has ended; call before its files are closed. */
  void onSessionEnd(Peer from, DeferredReplies answers) {
    waiting.removeIf(one -> one.session == from.session());
    Keeper gone = keepers.get(from.session());
    if (gone == null) {
      return;
    }
    List<Long> files =
        gone.kept.keySet().stream().filter(file -> keeps(from.session(), file)).toList();
    keepers.remove(from.session());
    if (gone.timer != null) {
      timers.cancel(gone.timer);
    }
    if (!files.isEmpty()) {
      files.forEach(file -> ghosts.merge(file, 1, Integer::sum));
      timers.after(GHOST_NANOS, late -> onGhostGone(files, late));
    }
    advance(answers);
  }

  private void onGhostGone(List<Long> files, DeferredReplies answers) {
    for (long file : files) {
      ghosts.computeIfPresent(file, (_, count) -> count == 1 ? null : count - 1);
    }
    advance(answers);
  }

  /** Lets opens go on that need not wait any more. */
  private void advance(DeferredReplies answers) {
    List<Waiting> ready =
        waiting.stream().filter(one -> !isKeptByOthers(one.session, one.file)).toList();
    waiting.removeAll(ready);
    ready.forEach(one -> one.action.run(answers));
  }

  /** Nobody is answered any more but with this. */
  void failAll(MillraceException error, DeferredReplies answers) {
    for (Keeper keeper : keepers.values()) {
      if (keeper.asking != null) {
        answers.fail(keeper.asking, error);
        keeper.asking = null;
      }
    }
  }
}
