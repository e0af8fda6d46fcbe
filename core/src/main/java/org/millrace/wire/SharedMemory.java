package org.millrace.wire;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Memory that processes of one user on one host share: a file that all of them map. All of its
 * pages are allocated, so no access can find the file system full. Other processes that map it may
 * change it at any time.
 *
 * <p>Safe for use by several threads; what is in it is theirs to order. Closing removes the file if
 * this process made it, and counts the memory as no longer needed: it goes back to the system when
 * the last segment of it is garbage, so that threads that still access it cannot fail.
 */
public final class SharedMemory implements AutoCloseable {

  private final SharedFolder folder;
  private final Path path;
  private final boolean own;
  private final MemorySegment segment;

  SharedMemory(SharedFolder folder, Path path, boolean own, MemorySegment segment) {
    this.folder = folder;
    this.path = path;
    this.own = own;
    this.segment = segment;
  }

  /** The file, for the other side to attach. */
  public Path path() {
    return path;
  }

  /** All of the memory. */
  public MemorySegment segment() {
    return segment;
  }

  /** How large it is. */
  public long bytes() {
    return segment.byteSize();
  }

  /**
   * Removes the file: a process that has it mapped keeps it, and nobody else can attach it. To be
   * called as soon as all have it, so that a killed process leaves nothing behind.
   */
  public void unlink() throws IOException {
    Files.deleteIfExists(path);
  }

  @Override
  public void close() throws IOException {
    try {
      if (own) {
        unlink();
      }
    } finally {
      folder.dropped(segment.byteSize());
    }
  }

  @Override
  public String toString() {
    return path + " (" + segment.byteSize() + " bytes)";
  }
}
