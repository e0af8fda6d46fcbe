package org.millrace.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.env.Env;
import org.millrace.mount.system.Libc;
import org.millrace.mount.system.MountTable;
import org.millrace.testing.ChildJava;
import org.millrace.testing.files.MemoryTree;

/** A real mount of a tree in memory, used by programs. Skipped where the kernel has no FUSE. */
final class RealMountTest {

  @TempDir private Path folder;

  private final MemoryTree tree = new MemoryTree();
  private final List<String> log = new ArrayList<>();
  private final List<Mount> mounts = new ArrayList<>();
  private Path place = Path.of("");

  @BeforeEach
  void mount() throws IOException {
    assumeTrue(Libc.isPossible(), "native calls need Linux and native access");
    assumeTrue(Files.isWritable(Path.of("/dev/fuse")), "there is no /dev/fuse to write to");
    assumeTrue(Mount.isForAll(), "only root mounts by itself");
    assumeTrue(Shell.can("unshare -m true"), "this container may not mount");
    place = mountAt("m");
  }

  @AfterEach
  void unmount() throws IOException {
    for (Mount mount : mounts) {
      mount.close();
    }
    assertThat(log).isEmpty();
  }

  private Path mountAt(String name) throws IOException {
    return mountAt(name, MountOptions.usual(log::add));
  }

  private Path mountAt(String name, MountOptions options) throws IOException {
    Path directory = Files.createDirectory(folder.resolve(name));
    mounts.add(Mount.start(Env.real(), tree.anotherSession(), directory, options));
    return directory;
  }

  @Test
  void toolsOfTheShellWork() throws IOException {
    String said =
        Shell.run(
            place,
            """
            mkdir -p a/b; echo hello > a/b/f; cp a/b/f a/g; mv a/g a/h; ln a/h a/i; ln -s b/f a/l
            cat a/l; stat -c %h a/h; chmod 640 a/h; stat -c %a a/i; touch -d @7.25 a/h; stat -c %.2Y a/h
            tar cf t.tar a; mkdir x; tar xf t.tar -C x; diff -r a x/a
            dd if=/dev/zero of=z bs=1M count=3 seek=1 status=none; stat -c %s z
            dd if=/dev/zero of=z bs=1 count=1 seek=99 conv=notrunc oflag=append status=none; stat -c %s z
            truncate -s 5 z; stat -c %s z; find . -type f | sort | tr '\\n' ' '
            rm -r a x; ls
            """);
    assertThat(said.lines())
        .containsExactly(
            "hello",
            "2",
            "640",
            "7.25",
            "4194304",
            "4194305",
            "5",
            "./a/b/f ./a/h ./a/i ./t.tar ./x/a/b/f ./x/a/h ./x/a/i ./z t.tar",
            "z");
  }

  @Test
  void tenThousandNamesAreListedAndRemoved() throws IOException {
    assertThat(
            Shell.run(
                place,
                """
                mkdir d; seq -f 'd/%.0f' 10000 | xargs touch; ls d | wc -l; ls -l d | wc -l
                find d -type f -empty | wc -l; rm -r d; ls | wc -l
                """))
        .isEqualTo("10000\n10001\n10000\n0");
  }

  @Test
  void filesLiveOnWithoutNamesAndRenamesReplaceOpenOnes() throws IOException {
    assertThat(
            Shell.run(
                place,
                """
                exec 3<>f; echo one >&3; rm f; echo two >&3; cat /proc/self/fd/3; stat -L -c %h /proc/self/fd/3
                echo old > g; exec 4<g; echo new > h; mv h g; cat <&4; cat g; mkdir d; mv g d/; ls d
                """))
        .isEqualTo("one\ntwo\n0\nold\nnew\ng");
    assertThat(tree.stat(org.millrace.files.FilePath.of("d/g")).size()).isEqualTo(4);
  }

  @Test
  void mappedFilesAreReadAndWritten() throws IOException {
    assumeTrue(Shell.can("python3 -c 'import mmap'"), "there is no python3");
    assertThat(
            Shell.run(
                place,
                """
                python3 - <<'end'
                import mmap, os
                f = open('f', 'w+b'); f.truncate(3 << 20)
                m = mmap.mmap(f.fileno(), 0)
                m[(1 << 20) - 2:(1 << 20) + 3] = b'hello'; m.flush()
                print(os.pread(f.fileno(), 7, (1 << 20) - 3))
                os.pwrite(f.fileno(), b'J', (1 << 20) - 2)
                print(m[(1 << 20) - 2:(1 << 20) + 3])
                end
                """))
        .isEqualTo("b'\\x00hello\\x00'\nb'Jello'");
  }

  @Test
  void locksHoldBetweenProcessesAndMounts() throws IOException {
    assumeTrue(Shell.can("python3 -c 'import fcntl'"), "there is no python3");
    mountAt("other");
    assertThat(
            Shell.run(
                folder,
                """
                python3 - <<'end'
                import fcntl, os, subprocess, sys
                def child(call, name):
                    code = ('import fcntl,sys\\nf=open(sys.argv[1],"r+")\\n'
                        'try: fcntl.%s; print("got")\\nexcept OSError as e: print(e.errno)' % call)
                    return subprocess.run([sys.executable, '-c', code, name], capture_output=True, text=True).stdout.strip()
                both = 'LOCK_EX|fcntl.LOCK_NB'
                f = open('m/f', 'w+')
                fcntl.lockf(f, fcntl.LOCK_EX, 10, 5)
                for place in ('m/f', 'other/f'):
                    print(child('lockf(f,fcntl.%s,10,14)' % both, place), child('lockf(f,fcntl.%s,10,15)' % both, place),
                        child('flock(f,fcntl.%s)' % both, place))
                fcntl.flock(f, fcntl.LOCK_EX)
                print(child('flock(f,fcntl.%s)' % both, 'm/f'), child('flock(f,fcntl.%s)' % both, 'other/f'))
                waiting = subprocess.Popen([sys.executable, '-c', 'import fcntl\\nf=open("other/f","r+")\\nfcntl.lockf(f,fcntl.LOCK_EX)\\nprint("waited")'], stdout=subprocess.PIPE, text=True)
                f.close()
                print(waiting.communicate()[0].strip())
                end
                """))
        .isEqualTo("11 got got\n11 got got\n11 11\nwaited");
  }

  @Test
  void twoMountsSeeEachOthersClosedFiles() throws IOException {
    mountAt("other");
    assertThat(
            Shell.run(
                folder,
                """
                echo one > m/f; stat -c %s other/f; echo longer > m/f; cat other/f
                exec 3<other/f; stat -L -c %s /proc/self/fd/3; echo more >> m/f; echo again >> other/f; cat m/f
                """))
        .isEqualTo("4\nlonger\n7\nlonger\nmore\nagain");
  }

  /** Names are kept for long, so that only opening and locking can make the difference. */
  @Test
  void bytesThatTheKernelKeepsAreFreshAfterOpeningAndLocking() throws IOException {
    assumeTrue(Shell.can("python3 -c 'import fcntl'"), "there is no python3");
    MountOptions options = MountOptions.usual(log::add);
    options = options.withCaching(MountOptions.Caching.ALWAYS);
    mountAt("kept", options.withCacheNanos(1_000_000_000_000L));
    assertThat(
            Shell.run(
                folder,
                """
                python3 - <<'end'
                import fcntl, os
                w = os.open('m/f', os.O_CREAT | os.O_RDWR)
                os.pwrite(w, b'a' * 8192, 0)
                f = os.open('kept/f', os.O_RDWR)
                print(os.pread(f, 1, 5000))
                os.pwrite(w, b'b' * 8192, 0)
                print(os.pread(f, 1, 5000))
                g = os.open('kept/f', os.O_RDONLY)
                print(os.pread(g, 1, 5000), os.pread(f, 1, 5000))
                os.pwrite(w, b'c' * 9000, 0)
                fcntl.lockf(f, fcntl.LOCK_EX)
                print(os.pread(f, 1, 5000), os.fstat(f).st_size)
                os.pwrite(f, b'd', 5000)
                print(os.pread(w, 1, 5000))
                end
                """))
        .isEqualTo("b'a'\nb'a'\nb'b' b'b'\nb'c' 9000\nb'd'");
  }

  @Test
  void placesThatCannotBeMountedAtAreRefusedWithWhatToDo() throws IOException {
    Path full = Files.createDirectory(folder.resolve("full"));
    Files.createFile(full.resolve("x"));
    refused("is not empty", full);
    refused("is not a directory", folder.resolve("missing"));
    refused("is not a directory", full.resolve("x"));
    refused("millrace umount", place);
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> Mount.unmount(full, false))
        .withMessageContaining("no mount of millrace");
    try (var held = Files.newInputStream(Files.createFile(place.resolve("held")))) {
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> Mount.unmount(place, false))
          .withMessageContaining("in use");
      assertThat(held.available()).isZero();
    }
  }

  @Test
  void killedServerLeavesNoHangingCallsAndIsUnmounted() throws IOException {
    Path dead = Files.createDirectory(folder.resolve("dead"));
    List<String> line = ChildJava.command("--enable-native-access=ALL-UNNAMED");
    line.addAll(List.of("-cp", System.getProperty("java.class.path")));
    line.addAll(List.of(MemoryMount.class.getName(), dead.toString()));
    Process server =
        new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    assertThat(server.inputReader().readLine()).isEqualTo("ready");
    // One that waits in the kernel for an answer that does not come, another that asks again and
    // again.
    Process waits =
        new ProcessBuilder(
                "bash",
                "-c",
                "echo x > f; exec 8<f 9<f; flock 8; (flock 9); echo ended; cat f || true")
            .directory(dead.toFile())
            .redirectErrorStream(true)
            .start();
    Process asks =
        new ProcessBuilder("bash", "-c", "while touch g; do :; done; echo over")
            .directory(dead.toFile())
            .redirectErrorStream(true)
            .start();
    server.destroyForcibly().onExit().join();
    waits.onExit().join();
    asks.onExit().join();
    assertThat(Mount.isDead(dead)).isTrue();
    Mount.unmount(dead, false);
    assertThat(MountTable.at(dead)).isEmpty();
    assertThat(dead).isEmptyDirectory();
  }

  private void refused(String part, Path at) {
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> Mount.start(Env.real(), tree, at, MountOptions.usual(log::add)))
        .withMessageContaining(part);
  }
}
