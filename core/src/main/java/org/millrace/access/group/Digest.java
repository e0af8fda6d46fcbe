package org.millrace.access.group;

import java.util.List;
import java.util.Optional;
import org.millrace.access.Access;
import org.millrace.access.Extent;

/**
 * A summary of the requests of many ranks: enough for each of them to plan its own part, and the
 * same on all. Its size does not depend on the number of ranks. Immutable.
 *
 * @param ranks how many there are
 * @param bytes the bytes of all ranks together, each counted as often as it is wanted
 * @param start the first byte that anybody wants
 * @param end one past the last; {@code start} if nobody wants anything
 * @param ascending whether offsets ascend with positions in the views of all
 * @param overlapping whether different ranks may want the same byte
 * @param sample what some of them want, spread evenly over all
 */
public record Digest(
    int ranks,
    long bytes,
    long start,
    long end,
    boolean ascending,
    boolean overlapping,
    List<Access> sample) {

  /** Up to so many ranks are in the sample. */
  private static final int SAMPLES = 64;

  /** Up to so many runs of ranks that want alike are told to everybody as they are. */
  private static final int FEW_RUNS = 256;

  /** Checks the numbers, and keeps a copy of the sample. */
  public Digest {
    if (ranks < 1
        || bytes < 0
        || start < 0
        || end < start
        || sample.size() > Math.min(ranks, SAMPLES)) {
      throw new IllegalArgumentException(
          "%s ranks, %s of them known, want %s bytes from %s to %s"
              .formatted(ranks, sample.size(), bytes, start, end));
    }
    sample = List.copyOf(sample);
  }

  /** Tells whether different ranks may want the same byte. */
  public interface Overlapping {
    /** Whether they may. */
    boolean between(List<Access> accesses);
  }

  /** A digest of what is too irregular to be told to everybody; else nothing. */
  public static Optional<Digest> ofIrregular(List<Access> accesses, Overlapping overlapping) {
    if (accesses.size() <= FEW_RUNS || AccessRuns.of(accesses).runs().size() <= FEW_RUNS) {
      return Optional.empty();
    }
    return Optional.of(of(accesses, overlapping.between(accesses)));
  }

  private static Digest of(List<Access> accesses, boolean overlapping) {
    long bytes = 0;
    long start = Long.MAX_VALUE;
    long end = 0;
    boolean ascending = true;
    for (Access one : accesses) {
      if (!one.isEmpty()) {
        Extent span = one.span();
        bytes = Math.min(bytes, Long.MAX_VALUE - one.size()) + one.size();
        start = Math.min(start, span.offset());
        end = Math.max(end, span.end());
        ascending &= one.view().isAscending();
      }
    }
    Access[] sample = new Access[Math.min(SAMPLES, accesses.size())];
    for (int i = 0; i < sample.length; i++) {
      sample[i] = accesses.get((int) ((long) i * accesses.size() / sample.length));
    }
    return new Digest(
        accesses.size(), bytes, Math.min(start, end), end, ascending, overlapping, List.of(sample));
  }

  /** The smallest extent that holds everything wanted. */
  public Extent span() {
    return Extent.between(start, end);
  }
}
