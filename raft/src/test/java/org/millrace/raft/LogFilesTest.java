package org.millrace.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.coordinator.LeaseTimes;
import org.millrace.coordinator.StoredLog;
import org.millrace.coordinator.StoredNames;
import org.millrace.error.MillraceException;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.testing.Eventually;

/** The logs of coordinators that do not run are read, and stay as they are. */
final class LogFilesTest {

  private static final long ASK_NANOS = 20_000_000_000L;

  @TempDir private Path folder;

  private static void makeDirectory(TestGroup group, String name) throws IOException {
    Eventually.holds(
        "made " + name,
        () -> {
          try {
            var request = new CoordinatorRequest.MakeDirectory(name, 0755);
            group.ask(group.awaitLeader(), request, ASK_NANOS);
            return true;
          } catch (IOException e) {
            return e.getMessage() != null && e.getMessage().contains("exists");
          }
        });
  }

  private static StoredLog read(TestGroup group, int number) throws IOException {
    return LogFiles.read(RaftMember.groupId(TestGroup.CLUSTER), group.folderOf(number));
  }

  private Map<String, Integer> bytes() throws IOException {
    Map<String, Integer> all = new TreeMap<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path one : files.filter(Files::isRegularFile).toList()) {
        all.put(one.toString(), java.util.Arrays.hashCode(Files.readAllBytes(one)));
      }
    }
    return all;
  }

  @Test
  void theLogThatReachesFurthestHasAllNames() throws IOException {
    int late;
    long early;
    List<Path> folders;
    try (TestGroup group = new TestGroup(folder, LeaseTimes.DEFAULT)) {
      makeDirectory(group, "a");
      late = (group.awaitLeader() + 1) % 3;
      group.stop(late);
      early = StoredNames.of(read(group, late)).nextId();
      for (int i = 0; i < 5; i++) {
        makeDirectory(group, "b" + i);
      }
      folders = List.of(group.folderOf(0), group.folderOf(1), group.folderOf(2));
    }
    Map<String, Integer> before = bytes();
    List<StoredLog> logs = new ArrayList<>();
    for (Path one : folders) {
      logs.add(LogFiles.read(RaftMember.groupId(TestGroup.CLUSTER), one));
    }
    assertThat(bytes()).isEqualTo(before);
    StoredLog most = Collections.max(logs);
    assertThat(StoredNames.of(most).nextId()).isGreaterThanOrEqualTo(early + 5);
    assertThat(StoredNames.of(logs.get(late)).nextId()).as("the late one").isEqualTo(early);
    assertThat(logs.get(late)).isLessThan(most);
  }

  @Test
  void aFolderWithoutALogIsRefused() {
    assertThatThrownBy(() -> LogFiles.read(RaftMember.groupId(TestGroup.CLUSTER), folder))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("has no log");
  }
}
