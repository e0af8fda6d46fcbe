package org.millrace.cli.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.mount.Mount;

/** A mount of a cluster of processes that is ended in order and started again. */
@Tag("long")
final class MountRestartTest {

  @TempDir private Path folder;

  private static ByteBuffer bytes(String text) {
    return StandardCharsets.UTF_8.encode(text);
  }

  private static String read(FileChannel from) throws IOException {
    ByteBuffer into = ByteBuffer.allocate(100);
    from.read(into, 0);
    return StandardCharsets.UTF_8.decode(into.flip()).toString();
  }

  @Test
  void mountGoesOnAfterStopAndUp() throws IOException {
    assumeTrue(Files.isWritable(Path.of("/dev/fuse")), "there is no /dev/fuse to write to");
    assumeTrue(Mount.isForAll(), "only root mounts by itself");
    Files.createDirectory(folder.resolve("probe"));
    try (TrialMount trial = TrialMount.start(folder, 2)) {
      Path mount = trial.mount("m");
      Path kept = mount.resolve("kept");
      Files.writeString(kept, "kept");
      try (FileChannel reads = FileChannel.open(kept);
          FileChannel forced =
              FileChannel.open(
                  mount.resolve("forced"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileChannel unforced =
              FileChannel.open(
                  mount.resolve("unforced"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        forced.write(bytes("one"));
        forced.force(true);
        unforced.write(bytes("one"));
        trial.restart();
        assertThat(Files.readString(kept)).isEqualTo("kept");
        assertThat(read(reads)).isEqualTo("kept");
        forced.write(bytes("two"));
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> unforced.write(bytes("two")));
      }
      assertThat(mount.resolve("forced")).hasContent("onetwo");
      Files.writeString(mount.resolve("new"), "new");
      assertThat(mount.resolve("new")).hasContent("new");
    }
  }
}
