package org.millrace.array;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Order;
import org.millrace.access.Runs;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.group.Reach;
import org.millrace.client.ClusterOptions;
import org.millrace.client.OpenOptions;
import org.millrace.cluster.ClusterTopology;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.message.Endpoint;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Message;
import org.millrace.message.Peer;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.plan.collective.Costs;
import org.millrace.protocol.NodeRequest;

/**
 * What the collective methods transfer between the file and the ranks: which bytes, by which rank,
 * in which order and in how many transfers.
 */
class SectionTransfersTest {

  private static final int ROWS = 40;
  private static final int COLUMNS = 12;
  private static final int RANKS = 4;

  /** Gaps of 16 bytes are worth a run of their own, columns of 64 bytes a transfer. */
  private static final Costs COSTS = new Costs(2, 30, 1, 1, 2, 30, 0, 0, 0, Reach.MESSAGES);

  /** What ranks ask of the only node, by the rank whose thread asks. */
  private static final class Recorder implements ClusterTopology {
    final Map<Thread, Integer> ranks = new ConcurrentHashMap<>();
    final Map<Integer, List<List<Extent>>> transfers = new ConcurrentHashMap<>();
    private final Env env = Env.real();

    @Override
    public Env coordinator() {
      return env;
    }

    @Override
    public Env node(int number) {
      return env;
    }

    @Override
    public Env rank(int number) {
      return env;
    }

    @Override
    public Link link(Env from, Env to, Peer peer, Endpoint endpoint) {
      Object recorded =
          Proxy.newProxyInstance(
              Endpoint.class.getClassLoader(),
              new Class<?>[] {Endpoint.class},
              (_, method, arguments) -> {
                record(method.getName(), arguments);
                return invoke(endpoint, method, arguments);
              });
      return Links.local(env, peer, (Endpoint) recorded);
    }

    private static Object invoke(Endpoint endpoint, Method method, Object[] arguments)
        throws Throwable {
      try {
        return method.invoke(endpoint, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }

    private void record(String verb, Object[] arguments) {
      Integer rank = ranks.get(Thread.currentThread());
      if (rank == null) {
        return;
      }
      if (verb.equals("onGet") || verb.equals("onPut")) {
        add(rank, List.of(new Extent((long) arguments[2], (long) arguments[5])));
      } else if (verb.equals("onRequest")) {
        switch ((Message) arguments[1]) {
          case NodeRequest.Gather it -> add(rank, runs(it.access()));
          case NodeRequest.Scatter it -> add(rank, runs(it.access()));
          default -> {}
        }
      }
    }

    private void add(int rank, List<Extent> runs) {
      transfers.computeIfAbsent(rank, _ -> new ArrayList<>()).add(runs);
    }

    private static List<Extent> runs(Access access) {
      List<Extent> list = new ArrayList<>();
      Runs runs = access.view().runs(access.from(), access.to());
      while (runs.next()) {
        for (long i = 0; i < runs.count(); i++) {
          list.add(new Extent(runs.offset() + i * runs.stride(), runs.length()));
        }
      }
      return list;
    }
  }

  /** What each rank transfers while each reads or writes its section. */
  private static Map<Integer, List<List<Extent>>> transfers(
      Order order, List<Section> sections, Hints hints, boolean write) throws IOException {
    Recorder recorder = new Recorder();
    ClusterOptions options =
        ClusterOptions.DEFAULT.withCacheBytesPerNode(8 << 20).withStripeUnitBytes(1 << 20);
    Shape shape =
        order == Order.COLUMN_MAJOR
            ? Shape.columnMajor(ROWS, COLUMNS)
            : Shape.rowMajor(COLUMNS, ROWS);
    try (RunningCluster cluster =
        RunningCluster.over(
            recorder, new MemoryDisk("c"), List.of(new MemoryDisk("n")), options, COSTS)) {
      cluster.run(
          RANKS,
          rank -> {
            try (GlobalArray array =
                GlobalArray.create(
                    rank,
                    "a.npy",
                    shape,
                    ElementType.INT32,
                    OpenOptions.create().withHints(hints))) {
              Section own = sections.get(rank.number());
              int[] mine = new int[(int) own.elements()];
              Local local = Local.of(mine, own.shape(order));
              rank.barrier();
              recorder.ranks.put(Thread.currentThread(), rank.number());
              if (write) {
                array.writeSection(own, local);
              } else {
                array.readSection(own, local);
              }
              recorder.ranks.remove(Thread.currentThread());
              rank.barrier();
            }
          });
    }
    return new TreeMap<>(recorder.transfers);
  }

  private static Hints hints(Strategy strategy) {
    return Hints.DEFAULT.withStrategy(strategy).withBufferBytes(2 * 200).withDepth(2);
  }

  /** Rows from to to of a column of the file, behind the header. */
  private static Extent piece(long column, long from, long to) {
    long offset = NpyHeader.WRITTEN_BYTES + 4 * (column * ROWS + from);
    return new Extent(offset, 4 * (to - from + 1));
  }

  private static Section section(Order order, String rows, String columns) {
    return Section.parse(order == Order.COLUMN_MAJOR ? rows + "," + columns : columns + "," + rows);
  }

  @Test
  void eachRankReadsTheCoveringSectionOfItsColumnsInOrderAndEachByteOnce() throws IOException {
    for (Order order : Order.values()) {
      // rows 10 to 29 of columns 1 to 10: the domains are three columns each
      List<Section> sections =
          List.of(
              section(order, "10:19", "1:10"),
              section(order, "15:29", "1:10"),
              section(order, "12:20", "4:5"),
              section(order, "10:29", "1:10"));
      Map<Integer, List<List<Extent>>> expected = new TreeMap<>();
      // 80 bytes of each column: two fit a buffer of 200
      expected.put(0, List.of(List.of(piece(1, 10, 29), piece(2, 10, 29))));
      expected.put(
          1, List.of(List.of(piece(3, 10, 29), piece(4, 10, 29)), List.of(piece(5, 10, 29))));
      expected.put(
          2, List.of(List.of(piece(6, 10, 29), piece(7, 10, 29)), List.of(piece(8, 10, 29))));
      expected.put(3, List.of(List.of(piece(9, 10, 29), piece(10, 10, 29))));
      assertThat(transfers(order, sections, hints(Strategy.EXTENDED_TWO_PHASE), false))
          .isEqualTo(expected);
      assertThat(transfers(order, sections, hints(Strategy.SIEVED), false))
          .as("the control: ranks that read for themselves read other bytes")
          .isNotEqualTo(expected);
    }
  }

  @Test
  void ranksThatWantNothingReadForTheOthers() throws IOException {
    Order order = Order.COLUMN_MAJOR;
    List<Section> sections =
        List.of(
            section(order, "0:-1", "0:-1"),
            section(order, "0:4", "0:11"),
            section(order, "0:-1", "0:-1"),
            section(order, "0:-1", "0:-1"));
    Map<Integer, List<List<Extent>>> found =
        transfers(order, sections, hints(Strategy.EXTENDED_TWO_PHASE), false);
    for (int rank = 0; rank < RANKS; rank++) {
      List<Extent> columns = new ArrayList<>();
      for (int column = 3 * rank; column < 3 * rank + 3; column++) {
        columns.add(piece(column, 0, 4));
      }
      assertThat(found.get(rank)).containsExactly(columns);
    }
  }

  @Test
  void coveredChunksAreWrittenWholeAndOthersAsJustWhatRanksGave() throws IOException {
    Order order = Order.COLUMN_MAJOR;
    List<Section> whole =
        List.of(
            section(order, "0:9", "0:11"),
            section(order, "10:19", "0:11"),
            section(order, "20:29", "0:11"),
            section(order, "30:39", "0:11"));
    Map<Integer, List<List<Extent>>> found =
        transfers(order, whole, hints(Strategy.EXTENDED_TWO_PHASE), true);
    for (int rank = 0; rank < RANKS; rank++) {
      // a column has 160 bytes, one fits a buffer
      assertThat(found.get(rank))
          .containsExactly(
              List.of(piece(3L * rank, 0, 39)),
              List.of(piece(3L * rank + 1, 0, 39)),
              List.of(piece(3L * rank + 2, 0, 39)));
    }
    List<Section> holes =
        List.of(
            section(order, "0:3", "0:0"),
            section(order, "10:12", "0:0"),
            section(order, "0:-1", "0:-1"),
            section(order, "5:5", "1:1"));
    found = transfers(order, holes, hints(Strategy.EXTENDED_TWO_PHASE), true);
    assertThat(found.keySet()).containsExactly(0);
    assertThat(found.values().stream().flatMap(List::stream).flatMap(List::stream))
        .containsExactlyInAnyOrder(piece(0, 0, 3), piece(0, 10, 12), piece(1, 5, 5));
  }

  @Test
  void twoPhaseReadsThePartOfEachRankWhole() throws IOException {
    Order order = Order.COLUMN_MAJOR;
    List<Section> sections = new ArrayList<>();
    for (int rank = 0; rank < RANKS; rank++) {
      sections.add(section(order, "%d:%d".formatted(10 * rank, 10 * rank + 9), "0:11"));
    }
    Map<Integer, List<List<Extent>>> found =
        transfers(order, sections, hints(Strategy.TWO_PHASE).withBufferBytes(4096), false);
    for (int rank = 0; rank < RANKS; rank++) {
      assertThat(found.get(rank))
          .containsExactly(List.of(new Extent(piece(3L * rank, 0, 0).offset(), 3 * 4 * ROWS)));
    }
  }
}
