package org.millrace.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.CommandLineRun;
import org.millrace.env.Env;

final class DoctorCommandTest {

  @TempDir private Path folder;

  private void write(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private SystemChecks checks() {
    return new SystemChecks(new Host(folder, List.of(folder.resolve("bin"))));
  }

  private static Finding.Level level(Finding one) {
    assertThat(one.advice().isEmpty()).isEqualTo(one.level() == Finding.Level.OK);
    return one.level();
  }

  @Test
  void tellsAboutThisMachineAndLeavesNothingBehind() throws IOException {
    CommandLineRun run = CommandLineRun.of("doctor", "--dir", folder.resolve("a/b").toString());
    assertThat(run.exitCode()).as(run.out()).isZero();
    assertThat(run.out()).contains("ok    java", "open files", "fsync", "namespaces");
    assertThat(CommandLineRun.of("doctor", "--json", "--dir", folder.toString()).out())
        .contains("\"topic\": \"java\"", "\"level\": \"ok\"", "\"advice\": \"\"");
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void javasThatAreTooOldFail() {
    assertThat(level(checks().java(Runtime.Version.parse("25.0.2"), "x")))
        .isEqualTo(Finding.Level.FAIL);
    assertThat(level(checks().java(Runtime.Version.parse("26"), "x"))).isEqualTo(Finding.Level.OK);
    assertThat(level(checks().encoding("ANSI_X3.4-1968"))).isEqualTo(Finding.Level.WARN);
  }

  @Test
  void lowLimitsAreWarnedOf() throws IOException {
    write(
        "proc/self/limits",
        """
        Limit                     Soft Limit           Hard Limit           Units
        Max open files            100                  1024                 files
        Max processes             100                  unlimited            processes
        Max locked memory         65536                65536                bytes
        """);
    assertThat(checks().descriptors().found()).isEqualTo("100, can be raised to 1024");
    assertThat(level(checks().descriptors())).isEqualTo(Finding.Level.WARN);
    assertThat(level(checks().processes())).isEqualTo(Finding.Level.WARN);
    assertThat(level(checks().lockedMemory())).isEqualTo(Finding.Level.OK);
    write("proc/self/limits", "Max open files 64 64 files\nMax processes 9999 9999 processes\n");
    assertThat(level(checks().descriptors())).isEqualTo(Finding.Level.FAIL);
    assertThat(level(checks().processes())).isEqualTo(Finding.Level.OK);
  }

  @Test
  void containersHaveTheirOwnMemory() throws IOException {
    write("proc/meminfo", "MemTotal:       16000000 kB\nMemFree: 1 kB\n");
    assertThat(level(checks().memory())).isEqualTo(Finding.Level.OK);
    write("sys/fs/cgroup/memory.max", "536870912\n");
    assertThat(checks().memory().found()).isEqualTo("512M, a container's limit");
    assertThat(level(checks().memory())).isEqualTo(Finding.Level.WARN);
  }

  @Test
  void whatIsMissingIsSaid() throws IOException {
    assertThat(level(checks().sharedMemory())).isEqualTo(Finding.Level.WARN);
    assertThat(level(checks().fuse())).isEqualTo(Finding.Level.WARN);
    assertThat(checks().mpi().found()).contains("--procs");
    assertThat(level(checks().synchronization())).isEqualTo(Finding.Level.WARN);
    write("bin/mpirun", "");
    assertThat(folder.resolve("bin/mpirun").toFile().setExecutable(true)).isTrue();
    assertThat(checks().mpi().found()).endsWith("bin/mpirun");
    write("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
    assertThat(level(checks().clock())).isEqualTo(Finding.Level.WARN);
  }

  @Test
  void forcesThatAreSlowOrDoNothingAreWarnedOf() {
    assertThat(level(DiskChecks.force(50e6, 60e6))).isEqualTo(Finding.Level.WARN);
    assertThat(level(DiskChecks.force(500, 900))).isEqualTo(Finding.Level.WARN);
    assertThat(level(DiskChecks.force(300e3, 900e3))).isEqualTo(Finding.Level.OK);
  }

  @Test
  void foldersThatCannotBeWrittenFail() {
    assertThat(new DiskChecks(Env.real()).all(Path.of("/proc/1")))
        .extracting(Finding::level)
        .containsExactly(Finding.Level.FAIL);
  }
}
