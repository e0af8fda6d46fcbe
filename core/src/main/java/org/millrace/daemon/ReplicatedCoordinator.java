package org.millrace.daemon;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.millrace.cluster.CoordinatorAddress;
import org.millrace.cluster.CoordinatorGroup;
import org.millrace.cluster.Dialer;
import org.millrace.cluster.Pause;
import org.millrace.coordinator.Coordinator;
import org.millrace.coordinator.ReplicatedLog;
import org.millrace.disk.RunFolder;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.error.MillraceException;
import org.millrace.message.Acceptor;
import org.millrace.wire.Secret;

/**
 * One of several coordinators: while it leads, it serves as a coordinator that has just been
 * started, with the same log; while it follows, it sends clients to the leader.
 *
 * <pre>
 *              awaitOffice, a new life begins
 *   following -------------------------------&gt; leading
 *       ^                                         |
 *       '-----------------------------------------'
 *         the lease is over: withdrawn, abandoned
 * </pre>
 *
 * <p>One thread of its own does all that. Closing leaves office and the group; idempotent.
 */
public final class ReplicatedCoordinator implements AutoCloseable {

  /**
   * How long sessions may come back to a new leader. They have noticed the loss of the last one
   * before it was elected, so they come soon; and until then some requests wait.
   */
  private static final long GRACE_NANOS = 2_000_000_000L;

  private static final long RETRY_NANOS = 20_000_000L;

  /** How the coordinators are, as a setting: "1 leader 0,0 follower 12,2 silent 4711". */
  public static final String MEMBERS_SETTING = "coordinators";

  private static final String NOT_LEADING = "this coordinator does not lead";

  // constant after construction
  private final CoordinatorPart.Place place;
  private final ServerOptions options;
  private final CoordinatorGroup known;
  private final int number;
  private final RunFolder folder;
  private final Acceptor acceptor;
  private final ReplicatedLog replicated;
  private final Runnable onShutdown;
  private final Consumer<String> log;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal changed;

  private String trouble = ""; // owned by its thread: what was told last

  // guarded by lock
  private boolean closing;
  private boolean running;
  private @Nullable CoordinatorAddress said;

  private ReplicatedCoordinator(
      CoordinatorPart.Place place,
      ServerOptions options,
      Replication.Membership member,
      RunFolder folder,
      Acceptor acceptor,
      ReplicatedLog replicated,
      Runnable onShutdown,
      Consumer<String> log) {
    this.place = place;
    this.options = options;
    this.known = member.group();
    this.number = member.number();
    this.folder = folder;
    this.acceptor = acceptor;
    this.replicated = replicated;
    this.onShutdown = onShutdown;
    this.log = log;
    this.changed = place.env().signal(lock);
  }

  /** The identity of a cluster with several coordinators: what they have in common, hashed. */
  static String cluster(Secret secret) {
    return UUID.nameUUIDFromBytes(
            secret
                .seal("millrace cluster".getBytes(StandardCharsets.UTF_8))
                .getBytes(StandardCharsets.UTF_8))
        .toString();
  }

  /** Joins the group and begins to follow. */
  static ReplicatedCoordinator start(
      CoordinatorPart.Place place,
      ServerOptions options,
      Replication.Membership member,
      RunFolder folder,
      Acceptor acceptor,
      Runnable onShutdown,
      Consumer<String> log)
      throws IOException {
    Path own = place.directory().resolve(CoordinatorGroup.nameOf(member.number()));
    ReplicatedLog replicated =
        Replication.require().join(place.env(), member, own.resolve("raft"), log);
    CoordinatorPart.Place told =
        new CoordinatorPart.Place(
            place.env(),
            place.directory(),
            place.part(),
            place.secret(),
            place.settings(),
            () -> Map.of(MEMBERS_SETTING, text(replicated.members())));
    var made =
        new ReplicatedCoordinator(
            told, options, member, folder, acceptor, replicated, onShutdown, log);
    made.follow();
    made.running = true; // no other thread is here yet
    place.env().start(ThreadKind.SERVICE, CoordinatorGroup.nameOf(member.number()), made::run);
    return made;
  }

  private static String text(List<ReplicatedLog.MemberState> states) {
    return states.stream()
        .map(one -> one.number() + " " + one.role() + " " + one.silentMillis())
        .collect(Collectors.joining(","));
  }

  private void run() {
    try {
      while (!isClosing()) {
        try {
          Optional<ReplicatedLog.Office> office = replicated.awaitOffice();
          if (office.isEmpty()) {
            endUnlessClosing();
            return;
          }
          hold(office.get());
        } catch (IOException | RuntimeException e) {
          complain("cannot lead: " + e);
          replicated.resign();
        }
        Pause.of(place.env(), RETRY_NANOS); // a term is long
      }
    } catch (MillraceException e) {
      log.accept("ends: " + e.getMessage());
    } finally {
      lock.lock();
      try {
        running = false;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** A member that has left the group is of no use: the process ends, and can be started again. */
  private void endUnlessClosing() {
    if (!isClosing()) {
      log.accept("ends: it is no member of the coordinators any more");
      onShutdown.run();
    }
  }

  /** The same trouble comes again and again, and is told once. */
  private void complain(String what) {
    if (!what.equals(trouble)) {
      trouble = what;
      log.accept("trouble: " + what);
    }
  }

  private boolean isClosing() {
    lock.lock();
    try {
      return closing;
    } finally {
      lock.unlock();
    }
  }

  /** Serves until the lease is over. */
  private void hold(ReplicatedLog.Office office) throws IOException {
    CoordinatorPart part;
    try {
      part =
          CoordinatorPart.begin(
              place,
              options,
              Math.min(GRACE_NANOS, options.transport().graceNanos()),
              onShutdown,
              List.of(),
              (given, probe) -> new Coordinator(place.env(), office.log(), given, probe));
    } catch (IOException | RuntimeException e) {
      office.lease().onCut();
      throw e;
    }
    try {
      part.serve(acceptor, office.lease());
      say(CoordinatorAddress.ofThis(group().addresses(number), ""));
      log.accept("leads the coordinators of cluster " + part.cluster());
      trouble = "";
      office.lease().awaitOver();
    } finally {
      follow();
      office.lease().onCut();
      part.abandon();
      log.accept("does not lead any more");
    }
  }

  /** As the file says now: members may have been replaced. */
  private CoordinatorGroup group() {
    try {
      return CoordinatorGroup.read(place.directory()).orElse(known);
    } catch (IOException e) {
      return known;
    }
  }

  private void follow() {
    String others =
        String.join(
            " or ", group().addresses(number).stream().skip(1).map(Object::toString).toList());
    acceptor.withdraw(Dialer.COORDINATOR, NOT_LEADING + "; ask " + others);
    try {
      if (CoordinatorAddress.read(folder).flatMap(CoordinatorAddress::process).isEmpty()) {
        say(CoordinatorAddress.ofThis(group().addresses(number), "")); // nobody else has
      }
    } catch (IOException e) {
      log.accept("trouble: cannot say where the coordinators are: " + e);
    }
  }

  private void say(CoordinatorAddress where) throws IOException {
    where.write(folder);
    lock.lock();
    try {
      said = where;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() throws IOException {
    CoordinatorAddress last;
    lock.lock();
    try {
      closing = true;
      last = said;
    } finally {
      lock.unlock();
    }
    replicated.close(); // its lease is over, and nobody waits for office any more
    lock.lock();
    try {
      while (running) {
        changed.await(Env.NEVER); // it ends with the lease
      }
    } finally {
      lock.unlock();
    }
    if (last != null) {
      last.delete(folder);
    }
  }
}
