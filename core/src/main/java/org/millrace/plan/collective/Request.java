package org.millrace.plan.collective;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Geometry;
import org.millrace.access.group.AccessRuns;
import org.millrace.layout.Layout;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;

/**
 * The requests of all ranks of a group in one collective call; the same on every rank. Immutable.
 *
 * @param write whether bytes go to the file
 * @param layout where the file's bytes live
 * @param accesses each rank's part, by rank
 * @param array the array whose parts the ranks want, the same for all of them; empty if the file is
 *     no array to them
 * @param span the smallest extent that holds everything wanted; empty if nothing is
 */
public record Request(
    boolean write, Layout layout, List<Access> accesses, Optional<Geometry> array, Extent span) {

  /** A request for parts of no array. */
  public Request(boolean write, Layout layout, List<Access> accesses) {
    this(write, layout, accesses, Optional.empty());
  }

  /** A request for parts of an array, or of none. */
  public Request(boolean write, Layout layout, List<Access> accesses, Optional<Geometry> array) {
    this(write, layout, accesses, array, span(accesses));
  }

  /** Keeps a copy of the list, unless it cannot change. */
  public Request {
    accesses =
        accesses instanceof AccessRuns || accesses instanceof PartnerAccesses
            ? accesses
            : List.copyOf(accesses);
    if (accesses.isEmpty()) {
      throw new IllegalArgumentException("a collective request needs at least one rank");
    }
    if (array.isPresent()
        && !span.isEmpty()
        && (span.offset() < array.get().start() || span.end() > array.get().end())) {
      throw new IllegalArgumentException(
          "bytes %s to %s are not all in the array %s"
              .formatted(span.offset(), span.end(), array.get()));
    }
  }

  /** The unit of caching: a read of a part of a block makes its node read all of it. */
  long blockBytes() {
    return layout.blockBytes();
  }

  /** The strategy that hints name for it. */
  Strategy strategy(Hints hints) {
    return write ? hints.write() : hints.read();
  }

  /** How many ranks take part. */
  public int ranks() {
    return accesses.size();
  }

  /** The bytes of all ranks together, each counted as often as it is wanted. */
  public long size() {
    long size = 0;
    if (accesses instanceof AccessRuns those) {
      for (AccessRuns.Run run : those.runs()) {
        size += run.first().size() * run.count();
      }
      return size;
    }
    for (Access one : accesses) {
      size += one.size();
    }
    return size;
  }

  private static Extent span(List<Access> accesses) {
    Extent all = new Extent(0, 0);
    if (accesses instanceof AccessRuns those) {
      for (AccessRuns.Run run : those.runs()) {
        all = both(all, run.span());
      }
      return all;
    }
    for (Access one : accesses) {
      all = one.isEmpty() ? all : both(all, one.span());
    }
    return all;
  }

  private static Extent both(Extent one, Extent other) {
    if (one.isEmpty() || other.isEmpty()) {
      return one.isEmpty() ? other : one;
    }
    return Extent.between(Math.min(one.offset(), other.offset()), Math.max(one.end(), other.end()));
  }

  /** The ranks that may want something of an extent, ascending; others want nothing of it. */
  IntStream candidates(Extent within) {
    return switch (accesses) {
      case PartnerAccesses some -> some.known();
      case AccessRuns those -> those.meeting(within);
      default -> IntStream.range(0, accesses.size());
    };
  }

  /**
   * What one rank of each run of ranks that want alike wants: enough for questions whose answer is
   * the same wherever in the file an access begins.
   */
  List<Access> kinds() {
    return accesses instanceof AccessRuns those
        ? those.runs().stream().map(AccessRuns.Run::first).toList()
        : accesses;
  }
}
