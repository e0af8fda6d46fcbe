package org.millrace.cli.daemons;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** How processes are asked to end. */
final class StopCommandTest {

  @Test
  void aProcessThatMayNotBeEndedIsNamedAtOnce() {
    assertThatThrownBy(() -> StopCommand.askToEnd("node-0", new Stranger(true)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_PERMITTED))
        .hasMessageContaining("not permitted")
        .hasMessageContaining("node-0 (pid 4711)")
        .hasMessageContaining("user somebody");
  }

  @Test
  void aProcessThatEndedMeanwhileIsNoError() {
    assertThatCode(() -> StopCommand.askToEnd("node-0", new Stranger(false)))
        .doesNotThrowAnyException();
  }

  /** A process that no signal of ours reaches. */
  private record Stranger(boolean isAlive) implements ProcessHandle, ProcessHandle.Info {

    @Override
    public long pid() {
      return 4711;
    }

    @Override
    public boolean destroy() {
      return false;
    }

    @Override
    public boolean destroyForcibly() {
      return false;
    }

    @Override
    public boolean supportsNormalTermination() {
      return true;
    }

    @Override
    public Optional<ProcessHandle> parent() {
      return Optional.empty();
    }

    @Override
    public Stream<ProcessHandle> children() {
      return Stream.empty();
    }

    @Override
    public Stream<ProcessHandle> descendants() {
      return Stream.empty();
    }

    @Override
    public Info info() {
      return this;
    }

    @Override
    public CompletableFuture<ProcessHandle> onExit() {
      return new CompletableFuture<>();
    }

    @Override
    public int compareTo(ProcessHandle other) {
      return Long.compare(pid(), other.pid());
    }

    @Override
    public Optional<String> command() {
      return Optional.empty();
    }

    @Override
    public Optional<String> commandLine() {
      return Optional.empty();
    }

    @Override
    public Optional<String[]> arguments() {
      return Optional.empty();
    }

    @Override
    public Optional<Instant> startInstant() {
      return Optional.empty();
    }

    @Override
    public Optional<Duration> totalCpuDuration() {
      return Optional.empty();
    }

    @Override
    public Optional<String> user() {
      return Optional.of("somebody");
    }
  }
}
