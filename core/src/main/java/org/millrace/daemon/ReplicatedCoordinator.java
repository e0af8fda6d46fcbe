package org.millrace.daemon;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.millrace.cluster.CoordinatorAddress;
import org.millrace.cluster.CoordinatorGroup;
import org.millrace.cluster.Dialer;
import org.millrace.coordinator.Coordinator;
import org.millrace.coordinator.Lease;
import org.millrace.coordinator.ReplicatedLog;
import org.millrace.disk.RunFolder;
import org.millrace.message.Acceptor;
import org.millrace.wire.Secret;

/**
 * One of several coordinators, at home in a directory: while it leads it serves, while it follows
 * it sends clients to the leader, as {@link OfficeLoop} says.
 *
 * <p>Safe for use by several threads. Closing leaves office and the group; idempotent.
 */
public final class ReplicatedCoordinator implements AutoCloseable, OfficeLoop.Holder {

  /**
   * How long sessions may come back to a new leader. They have noticed the loss of the last one
   * before it was elected, or soon afterwards; and until then some requests wait.
   */
  static final long GRACE_NANOS = 2_500_000_000L;

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
  private final Runnable onShutdown;
  private final Consumer<String> log;
  private final ReentrantLock lock = new ReentrantLock();

  private @Nullable OfficeLoop loop; // set before anybody else has this

  // guarded by lock
  private @Nullable CoordinatorAddress said;

  private ReplicatedCoordinator(
      CoordinatorPart.Place place,
      ServerOptions options,
      Replication.Membership member,
      RunFolder folder,
      Acceptor acceptor,
      Runnable onShutdown,
      Consumer<String> log) {
    this.place = place;
    this.options = options;
    this.known = member.group();
    this.number = member.number();
    this.folder = folder;
    this.acceptor = acceptor;
    this.onShutdown = onShutdown;
    this.log = log;
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
        Replication.require().join(place.env(), member, Replication.folder(own), log);
    CoordinatorPart.Place told =
        new CoordinatorPart.Place(
            place.env(),
            place.directory(),
            place.part(),
            place.secret(),
            place.settings(),
            () -> Map.of(MEMBERS_SETTING, text(replicated.members())),
            log);
    var made = new ReplicatedCoordinator(told, options, member, folder, acceptor, onShutdown, log);
    made.loop =
        new OfficeLoop(
            place.env(), CoordinatorGroup.nameOf(member.number()), replicated, made, log);
    return made;
  }

  private static String text(List<ReplicatedLog.MemberState> states) {
    return states.stream()
        .map(one -> one.number() + " " + one.role() + " " + one.silentMillis())
        .collect(Collectors.joining(","));
  }

  @Override
  public OfficeLoop.Held begin(ReplicatedLog.Office office) throws IOException {
    CoordinatorPart part =
        CoordinatorPart.begin(
            place,
            options,
            Math.min(GRACE_NANOS, options.transport().graceNanos()),
            onShutdown,
            List.of(),
            (given, probe) -> new Coordinator(place.env(), office.log(), given, probe));
    return new OfficeLoop.Held() {
      @Override
      public void serve(Lease lease) throws IOException {
        part.serve(acceptor, lease);
        say(CoordinatorAddress.ofThis(group().addresses(number), ""));
        log.accept("leads the coordinators of cluster " + part.cluster());
      }

      @Override
      public void abandon() throws IOException {
        part.abandon();
      }
    };
  }

  /** The process ends, and can be started again. */
  @Override
  public void onLeft() {
    log.accept("ends: it is no member of the coordinators any more");
    onShutdown.run();
  }

  /** As the file says now: members may have been replaced. */
  private CoordinatorGroup group() {
    try {
      return CoordinatorGroup.read(place.directory()).orElse(known);
    } catch (IOException e) {
      return known;
    }
  }

  @Override
  public void follow() {
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
    OfficeLoop running = loop;
    if (running != null) {
      running.close();
    }
    CoordinatorAddress last;
    lock.lock();
    try {
      last = said;
    } finally {
      lock.unlock();
    }
    if (last != null) {
      last.delete(folder);
    }
  }
}
