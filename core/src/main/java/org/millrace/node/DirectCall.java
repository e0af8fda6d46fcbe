package org.millrace.node;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;

/**
 * One disk-directed call: the parts that have arrived. Guarded by the lock of {@link DirectCalls};
 * once it runs, or is forgotten, its parts do not change any more.
 */
final class DirectCall {

  private static final NodeReply DONE = new NodeReply.Done();

  private final List<DirectPart> parts = new ArrayList<>();
  private final List<ReplyTo> withdrawals = new ArrayList<>();
  private final Set<Long> arrivedParts = new HashSet<>(); // of ranks that have several
  private final Map<Integer, Integer> missing = new HashMap<>();
  private int completeRanks;
  private long arrivedBytes; // bytes of the strand
  private @Nullable MillraceException failure;
  private @Nullable DirectJob job;

  /**
   * Adds a part, which has so many bytes of the strand. Null, or why it cannot belong to this call.
   */
  @Nullable MillraceException add(DirectPart part, long strandBytes) {
    NodeRequest.Direct request = part.request();
    if (!fits(request) || strandBytes > request.strandBytes() - arrivedBytes) {
      return new MillraceException(
          ErrorCode.MIXED_CALL,
          "part %s of %s of rank %s of %s does not fit the other parts of disk-directed call %s"
              .formatted(
                  request.part(),
                  request.parts(),
                  request.rank(),
                  request.ranks(),
                  request.collective()));
    }
    parts.add(part);
    arrivedBytes += strandBytes;
    int left = missing.merge(request.rank(), -1, Integer::sum);
    if (left == 0) {
      completeRanks++;
    }
    if (failure == null) {
      failure = refusal(part);
    }
    return null;
  }

  private boolean fits(NodeRequest.Direct request) {
    if (request.rank() < 0
        || request.rank() >= request.ranks()
        || request.part() < 0
        || request.part() >= request.parts()) {
      return false;
    }
    if (!parts.isEmpty()) {
      NodeRequest.Direct first = parts.getFirst().request();
      if (first.write() != request.write()
          || first.ranks() != request.ranks()
          || first.strandBytes() != request.strandBytes()
          || !first.layout().equals(request.layout())) {
        return false;
      }
    }
    return missing.computeIfAbsent(request.rank(), rank -> request.parts()) > 0
        && (request.parts() == 1
            || arrivedParts.add((long) request.rank() << Integer.SIZE | request.part()));
  }

  /** Why a part's memory cannot be used, or null: better said before anything has changed. */
  private static @Nullable MillraceException refusal(DirectPart part) {
    NodeRequest.Direct request = part.request();
    var memory = part.payload().memory();
    String problem = null;
    if (request.access().size() > part.payload().bytes()) {
      problem = "has fewer places in memory than bytes";
    } else if (request.access().isEmpty()) {
      return null;
    } else if (!memory.scope().isAlive()) {
      problem = "has memory that is closed";
    } else if (!memory.isAccessibleBy(Env.ANY_THREAD)) {
      problem = "has memory that belongs to one thread";
    } else if (!request.write() && memory.isReadOnly()) {
      problem = "has memory that cannot be written";
    }
    return problem == null
        ? null
        : new MillraceException(
            ErrorCode.INVALID,
            "part %s of rank %s %s".formatted(request.part(), request.rank(), problem));
  }

  boolean isComplete() {
    NodeRequest.Direct any = parts.getFirst().request();
    return any.strandBytes() == 0
        ? completeRanks == any.ranks()
        : arrivedBytes == any.strandBytes();
  }

  boolean isFrom(long session) {
    return parts.stream().anyMatch(part -> part.from().session() == session);
  }

  boolean isRunning() {
    return job != null;
  }

  /** All parts are there, and this is their work. */
  void setRunning(DirectJob work) {
    job = work;
  }

  /** Ends its work early. */
  void stop(MillraceException reason) {
    if (job != null) {
      job.stop(reason);
    }
  }

  void addWithdrawal(ReplyTo replyTo) {
    withdrawals.add(replyTo);
  }

  /** What makes the whole call fail before it starts, or null. */
  @Nullable MillraceException failure() {
    return failure;
  }

  List<DirectPart> parts() {
    return parts;
  }

  /** Answers everybody. */
  void answer(@Nullable MillraceException error) {
    for (DirectPart part : parts) {
      if (error == null) {
        part.replyTo().reply(DONE);
      } else {
        part.replyTo().fail(error);
      }
    }
    for (ReplyTo withdrawal : withdrawals) {
      withdrawal.reply(DONE);
    }
  }
}
