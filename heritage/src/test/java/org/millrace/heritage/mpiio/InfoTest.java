package org.millrace.heritage.mpiio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.millrace.heritage.mpiio.FileErrorsTest.assertFails;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.OpenOptions;
import org.millrace.client.Program;
import org.millrace.client.SharedFile;
import org.millrace.heritage.testing.Programs;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;

/** Info objects, and the hints that MPI reserves and ROMIO knows. */
final class InfoTest {

  @TempDir private Path directory;

  private void run(int ranks, Program program) throws IOException {
    Programs.run(directory, ranks, 2, program);
  }

  @Test
  void keysAreSetFoundCountedAndDeleted() {
    try (Info info = new Info()) {
      assertThat(info.size()).isZero();
      info.set("b", "2");
      info.set("a", "1");
      info.set("b", "22");
      assertThat(info.size()).isEqualTo(2);
      assertThat(info.getKey(0)).isEqualTo("a");
      assertThat(info.getKey(1)).isEqualTo("b");
      assertThat(info.get("b")).hasValue("22");
      assertThat(info.getValueLength("b")).hasValue(2);
      assertThat(info.get("c")).isEmpty();
      info.delete("a");
      assertThat(info.toMap()).isEqualTo(Map.of("b", "22"));
      assertRefused(ErrorClass.INFO_NOKEY, () -> info.delete("a"));
      assertRefused(ErrorClass.ARG, () -> info.getKey(1));
    }
  }

  @Test
  void keysAndValuesHaveTheLengthsOfMpi() {
    Info info = new Info();
    info.set("k".repeat(Info.MAX_KEY), "v".repeat(Info.MAX_VALUE));
    assertRefused(ErrorClass.INFO_KEY, () -> info.set("k".repeat(Info.MAX_KEY + 1), "v"));
    assertRefused(ErrorClass.INFO_KEY, () -> info.set("", "v"));
    assertRefused(ErrorClass.INFO_VALUE, () -> info.set("k", "v".repeat(Info.MAX_VALUE + 1)));
    assertRefused(ErrorClass.INFO_VALUE, () -> info.set("k", ""));
    assertThat(info.size()).isEqualTo(1);
  }

  @Test
  void copiesGoTheirOwnWayAndFreedOnesCannotBeUsed() {
    Info info = Info.of("a", "1");
    Info copy = info.dup();
    info.set("a", "2");
    assertThat(copy.get("a")).hasValue("1");
    info.close();
    assertRefused(ErrorClass.INFO, () -> info.get("a"));
    assertRefused(ErrorClass.INFO, () -> info.set("a", "1"));
    assertRefused(ErrorClass.INFO, info::dup);
    Info.NULL.close();
    assertThat(Info.NULL.size()).isZero();
    assertRefused(ErrorClass.INFO, () -> Info.NULL.set("a", "1"));
    assertRefused(ErrorClass.ARG, () -> Info.of("a"));
  }

  private static void assertRefused(ErrorClass errorClass, Runnable act) {
    assertThatThrownBy(act::run)
        .isInstanceOfSatisfying(
            MpiArgumentException.class,
            e -> assertThat(e.getErrorClass()).as(e.toString()).isEqualTo(errorClass));
  }

  @Test
  void aFreedOrMissingInfoObjectFailsOnAllRanks() throws IOException {
    run(
        2,
        rank -> {
          Info freed = new Info();
          freed.close();
          Info onOne = rank.number() == 1 ? freed : Info.NULL;
          assertFails(ErrorClass.INFO, () -> File.open(rank, "info", Ints.CREATE, onOne));
          assertFails(ErrorClass.INFO, () -> File.open(rank, "info", Ints.CREATE, nothing()));
          try (File file = File.open(rank, "info", Ints.CREATE)) {
            assertFails(ErrorClass.INFO, () -> file.setInfo(onOne));
            assertFails(
                ErrorClass.INFO,
                () -> file.setView(0, Datatype.BYTE, Datatype.BYTE, Ints.NATIVE, onOne));
          }
        });
  }

  @SuppressWarnings("NullAway") // what a careless program gives
  private static Info nothing() {
    return null;
  }

  /** Reserved by MPI 4.1, and ROMIO's, with values that they can have. */
  private static final Map<String, String> KNOWN =
      Map.ofEntries(
          Map.entry("access_style", "read_once,sequential"),
          Map.entry("collective_buffering", "true"),
          Map.entry("cb_block_size", "65536"),
          Map.entry("cb_buffer_size", "131072"),
          Map.entry("cb_nodes", "1"),
          Map.entry("chunked", "10,20"),
          Map.entry("chunked_item", "8"),
          Map.entry("chunked_size", "5,5"),
          Map.entry("file_perm", "600"),
          Map.entry("io_node_list", "node0,node1"),
          Map.entry("nb_proc", "2"),
          Map.entry("num_io_nodes", "2"),
          Map.entry("striping_factor", "2"),
          Map.entry("striping_unit", "8192"),
          Map.entry("cb_config_list", "*:1"),
          Map.entry("romio_no_indep_rw", "true"),
          Map.entry("romio_cb_read", "enable"),
          Map.entry("romio_cb_write", "automatic"),
          Map.entry("romio_ds_read", "enable"),
          Map.entry("romio_ds_write", "disable"),
          Map.entry("romio_cb_pfr", "disable"),
          Map.entry("romio_cb_fr_types", "aar"),
          Map.entry("romio_cb_fr_alignment", "1"),
          Map.entry("romio_cb_ds_threshold", "0"),
          Map.entry("romio_cb_alltoall", "automatic"),
          Map.entry("romio_min_fdomain_size", "4096"),
          Map.entry("ind_rd_buffer_size", "4096"),
          Map.entry("ind_wr_buffer_size", "8192"),
          Map.entry("direct_read", "false"),
          Map.entry("direct_write", "false"),
          Map.entry("start_iodevice", "1"));

  @Test
  void reservedHintsAndThoseOfRomioReadBackAsSet() throws IOException {
    run(
        2,
        rank -> {
          Info all = new Info();
          KNOWN.forEach(all::set);
          try (File file = File.open(rank, "known", Ints.CREATE, all)) {
            assertThat(file.getInfo().toMap()).containsAllEntriesOf(KNOWN);
            assertThat(file.getInfo().get("filename")).hasValue("known");
            assertThat(rank.names().stat("known").permissions()).isEqualTo(0600);
          }
        });
  }

  @Test
  void hintsReadBackAsSetAfterOthersWereSetToo() throws IOException {
    run(
        2,
        rank -> {
          try (File file = File.open(rank, "more", Ints.CREATE)) {
            assertThat(file.getInfo().get("cb_config_list")).isEmpty();
            for (String value : new String[] {"enable", "disable", "automatic"}) {
              file.setInfo(Info.of("romio_ds_read", value, "romio_ds_write", value));
              file.setInfo(Info.of("romio_no_indep_rw", "false", "cb_config_list", "*:*"));
              Info now = file.getInfo();
              assertThat(now.get("romio_ds_read")).hasValue(value);
              assertThat(now.get("romio_ds_write")).hasValue(value);
              assertThat(now.get("romio_no_indep_rw")).hasValue("false");
              assertThat(now.get("cb_config_list")).hasValue("*:*");
            }
            now(file, Info.of("filename", "other")); // ignored, as MPI says
            assertThat(file.getInfo().get("filename")).hasValue("more");
          }
        });
  }

  private static void now(File file, Info info) throws IOException {
    file.setView(0, Datatype.BYTE, Datatype.BYTE, Ints.NATIVE, info);
  }

  @Test
  void sievingThatWasSwitchedOffCountsWhenRanksAreLeftToThemselvesLater() throws IOException {
    Map<String, String> sieving = Map.of("romio_ds_write", "disable");
    KeptHints kept = KeptHints.NONE.with(sieving);
    var before = FileHints.on(Hints.DEFAULT, KeptHints.NONE, sieving);
    assertThat(before.write()).isEqualTo(Strategy.AUTO);
    var after = FileHints.on(before, kept, Map.of("romio_cb_write", "disable"));
    assertThat(after.write()).isEqualTo(Strategy.DIRECT);
    assertThat(FileHints.on(after, kept, Map.of("cb_nodes", "1")).write())
        .isEqualTo(Strategy.DIRECT);
  }

  @Test
  void collectiveBufferingIsBothSwitchesAndTheyWin() throws IOException {
    run(
        1,
        rank -> {
          var on = FileHints.with(OpenOptions.create(), Map.of("collective_buffering", "true"));
          try (SharedFile file = rank.open("buffered", on)) {
            assertThat(file.hints().read()).isEqualTo(Strategy.EXTENDED_TWO_PHASE);
            assertThat(file.hints().write()).isEqualTo(Strategy.EXTENDED_TWO_PHASE);
          }
          var both = Map.of("collective_buffering", "false", "romio_cb_read", "enable");
          try (SharedFile file = rank.open("buffered", FileHints.with(OpenOptions.read(), both))) {
            assertThat(file.hints().read()).isEqualTo(Strategy.EXTENDED_TWO_PHASE);
            assertThat(file.hints().write()).isEqualTo(Strategy.SIEVED);
          }
          var block = FileHints.with(OpenOptions.read(), Map.of("cb_block_size", "4096"));
          try (SharedFile file = rank.open("buffered", block)) {
            assertThat(file.hints().domainBlockBytes()).isEqualTo(4096);
          }
        });
  }

  @Test
  void valuesThatAHintCannotHaveAreToldOnAllRanksAndNothingIsMade() throws IOException {
    String[][] wrong = {
      {"access_style", "sometimes"},
      {"collective_buffering", "maybe"},
      {"cb_block_size", "-1"},
      {"chunked", "1,x"},
      {"file_perm", "9"},
      {"nb_proc", "-2"},
      {"num_io_nodes", "two"},
      {"romio_no_indep_rw", "yes"},
      {"romio_ds_read", "direct"},
      {"romio_ds_write", ""},
      {"striping_factor", "1000000"},
    };
    run(
        2,
        rank -> {
          for (String[] one : wrong) {
            Info info = one[1].isEmpty() ? Info.of(one[0], " ") : Info.of(one);
            assertFails(ErrorClass.INFO_VALUE, () -> File.open(rank, "none", Ints.CREATE, info));
          }
          assertFails(ErrorClass.NO_SUCH_FILE, () -> File.open(rank, "none", Amode.RDONLY));
          Info styles = Info.of("access_style", rank.number() == 0 ? "random" : "sequential");
          try (File file = File.open(rank, "styles", Ints.CREATE, styles)) { // these may differ
            assertThat(file.getInfo().get("access_style")).isEqualTo(styles.get("access_style"));
            Info differs = Info.of("nb_proc", "" + (rank.number() + 1));
            assertFails(ErrorClass.NOT_SAME, () -> file.setInfo(differs));
            assertThat(file.getInfo().get("nb_proc")).isEqualTo(Optional.empty());
          }
        });
  }
}
