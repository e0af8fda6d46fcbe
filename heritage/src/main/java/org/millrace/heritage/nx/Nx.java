package org.millrace.heritage.nx;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;
import org.millrace.client.Rank;
import org.millrace.client.Received;
import org.millrace.env.Env;

/**
 * NX as one node of an application sees it: a node is a rank. Calls have NX's names. The global
 * operations work in place and synchronize; their work arrays are not needed and were left out, the
 * results are the same on all nodes and each time, because values are combined in order of node.
 *
 * <p>A node runs one process: the process type of a message must be 0. Message types are 0 to
 * {@value #MOST_TYPE}; the forced and masked types beyond them are not offered. Where NX ended the
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
  public static final int MOST_TYPE = 999_999_999;

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

  /** As {@link #csend(int, MemorySegment, long, int, int)}. */
  public void csend(int type, byte[] buf, int node, int ptype) throws IOException {
    csend(type, MemorySegment.ofArray(buf), buf.length, node, ptype);
  }

  /**
   * Waits for a message of this type, or of {@link #ANY}, from whatever node, and puts it into
   * {@code buf}; {@link #infocount}, {@link #infonode} and {@link #infotype} then tell about it. A
   * longer message than {@code count} is an error: it is lost, and {@code buf} is as it was.
   */
  public void crecv(int typesel, MemorySegment buf, long count) throws IOException {
    crecvx(typesel, buf, count, ANY, 0);
  }

  /** As {@link #crecv(int, MemorySegment, long)}. */
  public void crecv(int typesel, byte[] buf) throws IOException {
    crecv(typesel, MemorySegment.ofArray(buf), buf.length);
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
    Received message =
        rank.receive(nodesel == ANY ? Rank.ANY : nodesel, typesel == ANY ? Rank.ANY : typesel);
    int length = message.bytes().length;
    if (length > count) {
      throw new IllegalArgumentException(
          "node %d: a message of %d bytes, type %d, from node %d is too long for a buffer of %d"
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
   *
   * @return how many bytes there are; if they do not fit into {@code y} it throws
   */
  public long gcol(byte[] x, byte[] y) throws IOException {
    List<byte[]> all = rank.allGather(x);
    long total = all.stream().mapToLong(part -> part.length).sum();
    if (total > y.length) {
      throw new IllegalArgumentException(
          "gcol of " + total + " bytes into a buffer of " + y.length);
    }
    int at = 0;
    for (byte[] part : all) {
      System.arraycopy(part, 0, y, at, part.length);
      at += part.length;
    }
    return total;
  }

  /** Sums, element by element. */
  public void gdsum(double[] x) throws IOException {
    combine(x, Double::sum);
  }

  /** Products. */
  public void gdprod(double[] x) throws IOException {
    combine(x, (a, b) -> a * b);
  }

  /** Maxima. */
  public void gdhigh(double[] x) throws IOException {
    combine(x, Math::max);
  }

  /** Minima. */
  public void gdlow(double[] x) throws IOException {
    combine(x, Math::min);
  }

  /** Sums in single precision. */
  public void gssum(float[] x) throws IOException {
    combine(x, (a, b) -> (float) (a + b));
  }

  /** Products in single precision. */
  public void gsprod(float[] x) throws IOException {
    combine(x, (a, b) -> (float) (a * b));
  }

  /** Maxima in single precision. */
  public void gshigh(float[] x) throws IOException {
    combine(x, Math::max);
  }

  /** Minima in single precision. */
  public void gslow(float[] x) throws IOException {
    combine(x, Math::min);
  }

  /** Sums, modulo 2^32. */
  public void gisum(int[] x) throws IOException {
    combine(x, Long::sum);
  }

  /** Products, modulo 2^32. */
  public void giprod(int[] x) throws IOException {
    combine(x, (a, b) -> (int) (a * b));
  }

  /** Maxima. */
  public void gihigh(int[] x) throws IOException {
    combine(x, Math::max);
  }

  /** Minima. */
  public void gilow(int[] x) throws IOException {
    combine(x, Math::min);
  }

  /** And, bit by bit. */
  public void giand(int[] x) throws IOException {
    combine(x, (a, b) -> a & b);
  }

  /** Or, bit by bit. */
  public void gior(int[] x) throws IOException {
    combine(x, (a, b) -> a | b);
  }

  /** Exclusive or, bit by bit. */
  public void gixor(int[] x) throws IOException {
    combine(x, (a, b) -> a ^ b);
  }

  /** Logical and: 1 where all nodes have something other than 0, else 0. */
  public void gland(int[] x) throws IOException {
    truths(x);
    combine(x, (a, b) -> a & b);
  }

  /** Logical or: 1 where some node has something other than 0, else 0. */
  public void glor(int[] x) throws IOException {
    truths(x);
    combine(x, (a, b) -> a | b);
  }

  /** Logical exclusive or: 1 where an odd number of nodes has something other than 0, else 0. */
  public void glxor(int[] x) throws IOException {
    truths(x);
    combine(x, (a, b) -> a ^ b);
  }

  private static void truths(int[] x) {
    Arrays.setAll(x, i -> x[i] == 0 ? 0 : 1);
  }

  private void combine(double[] x, DoubleBinaryOperator operator) throws IOException {
    double[] all = rank.allReduce(x, operator);
    System.arraycopy(all, 0, x, 0, x.length);
  }

  private void combine(float[] x, DoubleBinaryOperator operator) throws IOException {
    double[] wide = new double[x.length];
    Arrays.setAll(wide, i -> x[i]);
    double[] all = rank.allReduce(wide, operator);
    for (int i = 0; i < x.length; i++) {
      x[i] = (float) all[i];
    }
  }

  private void combine(int[] x, LongBinaryOperator operator) throws IOException {
    long[] all = rank.allReduce(Arrays.stream(x).asLongStream().toArray(), operator);
    Arrays.setAll(x, i -> (int) all[i]);
  }

  private static void checkType(int type) {
    if (type < 0 || type > MOST_TYPE) {
      throw new IllegalArgumentException("message type " + type + " is not in 0.." + MOST_TYPE);
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
