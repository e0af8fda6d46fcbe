package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.ClusterLocation;
import org.millrace.daemon.ServerOptions;
import org.millrace.error.RankFailedException;
import org.millrace.launch.Launch;
import org.millrace.launch.process.ProcessRank;
import org.millrace.launch.process.ProcessRankOptions;
import org.millrace.message.TransportOptions;
import org.millrace.plan.Strategy;

/** A rank in a process of its own, in a program whose ranks are lost one after the other. */
final class RankChild {

  /** A call that needs all ranks. */
  record Call(String name, OpenOptions options, Body body) {

    Call(String name, Body body) {
      this(name, OpenOptions.create(), body);
    }
  }

  interface Body {
    void run(Rank rank, SharedFile file) throws IOException;
  }

  private RankChild() {}

  /** The calls, in the order in which ranks are lost in them. */
  static List<Call> calls() {
    List<Call> calls = new ArrayList<>();
    calls.add(new Call("barrier", (rank, _) -> rank.barrier()));
    calls.add(new Call("open", (rank, _) -> rank.open("other", OpenOptions.create())));
    calls.add(new Call("split", (rank, _) -> rank.split(0, 0)));
    calls.add(new Call("ordered", (_, file) -> file.ordered().write(bytes())));
    calls.add(new Call("gather", (rank, _) -> rank.allGather(1)));
    calls.add(
        new Call("close", OpenOptions.create().withMode(Mode.ORDERED), (_, file) -> file.close()));
    for (Strategy strategy : Strategy.values()) {
      calls.add(
          new Call(
              "write by " + strategy,
              (rank, file) -> {
                file.setHints(StrategyWorlds.hints(strategy));
                file.at(100L * rank.number()).all().write(bytes());
              }));
    }
    return calls;
  }

  private static MemorySegment bytes() {
    return MemorySegment.ofArray(new byte[100]);
  }

  /** Arguments: rank, size, silence in ms, grace in ms, number of the first call, directory. */
  public static void main(String[] arguments) throws IOException {
    Launch launch =
        new Launch("a test", "job", Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]));
    long silence = 1_000_000L * Long.parseLong(arguments[2]);
    long grace = 1_000_000L * Long.parseLong(arguments[3]);
    var cluster = BadInputs.options();
    var options =
        ProcessRankOptions.of(cluster)
            .withServer(
                ServerOptions.of(cluster, TransportOptions.DEFAULT.withTimeouts(silence, grace)));
    Path directory = Path.of(arguments[5]);
    List<Call> calls = calls();
    List<Call> some = calls.subList(Integer.parseInt(arguments[4]), calls.size());
    try (ProcessRank launched =
        ProcessRank.join(launch, new ClusterLocation.In(directory), options)) {
      launched.run(rank -> loseOneAfterTheOther(rank, some));
    }
    say("end");
  }

  /** In each call the last rank of the group is lost; the others go on without it. */
  private static void loseOneAfterTheOther(Rank all, List<Call> calls) throws IOException {
    Rank group = all;
    for (Call call : calls) {
      if (group.size() == 1) {
        return;
      }
      int lost = group.size() - 1;
      SharedFile file = group.open("file " + call.name, call.options);
      group.barrier();
      if (group.number() == lost) {
        say("lose me in " + call.name);
        System.in.read();
        throw new IllegalStateException("was to be killed");
      }
      Rank before = group;
      assertThatThrownBy(() -> call.body.run(before, file))
          .as(call.name)
          .isInstanceOf(RankFailedException.class)
          .hasMessageContaining("rank " + lost);
      group = group.regroup();
      assertThat(group.size()).isEqualTo(lost);
      assertThat(group.allReduceLong(1, Long::sum)).isEqualTo(lost);
      say("survived " + call.name);
    }
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
