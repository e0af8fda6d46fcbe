package org.millrace.heritage.nx;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Rank;
import org.millrace.client.Received;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * NX as one node of an application sees it: a node is a rank. Calls have NX's names. The global
 * operations work in place and synchronize; their work arrays are not needed and were left out, the
 * results are the same on all nodes and each time, because values are combined in order of node.
 * Nodes that call different ones, or with arrays of different lengths, all fail, and their arrays
 * are as they were.
 *
 * <p>A node runs one process: the process type of a message must be 0. Message types are 0 to
 * {@value #MAX_TYPE}; the forced and masked types beyond them are not offered. Where NX ended the
 * program with a message, these calls throw.
 *
 * <p>Belongs to the rank's thread. There is nothing to close.
 */
@SuppressWarnings("MemberName") // NX's own names
public final class Nx {

  /** As node of {@link #csend}: all other nodes. */
  public static final int ALL_NODES = -1;

  /** As type of {@link #crecv}: any. As node of {@link #crecvx}: any. */
  public static final int ANY = -1;

  /** The largest type of an ordinary message. */
  public static final int MAX_TYPE = 999_999_999;

  // constant after construction
  private final Rank rank;
  private final Env env = Env.real();

  // the rank's thread: the message that was received last
  private long count;
  private int node = ANY;
  private int type = ANY;

  /** NX for one rank. */
  public Nx(Rank rank) {
    this.rank = rank;
  }

  /** This node's number. */
  public int mynode() {
    return rank.number();
  }

  /** How many nodes the application has. */
  public int numnodes() {
    return rank.size();
  }

  /** Seconds since some instant, for taking differences on this node. */
  public double dclock() {
    return env.nanoTime() / 1e9;
  }

  /** Waits until all nodes are here. */
  public void gsync() throws IOException {
    rank.barrier();
  }

  /**
   * Sends the first {@code count} bytes of {@code buf} and returns when {@code buf} may be used
   * again. To {@link #ALL_NODES} it goes to all nodes but this one; that is NX's broadcast, and the
   * others receive it like any message.
   *
   * @param node whom to; this node itself is allowed
   * @param ptype must be 0
   */
  public void csend(int type, MemorySegment buf, long count, int node, int ptype)
      throws IOException {
    checkType(type);
    checkProcess(ptype);
    MemorySegment bytes = first(buf, count);
    if (node != ALL_NODES) {
      checkNode(node);
      rank.send(node, type, bytes);
      return;
    }
    for (int i = 1; i < rank.size(); i++) {
      rank.send((rank.number() + i) % rank.size(), type, bytes); // not all to node 0 first
    }
  }

  /** As {@link #csend(int, MemorySegment, long, int, int)}, of a whole array. */
  public void csend(int type, byte[] buf, int node, int ptype) throws IOException {
    csend(type, MemorySegment.ofArray(buf), node, ptype);
  }

  /** As {@link #csend(int, MemorySegment, long, int, int)}, of a whole array. */
  public void csend(int type, int[] buf, int node, int ptype) throws IOException {
    csend(type, MemorySegment.ofArray(buf), node, ptype);
  }

  /** As {@link #csend(int, MemorySegment, long, int, int)}, of a whole array. */
  public void csend(int type, double[] buf, int node, int ptype) throws IOException {
    csend(type, MemorySegment.ofArray(buf), node, ptype);
  }

  /** As {@link #csend(int, MemorySegment, long, int, int)}, from its position to its limit. */
  public void csend(int type, ByteBuffer buf, int node, int ptype) throws IOException {
    csend(type, MemorySegment.ofBuffer(buf), node, ptype);
  }

  private void csend(int type, MemorySegment whole, int node, int ptype) throws IOException {
    csend(type, whole, whole.byteSize(), node, ptype);
  }

  /**
   * Waits for a message of this type, or of {@link #ANY}, from whatever node, and puts it into
   * {@code buf}; {@link #infocount}, {@link #infonode} and {@link #infotype} then tell about it. A
   * longer message than {@code count} is an error: it is lost, and {@code buf} is as it was.
   */
  public void crecv(int typesel, MemorySegment buf, long count) throws IOException {
    crecvx(typesel, buf, count, ANY, 0);
  }

  /** As {@link #crecv(int, MemorySegment, long)}, into an array. */
  public void crecv(int typesel, byte[] buf) throws IOException {
    crecv(typesel, MemorySegment.ofArray(buf));
  }

  /** As {@link #crecv(int, MemorySegment, long)}, into an array. */
  public void crecv(int typesel, int[] buf) throws IOException {
    crecv(typesel, MemorySegment.ofArray(buf));
  }

  /** As {@link #crecv(int, MemorySegment, long)}, into an array. */
  public void crecv(int typesel, double[] buf) throws IOException {
    crecv(typesel, MemorySegment.ofArray(buf));
  }

  /** As {@link #crecv(int, MemorySegment, long)}, from its position to its limit. */
  public void crecv(int typesel, ByteBuffer buf) throws IOException {
    crecv(typesel, MemorySegment.ofBuffer(buf));
  }

  private void crecv(int typesel, MemorySegment whole) throws IOException {
    crecv(typesel, whole, whole.byteSize());
  }

  /**
   * As {@link #crecv(int, MemorySegment, long)}, of one node or of {@link #ANY}.
   *
   * @param ptypesel 0, or {@link #ANY}
   */
  public void crecvx(int typesel, MemorySegment buf, long count, int nodesel, int ptypesel)
      throws IOException {
    if (typesel != ANY) {
      checkType(typesel);
    }
    if (nodesel != ANY) {
      checkNode(nodesel);
    }
    checkProcess(ptypesel == ANY ? 0 : ptypesel);
    MemorySegment into = first(buf, count);
    if (into.isReadOnly()) { // asked before a message is taken
      throw new IllegalArgumentException("cannot receive into read-only memory: " + into);
    }
    Received message =
        rank.receive(nodesel == ANY ? Rank.ANY : nodesel, typesel == ANY ? Rank.ANY : typesel);
    int length = message.bytes().length;
    if (length > count) {
      throw new IllegalArgumentException(
          "node %s: a message of %s bytes, type %s, from node %s is too long for a buffer of %s"
              .formatted(rank.number(), length, message.tag(), message.from(), count));
    }
    MemorySegment.copy(MemorySegment.ofArray(message.bytes()), 0, into, 0, length);
    this.count = length;
    this.node = message.from();
    this.type = (int) message.tag();
  }

  /** Bytes of the message that was received last; 0 before the first. */
  public long infocount() {
    return count;
  }

  /** The sender of the message that was received last; -1 before the first. */
  public int infonode() {
    return node;
  }

  /** The type of the message that was received last; -1 before the first. */
  public int infotype() {
    return type;
  }

  /** Process type of the sender of the message that was received last: there is only 0. */
  public int infoptype() {
    return 0;
  }

  /**
   * Puts the nodes' {@code x}, in order of node, into {@code y}, on all nodes. Lengths may differ.
   * If they do not fit into the {@code y} of one node it fails on all.
   *
   * @return how many bytes there are
   */
  public long gcol(byte[] x, byte[] y) throws IOException {
    checkThere("gcol", x);
    checkThere("gcol", y);
    List<byte[]> all = rank.allGather(x);
    long total = all.stream().mapToLong(part -> part.length).sum();
    rank.together( // one that has no room for them must not be the only one to know
        "gcol",
        () -> {
          if (total > y.length) {
            throw new MillraceException(
                ErrorCode.INVALID, "gcol of " + total + " bytes into a buffer of " + y.length);
          }
        });
    int at = 0;
    for (byte[] part : all) {
      System.arraycopy(part, 0, y, at, part.length);
      at += part.length;
    }
    return total;
  }

  /** Sums, element by element. */
  public void gdsum(double[] x) throws IOException {
    combine("gdsum", x, Double::sum);
  }

  /** Products. */
  public void gdprod(double[] x) throws IOException {
    combine("gdprod", x, (a, b) -> a * b);
  }

  /** Maxima. */
  public void gdhigh(double[] x) throws IOException {
    combine("gdhigh", x, Math::max);
  }

  /** Minima. */
  public void gdlow(double[] x) throws IOException {
    combine("gdlow", x, Math::min);
  }

  /** Sums in single precision. */
  public void gssum(float[] x) throws IOException {
    combine("gssum", x, (a, b) -> (float) (a + b));
  }

  /** Products in single precision. */
  public void gsprod(float[] x) throws IOException {
    combine("gsprod", x, (a, b) -> (float) (a * b));
  }

  /** Maxima in single precision. */
  public void gshigh(float[] x) throws IOException {
    combine("gshigh", x, Math::max);
  }

  /** Minima in single precision. */
  public void gslow(float[] x) throws IOException {
    combine("gslow", x, Math::min);
  }

  /** Sums, modulo 2^32. */
  public void gisum(int[] x) throws IOException {
    combine("gisum", x, Long::sum);
  }

  /** Products, modulo 2^32. */
  public void giprod(int[] x) throws IOException {
    combine("giprod", x, (a, b) -> (int) (a * b));
  }

  /** Maxima. */
  public void gihigh(int[] x) throws IOException {
    combine("gihigh", x, Math::max);
  }

  /** Minima. */
  public void gilow(int[] x) throws IOException {
    combine("gilow", x, Math::min);
  }

  /** And, bit by bit. */
  public void giand(int[] x) throws IOException {
    combine("giand", x, (a, b) -> a & b);
  }

  /** Or, bit by bit. */
  public void gior(int[] x) throws IOException {
    combine("gior", x, (a, b) -> a | b);
  }

  /** Exclusive or, bit by bit. */
  public void gixor(int[] x) throws IOException {
    combine("gixor", x, (a, b) -> a ^ b);
  }

  /** Logical and: 1 where all nodes have something other than 0, else 0. */
  public void gland(int[] x) throws IOException {
    combine("gland", x, (a, b) -> truth(a) & truth(b));
    truths(x);
  }

  /** Logical or: 1 where some node has something other than 0, else 0. */
  public void glor(int[] x) throws IOException {
    combine("glor", x, (a, b) -> truth(a) | truth(b));
    truths(x);
  }

  /** Logical exclusive or: 1 where an odd number of nodes has something other than 0, else 0. */
  public void glxor(int[] x) throws IOException {
    combine("glxor", x, (a, b) -> truth(a) ^ truth(b));
    truths(x);
  }

  private static long truth(long value) {
    return value == 0 ? 0 : 1;
  }

  /** One node's values are combined with nobody's. */
  private static void truths(int[] x) {
    Arrays.setAll(x, i -> (int) truth(x[i]));
  }

  private void combine(String call, double[] x, DoubleBinaryOperator operator) throws IOException {
    checkThere(call, x);
    double[] all = rank.allReduce(call, x, operator);
    System.arraycopy(all, 0, x, 0, x.length);
  }

  private void combine(String call, float[] x, DoubleBinaryOperator operator) throws IOException {
    checkThere(call, x);
    double[] wide = new double[x.length];
    Arrays.setAll(wide, i -> x[i]);
    double[] all = rank.allReduce(call, wide, operator);
    for (int i = 0; i < x.length; i++) {
      x[i] = (float) all[i];
    }
  }

  private void combine(String call, int[] x, LongBinaryOperator operator) throws IOException {
    checkThere(call, x);
    long[] all = rank.allReduce(call, Arrays.stream(x).asLongStream().toArray(), operator);
    Arrays.setAll(x, i -> (int) all[i]);
  }

  /** A node that has no array comes all the same, so that the others do not wait for it. */
  private void checkThere(String call, @Nullable Object x) throws IOException {
    if (x == null) {
      rank.together(
          call + " of nothing",
          () -> {
            throw new IllegalArgumentException(call + " without an array");
          });
    }
  }

  private static void checkType(int type) {
    if (type < 0 || type > MAX_TYPE) {
      throw new IllegalArgumentException("message type " + type + " is not in 0.." + MAX_TYPE);
    }
  }

  private void checkNode(int node) {
    if (node < 0 || node >= rank.size()) {
      throw new IllegalArgumentException("node " + node + " is not in 0.." + (rank.size() - 1));
    }
  }

  private static void checkProcess(int ptype) {
    if (ptype != 0) {
      throw new IllegalArgumentException("process type " + ptype + ", there is only 0");
    }
  }

  private static MemorySegment first(MemorySegment buf, long count) {
    if (count < 0 || count > buf.byteSize()) {
      throw new IllegalArgumentException(count + " bytes of a buffer that has " + buf.byteSize());
    }
    return buf.asSlice(0, count);
  }
}
