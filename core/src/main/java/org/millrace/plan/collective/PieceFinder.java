package org.millrace.plan.collective;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Pattern;
import org.millrace.access.Runs;
import org.millrace.access.View;
import org.millrace.access.copy.Places;

/**
 * Finds the bytes that the ranks of a request want of extents of the file. For ascending views this
 * takes O(depth); others are iterated, vector by vector, as far as they touch the extent.
 *
 * <p>Owned by one thread: it keeps cursors.
 */
public final class PieceFinder {

  // constant after construction
  private final List<Access> accesses;
  private final int looked;

  /** Those that may want something of the extents that will be asked for, ascending. */
  private final int[] partners;

  /** What each of them wants. */
  private final Access[] theirs;

  /** For views that do not ascend; what {@link #walk} found. */
  private final Runs runs = new Runs();

  private long walkedLow;
  private long walkedHigh;

  /** A finder for extents anywhere in the file. */
  public PieceFinder(Request request) {
    this(request, new Extent(0, Long.MAX_VALUE));
  }

  /** A finder for extents within another: ranks that want nothing of that are looked at once. */
  PieceFinder(Request request, Extent within) {
    this(request.accesses(), request.candidates(within).toArray(), within);
  }

  private PieceFinder(List<Access> accesses, int[] candidates, Extent within) {
    this(
        accesses,
        Arrays.stream(candidates).filter(rank -> meets(accesses.get(rank), within)).toArray(),
        candidates.length);
  }

  private PieceFinder(List<Access> accesses, int[] partners, int looked) {
    this.accesses = accesses;
    this.looked = looked;
    this.partners = partners;
    this.theirs = new Access[partners.length];
    for (int i = 0; i < theirs.length; i++) {
      theirs[i] = accesses.get(partners[i]);
    }
  }

  /** A finder that knows only some of the partners: the places of those among them, ascending. */
  PieceFinder of(int[] places) {
    return new PieceFinder(
        accesses, Arrays.stream(places).map(i -> partners[i]).toArray(), places.length);
  }

  /** The runs that one of the partners wants of an extent; valid until the finder is used again. */
  Runs runs(int place, Extent within) {
    Access access = theirs[place];
    runs.reset(access.view(), access.from(), access.to(), within.offset(), within.end());
    return runs;
  }

  private static boolean meets(Access access, Extent within) {
    if (access.isEmpty()) {
      return false;
    }
    return access.view().isAscending()
        ? access.below(within.end()) > access.below(within.offset())
        : !access.span().intersect(within).isEmpty();
  }

  /** How many ranks are looked at for each question. */
  int partners() {
    return partners.length;
  }

  /** How many ranks were looked at to find those. */
  int looked() {
    return looked;
  }

  /** What the ranks want of an extent, of ascending views; gaps up to a length are part of it. */
  WantedRuns wanted(Extent extent, long gapBytes) {
    return new WantedRuns(new LinkedHashSet<>(Arrays.asList(theirs)), extent, gapBytes);
  }

  /**
   * An extent as a chunk, of ascending views.
   *
   * @param overlapping whether different ranks may want the same byte
   */
  Chunk chunk(Extent extent, boolean overlapping) {
    return chunk(extent, Pattern.run(extent.length()), 0, overlapping);
  }

  /**
   * A list as a chunk, of ascending views.
   *
   * @param extent in which the list has everything that is wanted
   * @param list the bytes of it that are transferred
   * @param gapBytes gaps of up to this length between what is wanted are part of the list
   */
  Chunk chunk(Extent extent, Pattern list, long gapBytes, boolean overlapping) {
    View view = new View(extent.offset(), list, extent.length());
    Access all = new Access(view, 0, list.size());
    List<Piece> pieces = new ArrayList<>();
    Access before = null;
    Places places = null;
    for (int i = 0; i < partners.length; i++) {
      Access access = theirs[i];
      long from = access.from() + access.below(extent.offset());
      long to = access.from() + access.below(extent.end());
      if (from < to) {
        if (places == null || !access.equals(before)) {
          places = places(all, access.part(from - access.from(), to - access.from()), gapBytes);
          before = access;
        }
        pieces.add(new Piece(partners[i], from, to, places));
      }
    }
    return Chunk.of(all, pieces, overlapping);
  }

  /** Where what a rank wants of a list lies in a buffer that holds the list, packed. */
  private Places places(Access list, Access wanted, long gapBytes) {
    if (list.view().isContiguous()) {
      return places(wanted.view(), wanted.from(), wanted.to(), list.view().displacement());
    }
    if (wanted.size() == list.size()) {
      return Places.packed(list.size());
    }
    RunList places = new RunList();
    runs.reset(wanted.view(), wanted.from(), wanted.to());
    while (runs.next()) {
      // a vector with short gaps lies in one run of the list, of others only each of its own runs
      boolean together = runs.count() == 1 || runs.stride() - runs.length() <= gapBytes;
      long parts = together ? 1 : runs.count();
      Pattern part = Pattern.run(runs.length());
      part = together ? Pattern.loop(runs.count(), runs.stride(), part) : part;
      for (long i = 0; i < parts; i++) {
        places.add(list.below(runs.offset() + i * runs.stride()), part);
      }
    }
    return new Places(places.pattern(), 0);
  }

  /** Where positions of a view lie in a buffer that holds the file from an offset on. */
  private static Places places(View view, long from, long to, long offset) {
    if (view.isContiguous()) {
      return new Places(Pattern.run(to - from).shifted(view.offsetOf(from) - offset), 0);
    }
    long size = view.tile().size();
    long turn = from / size;
    Pattern tiles = Pattern.loop((to - 1) / size - turn + 1, view.tileExtent(), view.tile());
    long displacement = view.displacement() + turn * view.tileExtent() - offset;
    return new Places(tiles.shifted(displacement), from - turn * size);
  }

  /** How many bytes a rank wants of an extent, each counted as often as it is selected. */
  public long bytes(int rank, Extent extent) {
    Access access = accesses.get(rank);
    if (access.isEmpty() || extent.isEmpty()) {
      return 0;
    }
    return access.view().isAscending()
        ? access.below(extent.end()) - access.below(extent.offset())
        : walk(access, extent.offset(), extent.end());
  }

  /** The smallest extent that holds what all ranks want of this one; empty at its end if none. */
  Extent trim(Extent extent) {
    long low = extent.end();
    long high = extent.offset();
    for (Access access : theirs) {
      Extent one = trim(access, extent);
      if (!one.isEmpty()) {
        low = Math.min(low, one.offset());
        high = Math.max(high, one.end());
      }
    }
    return low < high ? Extent.between(low, high) : new Extent(extent.end(), 0);
  }

  /** The smallest extent that holds what one rank wants of this one. */
  public Extent trim(int rank, Extent extent) {
    return trim(accesses.get(rank), extent);
  }

  /** The smallest extent that holds what an access has of this one. */
  private Extent trim(Access access, Extent extent) {
    if (access.isEmpty() || extent.isEmpty()) {
      return new Extent(extent.offset(), 0);
    }
    if (access.view().isAscending()) {
      long from = access.from() + access.below(extent.offset());
      long to = access.from() + access.below(extent.end());
      return from == to
          ? new Extent(extent.offset(), 0)
          : Extent.between(access.view().offsetOf(from), access.view().offsetOf(to - 1) + 1);
    }
    return walk(access, extent.offset(), extent.end()) == 0
        ? new Extent(extent.offset(), 0)
        : Extent.between(walkedLow, walkedHigh);
  }

  /** Goes through the vectors inside an extent; returns their bytes and keeps their bounds. */
  private long walk(Access access, long from, long to) {
    long bytes = 0;
    walkedLow = Long.MAX_VALUE;
    walkedHigh = 0;
    runs.reset(access.view(), access.from(), access.to(), from, to);
    while (runs.next()) {
      long last = runs.offset() + (runs.count() - 1) * runs.stride();
      bytes += runs.count() * runs.length();
      walkedLow = Math.min(walkedLow, Math.min(runs.offset(), last));
      walkedHigh = Math.max(walkedHigh, Math.max(runs.offset(), last) + runs.length());
    }
    return bytes;
  }
}
