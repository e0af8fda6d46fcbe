package org.millrace.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ChildJvmTest {

  @TempDir private Path folder;

  /** Fails when it is told to, and then does not end. */
  static final class Stubborn {

    private Stubborn() {}

    /** No arguments. */
    public static void main(String[] args) throws InterruptedException {
      try {
        ChildCommands.serve(Stubborn::handle);
      } catch (IOException e) {
        new CountDownLatch(1).await();
      }
    }

    private static String handle(String[] words) throws IOException {
      if (words[0].equals("fail")) {
        throw new IOException("as it was\ntold");
      }
      return words[0];
    }
  }

  private ChildJvm start() throws IOException {
    return ChildJvm.start(folder, "it", Stubborn.class, List.of(), Map.of());
  }

  @Test
  void anOrderThatFailsIsToldAlthoughTheProcessGoesOn() throws IOException {
    try (ChildJvm it = start()) {
      assertThat(it.ask("hello")).isEqualTo("hello");
      assertThatThrownBy(() -> it.ask("fail"))
          .isInstanceOf(IOException.class)
          .hasMessage("it: java.io.IOException: as it was; told");
      it.kill();
    }
  }

  @Test
  void aProcessThatHasEndedIsTold() throws IOException {
    try (ChildJvm it = start()) {
      it.kill();
      assertThatThrownBy(() -> it.ask("hello"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("it has ended");
    }
  }
}
