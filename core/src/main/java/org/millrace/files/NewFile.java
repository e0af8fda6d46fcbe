package org.millrace.files;

import java.util.Optional;

/**
 * Attributes of what is made.
 *
 * @param permissions the twelve mode bits, as in chmod
 * @param owner its owner, if not the caller; only the administrator may give one
 * @param group its group, if not the usual one; as with the owner
 */
public record NewFile(int permissions, Optional<String> owner, Optional<String> group) {

  /** With these permissions, the caller's. */
  public static NewFile with(int permissions) {
    return new NewFile(permissions, Optional.empty(), Optional.empty());
  }
}
