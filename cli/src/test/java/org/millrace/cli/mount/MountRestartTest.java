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

  private static final int PIECE = 1 << 20;
  private static final int PIECES = 24;

  @TempDir private Path folder;

  private static ByteBuffer bytes(String text) {
    return StandardCharsets.UTF_8.encode(text);
  }

  private static String read(FileChannel from) throws IOException {
    ByteBuffer into = ByteBuffer.allocate(100);
    from.read(into, 0);
    return StandardCharsets.UTF_8.decode(into.flip()).toString();
  }

  /** Large writes go into blocks that nodes keep for them, after the first few. */
  private static void writeMuch(FileChannel to, int from, int pieces) throws IOException {
    for (int i = from; i < from + pieces; i++) {
      ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);
      while (piece.hasRemaining()) {
        piece.put((byte) i);
      }
      to.write(piece.flip());
    }
  }

  private static FileChannel made(Path file) throws IOException {
    return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  @Test
  void filesThatWereForcedGoOnAndOthersFailThoughTheirWritesWereNoMessages() throws IOException {
    assumeTrue(Files.isWritable(Path.of("/dev/fuse")), "there is no /dev/fuse to write to");
    assumeTrue(Mount.isForAll(), "only root mounts by itself");
    try (TrialMount trial = TrialMount.start(folder, 2)) {
      Path mount = trial.mount("m");
      try (FileChannel forced = made(mount.resolve("forced"));
          FileChannel unforced = made(mount.resolve("unforced"))) {
        writeMuch(forced, 0, PIECES);
        writeMuch(unforced, 0, PIECES);
        forced.force(true);
        unforced.force(true);
        writeMuch(unforced, PIECES, 1);
        trial.restart();
        writeMuch(forced, PIECES, PIECES);
        assertThatExceptionOfType(IOException.class)
            .isThrownBy(() -> writeMuch(unforced, PIECES + 1, 1));
      }
      byte[] all = Files.readAllBytes(mount.resolve("forced"));
      assertThat(all).hasSize(2 * PIECES * PIECE);
      for (int i = 0; i < all.length; i++) {
        if (all[i] != (byte) (i / PIECE)) {
          assertThat(all[i]).as("byte %d", i).isEqualTo((byte) (i / PIECE));
        }
      }
    }
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
