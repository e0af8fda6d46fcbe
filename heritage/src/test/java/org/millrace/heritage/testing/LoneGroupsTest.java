package org.millrace.heritage.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.ClusterOptions;
import org.millrace.client.OpenOptions;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.NoSuchNameException;
import org.millrace.heritage.bridge.Bridge;
import org.millrace.heritage.bridge.Columns;
import org.millrace.heritage.bridge.SequentialFile;
import org.millrace.heritage.cio.Cio;
import org.millrace.heritage.cio.CioFile;
import org.millrace.heritage.cio.CioMode;
import org.millrace.heritage.crockett.Crockett;
import org.millrace.heritage.crockett.ParallelFile;
import org.millrace.heritage.dio.Dio;
import org.millrace.heritage.vesta.Partition;
import org.millrace.heritage.vesta.Subfile;
import org.millrace.heritage.vesta.Vesta;

/**
 * What one process opens by itself is opened by a group of its own. A session may have only so many
 * groups, so that a program that opens and closes again and again must not keep them.
 */
@SuppressWarnings("try") // closing twice is what is tried
final class LoneGroupsTest {

  private static final OpenOptions CREATE = OpenOptions.create();
  private static final OpenOptions READ = OpenOptions.read();

  @TempDir private Path directory;

  /** Runs a program several times over; there must be as many groups then as before. */
  private void checkKeepsNoGroups(Program program) throws IOException {
    Programs.watch(
        directory,
        2,
        1,
        ClusterOptions.DEFAULT,
        (rank, cluster) -> {
          int before = groups(cluster, rank);
          for (int i = 0; i < 5; i++) {
            program.run(rank);
          }
          assertThat(groups(cluster, rank)).isEqualTo(before);
        });
  }

  private static int groups(RunningCluster cluster, Rank rank) throws IOException {
    rank.barrier();
    int groups = cluster.administration().status().groups().size();
    rank.barrier();
    return groups;
  }

  @Test
  void bridgeLeavesTheGroupOfAFile() throws IOException {
    checkKeepsNoGroups(
        rank -> {
          Bridge bridge = new Bridge(rank);
          try (SequentialFile file = bridge.open("b", CREATE)) {
            file.write(new byte[1]);
            file.close(); // twice is once
          }
          try (Columns columns = bridge.openColumns("b", READ)) {
            columns.close();
          }
          assertThatThrownBy(() -> bridge.open("none", READ))
              .isInstanceOf(NoSuchNameException.class);
          assertThatThrownBy(() -> bridge.openColumns("none", READ))
              .isInstanceOf(NoSuchNameException.class);
        });
  }

  @Test
  void vestaLeavesTheGroupOfASubfile() throws IOException {
    checkKeepsNoGroups(
        rank -> {
          Vesta vesta = new Vesta(rank);
          try (Subfile file = vesta.open("v", CREATE, Partition.whole(1))) {
            file.close();
          }
          assertThatThrownBy(() -> vesta.open("none", READ, Partition.whole(1)))
              .isInstanceOf(NoSuchNameException.class);
        });
  }

  @Test
  void crockettLeavesTheGroupOfAGlobalView() throws IOException {
    checkKeepsNoGroups(
        rank -> {
          Crockett crockett = new Crockett(rank);
          try (ParallelFile file = crockett.openGlobal("c", CREATE)) {
            file.write(new byte[1]);
            file.close();
          }
          assertThatThrownBy(() -> crockett.openGlobal("none", READ))
              .isInstanceOf(NoSuchNameException.class);
        });
  }

  @Test
  void cioLeavesTheGroupOfAToken() throws IOException {
    checkKeepsNoGroups(
        rank -> {
          try (CioFile file = new Cio(rank).open("t", CREATE, CioMode.MULTI)) {
            file.awaitToken();
            file.write(new byte[1]);
            if (rank.number() == 0) {
              file.passToken();
            }
          }
        });
  }

  @Test
  void dioLeavesTheGroupOfALookup() throws IOException {
    checkKeepsNoGroups(
        rank -> {
          Dio dio = new Dio(rank);
          rank.barrier(); // a rank that still has it open keeps it from being replaced
          dio.dio_deregister(dio.dio_create("d", 64));
          dio.dio_deregister(dio.dio_lookup("d"));
          assertThatThrownBy(() -> dio.dio_lookup("none")).isInstanceOf(NoSuchNameException.class);
        });
  }
}
