package org.millrace.plan.collective;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.group.BlockSpans;
import org.millrace.layout.Layout;
import org.millrace.layout.StrandRuns;

/**
 * Which blocks of which strands the ranks of a request want together, and which ranks want the
 * same. Pure; immutable. Only of requests for few blocks: memory and time grow with them.
 */
public final class StrandSpans {

  /** So many looks for what a rank wants of a strand may be made for each block. */
  private static final long STEPS = 2;

  private final int[] strands;
  private final List<BlockSpans> spans;
  private final boolean[] likeBefore;

  private StrandSpans(int[] strands, List<BlockSpans> spans, boolean[] likeBefore) {
    this.strands = strands;
    this.spans = List.copyOf(spans);
    this.likeBefore = likeBefore;
  }

  /** What a request wants; null if that takes more than so many blocks, wanted ones and others. */
  public static @Nullable StrandSpans of(Request request, int maxBlocks) {
    Layout layout = request.layout();
    Extent span = request.span();
    List<Access> accesses = request.accesses();
    long blocks = span.length() / layout.blockBytes() + layout.strands();
    if (blocks > maxBlocks || (long) layout.strands() * accesses.size() > STEPS * maxBlocks) {
      return null;
    }
    boolean[] likeBefore = new boolean[accesses.size()];
    for (int rank = 1; rank < likeBefore.length; rank++) {
      likeBefore[rank] = accesses.get(rank).equals(accesses.get(rank - 1));
    }
    int[] touched = new int[layout.strands()];
    List<BlockSpans> spans = new ArrayList<>();
    for (int s = 0; s < layout.strands(); s++) {
      var builder =
          new BlockSpans.Builder(
              layout.blockBytes(),
              layout.strandSize(s, span.offset()),
              layout.strandSize(s, span.end()));
      for (int rank = 0; rank < likeBefore.length; rank++) {
        Access one = accesses.get(rank);
        if (!likeBefore[rank] && !one.isEmpty()) {
          builder.add(StrandRuns.of(layout, s, one.view(), one.from(), one.to()));
        }
      }
      if (builder.wanted() > 0) {
        touched[spans.size()] = s;
        spans.add(builder.build());
      }
    }
    return new StrandSpans(Arrays.copyOf(touched, spans.size()), spans, likeBefore);
  }

  /** How many strands have something wanted. */
  public int count() {
    return strands.length;
  }

  /** The {@code i}-th of these strands. */
  public int strand(int i) {
    return strands[i];
  }

  /** What is wanted of the {@code i}-th of these strands. */
  public BlockSpans spans(int i) {
    return spans.get(i);
  }

  /** Whether a rank wants the same as the one before it. */
  public boolean isLikeBefore(int rank) {
    return likeBefore[rank];
  }
}
