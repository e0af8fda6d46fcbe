package org.millrace.heritage.nx;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.heritage.testing.InOneJvm;
import org.millrace.launch.Launch;
import org.millrace.launch.process.ProcessRank;
import org.millrace.launch.process.ProcessRankOptions;

/** NX's calls on more than one message between processes holds; nodes reach each other as these. */
@InOneJvm("its ranks are over sockets in any world")
final class NxLargeTest {

  /** Ints whose longs are one more than fit into the largest payload. */
  private static final int INTS = 524_289;

  @TempDir private Path directory;

  private interface Body {
    void run(Nx nx) throws IOException;
  }

  private void on(int nodes, Body body) throws Exception {
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int r = 0; r < nodes; r++) {
      Launch launch = new Launch("test", "job", r, nodes);
      Callable<Void> one =
          () -> {
            try (ProcessRank peer =
                ProcessRank.asPeer(launch, directory, 1, ProcessRankOptions.DEFAULT)) {
              peer.run(rank -> body.run(new Nx(rank)));
            }
            return null;
          };
      FutureTask<Void> task = new FutureTask<>(one);
      Thread.ofPlatform().daemon().start(task);
      tasks.add(task);
    }
    for (FutureTask<Void> task : tasks) {
      task.get();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void globalOperationsTakeArraysOfAnyLength(int nodes) throws Exception {
    on(
        nodes,
        nx -> {
          int[] x = new int[INTS];
          double[] y = new double[INTS];
          for (int i = 0; i < INTS; i++) {
            x[i] = nx.mynode() + i;
            y[i] = nx.mynode() - i;
          }
          nx.gisum(x);
          nx.gdhigh(y);
          for (int i = 0; i < INTS; i++) {
            if (x[i] != nodes * i + nodes * (nodes - 1) / 2 || y[i] != nodes - 1.0 - i) {
              throw new AssertionError("element " + i + ": " + x[i] + ", " + y[i]);
            }
          }
          byte[] mine = new byte[5 << 20];
          mine[mine.length - 1] = (byte) (nx.mynode() + 1);
          byte[] all = new byte[nodes * mine.length];
          assertThat(nx.gcol(mine, all)).isEqualTo(all.length);
          for (int node = 0; node < nodes; node++) {
            assertThat(all[(node + 1) * mine.length - 1]).isEqualTo((byte) (node + 1));
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {4 << 20, (4 << 20) + 1, (64 << 20) + 1})
  void messagesMayHaveAnyLength(int bytes) throws Exception {
    on(
        2,
        nx -> {
          byte[] buf = new byte[bytes];
          if (nx.mynode() == 0) {
            buf[bytes - 1] = 7;
            nx.csend(3, MemorySegment.ofArray(buf), bytes, 1, 0);
          } else {
            nx.crecv(3, MemorySegment.ofArray(buf), bytes);
            assertThat(nx.infocount()).isEqualTo(bytes);
            assertThat(buf[bytes - 1]).isEqualTo((byte) 7);
          }
        });
  }
}
