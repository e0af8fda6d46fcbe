package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.millrace.files.FileHandle;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;
import org.millrace.files.NewFile;
import org.millrace.testing.Seeds;
import org.millrace.testing.files.MemoryTree;

/** What a tree of files of a cluster does, wherever the cluster runs. Stateless. */
final class FileTreeCases {

  static final Set<FileTree.Opening> READ_WRITE_CREATE =
      Set.of(FileTree.Opening.READ, FileTree.Opening.WRITE, FileTree.Opening.CREATE);

  private FileTreeCases() {}

  /** Something that a thread does. */
  interface Body {
    void run(int thread) throws IOException;
  }

  static void inThreads(int count, Body body) throws IOException {
    ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < count; t++) {
      int number = t;
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      body.run(number);
                    } catch (IOException | RuntimeException | Error e) {
                      failures.add(e);
                    }
                  }));
    }
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
    if (!failures.isEmpty()) {
      throw new AssertionError(failures.size() + " threads failed", failures.peek());
    }
  }

  /** Threads make random calls, each in a directory of its own, and compare with an oracle. */
  static void agreesWithTheOracle(FileTree tree, int seeds, int calls) throws IOException {
    for (long seed : Seeds.of(seeds)) {
      inThreads(
          3,
          thread -> {
            String home = "t%d-%x".formatted(thread, seed);
            tree.makeDirectory(FilePath.of(home), NewFile.with(0755));
            compare(tree, home, seed + thread, calls, Seeds.replay(seed));
          });
    }
  }

  private static void compare(FileTree tree, String home, long seed, int calls, String replay)
      throws IOException {
    try (MemoryTree root = new MemoryTree()) {
      root.makeDirectory(FilePath.of(home), NewFile.with(0777));
      MemoryTree user = root.sessionOf("u", List.of("g"));
      TreeScript real = new TreeScript(tree, home, seed);
      TreeScript oracle = new TreeScript(user, home, seed);
      List<String> done = new ArrayList<>();
      for (int i = 0; i < calls; i++) {
        String expected = oracle.next();
        String found = real.next();
        done.add(expected);
        assertThat(found)
            .as("call %d after %s, %s", i, done.subList(Math.max(0, i - 12), i), replay)
            .isEqualTo(expected);
      }
      real.close();
      oracle.close();
      assertThat(user.openHandles()).isZero();
    }
  }

  /** Appenders never take the same place, whatever handle they use. */
  static void appendersShareTheEnd(FileTree tree) throws IOException {
    int threads = 4;
    int each = 200;
    FilePath path = FilePath.of("appended");
    Set<Long> places = new TreeSet<>();
    ConcurrentLinkedQueue<Long> taken = new ConcurrentLinkedQueue<>();
    inThreads(
        threads,
        thread -> {
          try (FileHandle file = tree.open(path, READ_WRITE_CREATE, NewFile.with(0644))) {
            byte[] record = new byte[16];
            for (int i = 0; i < each; i++) {
              MemorySegment bytes = MemorySegment.ofArray(record);
              bytes.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, thread + 1);
              bytes.set(ValueLayout.JAVA_LONG_UNALIGNED, 8, i);
              taken.add(file.append(bytes));
            }
          }
        });
    places.addAll(taken);
    assertThat(places).hasSize(threads * each);
    int[] next = new int[threads];
    try (FileHandle file = tree.open(path, Set.of(FileTree.Opening.READ), NewFile.with(0))) {
      assertThat(file.size()).isEqualTo(16L * threads * each);
      byte[] all = new byte[16 * threads * each];
      MemorySegment bytes = MemorySegment.ofArray(all);
      assertThat(file.read(0, bytes)).isEqualTo(all.length);
      for (int at = 0; at < all.length; at += 16) {
        int thread = (int) bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, at) - 1;
        assertThat(bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, at + 8L)).isEqualTo(next[thread]++);
      }
    }
  }

  /** A file without a name is still a file for those who have it open. */
  @SuppressWarnings("try") // closed in the middle on purpose
  static void aFileOutlivesItsName(FileTree tree, FileTree other) throws IOException {
    FilePath path = FilePath.of("gone");
    byte[] read = new byte[10];
    try (FileHandle file = tree.open(path, READ_WRITE_CREATE, NewFile.with(0644));
        FileHandle second = other.open(path, READ_WRITE_CREATE, NewFile.with(0644))) {
      file.write(0, MemorySegment.ofArray(new byte[] {1, 2}));
      tree.remove(path, FileTree.Removing.FILE);
      file.write(2, MemorySegment.ofArray(new byte[] {3}));
      assertThat(second.read(0, MemorySegment.ofArray(read))).isEqualTo(3);
      assertThat(file.status().links()).isZero();
      try (FileHandle fresh = tree.open(path, READ_WRITE_CREATE, NewFile.with(0644))) {
        assertThat(fresh.size()).isZero();
        assertThat(fresh.id()).isNotEqualTo(file.id());
        fresh.write(0, MemorySegment.ofArray(new byte[] {9}));
      }
      file.close();
      assertThat(second.read(0, MemorySegment.ofArray(read))).isEqualTo(3);
      second.write(100_000, MemorySegment.ofArray(new byte[] {5}));
      assertThat(second.size()).isEqualTo(100_001);
    }
    assertThat(tree.stat(path).size()).isEqualTo(1);
  }
}
