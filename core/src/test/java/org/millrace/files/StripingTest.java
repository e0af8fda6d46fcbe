package org.millrace.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;

/** Which host has which bytes, against a count byte by byte. */
final class StripingTest {

  private static final List<String> ADDRESSES =
      List.of("tcp:a:1", "", "tls:[::1]:2", "unix:/x:1", "tcp:a:9");

  @TempDir private Path folder;

  @Test
  void hostsComeFromAddressesAndNodesWithoutOneAreHere() {
    Striping all = new Striping(4, ADDRESSES);
    assertThat(List.of(0, 1, 2, 3, 4).stream().map(i -> all.host(i, "me")))
        .containsExactly("a", "me", "::1", "me", "a");
  }

  @Test
  void bytesOfEveryRangeAreCountedAsByteByByte() {
    for (int strands = 1; strands <= ADDRESSES.size(); strands++) {
      for (int unit = 1; unit <= 4; unit++) {
        Striping striping = new Striping(unit, ADDRESSES.subList(0, strands));
        for (int from = 0; from < 24; from++) {
          for (int length = 0; length < 24; length++) {
            assertThat(striping.bytesByHost(from, length, "me"))
                .isEqualTo(counted(striping, from, length));
          }
        }
      }
    }
  }

  private static Map<String, Long> counted(Striping striping, int from, int length) {
    var layout =
        new Layout(
            striping.stripeUnitBytes(),
            Layout.DEFAULT_BLOCK_BYTES,
            List.of(0, 1, 2, 3, 4).subList(0, striping.addresses().size()));
    Map<String, Long> counts = new LinkedHashMap<>();
    for (int at = from; at < from + length; at++) {
      counts.merge(striping.host(layout.strandOf(at), "me"), 1L, Long::sum);
    }
    return counts;
  }

  @Test
  void hostsWithMoreBytesComeFirst() {
    Striping striping = new Striping(10, List.of("tcp:a:1", "tcp:b:1"));
    assertThat(striping.bytesByHost(8, 9, "me").keySet()).containsExactly("b", "a");
    assertThat(striping.bytesByHost(8, 3, "me").keySet()).containsExactly("a", "b");
  }

  @Test
  void wrongRangesAreRefused() {
    Striping striping = new Striping(1, List.of(""));
    assertThatThrownBy(() -> striping.bytesByHost(-1, 1, "me"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Striping(1, List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void filesOfAClusterSayWhereTheyLieAndDirectoriesDoNot() throws IOException {
    try (Cluster cluster = Cluster.embedded(folder, 3);
        FileTree tree = cluster.files()) {
      FilePath path = FilePath.of("file");
      var how = Set.of(FileTree.Opening.WRITE, FileTree.Opening.CREATE);
      try (FileHandle file = tree.open(path, how, NewFile.with(0644))) {
        file.write(0, MemorySegment.ofArray(new byte[1000]));
      }
      Striping striping = tree.striping(path);
      assertThat(striping.addresses()).hasSize(3);
      assertThat(striping.bytesByHost(0, 1000, "me")).isEqualTo(Map.of("me", 1000L));
      assertThatThrownBy(() -> tree.striping(FilePath.of("")))
          .isInstanceOf(MillraceException.class);
    }
  }
}
