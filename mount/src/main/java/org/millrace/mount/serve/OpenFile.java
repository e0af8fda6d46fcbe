package org.millrace.mount.serve;

import java.io.IOException;
import org.millrace.files.FileChange;
import org.millrace.files.FileHandle;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;

/**
 * A file that the kernel has open.
 *
 * <p>Safe for use by several threads.
 */
final class OpenFile {

  private static final int SET_USER = 04000;
  private static final int SET_GROUP = 02000;
  private static final int GROUP_EXECUTES = 010;

  // Constant after construction.
  private final FileHandle handle;
  private final KernelPages.FilePages pages;
  private final boolean cached;
  private final boolean directWriter;

  /** Whether it is known that the mode has no bits that a write must clear. */
  private volatile boolean harmless;

  OpenFile(FileHandle handle, KernelPages.FilePages pages, boolean cached, boolean directWriter) {
    this.handle = handle;
    this.pages = pages;
    this.cached = cached;
    this.directWriter = directWriter;
  }

  KernelPages.FilePages pages() {
    return pages;
  }

  /** Whether it goes through the kernel's page cache. */
  boolean isCached() {
    return cached;
  }

  /** Whether it was opened for writing alone, and goes past the kernel's page cache. */
  boolean isDirectWriter() {
    return directWriter;
  }

  FileHandle handle() {
    return handle;
  }

  /** Somebody here has changed the mode. */
  void modeChanged() {
    harmless = false;
  }

  /** Clears the mode bits that give rights, if there are any; asks only once. */
  void dropRights(FileTree tree) throws IOException {
    if (!harmless) {
      FileStatus status = handle.status();
      int bits = withoutRights(status.permissions());
      if (bits != status.permissions()) {
        tree.change(FilePath.of(handle.id()), FileChange.NONE.withPermissions(bits));
      }
      harmless = true;
    }
  }

  /** Mode bits without those that give a program the rights of its file's owner or group. */
  static int withoutRights(int permissions) {
    int bits = permissions & ~SET_USER;
    return (bits & GROUP_EXECUTES) != 0 ? bits & ~SET_GROUP : bits;
  }
}
