package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Whether a process is the one that it was. */
final class ProcessStartTest {

  @Test
  void aProcessIsFoundByNumberAndStartOnly() {
    ProcessHandle self = ProcessHandle.current();
    assertThat(ProcessStart.find(self.pid(), ProcessStart.of(self))).contains(self);
    assertThat(ProcessStart.find(self.pid(), "")).as("not known when").contains(self);
    assertThat(ProcessStart.find(self.pid(), "2001-01-01T00:00:00Z")).isEmpty();
    assertThat(ProcessStart.find(1L << 40, "")).isEmpty();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void theKernelSaysWhenRatherThanTheWallClock() throws IOException {
    String boot = Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
    assertThat(ProcessStart.of(ProcessHandle.current())).matches(boot + " [0-9]+");
  }
}
