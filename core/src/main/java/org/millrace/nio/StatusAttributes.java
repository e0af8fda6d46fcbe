package org.millrace.nio;

import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.time.Instant;
import java.util.Set;
import org.millrace.files.FileKind;
import org.millrace.files.FileStatus;

/**
 * Attributes as they were when they were asked for. Immutable.
 *
 * @param status as the cluster has them
 */
record StatusAttributes(FileStatus status) implements PosixFileAttributes {

  private static final int TYPE_SHIFT = 12;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  static FileTime time(long nanos) {
    return FileTime.from(Instant.EPOCH.plusNanos(nanos));
  }

  /** As nanoseconds since 1970; the first or last there are for times beyond. */
  static long nanos(FileTime time) {
    Instant at = time.toInstant();
    try {
      return Math.addExact(
          Math.multiplyExact(at.getEpochSecond(), NANOS_PER_SECOND), (long) at.getNano());
    } catch (ArithmeticException e) {
      return at.getEpochSecond() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }

  @Override
  public UserPrincipal owner() {
    return new Principals.User(status.owner());
  }

  @Override
  public GroupPrincipal group() {
    return new Principals.Group(status.group());
  }

  @Override
  public Set<PosixFilePermission> permissions() {
    return Permissions.of(status.permissions());
  }

  @Override
  public FileTime lastModifiedTime() {
    return time(status.times().modified());
  }

  @Override
  public FileTime lastAccessTime() {
    return time(status.times().accessed());
  }

  @Override
  public FileTime creationTime() {
    return time(status.times().created());
  }

  /** When anything of it was changed last. */
  FileTime changeTime() {
    return time(status.times().changed());
  }

  @Override
  public boolean isRegularFile() {
    return status.kind() == FileKind.FILE;
  }

  @Override
  public boolean isDirectory() {
    return status.kind() == FileKind.DIRECTORY;
  }

  @Override
  public boolean isSymbolicLink() {
    return status.kind() == FileKind.LINK;
  }

  @Override
  public boolean isOther() {
    return !isRegularFile() && !isDirectory() && !isSymbolicLink();
  }

  @Override
  public long size() {
    return status.size();
  }

  @Override
  public Object fileKey() {
    return status.id();
  }

  /** The mode as {@code stat} has it: kind and bits. */
  int mode() {
    int type =
        switch (status.kind()) {
          case PIPE -> 1;
          case CHARACTER_DEVICE -> 2;
          case DIRECTORY -> 4;
          case BLOCK_DEVICE -> 6;
          case FILE -> 8;
          case LINK -> 10;
          case SOCKET -> 12;
        };
    return type << TYPE_SHIFT | status.permissions();
  }
}
