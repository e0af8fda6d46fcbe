package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.layout.FileEntry;
import org.millrace.message.Link;
import org.millrace.message.Peer;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.OpenFlags;
import org.millrace.protocol.TransactionLogs;

/** What users can do to each other's transactions through the names of logs: nothing. */
final class TransactionLogRightsTest {

  private static final OpenFlags LOG =
      new OpenFlags(true, true, true, true, false, false, false, 0600, 0, 0);
  private static final OpenFlags SHARED =
      new OpenFlags(true, true, true, false, false, false, false, 0666, 0, 0);
  private static final OpenFlags READ =
      new OpenFlags(true, false, false, false, false, false, false, 0, 0, 0);

  private Harness harness;

  @BeforeEach
  void setUp() throws IOException {
    harness = new Harness();
  }

  @AfterEach
  void tearDown() {
    harness.close();
  }

  /** A user's log of a committed transaction of file f, whose writer has closed it. */
  private record Log(Harness.Ranks owner, CoordinatorReply.Opened file, String path) {}

  private Log commit(String user, String file, String unique) throws IOException {
    Harness.Ranks ranks = harness.ranks(1, user);
    Link link = ranks.links.getFirst();
    CoordinatorReply.Opened open = ranks.open(file, SHARED);
    harness.call(link, new CoordinatorRequest.Confirm(open.file()));
    String pending = TransactionLogs.pending(unique);
    CoordinatorReply.Opened log = ranks.open(pending, LOG);
    harness.call(link, new CoordinatorRequest.Confirm(log.file()));
    String committed = TransactionLogs.committed(unique, List.of(open.file()));
    harness.call(link, new CoordinatorRequest.Rename(pending, committed, false));
    ranks.closeFile(log.open());
    return new Log(ranks, open, committed);
  }

  private void allRefused(Link link, List<CoordinatorRequest> requests) {
    for (CoordinatorRequest request : requests) {
      assertThat(harness.refused(link, request))
          .as("%s", request)
          .isEqualTo(ErrorCode.NOT_PERMITTED);
    }
  }

  private static List<CoordinatorRequest> changesOfTheDirectory() {
    String directory = TransactionLogs.DIRECTORY;
    return List.of(
        new CoordinatorRequest.MakeDirectory(directory, 0755),
        new CoordinatorRequest.MakeDirectory(TransactionLogs.pending("x"), 0755),
        new CoordinatorRequest.MakeDirectory(TransactionLogs.committed("x", List.of(1L)), 0755),
        new CoordinatorRequest.Rename(directory, "mine", false),
        new CoordinatorRequest.SetPermissions(directory, 0700),
        new CoordinatorRequest.SetGroup(directory, ""));
  }

  @Test
  void theDirectoryOfLogsIsTheCoordinatorsEvenIfAUserMakesTheFirstLog() throws IOException {
    Link ada = harness.link("ada");
    for (CoordinatorRequest request : changesOfTheDirectory().subList(0, 3)) {
      allRefused(ada, List.of(request)); // also before there is one
    }
    Log log = commit("ada", "f", "1");
    FileEntry directory =
        ((CoordinatorReply.About)
                harness.call(ada, new CoordinatorRequest.Stat(TransactionLogs.DIRECTORY)))
            .entry();
    assertThat(directory.owner()).isEqualTo(Harness.ROOT);
    assertThat(directory.permissions()).isEqualTo(0777);
    allRefused(ada, changesOfTheDirectory());
    Link root = harness.link(Harness.ROOT);
    allRefused(root, changesOfTheDirectory());
    harness.call(log.owner.links.getFirst(), new CoordinatorRequest.Remove(log.path));
    allRefused(root, List.of(new CoordinatorRequest.Remove(TransactionLogs.DIRECTORY)));
    try (Harness next = new Harness(Env.real(), ((MemoryDisk) harness.disk).crash())) {
      Link eve = next.link("eve");
      next.call(eve, new CoordinatorRequest.ListNames(TransactionLogs.DIRECTORY));
    }
  }

  @Test
  void committedLogsAreTakenOnlyByTheirOwnersAndTheSuperuser() throws IOException {
    commit("ada", "f", "1"); // so the directory was made for her
    Log log = commit("bob", "f", "2");
    for (String other : List.of("ada", "eve")) {
      allRefused(
          harness.link(other),
          List.of(
              new CoordinatorRequest.Remove(log.path),
              new CoordinatorRequest.Rename(log.path, TransactionLogs.done(log.path), false),
              new CoordinatorRequest.Rename(log.path, "mine", false),
              new CoordinatorRequest.SetPermissions(log.path, 0666)));
    }
    harness.call(
        harness.link(Harness.ROOT),
        new CoordinatorRequest.Rename(log.path, TransactionLogs.done(log.path), false));
    harness.call(
        log.owner.links.getFirst(), new CoordinatorRequest.Remove(TransactionLogs.done(log.path)));
  }

  @Test
  void whatConcernsAFileIsOnlyALogOfATransaction() throws IOException {
    Log log = commit("ada", "f", "1");
    Harness.Ranks bob = harness.ranks(1, "bob");
    assertThat(bob.open("f", READ).unfinished()).isTrue();
    harness.call(log.owner.links.getFirst(), new CoordinatorRequest.Remove(log.path));
    assertThat(bob.open("f", READ).unfinished()).isFalse();
  }

  private boolean lockIsUnfinished(Harness.Ranks ranks, long file, long from) throws IOException {
    var lock =
        new CoordinatorRequest.Lock(
            ranks.group, 0, "file " + file, from, from + 1, false, true, false);
    return ((CoordinatorReply.Locked) harness.call(ranks.links.getFirst(), lock)).unfinished();
  }

  @Test
  void otherUsersNeedNotFinishWhatALivingRankIsAboutToFinish() throws IOException {
    Harness.Ranks ada = harness.ranks(1, "ada"); // session 1
    Link link = ada.links.getFirst();
    CoordinatorReply.Opened file = ada.open("f", SHARED);
    harness.call(link, new CoordinatorRequest.Confirm(file.file()));
    assertThat(lockIsUnfinished(ada, file.file(), 0)).isFalse();
    long group =
        ((CoordinatorReply.Group) harness.call(link, new CoordinatorRequest.Form(1))).group();
    harness.call(link, new CoordinatorRequest.Join(group, 0));
    String pending = TransactionLogs.pending("1");
    CoordinatorReply.Opened log = harness.new Ranks(group, List.of(link)).open(pending, LOG);
    harness.call(link, new CoordinatorRequest.Confirm(log.file()));
    String committed = TransactionLogs.committed("1", List.of(file.file()));
    harness.call(link, new CoordinatorRequest.Rename(pending, committed, false));

    Harness.Ranks bob = harness.ranks(1, "bob");
    assertThat(bob.open("f", SHARED).unfinished()).isFalse();
    assertThat(lockIsUnfinished(bob, file.file(), 5)).isFalse();
    assertThat(harness.ranks(1, "ada").open("f", SHARED).unfinished()).isTrue();
    assertThat(harness.ranks(1, Harness.ROOT).open("f", SHARED).unfinished()).isTrue();

    var lock =
        new CoordinatorRequest.Lock(bob.group, 0, "file " + file.file(), 0, 1, false, true, false);
    Pending waiting = bob.start(0, lock);
    assertThat(waiting.isDone()).isFalse();
    harness.coordinator.onSessionEnd(new Peer(1, "ada", List.of()), "it was killed");
    var granted =
        (CoordinatorReply.Locked) waiting.await(harness.env.deadlineAfter(20_000_000_000L));
    assertThat(granted.unfinished()).as("told as soon as the writer is dead").isTrue();
  }

  @Test
  void aLogEndsWithTheLastOfItsFiles() throws IOException {
    Log log = commit("ada", "f", "1");
    log.owner.closeFile(log.file.open());
    Link link = log.owner.links.getFirst();
    harness.call(link, new CoordinatorRequest.Remove("f"));
    var names =
        (CoordinatorReply.Names)
            harness.call(link, new CoordinatorRequest.ListNames(TransactionLogs.DIRECTORY));
    assertThat(names.names()).isEmpty();
  }
}
