package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Message;
import org.millrace.message.Peer;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Effect;
import org.millrace.protocol.Failure;
import org.millrace.protocol.OpenFlags;

/**
 * A coordinator and sessions that talk to it. Requests are started by the test's thread; nothing
 * waits by itself.
 */
final class Harness implements AutoCloseable {

  static final String ROOT = "root";
  static final OpenFlags CREATE = flags(true, false, false);
  static final OpenFlags EXCLUSIVE = flags(true, true, false);
  static final OpenFlags EXISTING = flags(false, false, false);
  static final OpenFlags DELETE_ON_CLOSE = flags(true, false, true);

  final Env env;
  final Disk disk;
  final Coordinator coordinator;
  private long sessions;

  Harness() throws IOException {
    this(Env.real(), new MemoryDisk("test"));
  }

  Harness(Env env, Disk disk) throws IOException {
    this(env, disk, CoordinatorOptions.of(4, ROOT));
  }

  Harness(Env env, Disk disk, CoordinatorOptions options) throws IOException {
    this(env, disk, options, Quotas.DEFAULT);
  }

  Harness(Env env, Disk disk, CoordinatorOptions options, Quotas bounds) throws IOException {
    this(env, disk, options, bounds, _ -> Coordinator.StrandPresence.SOME_MISSING);
  }

  Harness(
      Env env,
      Disk disk,
      CoordinatorOptions options,
      Quotas bounds,
      Coordinator.StrandProbe strandsExist)
      throws IOException {
    this.env = env;
    this.disk = disk;
    this.coordinator = new Coordinator(env, disk, options, strandsExist, bounds);
  }

  static OpenFlags flags(boolean create, boolean exclusive, boolean deleteOnClose) {
    return new OpenFlags(true, true, create, exclusive, false, false, deleteOnClose, 0644, 0, 0);
  }

  Link link(String user, String... groups) {
    return Links.local(env, new Peer(++sessions, user, List.of(groups)), coordinator);
  }

  /** Begins a request without waiting for its answer. */
  static Pending start(Link link, CoordinatorRequest request) {
    return link.start(request, MemorySegment.NULL);
  }

  Ranks ranks(int size) throws IOException {
    return ranks(size, ROOT);
  }

  Ranks ranks(int size, String user) throws IOException {
    List<Link> links = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      links.add(link(user));
    }
    CoordinatorReply.Group group =
        (CoordinatorReply.Group) call(links.getFirst(), new CoordinatorRequest.Form(size));
    for (int rank = 0; rank < size; rank++) {
      call(links.get(rank), new CoordinatorRequest.Join(group.group(), rank));
    }
    return new Ranks(group.group(), links);
  }

  Message call(Link link, CoordinatorRequest request) throws IOException {
    return link.call(request, MemorySegment.NULL, env.deadlineAfter(300_000_000_000L));
  }

  ErrorCode refused(Link link, CoordinatorRequest request) {
    return refusal(link.start(request, MemorySegment.NULL)).code();
  }

  MillraceException refusal(Pending pending) {
    MillraceException error =
        catchThrowableOfType(
            MillraceException.class, () -> pending.await(env.deadlineAfter(300_000_000_000L)));
    assertThat(error).as("refusal").isNotNull();
    return error;
  }

  List<CoordinatorReply.Wait> waits(Link link) throws IOException {
    return ((CoordinatorReply.Waits) call(link, new CoordinatorRequest.AskWaits())).waits();
  }

  @Override
  public void close() {
    coordinator.close();
  }

  /** A group and its ranks' links. */
  final class Ranks {
    final long group;
    final List<Link> links;
    private final long[] sequence;

    Ranks(long group, List<Link> links) {
      this.group = group;
      this.links = links;
      this.sequence = new long[links.size()];
    }

    Pending start(int rank, CoordinatorRequest request) {
      return links.get(rank).start(request, MemorySegment.NULL);
    }

    /** The rank's next call on the group's own channel. */
    Pending meet(int rank, String call, long argument, Effect effect) {
      return start(rank, meeting(rank, 0, sequence[rank]++, call, argument, effect));
    }

    CoordinatorRequest.Meet meeting(
        int rank, long channel, long number, String call, long argument, Effect effect) {
      return new CoordinatorRequest.Meet(
          group, rank, channel, number, call, argument, "", 10 + rank, effect, Failure.NONE, true);
    }

    Pending barrier(int rank) {
      return meet(rank, "barrier", 0, new Effect.None());
    }

    Pending lock(int rank, String name) {
      return lock(rank, name, 0, Long.MAX_VALUE, false);
    }

    Pending lock(int rank, String name, long from, long to, boolean shared) {
      return start(
          rank, new CoordinatorRequest.Lock(group, rank, name, from, to, shared, true, false));
    }

    Pending leave(int rank, String reason) {
      return start(rank, new CoordinatorRequest.Leave(group, rank, reason));
    }

    /** All ranks make the same call; what each was answered. */
    List<Message> all(String call, Effect effect) throws IOException {
      return awaitAll(startAll(call, effect));
    }

    List<Pending> startAll(String call, Effect effect) {
      List<Pending> pending = new ArrayList<>();
      for (int rank = 0; rank < links.size(); rank++) {
        pending.add(meet(rank, call, 0, effect));
      }
      return pending;
    }

    CoordinatorReply.Opened open(String path, OpenFlags flags) throws IOException {
      return (CoordinatorReply.Opened) all("open", new Effect.Open(path, flags)).getFirst();
    }

    /** The one error that all ranks get. */
    MillraceException openRefused(String path, OpenFlags flags) {
      return sameRefusal(startAll("open", new Effect.Open(path, flags)));
    }

    CoordinatorReply.Met closeFile(long open) throws IOException {
      return (CoordinatorReply.Met) all("close", new Effect.Close(open)).getFirst();
    }
  }

  MillraceException sameRefusal(List<Pending> all) {
    List<MillraceException> errors = all.stream().map(this::refusal).toList();
    for (MillraceException error : errors) {
      assertThat(error)
          .hasSameClassAs(errors.getFirst())
          .hasMessage(errors.getFirst().getMessage());
    }
    return errors.getFirst();
  }

  List<Message> awaitAll(List<Pending> all) throws IOException {
    List<Message> answers = new ArrayList<>();
    for (Pending pending : all) {
      answers.add(pending.await(env.deadlineAfter(300_000_000_000L)));
    }
    return answers;
  }
}
