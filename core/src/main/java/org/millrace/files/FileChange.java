package org.millrace.files;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A change of attributes, all in one step: of those that are present. The time of the last change
 * is always set.
 *
 * @param permissions the twelve mode bits
 * @param owner the owner; for the administrator
 * @param group the group; for the administrator, and for an owner who is in that group
 * @param size of a file: bytes beyond it are cut, missing ones read as zero
 * @param accessed nanoseconds since 1970, or {@link #NOW}
 * @param modified as {@code accessed}
 */
public record FileChange(
    OptionalInt permissions,
    Optional<String> owner,
    Optional<String> group,
    OptionalLong size,
    OptionalLong accessed,
    OptionalLong modified) {

  /** The time on the cluster's clock at which the change is made. */
  public static final long NOW = Long.MIN_VALUE;

  /** Nothing but the time of the last change. */
  public static final FileChange NONE =
      new FileChange(
          OptionalInt.empty(),
          Optional.empty(),
          Optional.empty(),
          OptionalLong.empty(),
          OptionalLong.empty(),
          OptionalLong.empty());

  /** The same, with the mode bits. */
  public FileChange withPermissions(int bits) {
    return new FileChange(OptionalInt.of(bits), owner, group, size, accessed, modified);
  }

  /** The same, with the owner. */
  public FileChange withOwner(String name) {
    return new FileChange(permissions, Optional.of(name), group, size, accessed, modified);
  }

  /** The same, with the group. */
  public FileChange withGroup(String name) {
    return new FileChange(permissions, owner, Optional.of(name), size, accessed, modified);
  }

  /** The same, with the size. */
  public FileChange withSize(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("size of " + bytes + " bytes, must be at least 0");
    }
    return new FileChange(permissions, owner, group, OptionalLong.of(bytes), accessed, modified);
  }

  /** The same, with the time of the last access. */
  public FileChange withAccessed(long nanos) {
    return new FileChange(permissions, owner, group, size, OptionalLong.of(nanos), modified);
  }

  /** The same, with the time of the last modification. */
  public FileChange withModified(long nanos) {
    return new FileChange(permissions, owner, group, size, accessed, OptionalLong.of(nanos));
  }
}
