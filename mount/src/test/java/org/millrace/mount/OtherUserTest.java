package org.millrace.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.mount.system.Libc;
import org.millrace.mount.system.MountTable;
import org.millrace.testing.ChildJava;

/**
 * A user other than root mounts, with the help of {@code fusermount3}. Skipped where there is no
 * such program, or no such user to become.
 */
final class OtherUserTest {

  private static final String BECOME = "setpriv --reuid=nobody --regid=nogroup --clear-groups ";

  @TempDir private Path folder;

  @BeforeEach
  void needs() throws IOException {
    assumeTrue(Libc.isPossible(), "native calls need Linux and native access");
    assumeTrue(Mount.isForAll(), "only root can become another user");
    assumeTrue(Shell.can("command -v fusermount3"), "there is no fusermount3: package fuse3");
    assumeTrue(Shell.can(BECOME + "true"), "there is no user nobody to become");
    assumeTrue(Shell.can(BECOME + "test -w /dev/fuse"), "nobody may not use /dev/fuse");
    assumeTrue(Shell.can("unshare -m true"), "this container may not mount");
  }

  /** Classes where another user may read them; only ours are needed. */
  private String classes() throws IOException {
    List<String> copies = new ArrayList<>();
    Path all = Files.createDirectory(folder.resolve("classes"));
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (entry.endsWith("classes") || entry.contains("millrace-")) {
        Path copy = all.resolve("c" + copies.size() + (entry.endsWith(".jar") ? ".jar" : ""));
        Shell.run(folder, "cp -rL '%s' '%s'".formatted(entry, copy));
        copies.add(copy.toString());
      }
    }
    Shell.run(folder, "chmod -R a+rX classes");
    return String.join(File.pathSeparator, copies);
  }

  @Test
  void otherUserMountsForItselfAlone() throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path place = Files.createDirectory(folder.resolve("m"));
    Shell.run(folder, "chown nobody:nogroup m");
    List<String> line = new ArrayList<>(List.of(BECOME.strip().split(" ", -1)));
    line.addAll(ChildJava.command("--enable-native-access=ALL-UNNAMED"));
    line.addAll(List.of("-cp", classes(), MemoryMount.class.getName(), place.toString()));
    Process server =
        new ProcessBuilder(line)
            .directory(folder.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    assertThat(server.inputReader().readLine()).isEqualTo("ready");
    try {
      assertThat(
              Shell.run(
                  folder,
                  BECOME + "bash -euc 'cd m; mkdir d; echo hi > d/f; cat d/f; ls d; rm -r d; ls'"))
          .isEqualTo("hi\nf");
      assertThat(Shell.can("ls " + place)).as("root may look into it").isFalse();
    } finally {
      Shell.run(folder, BECOME + "fusermount3 -u m");
    }
    assertThat(server.onExit().join().exitValue()).isZero();
    assertThat(MountTable.at(place)).isEmpty();
  }
}
