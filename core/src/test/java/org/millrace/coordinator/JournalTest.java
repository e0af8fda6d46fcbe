package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.millrace.disk.Disk;
import org.millrace.disk.DiskFile;
import org.millrace.disk.Faults;
import org.millrace.disk.FaultyDisk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;
import org.millrace.layout.FileEntry;
import org.millrace.message.Link;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.OpenFlags;
import org.millrace.testing.Seeds;

final class JournalTest {

  /** In which the two copies of a frame begin. */
  private static final int SECTOR = 4096;

  /** Nodes take strands for empty that they do not know: only those with other blocks are made. */
  private static final OpenFlags OWN_BLOCKS = Harness.CREATE.withBlockBytes(8192);

  private static final CoordinatorOptions OPTIONS = CoordinatorOptions.of(4, Harness.ROOT);

  /** All names there are, each with what is known of it. */
  private static Set<String> tree(Harness harness) throws IOException {
    TreeSet<String> all = new TreeSet<>();
    collect(harness, harness.link(Harness.ROOT), "", all);
    return all;
  }

  private static void collect(Harness harness, Link link, String path, Set<String> into)
      throws IOException {
    for (String name :
        ((CoordinatorReply.Names) harness.call(link, new CoordinatorRequest.ListNames(path)))
            .names()) {
      String below = path.isEmpty() ? name : path + "/" + name;
      boolean directory = below.endsWith("/");
      below = directory ? below.substring(0, below.length() - 1) : below;
      FileEntry entry =
          ((CoordinatorReply.About) harness.call(link, new CoordinatorRequest.Stat(below))).entry();
      into.add(below + " " + entry.id() + " " + entry.permissions() + " " + entry.confirmed());
      if (directory) {
        collect(harness, link, below, into);
      }
    }
  }

  private static Set<String> recover(Disk disk) throws IOException {
    try (Harness harness = new Harness(Env.real(), disk, OPTIONS)) {
      return tree(harness);
    }
  }

  private static byte[] content(Disk disk) throws IOException {
    try (DiskFile file = disk.open(JournalFile.NAME)) {
      byte[] bytes = new byte[(int) file.size()];
      file.read(0, MemorySegment.ofArray(bytes));
      return bytes;
    }
  }

  private static Disk diskWith(byte[] journal, int length) throws IOException {
    MemoryDisk disk = new MemoryDisk("cut");
    try (DiskFile file = disk.create(JournalFile.NAME)) {
      file.write(0, MemorySegment.ofArray(journal).asSlice(0, length));
    }
    return disk;
  }

  /**
   * A program of name changes, one acknowledged after the other, that leaves no file unconfirmed in
   * between.
   */
  private static List<Set<String>> run(Harness harness, int steps) throws IOException {
    Harness.Ranks ranks = harness.ranks(1);
    Link link = ranks.links.getFirst();
    List<Set<String>> states = new ArrayList<>();
    states.add(tree(harness));
    for (int i = 0; i < steps; i++) {
      switch (i % 5) {
        case 0 -> harness.call(link, new CoordinatorRequest.MakeDirectory("d" + i, 0755));
        case 1 -> {
          CoordinatorReply.Opened open = ranks.open("d" + (i - 1) + "/f", Harness.CREATE);
          harness.call(link, new CoordinatorRequest.Confirm(open.file()));
          ranks.closeFile(open.open());
        }
        case 2 -> harness.call(link, new CoordinatorRequest.Rename("d" + (i - 2), "e" + i, false));
        case 3 -> harness.call(link, new CoordinatorRequest.SetPermissions("e" + (i - 1), 0700));
        default -> {
          if (i % 2 == 0) {
            harness.call(link, new CoordinatorRequest.Remove("e" + (i - 2) + "/f"));
          }
        }
      }
      states.add(tree(harness));
    }
    return states;
  }

  @Test
  void whatWasAcknowledgedIsThereAgain() throws IOException {
    MemoryDisk disk = new MemoryDisk("test");
    Set<String> last;
    try (Harness harness = new Harness(Env.real(), disk, OPTIONS)) {
      last = run(harness, 23).getLast();
    }
    assertThat(recover(disk)).isEqualTo(last).isNotEmpty();
    assertThat(recover(disk.crash())).isEqualTo(last);
  }

  @Test
  void aJournalWithOneBadSectorIsWholeAndOneWithTwoIsAnError() throws IOException {
    MemoryDisk disk = new MemoryDisk("test");
    Set<String> last;
    try (Harness harness = new Harness(Env.real(), disk, OPTIONS)) {
      last = run(harness, 10).getLast();
    }
    byte[] journal = content(disk);
    for (int sector = 0; sector < 24 * SECTOR; sector += SECTOR) {
      byte[] bad = journal.clone();
      Arrays.fill(bad, sector, sector + SECTOR, (byte) 0);
      assertThat(recover(diskWith(bad, bad.length))).as("sector at " + sector).isEqualTo(last);
    }
    Arrays.fill(journal, 4 * SECTOR, 6 * SECTOR, (byte) 0); // both copies of a frame
    Disk damaged = diskWith(journal, journal.length);
    assertThatThrownBy(() -> new Coordinator(Env.real(), damaged, OPTIONS))
        .isInstanceOf(CorruptBlockException.class);
  }

  @Test
  void aJournalThatIsOlderOrGoneIsAnErrorUntilItsMarkIsRemoved() throws IOException {
    MemoryDisk disk = new MemoryDisk("test");
    byte[] older;
    try (Harness harness = new Harness(Env.real(), disk, OPTIONS)) {
      run(harness, 10);
      older = content(disk);
      run(harness, 1);
    }
    byte[] cut = Arrays.copyOf(content(disk), content(disk).length - 1024);
    assertThatThrownBy(() -> new Coordinator(Env.real(), diskWith(cut, cut.length), OPTIONS))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining("was cut");
    for (byte[] journal : List.of(older, new byte[0])) {
      MemoryDisk restored = disk.crash(); // the mark is forced nowhere: it is copied as it is
      try (DiskFile mark = disk.open("journal.mark")) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[(int) mark.size()]);
        mark.read(0, bytes);
        restored.delete("journal.mark");
        restored.create("journal.mark").write(0, bytes);
      }
      restored.delete(JournalFile.NAME);
      if (journal.length > 0) {
        restored.create(JournalFile.NAME).write(0, MemorySegment.ofArray(journal));
      }
      assertThatThrownBy(() -> new Coordinator(Env.real(), restored, OPTIONS))
          .isInstanceOf(CorruptBlockException.class)
          .hasMessageContaining("remove " + "journal.mark");
      restored.delete("journal.mark");
      new Coordinator(Env.real(), restored, OPTIONS).close();
    }
  }

  @Test
  void everyStartIsCountedAndNodesOfEarlierStartsAreOlderCopies() throws IOException {
    MemoryDisk disk = new MemoryDisk("test");
    for (int start = 1; start <= 3; start++) {
      try (Coordinator coordinator = new Coordinator(Env.real(), disk, OPTIONS)) {
        assertThat(coordinator.starts(0).runs().getFirst().number()).isEqualTo(start);
        assertThat(coordinator.starts(0).epoch()).isEqualTo(5L * (start - 1));
        coordinator.remember(0, 5L * start);
        assertThatThrownBy(() -> coordinator.remember(0, 4))
            .isInstanceOf(CorruptBlockException.class)
            .hasMessageContaining("older copy");
      }
    }
  }

  /** The hunt found it: such a file counted as whole, and could never be read or written. */
  @Test
  void aFileWhoseStrandsCannotBeSeenStaysUnconfirmedSoThatItsOpenersMakeThem() throws IOException {
    MemoryDisk disk = new MemoryDisk("test");
    long file;
    try (Harness harness = new Harness(Env.real(), disk, OPTIONS)) {
      file = harness.ranks(2).open("f", OWN_BLOCKS).file();
    }
    try (Harness harness =
        new Harness(
            Env.real(),
            disk.crash(),
            OPTIONS,
            Quotas.DEFAULT,
            _ -> Coordinator.StrandPresence.UNKNOWN)) {
      CoordinatorReply.Opened open = harness.ranks(2).open("f", Harness.EXISTING);
      assertThat(open.file()).isEqualTo(file);
      assertThat(open.confirmed()).isFalse();
    }
  }

  @Test
  void unconfirmedFilesAreForgottenOnceAndTheirIdsNeverUsedAgain() throws IOException {
    MemoryDisk disk = new MemoryDisk("test");
    long lost;
    try (Harness harness = new Harness(Env.real(), disk, OPTIONS)) {
      lost = harness.ranks(2).open("f", OWN_BLOCKS).file();
      assertThat(harness.coordinator.forgotten()).isEmpty();
    }
    try (Harness harness = new Harness(Env.real(), disk.crash(), OPTIONS)) {
      assertThat(harness.coordinator.forgotten())
          .singleElement()
          .satisfies(
              entry -> {
                assertThat(entry.id()).isEqualTo(lost);
                assertThat(entry.path()).isEqualTo("f");
                assertThat(entry.layout()).isPresent();
              });
      assertThat(tree(harness)).isEmpty();
      Harness.Ranks ranks = harness.ranks(1);
      CoordinatorReply.Opened again = ranks.open("f", Harness.EXCLUSIVE);
      assertThat(again.file()).isGreaterThan(lost);
      harness.call(ranks.links.getFirst(), new CoordinatorRequest.Confirm(again.file()));
      try (Harness third = new Harness(Env.real(), ((MemoryDisk) harness.disk).crash(), OPTIONS)) {
        assertThat(third.coordinator.forgotten()).isEmpty();
        assertThat(tree(third)).hasSize(1);
      }
    }
  }

  @Test
  void theJournalIsWrittenAnewWhenItGrowsAndIdsSurviveThat() throws IOException {
    MemoryDisk disk = new MemoryDisk("test");
    CoordinatorOptions often = OPTIONS.withCompactBytes(100);
    long id;
    try (Harness harness = new Harness(Env.real(), disk, often)) {
      Harness.Ranks ranks = harness.ranks(1);
      harness.call(ranks.links.getFirst(), new CoordinatorRequest.SetPermissions("", 0711));
      for (int i = 0; i < 200; i++) {
        CoordinatorReply.Opened open = ranks.open("f", Harness.EXCLUSIVE);
        harness.call(ranks.links.getFirst(), new CoordinatorRequest.Confirm(open.file()));
        ranks.closeFile(open.open());
        harness.call(ranks.links.getFirst(), new CoordinatorRequest.Remove("f"));
        assertThat(harness.coordinator.takeDropped()).hasSize(1);
      }
      run(harness, 12);
      id = ranks.open("g", OWN_BLOCKS).file(); // and is forgotten, since nobody confirms it
      assertThat(content(disk).length).as("bytes for %d changes", 1040).isLessThan(2 << 20);
    }
    try (Harness harness = new Harness(Env.real(), disk.crash(), often)) {
      assertThat(harness.ranks(1).open("g", Harness.CREATE).file()).isGreaterThan(id);
      FileEntry root =
          ((CoordinatorReply.About)
                  harness.call(harness.link(Harness.ROOT), new CoordinatorRequest.Stat("")))
              .entry();
      assertThat(root.permissions()).isEqualTo(0711);
    }
  }

  @Test
  void theJournalStaysShortThoughNoCoordinatorLivesLong() throws IOException {
    MemoryDisk disk = new MemoryDisk("test");
    CoordinatorOptions options = OPTIONS.withCompactBytes(64 << 10);
    List<String> names = List.of("a".repeat(250), "b".repeat(250));
    try (Harness harness = new Harness(Env.real(), disk, options)) {
      harness.call(
          harness.link(Harness.ROOT), new CoordinatorRequest.MakeDirectory(names.get(0), 0700));
    }
    int longest = 0;
    for (int life = 0; life < 100; life++) {
      try (Harness harness = new Harness(Env.real(), disk, options)) {
        Link link = harness.link(Harness.ROOT);
        for (int i = 0; i < 6; i++) {
          harness.call(
              link, new CoordinatorRequest.Rename(names.get(i % 2), names.get((i + 1) % 2), false));
        }
        longest = Math.max(longest, content(disk).length);
        disk = disk.crash(); // before it ends in order
      }
    }
    // 600 changes, 8 KiB each, of which one counts, and the room behind them
    assertThat(longest).isLessThan(1 << 20);
  }

  @Test
  void everyAcknowledgedOperationSurvivesALossOfPowerAtAnyMoment() throws IOException {
    for (long seed : Seeds.of(150)) {
      assertThat(survivesPowerCut(seed, false)).as(Seeds.replay(seed)).isTrue();
    }
  }

  @Test
  void withoutForcesTheSameCampaignLosesOperations() throws IOException {
    int lost = 0;
    for (long seed : Seeds.of(60)) {
      lost += survivesPowerCut(seed, true) ? 0 : 1;
    }
    assertThat(lost).as("runs that lost something").isPositive();
  }

  /**
   * Runs until the power fails, then compares what comes back with what was acknowledged and what
   * was under way.
   */
  private static boolean survivesPowerCut(long seed, boolean dropForces) throws IOException {
    Random random = new Random(seed);
    MemoryDisk memory = new MemoryDisk("power");
    Faults faults = Faults.seeded(seed);
    FaultyDisk disk = new FaultyDisk(memory, faults);
    CoordinatorOptions options = OPTIONS.withCompactBytes(200 + random.nextInt(2000));
    TreeSet<String> known = new TreeSet<>();
    TreeSet<String> doubtful = new TreeSet<>();
    try (Harness harness = new Harness(Env.real(), disk, options)) {
      Link link = harness.link(Harness.ROOT);
      if (dropForces) {
        faults.dropForces(_ -> true);
      }
      faults.cutPowerAfter(random.nextInt(120));
      for (int i = 0; i < 60; i++) {
        boolean remove = !known.isEmpty() && random.nextInt(4) == 0;
        String name = remove ? known.first() : "d" + i;
        try {
          harness.call(
              link,
              remove
                  ? new CoordinatorRequest.Remove(name)
                  : new CoordinatorRequest.MakeDirectory(name, 0755));
          if (remove) {
            known.remove(name);
          } else {
            known.add(name);
          }
        } catch (MillraceException e) {
          known.remove(name);
          doubtful.add(name);
        }
      }
    }
    faults.clear();
    try (Harness after = new Harness(Env.real(), memory.crash(seed), options)) {
      TreeSet<String> found = new TreeSet<>();
      for (String line : tree(after)) {
        found.add(line.substring(0, line.indexOf(' ')));
      }
      found.removeAll(doubtful);
      known.removeAll(doubtful);
      return found.equals(known);
    } catch (CorruptBlockException e) {
      return false;
    }
  }

  @Test
  void aFailedForceIsReportedAndUndoneAndTheNextChangeWorks() throws IOException {
    MemoryDisk memory = new MemoryDisk("test");
    FaultyDisk disk = new FaultyDisk(memory, Faults.seeded(1));
    Set<String> last;
    try (Harness harness = new Harness(Env.real(), disk, OPTIONS)) {
      last = run(harness, 7).getLast();
      Harness.Ranks ranks = harness.ranks(2);
      Link link = ranks.links.getFirst();
      disk.faults().fail(Faults.Operation.FORCE, _ -> true, 0, 2);
      assertThat(ranks.openRefused("new", Harness.CREATE).code()).isEqualTo(ErrorCode.DISK);
      assertThat(harness.refused(link, new CoordinatorRequest.SetPermissions("e2", 0)))
          .as("the repair fails, too")
          .isEqualTo(ErrorCode.DISK);
      assertThat(tree(harness)).isEqualTo(last);
      CoordinatorReply.Opened open = ranks.open("new", Harness.EXCLUSIVE);
      harness.call(link, new CoordinatorRequest.Confirm(open.file()));
      last = tree(harness);
    }
    assertThat(recover(memory.crash())).isEqualTo(last);
  }

  @Test
  void aFullDiskFailsChangesUntilThereIsRoom() throws IOException {
    MemoryDisk memory = new MemoryDisk("test");
    FaultyDisk disk = new FaultyDisk(memory, Faults.seeded(1));
    Set<String> last;
    try (Harness harness = new Harness(Env.real(), disk, OPTIONS)) {
      last = run(harness, 7).getLast();
      Link link = harness.link(Harness.ROOT);
      disk.faults().fullAfter(10);
      for (int i = 0; i < 3; i++) {
        assertThat(harness.refused(link, new CoordinatorRequest.MakeDirectory("full", 0755)))
            .isEqualTo(ErrorCode.DISK_FULL);
        assertThat(tree(harness)).isEqualTo(last);
      }
      disk.faults().clear();
      harness.call(link, new CoordinatorRequest.MakeDirectory("room", 0755));
      last = tree(harness);
      assertThatThrownBy(() -> harness.call(link, new CoordinatorRequest.Stat("full")))
          .isInstanceOf(NoSuchNameException.class);
    }
    assertThat(recover(memory.crash())).isEqualTo(last);
  }
}
