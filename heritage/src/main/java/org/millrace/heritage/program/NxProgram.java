package org.millrace.heritage.program;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.millrace.client.Rank;
import org.millrace.heritage.nx.Nx;

/** Shows {@code nx}: a ring of messages, a broadcast, global operations. Stateless. */
final class NxProgram implements HeritageProgram {

  private static final int RING = 7;
  private static final int NEWS = 8;

  @Override
  public String name() {
    return "nx";
  }

  @Override
  public String about() {
    return "typed messages round a ring, a message to all, global sums";
  }

  @Override
  public void run(Rank rank, Stage stage) throws IOException {
    Nx nx = new Nx(rank);
    int me = nx.mynode();
    int nodes = nx.numnodes();
    double start = nx.dclock();
    stage.say("mynode() is 0..%s, numnodes() is %s", nodes - 1, nodes);

    int[] counted = ring(nx);
    stage.say("csend and crecv, type %s: a number goes round and each node adds its own", RING);
    stage.check("it comes back as 0 + 1 + ... + " + (nodes - 1), counted[0] == sum(nodes, me));

    stage.say("csend to node -1: one message to all others, from node %s", nodes - 1);
    byte[] news = {(byte) 4, (byte) 2};
    byte[] got = new byte[8];
    if (me == nodes - 1) {
      nx.csend(NEWS, news, Nx.ALL_NODES, 0);
      System.arraycopy(news, 0, got, 0, news.length);
    } else {
      nx.crecv(Nx.ANY, got);
    }
    boolean told = me == nodes - 1 || nx.infotype() == NEWS && nx.infonode() == nodes - 1;
    stage.check(
        "crecv of any type: infotype, infonode and infocount tell which it was",
        told && Arrays.equals(Arrays.copyOf(got, 2), news));

    int[] sums = {me, 1};
    nx.gisum(sums);
    double[] high = {Math.sin(me)};
    double[] low = high.clone();
    nx.gdhigh(high);
    nx.gdlow(low);
    stage.say(
        "gisum of {mynode, 1} is {%s, %s}; gdhigh and gdlow of sin(mynode)", sums[0], sums[1]);
    boolean right = sums[0] == nodes * (nodes - 1) / 2 && sums[1] == nodes;
    for (int node = 0; node < nodes; node++) {
      right &= low[0] <= Math.sin(node) && Math.sin(node) <= high[0];
    }
    stage.check("all nodes have the same results, in place", right);

    byte[] all = new byte[nodes];
    long length = nx.gcol(new byte[] {(byte) (2 * me)}, all);
    boolean inOrder = length == nodes;
    for (int node = 0; node < nodes; node++) {
      inOrder &= all[node] == (byte) (2 * node);
    }
    stage.check("gcol puts the nodes' bytes behind each other in order of node", inOrder);
    nx.gsync();
    stage.say("gsync, then dclock: %s", nx.dclock() >= start ? "time went on" : "time went back");
  }

  /** What node {@code me} sees of the number: the sum of all nodes up to it, at node 0 of all. */
  private static int sum(int nodes, int me) {
    int upTo = me == 0 ? nodes - 1 : me;
    return upTo * (upTo + 1) / 2;
  }

  private static int[] ring(Nx nx) throws IOException {
    int me = nx.mynode();
    int next = (me + 1) % nx.numnodes();
    int[] number = {0};
    MemorySegment memory = MemorySegment.ofArray(number);
    if (me > 0) {
      nx.crecv(RING, memory, ValueLayout.JAVA_INT.byteSize());
      number[0] += me;
    }
    nx.csend(RING, memory, memory.byteSize(), next, 0);
    if (me == 0) {
      nx.crecv(RING, memory, memory.byteSize());
    }
    return number;
  }
}
