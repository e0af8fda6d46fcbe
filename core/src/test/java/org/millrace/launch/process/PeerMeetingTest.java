package org.millrace.launch.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.MillraceException;
import org.millrace.launch.Launch;

/** Ranks that are a cluster of peers, each with a directory of its own. */
final class PeerMeetingTest {

  private static final int RANKS = 3;
  private static final int BYTES = 1 << 20;
  private static final ProcessRankOptions OPTIONS =
      ProcessRankOptions.DEFAULT.withAssembleNanos(300_000_000_000L);

  @TempDir private Path folder;

  @Test
  void eachProcessKeepsItsNodeInItsOwnDirectory() throws Exception {
    CompletableFuture<String> board = new CompletableFuture<>();
    List<FutureTask<Void>> all = new ArrayList<>();
    for (int i = 0; i < RANKS; i++) {
      int number = i;
      FutureTask<Void> task = new FutureTask<>(() -> run(number, board), null);
      Thread.ofPlatform().daemon().start(task);
      all.add(task);
    }
    for (FutureTask<Void> one : all) {
      one.get();
    }
    for (int i = 0; i < RANKS; i++) {
      for (int node = 0; node < RANKS; node++) {
        assertThat(Files.isDirectory(directory(i).resolve("node-" + node)))
            .as("node %d in the directory of rank %d", node, i)
            .isEqualTo(i == node);
      }
    }
  }

  private Path directory(int rank) {
    return folder.resolve("host-" + rank);
  }

  private void run(int number, CompletableFuture<String> board) {
    try {
      Files.createDirectories(directory(number));
      Launch launch = new Launch("test", "peers", number, RANKS);
      try (ProcessRank one =
          ProcessRank.asPeer(
              launch, directory(number), RANKS, said -> meet(said, board), OPTIONS)) {
        one.run(PeerMeetingTest::writeAndRead);
      }
    } catch (Exception e) {
      board.completeExceptionally(e);
      throw new AssertionError(e);
    }
  }

  private static String meet(String said, CompletableFuture<String> board) {
    if (!said.isEmpty()) {
      board.complete(said);
    }
    return board.join();
  }

  private static void writeAndRead(Rank rank) throws Exception {
    try (SharedFile file = rank.open("file", OpenOptions.create())) {
      byte[] own = new byte[BYTES];
      Arrays.fill(own, (byte) (rank.number() + 1));
      file.at((long) rank.number() * BYTES).write(Memory.of(own));
      rank.barrier();
      byte[] next = new byte[BYTES];
      int other = (rank.number() + 1) % RANKS;
      file.at((long) other * BYTES).read(Memory.of(next));
      assertThat(next).containsOnly(other + 1);
    }
  }

  @Test
  void whatIsNoInvitationIsRefusedWithoutShowingTheSecret() {
    assertThatThrownBy(() -> Invitation.parse("unix:/socket\nc0ffee-no-digits"))
        .isInstanceOf(MillraceException.class)
        .hasMessageNotContaining("c0ffee");
    assertThatThrownBy(() -> Invitation.parse("")).isInstanceOf(MillraceException.class);
  }
}
