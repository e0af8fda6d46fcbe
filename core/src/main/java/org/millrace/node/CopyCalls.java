package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.millrace.env.Env;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Pending;
import org.millrace.node.CopyMembers.Member;
import org.millrace.protocol.NodeRequest;

/**
 * What a strand's owner asks of its copies, all at the same time. Every request has a deadline.
 *
 * <p>Safe for use by several threads.
 */
final class CopyCalls {

  /** How long a copy may take for what it is told. */
  static final long COPY_NANOS = 5_000_000_000L;

  /** A request under way. */
  private record Call(Member copy, Pending pending) {}

  /** Requests under way to several copies. Belongs to one thread. */
  final class Started {
    private final List<Call> calls = new ArrayList<>();

    /** Sends one more request to each of some copies. */
    void send(List<Member> copies, Function<Member, NodeRequest> request, Payload payload) {
      for (Member copy : copies) {
        Link link = node.link(copy.node());
        calls.add(new Call(copy, link.start(request.apply(copy), payload)));
      }
    }

    /** Waits for all answers; copies that do not answer well have missed something. */
    void await() {
      long deadline = env.deadlineAfter(COPY_NANOS);
      Set<Member> silent = new HashSet<>();
      for (Call call : calls) {
        if (silent.contains(call.copy) || !isDone(call, deadline)) {
          call.pending.abandon();
          silent.add(call.copy);
          members.miss(call.copy);
        }
      }
    }

    private boolean isDone(Call call, long deadline) {
      try {
        call.pending.await(deadline);
        return true;
      } catch (IOException e) {
        return false;
      }
    }
  }

  // constant after construction
  private final Env env;
  private final CopiedStrands node;
  private final CopyMembers members;

  CopyCalls(Env env, CopiedStrands node, CopyMembers members) {
    this.env = env;
    this.node = node;
    this.members = members;
  }

  /** Memory that copies can fill, or take from. */
  MemorySegment room(long bytes) {
    return env.autoArena().allocate(bytes, CopyTargets.ALIGNMENT);
  }

  /** When a copy that is told many things, one after the other, has taken too long. */
  long deadline() {
    return env.deadlineAfter(COPY_NANOS);
  }

  boolean isOver(long deadline) {
    return env.nanoTime() > deadline;
  }

  /** No request yet. */
  Started started() {
    return new Started();
  }

  /** One request to each of some copies. */
  Started start(List<Member> copies, Function<Member, NodeRequest> request) {
    Started started = new Started();
    started.send(copies, request, Payload.NONE);
    return started;
  }

  /** Asks one copy, over another link if this one is dead. */
  Message call(Member copy, NodeRequest request) throws IOException {
    Link link = node.link(copy.node());
    Link live = link.isBroken() ? node.replace(copy.node(), link) : link;
    return live.call(request, MemorySegment.NULL, env.deadlineAfter(COPY_NANOS));
  }

  /** Asks one copy, with a payload. */
  void call(Member copy, NodeRequest request, MemorySegment payload) throws IOException {
    Pending pending = node.link(copy.node()).start(request, Payload.of(payload));
    try {
      pending.await(env.deadlineAfter(COPY_NANOS));
    } catch (IOException e) {
      pending.abandon();
      throw e;
    }
  }
}
