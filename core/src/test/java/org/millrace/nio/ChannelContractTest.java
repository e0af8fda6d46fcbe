package org.millrace.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.FileLockInterruptionException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.millrace.files.ByteLock;
import org.millrace.files.FileHandle;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;
import org.millrace.testing.files.MemoryTree;

/** What {@code java.nio.file} promises of channels and keys beside their bytes. */
final class ChannelContractTest {

  private final MemoryTree tree = new MemoryTree();

  private interface Step {
    void run() throws IOException;
  }

  /** A tree whose handles do something before they give bytes back. */
  private static FileTree beforeUnlocking(FileTree tree, Step step) {
    return instead(
        FileTree.class,
        tree,
        (name, _, result) ->
            name.equals("open")
                ? instead(
                    FileHandle.class,
                    (FileHandle) result.get(),
                    (called, arguments, rest) -> {
                      if (called.equals("lock")
                          && ((ByteLock) arguments[0]).kind() == ByteLock.Kind.NONE) {
                        step.run();
                      }
                      return rest.get();
                    })
                : result.get());
  }

  private interface Result {
    Object get() throws Throwable;
  }

  private interface Instead {
    Object call(String name, Object[] arguments, Result result) throws Throwable;
  }

  private static <T> T instead(Class<T> type, T of, Instead by) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) ->
                by.call(
                    method.getName(),
                    arguments,
                    () -> {
                      try {
                        return method.invoke(of, arguments);
                      } catch (InvocationTargetException e) {
                        throw e.getCause();
                      }
                    })));
  }

  private static FileChannel channel(FileSystem files, StandardOpenOption... more)
      throws IOException {
    List<StandardOpenOption> all = new ArrayList<>(List.of(more));
    all.add(StandardOpenOption.CREATE);
    all.add(StandardOpenOption.WRITE);
    return FileChannel.open(files.getPath("/f"), all.toArray(StandardOpenOption[]::new));
  }

  @Test
  void aRangeCanBeLockedAgainWhenItWasGivenBackAndNotBefore() throws IOException {
    List<FileChannel> opened = new ArrayList<>();
    Step lockAgain =
        () ->
            assertThatThrownBy(() -> opened.getFirst().tryLock(0, 1, false))
                .isInstanceOf(OverlappingFileLockException.class);
    try (FileSystem files =
        MillraceFileSystemProvider.over(beforeUnlocking(tree, lockAgain), "test")) {
      opened.add(channel(files));
      opened.getFirst().lock(0, 1, false).release();
      FileLock next = opened.getFirst().tryLock(0, 1, false);
      assertThat(next).isNotNull();
    }
  }

  @Test
  void whoIsInterruptedWhileItLocksHearsThat() throws IOException {
    try (FileSystem files = MillraceFileSystemProvider.over(tree, "test")) {
      FileChannel channel = channel(files);
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> channel.lock(0, 1, false))
          .isInstanceOf(FileLockInterruptionException.class);
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void aFileGoesWithItsChannelWhenTheFileSystemIsClosed() throws IOException {
    MemoryTree other = tree.anotherSession();
    try (FileSystem files = MillraceFileSystemProvider.over(tree, "test")) {
      channel(files, StandardOpenOption.DELETE_ON_CLOSE);
      assertThat(other.stat(FilePath.of("/f")).size()).isZero();
    }
    assertThat(other.list(FilePath.of("/"), "", 1).entries()).isEmpty();
  }

  @Test
  void aChannelWhoseFileIsGoneAlreadyClosesInPeace() throws IOException {
    try (FileSystem files = MillraceFileSystemProvider.over(tree, "test")) {
      FileChannel channel = channel(files, StandardOpenOption.DELETE_ON_CLOSE);
      Files.delete(files.getPath("/f"));
      channel.close();
      assertThat(channel.isOpen()).isFalse();
    }
  }

  @Test
  void aPrivateMappingWantsAChannelThatWrites() throws IOException {
    try (FileSystem files = MillraceFileSystemProvider.over(tree, "test")) {
      Path file = Files.createFile(files.getPath("/f"));
      try (FileChannel reads = FileChannel.open(file)) {
        assertThatThrownBy(() -> reads.map(FileChannel.MapMode.PRIVATE, 0, 0))
            .isInstanceOf(NonWritableChannelException.class);
      }
    }
  }

  @Test
  void aKeyThatIsCancelledTwiceLeavesTheNextOneAlone() throws IOException, InterruptedException {
    try (FileSystem files = MillraceFileSystemProvider.over(tree, "test");
        WatchService watcher = files.newWatchService()) {
      Path root = files.getPath("/");
      WatchKey first = root.register(watcher, StandardWatchEventKinds.ENTRY_CREATE);
      first.cancel();
      WatchKey second = root.register(watcher, StandardWatchEventKinds.ENTRY_CREATE);
      first.cancel();
      Files.createFile(files.getPath("/f"));
      assertThat(watcher.poll(20, TimeUnit.SECONDS)).isSameAs(second);
    }
  }
}
