package org.millrace.mount;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.env.Env;
import org.millrace.files.FileHandle;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;
import org.millrace.files.FileTree.Opening;
import org.millrace.files.NewFile;
import org.millrace.mount.MountOptions.Caching;
import org.millrace.mount.system.Libc;

/**
 * Two mounts of a cluster and a Java program, which see each other's writes though the kernel keeps
 * bytes where it may. Names and attributes are kept for long, so that these cannot make the
 * difference. Skipped where the kernel has no FUSE.
 */
final class SharedFilesTest {

  private static final long LONG_NANOS = 1_000_000_000_000L;
  private static final int FAR = 5000;

  @TempDir private Path folder;

  private final List<String> log = new CopyOnWriteArrayList<>();
  private final List<AutoCloseable> toClose = new ArrayList<>();
  private final AtomicLong reads = new AtomicLong();
  private final AtomicLong forces = new AtomicLong();
  private PythonFiles python;
  private FileTree java;
  private Cluster cluster;

  @BeforeEach
  void mount() throws IOException {
    assumeTrue(Libc.isPossible(), "native calls need Linux and native access");
    assumeTrue(Files.isWritable(Path.of("/dev/fuse")), "there is no /dev/fuse to write to");
    assumeTrue(Mount.isForAll(), "only root mounts by itself");
    assumeTrue(Shell.can("unshare -m true"), "this container may not mount");
    assumeTrue(Shell.can("python3 -c 'import mmap'"), "there is no python3");
    cluster = closing(Cluster.embedded(folder.resolve("cluster"), 2));
    java = closing(cluster.files());
    mountAt("a", Caching.DELEGATED);
    mountAt("b", Caching.DELEGATED);
    python = closing(new PythonFiles(folder));
  }

  private <T extends AutoCloseable> T closing(T one) {
    toClose.addFirst(one);
    return one;
  }

  private void mountAt(String name, Caching caching) throws IOException {
    MountOptions options =
        MountOptions.usual(log::add)
            .withGivesOwners(false)
            .withCacheNanos(LONG_NANOS)
            .withCaching(caching);
    FileTree tree = closing(cluster.files());
    Path at = Files.createDirectory(folder.resolve(name));
    closing(Mount.start(Env.real(), counted(FileTree.class, tree), at, options));
  }

  /** The same, with reads of its handles counted. */
  private <T> T counted(Class<T> type, T one) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, args) -> {
              if (method.getName().equals("read")) {
                reads.incrementAndGet();
              } else if (method.getName().equals("force")) {
                forces.incrementAndGet();
              }
              try {
                Object result = method.invoke(one, args);
                return result instanceof FileHandle handle
                    ? counted(FileHandle.class, handle)
                    : result;
              } catch (InvocationTargetException e) {
                throw Objects.requireNonNull(e.getCause());
              }
            }));
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : toClose) {
      one.close();
    }
    assertThat(log).as("the log of the mounts").isEmpty();
  }

  private String does(String step) throws IOException {
    return python.does(step);
  }

  /**
   * Whether a file that was open here before others opened it shows what they wrote: the kernel
   * drops what it has read through it right afterwards, so an earlier read may show for a moment.
   */
  private boolean soon(String step, String text) throws IOException {
    while (!does(step).equals("=" + text)) {
      Thread.onSpinWait();
    }
    return true;
  }

  private FileHandle open(Opening... how) throws IOException {
    return java.open(FilePath.of("f"), Set.of(how), NewFile.with(0644));
  }

  private static void write(FileHandle to, long at, String text) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      byte[] bytes = text.getBytes(US_ASCII);
      to.write(at, arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes));
    }
  }

  private static String read(FileHandle from, long at, int most) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment into = arena.allocate(most);
      long count = from.read(at, into);
      return new String(into.asSlice(0, count).toArray(ValueLayout.JAVA_BYTE), US_ASCII);
    }
  }

  private void make() throws IOException {
    does("open f a/f O_RDWR|O_CREAT");
    does("write f 0 " + "x".repeat(2 * FAR));
  }

  @Test
  void theKernelKeepsWhatItHasReadAndWrittenWhileNobodyElseWrites() throws IOException {
    make();
    assertThat(does("read f %d 3".formatted(FAR))).isEqualTo("=xxx");
    long before = reads.get();
    try (FileHandle reader = open(Opening.READ)) {
      for (int i = 0; i < 10; i++) {
        String text = "%03d".formatted(i);
        does("write f %d %s".formatted(FAR, text));
        assertThat(does("read f %d 3".formatted(FAR))).isEqualTo("=" + text);
        assertThat(read(reader, FAR, 3)).as("what was written through the cache").isEqualTo(text);
      }
    }
    assertThat(reads.get()).as("requests").isEqualTo(before);
  }

  @Test
  void withoutCachingEachReadIsARequest() throws IOException {
    mountAt("c", Caching.NEVER);
    make();
    does("open g c/f O_RDONLY");
    long before = reads.get();
    does("read g 0 3");
    does("read g 0 3");
    assertThat(reads.get()).isEqualTo(before + 2);
  }

  @Test
  void aProgramsWritesAreReadThroughFilesThatWereOpenBefore() throws IOException {
    make();
    does("open r b/f O_RDONLY");
    does("read f %d 3".formatted(FAR));
    try (FileHandle writer = open(Opening.WRITE)) {
      for (int i = 0; i < 100; i++) {
        String text = "%03d".formatted(i);
        write(writer, FAR, text);
        assertThat(does("read r %d 3".formatted(FAR))).isEqualTo("=" + text);
        assertThat(soon("read f %d 3".formatted(FAR), text)).isTrue();
      }
      write(writer, 2 * FAR, "more");
      assertThat(soon("read f %d 9".formatted(2 * FAR), "more")).isTrue();
      assertThat(does("read r %d 9".formatted(2 * FAR))).isEqualTo("=more");
      writer.resize(FAR + 2);
      assertThat(soon("read f %d 9".formatted(FAR), "09")).isTrue();
      assertThat(does("read r %d 9".formatted(FAR))).isEqualTo("=09");
    }
  }

  @Test
  void twoMountsWriteTheSameFileAndReadEachOther() throws IOException {
    make();
    does("open g b/f O_RDWR");
    for (int i = 0; i < 100; i++) {
      String text = "%03d".formatted(i);
      does("write %s %d %s".formatted(i % 2 == 0 ? "f" : "g", FAR, text));
      assertThat(does("read g %d 3".formatted(FAR))).isEqualTo("=" + text);
      assertThat(soon("read f %d 3".formatted(FAR), text)).isTrue();
    }
    does("open h b/f O_WRONLY|O_APPEND");
    does("append h end");
    assertThat(soon("read f %d 9".formatted(2 * FAR), "end")).isTrue();
  }

  @Test
  void whatIsWrittenPastTheCacheIsReadByThoseWhoOpenTheFileMeanwhile() throws IOException {
    make();
    assertThat(does("read f %d 3".formatted(FAR))).isEqualTo("=xxx");
    does("close f"); // what was read stays in the kernel
    does("open w a/f O_WRONLY");
    does("open r a/f O_RDONLY");
    does("open m a/f O_RDWR");
    does("map m " + 2 * FAR);
    for (int i = 0; i < 100; i++) {
      String text = "%03d".formatted(i);
      does("write w %d %s".formatted(FAR, text));
      assertThat(does("read r %d 3".formatted(FAR))).isEqualTo("=" + text);
      assertThat(does("get m %d 3".formatted(FAR))).isEqualTo("=" + text);
      does("put m %d y".formatted(FAR));
      assertThat(does("read r %d 3".formatted(FAR))).isEqualTo("=y" + text.substring(1));
    }
    does("write w %d more".formatted(2 * FAR));
    assertThat(does("size r")).isEqualTo("" + (2 * FAR + 4));
    assertThat(does("read r %d 9".formatted(2 * FAR))).isEqualTo("=more");
    does("truncate w " + (FAR + 2));
    assertThat(does("size r")).isEqualTo("" + (FAR + 2));
    assertThat(does("read r %d 9".formatted(FAR))).isEqualTo("=y9");
  }

  @Test
  void writesOfFilesThatAreOpenedForThatAreDurable() throws IOException {
    for (String how : List.of("O_WRONLY", "O_RDWR", "O_WRONLY|O_APPEND", "O_RDWR|O_APPEND")) {
      does("open n a/f O_CREAT|" + how);
      long before = forces.get();
      does("write n 0 x");
      assertThat(forces.get()).as(how).isEqualTo(before);
      does("close n");
      for (String sync : List.of("O_SYNC", "O_DSYNC")) {
        does("open s a/f %s|%s".formatted(how, sync));
        before = forces.get();
        does("write s 0 x");
        assertThat(forces.get()).as("%s|%s", how, sync).isEqualTo(before + 1);
        does("close s");
      }
    }
  }

  @Test
  void whatIsWrittenBesideAReaderThroughTheCacheIsReadByIt() throws IOException {
    make();
    does("open r a/f O_RDONLY");
    does("mapread r " + 2 * FAR);
    does("open w a/f O_WRONLY");
    for (int i = 0; i < 100; i++) {
      String text = "%03d".formatted(i);
      does("write w %d %s".formatted(FAR, text));
      assertThat(does("read r %d 3".formatted(FAR))).isEqualTo("=" + text);
      assertThat(does("get r %d 3".formatted(FAR))).isEqualTo("=" + text);
    }
  }

  @Test
  void copiesAndRoomThatIsTakenShowTheSizeOfAFileThatIsWrittenPastTheCache() throws IOException {
    make();
    does("open w a/g O_WRONLY|O_CREAT");
    does("open r a/g O_RDONLY");
    does("copy f 0 w 3 " + FAR);
    assertThat(does("size w")).isEqualTo("" + (FAR + 3));
    assertThat(does("read r %d 9".formatted(FAR))).isEqualTo("=xxx");
    does("allocate w 0 " + 2 * FAR);
    assertThat(does("size r")).isEqualTo("" + 2 * FAR);
    does("open e a/g O_WRONLY|O_APPEND");
    does("append e end");
    assertThat(does("size w")).isEqualTo("" + (2 * FAR + 3));
    does("write w %d more".formatted(2 * FAR + 3));
    assertThat(does("read r %d 9".formatted(2 * FAR))).isEqualTo("=endmore");
  }

  @Test
  void aFileThatWasWrittenIsKeptByWhoOpensItAfterwards() throws IOException {
    make();
    does("close f");
    does("open w a/f O_WRONLY");
    does("write w %d new".formatted(FAR));
    does("close w");
    does("open r a/f O_RDONLY");
    assertThat(does("read r %d 3".formatted(FAR))).isEqualTo("=new");
    long once = reads.get();
    assertThat(does("read r %d 3".formatted(FAR))).isEqualTo("=new");
    assertThat(reads.get()).as("requests").isEqualTo(once);
  }

  @Test
  void whoIsAloneAgainKeepsBytesAgain() throws IOException {
    make();
    try (FileHandle writer = open(Opening.WRITE)) {
      write(writer, FAR, "java");
      does("open g a/f O_RDONLY");
      assertThat(does("read g %d 4".formatted(FAR))).isEqualTo("=java");
    }
    does("open h a/f O_RDONLY");
    assertThat(does("read h %d 4".formatted(FAR))).isEqualTo("=java");
    long before = reads.get();
    assertThat(does("read h %d 4".formatted(FAR))).isEqualTo("=java");
    assertThat(does("read f %d 4".formatted(FAR))).as("opened before").isEqualTo("=java");
    assertThat(reads.get()).as("requests").isEqualTo(before);
  }

  @Test
  void whatWasChangedInAMapIsThereWhenAnotherHasOpenedTheFileToWrite() throws IOException {
    make();
    does("map f " + 2 * FAR);
    does("put f %d mapped".formatted(FAR));
    try (FileHandle writer = open(Opening.READ, Opening.WRITE)) {
      assertThat(read(writer, FAR, 6)).isEqualTo("mapped");
      write(writer, FAR, "java!!");
      assertThat(soon("read f %d 6".formatted(FAR), "java!!")).isTrue();
    }
  }

  @Test
  void mapsShowWhatOthersWrite() throws IOException {
    make();
    does("map f " + 2 * FAR);
    assertThat(does("get f %d 3".formatted(FAR))).isEqualTo("=xxx");
    try (FileHandle writer = open(Opening.WRITE)) {
      for (int i = 0; i < 20; i++) {
        String text = "%03d".formatted(i);
        write(writer, FAR, text);
        assertThat(soon("get f %d 3".formatted(FAR), text)).isTrue();
      }
    }
  }

  @Test
  void afterALockNothingOlderIsRead() throws IOException {
    make();
    try (FileHandle writer = open(Opening.WRITE)) {
      for (int i = 0; i < 100; i++) {
        String text = "%03d".formatted(i);
        does("read f %d 3".formatted(FAR));
        write(writer, FAR, text);
        does("lock f");
        assertThat(does("read f %d 3".formatted(FAR))).isEqualTo("=" + text);
        does("unlock f");
      }
    }
  }

  /** Opens wait for other mounts; so many that each could keep all threads of the other. */
  @Test
  void manyFilesThatTwoMountsWantFromEachOtherAreGivenBack() throws IOException {
    for (int i = 0; i < 40; i++) {
      does("open a%d a/a%d O_RDWR|O_CREAT".formatted(i, i));
      does("open b%d b/b%d O_RDWR|O_CREAT".formatted(i, i));
      does("write a%d 0 one".formatted(i));
    }
    Shell.run(
        folder, "for i in $(seq 0 39); do (echo two > a/b$i) & (echo three > b/a$i) & done; wait");
    for (int i = 0; i < 40; i++) {
      assertThat(soon("read a%d 0 5".formatted(i), "three")).isTrue();
      does("close a" + i);
      does("close b" + i);
    }
  }
}
