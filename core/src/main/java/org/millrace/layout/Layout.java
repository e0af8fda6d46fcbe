package org.millrace.layout;

import java.util.Arrays;
import java.util.List;
import org.millrace.access.Runs;
import org.millrace.access.View;

/**
 * How a file is striped: stripe units go to the strands in turn, and each strand is on a node.
 *
 * <pre>
 *   file      | unit 0 | unit 1 | unit 2 | unit 3 | unit 4 | ...      3 strands
 *   strand 0  | unit 0 | unit 3 | ...
 *   strand 1  | unit 1 | unit 4 | ...
 *   strand 2  | unit 2 | ...
 * </pre>
 *
 * With u = offset / stripeUnit the byte lies on strand u mod strands, at strand offset (u /
 * strands) * stripeUnit + offset mod stripeUnit. This function is frozen: files on disk depend on
 * it. See {@code docs/layout.md} for its golden vectors.
 *
 * <p>Immutable; safe for any number of threads. Arithmetic only, nothing is allocated.
 *
 * <p>Beside that a file has a block size: the unit in which the strands are cached, checked and
 * moved to and from disks. Blocks are cut from strands, each from its first byte on, wherever the
 * stripe units end: a block may hold several units, or a part of one.
 *
 * @param stripeUnitBytes bytes that go to one strand before the next strand's turn
 * @param blockBytes bytes of a block: a power of two from {@link #MIN_BLOCK_BYTES} to {@link
 *     #MAX_BLOCK_BYTES}
 * @param nodes the node of each strand
 */
public record Layout(long stripeUnitBytes, int blockBytes, List<Integer> nodes) {

  /** The smallest block. */
  public static final int MIN_BLOCK_BYTES = 4 << 10;

  /** The block of files whose maker names none. */
  public static final int DEFAULT_BLOCK_BYTES = 64 << 10;

  /** The largest block. */
  public static final int MAX_BLOCK_BYTES = 4 << 20;

  /** 2^64 divided by the golden ratio: multiples of it spread evenly, whatever their number. */
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private static final long MAX_PERIOD = 1L << 62;

  /** Checks the stripe unit, the block size and the nodes. A node may have several strands. */
  public Layout {
    nodes = NodeRuns.of(nodes);
    requireBlockBytes(blockBytes);
    if (stripeUnitBytes < 1) {
      throw new IllegalArgumentException("stripe unit of " + stripeUnitBytes + " bytes");
    }
    if (nodes.isEmpty()) {
      throw new IllegalArgumentException("layout without strands");
    }
    if (stripeUnitBytes > MAX_PERIOD / nodes.size()) {
      throw new IllegalArgumentException(
          nodes.size() + " stripe units of " + stripeUnitBytes + " bytes exceed 2^62");
    }
  }

  /** A layout with blocks of {@link #DEFAULT_BLOCK_BYTES}. */
  public Layout(long stripeUnitBytes, List<Integer> nodes) {
    this(stripeUnitBytes, DEFAULT_BLOCK_BYTES, nodes);
  }

  /** Throws unless a file may have blocks of so many bytes; returns them otherwise. */
  public static int requireBlockBytes(long bytes) {
    if (bytes < MIN_BLOCK_BYTES || bytes > MAX_BLOCK_BYTES || Long.bitCount(bytes) != 1) {
      throw new IllegalArgumentException(
          "blocks of %s bytes, must be a power of two from %s to %s"
              .formatted(bytes, MIN_BLOCK_BYTES, MAX_BLOCK_BYTES));
    }
    return (int) bytes;
  }

  /** The same with blocks of another size. */
  public Layout withBlockBytes(int bytes) {
    return new Layout(stripeUnitBytes, bytes, nodes);
  }

  /** One strand on each of the nodes 0 to nodes-1, in this order. */
  public static Layout striped(long stripeUnitBytes, int nodes) {
    return startingAt(0, stripeUnitBytes, nodes, Math.max(1, nodes));
  }

  /** One strand on each of the given nodes. */
  public static Layout of(long stripeUnitBytes, int... nodes) {
    return new Layout(stripeUnitBytes, Arrays.stream(nodes).boxed().toList());
  }

  /**
   * The layout of a new file: strands on neighbouring nodes, the first on a node that the file's id
   * decides, so that first strands, which every small file has, spread over all nodes. The first
   * node is the upper half of id * {@value #GOLDEN}, as a fraction of all nodes. With more strands
   * than nodes the nodes come again.
   */
  public static Layout forFile(long fileId, long stripeUnitBytes, int strands, int nodeCount) {
    if (strands < 1 || nodeCount < 1) {
      throw new IllegalArgumentException(strands + " strands on " + nodeCount + " nodes");
    }
    long fraction = (fileId * GOLDEN) >>> 32;
    return startingAt((int) ((fraction * nodeCount) >>> 32), stripeUnitBytes, strands, nodeCount);
  }

  /** Strands on neighbouring nodes from a given one on, counted round the nodes. */
  public static Layout startingAt(int first, long stripeUnitBytes, int strands, int nodeCount) {
    if (strands < 1 || nodeCount < 1 || first < 0) {
      throw new IllegalArgumentException(
          strands + " strands on " + nodeCount + " nodes from node " + first + " on");
    }
    NodeRuns.Builder nodes = new NodeRuns.Builder();
    int at = first % nodeCount;
    for (int left = strands; left > 0; at = 0) {
      int count = Math.min(left, nodeCount - at);
      nodes.add(at, count);
      left -= count;
    }
    return new Layout(stripeUnitBytes, nodes.build());
  }

  /** The node of each strand, as runs of neighbours. */
  public NodeRuns nodeRuns() {
    return NodeRuns.of(nodes);
  }

  /** How many strands there are. */
  public int strands() {
    return nodes.size();
  }

  /** The node of a strand. */
  public int node(int strand) {
    return nodes.get(checkStrand(strand));
  }

  /** Bytes until it is the first strand's turn again. */
  public long roundBytes() {
    return stripeUnitBytes * nodes.size();
  }

  /** The strand that holds a byte of the file. */
  public int strandOf(long offset) {
    return (int) (checkOffset(offset) / stripeUnitBytes % nodes.size());
  }

  /** Where in its strand a byte of the file lies. */
  public long strandOffset(long offset) {
    long unit = checkOffset(offset) / stripeUnitBytes;
    return unit / nodes.size() * stripeUnitBytes + offset % stripeUnitBytes;
  }

  /** Where in the file a byte of a strand lies. */
  public long fileOffset(int strand, long strandOffset) {
    checkStrand(strand);
    long round = checkOffset(strandOffset) / stripeUnitBytes;
    long inside = strand * stripeUnitBytes + strandOffset % stripeUnitBytes;
    if (round > (Long.MAX_VALUE - inside) / roundBytes()) {
      throw new IllegalArgumentException(
          "offset "
              + strandOffset
              + " of strand "
              + strand
              + " lies beyond the largest file"
              + " offset, 2^63-1");
    }
    return round * roundBytes() + inside;
  }

  /** One past the last byte of a strand in a file of the given size; 0 if it has none. */
  public long strandSize(int strand, long fileSize) {
    checkStrand(strand);
    long units = checkOffset(fileSize) / stripeUnitBytes;
    long rounds = units / nodes.size();
    long turn = units % nodes.size();
    long cut = strand < turn ? stripeUnitBytes : strand == turn ? fileSize % stripeUnitBytes : 0;
    return rounds * stripeUnitBytes + cut;
  }

  /** The size of a file whose last byte is the last of the given strand; 0 if that is empty. */
  public long fileSize(int strand, long strandEnd) {
    checkStrand(strand);
    return checkOffset(strandEnd) == 0 ? 0 : fileOffset(strand, strandEnd - 1) + 1;
  }

  /** The size of a file from the ends of all its strands. */
  public long fileSize(long[] strandEnds) {
    if (strandEnds.length != strands()) {
      throw new IllegalArgumentException(
          strandEnds.length + " strand ends for " + strands() + " strands");
    }
    long size = 0;
    for (int strand = 0; strand < strandEnds.length; strand++) {
      size = Math.max(size, fileSize(strand, strandEnds[strand]));
    }
    return size;
  }

  /** Which strands hold any byte of a range of a view. */
  public boolean[] touches(View view, long fromPosition, long toPosition) {
    boolean[] touched = new boolean[strands()];
    touch(view, fromPosition, toPosition, touched);
    return touched;
  }

  /**
   * Marks the strands that hold any byte of a range of a view; returns how many of them were not
   * marked before. Takes no longer than the fewer of runs and strands ask for: a rank of thousands
   * mostly touches few strands.
   */
  public int touch(View view, long fromPosition, long toPosition, boolean[] touched) {
    int more = 0;
    Runs runs = view.runs(fromPosition, toPosition);
    int steps = touched.length;
    while (runs.next()) {
      for (long i = 0; i < runs.count(); i++) {
        long offset = runs.offset() + i * runs.stride();
        long unit = offset / stripeUnitBytes;
        long last = (offset + runs.length() - 1) / stripeUnitBytes;
        for (; unit <= last; unit++) {
          if (--steps < 0) {
            return more + search(view, fromPosition, toPosition, touched);
          }
          int strand = (int) (unit % touched.length);
          more += touched[strand] ? 0 : 1;
          touched[strand] = true;
        }
      }
    }
    return more;
  }

  /** Marks strand by strand, however many runs there are. */
  private int search(View view, long fromPosition, long toPosition, boolean[] touched) {
    int more = 0;
    StrandRuns runs = new StrandRuns();
    for (int strand = 0; strand < touched.length; strand++) {
      if (!touched[strand]) {
        runs.reset(this, strand, view, fromPosition, toPosition);
        touched[strand] = runs.next();
        more += touched[strand] ? 1 : 0;
      }
    }
    return more;
  }

  int checkStrand(int strand) {
    if (strand < 0 || strand >= nodes.size()) {
      throw new IndexOutOfBoundsException(
          "strand " + strand + " of a layout of " + nodes.size() + " strands");
    }
    return strand;
  }

  private static long checkOffset(long offset) {
    if (offset < 0) {
      throw new IllegalArgumentException("offset " + offset + " is negative");
    }
    return offset;
  }
}
