package org.millrace.array;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.client.ClusterOptions;
import org.millrace.client.OpenOptions;
import org.millrace.cluster.ClusterTopology;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.message.Endpoint;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Peer;
import org.millrace.message.Pending;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.plan.collective.Costs;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.RankRequest;

/**
 * The order in which an aggregator reads chunks, starts pieces and waits for their answers. Links
 * between ranks answer only when they are waited for, as those to other processes may.
 */
class PipelinedExchangeTest {

  private static final int COLUMNS = 8;
  private static final int RANKS = 3;

  /** Rank 0 is the only aggregator, so what it does comes in the order of its thread. */
  private static final class Late implements ClusterTopology {
    final List<String> events = Collections.synchronizedList(new ArrayList<>());
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
      Link link = Links.local(env, peer, endpoint);
      return proxy(
          Link.class,
          (_, method, arguments) -> {
            Object request = arguments == null ? "" : arguments[0];
            boolean late = method.getName().equals("start");
            switch (request) {
              case RankRequest.Place _ when late -> {
                events.add("place");
                return late(() -> call(link, method, arguments));
              }
              case RankRequest.Fetch _ when late -> {
                events.add("fetch");
                return late(() -> call(link, method, arguments));
              }
              case NodeRequest.Scatter _ -> events.add("write");
              case NodeRequest.Gather _ -> events.add("read");
              default -> {}
            }
            if (method.getName().equals("get")) {
              events.add("read");
            } else if (method.getName().equals("put")) {
              events.add("write");
            }
            return call(link, method, arguments);
          });
    }

    /** A request that is carried out when its answer is waited for. */
    private Pending late(Supplier<Object> request) {
      boolean[] done = new boolean[1];
      return proxy(
          Pending.class,
          (_, method, arguments) ->
              switch (method.getName()) {
                case "await", "advance" -> {
                  events.add("answered");
                  done[0] = true;
                  yield call(request.get(), method, arguments);
                }
                case "isDone", "isAnswered", "canAdvance" -> done[0];
                case "tellsWhenDone" -> false;
                default -> null;
              });
    }

    private static Object call(Object on, java.lang.reflect.Method method, Object[] arguments) {
      try {
        return method.invoke(on, arguments);
      } catch (InvocationTargetException | IllegalAccessException e) {
        throw new IllegalStateException(e);
      }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
      return type.cast(
          Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
  }

  /** What happens while all ranks read or write the whole array, in chunks of two columns. */
  private static List<String> events(boolean write, int depth) throws IOException {
    Late topology = new Late();
    Hints hints =
        Hints.DEFAULT
            .withStrategy(Strategy.EXTENDED_TWO_PHASE)
            .withAggregators(1)
            .withBufferBytes(2L * 32 * depth)
            .withDepth(depth);
    ClusterOptions options =
        ClusterOptions.DEFAULT.withCacheBytesPerNode(8 << 20).withStripeUnitBytes(1 << 20);
    try (RunningCluster cluster =
        RunningCluster.over(
            topology, new MemoryDisk("c"), List.of(new MemoryDisk("n")), options, Costs.DEFAULT)) {
      cluster.run(
          RANKS,
          rank -> {
            Shape shape = Shape.columnMajor(8, COLUMNS);
            try (GlobalArray array =
                GlobalArray.create(
                    rank,
                    "a.npy",
                    shape,
                    ElementType.INT32,
                    OpenOptions.create().withHints(hints))) {
              Section rows =
                  Section.parse(
                      rank.number() == 2 ? "5:7,0:7" : rank.number() == 1 ? "2:4,0:7" : "0:1,0:7");
              Local local = Local.of(new int[(int) rows.elements()], rows.shape(shape.order()));
              rank.barrier();
              if (rank.number() == 0) {
                topology.events.clear();
              }
              rank.barrier();
              if (write) {
                array.writeSection(rows, local);
              } else {
                array.readSection(rows, local);
              }
              if (rank.number() == 0) {
                topology.events.add("end");
              }
              rank.barrier();
            }
          });
    }
    return List.copyOf(topology.events.subList(0, topology.events.indexOf("end")));
  }

  @Test
  void theNextChunkIsReadWhileThePiecesOfTheLastAreUnderWay() throws IOException {
    assertThat(events(false, 2))
        .containsExactly(
            "read",
            "place",
            "place", // chunk 0
            "read",
            "place",
            "place", // chunk 1
            "answered",
            "answered", // of chunk 0, whose buffer is free then
            "read",
            "place",
            "place",
            "answered",
            "answered",
            "read",
            "place",
            "place",
            "answered",
            "answered",
            "answered",
            "answered");
  }

  @Test
  void withOneBufferAChunkIsReadWhenThePiecesOfTheLastWereAnswered() throws IOException {
    assertThat(events(false, 1).subList(0, 6))
        .containsExactly("read", "place", "place", "answered", "answered", "read");
  }

  @Test
  void thePiecesOfTheNextChunkComeWhileTheLastIsWritten() throws IOException {
    assertThat(events(true, 2))
        .containsExactly(
            "fetch",
            "fetch", // chunk 0
            "fetch",
            "fetch", // chunk 1
            "answered",
            "answered",
            "write", // chunk 0
            "fetch",
            "fetch",
            "answered",
            "answered",
            "write",
            "fetch",
            "fetch",
            "answered",
            "answered",
            "write",
            "answered",
            "answered",
            "write");
  }
}
