package org.millrace.files;

/** What a name stands for. */
public enum FileKind {
  /** Bytes. */
  FILE,
  /** Names. */
  DIRECTORY,
  /** A symbolic link. */
  LINK,
  /** A named pipe; what it does is up to the kernel of the host that opens it. */
  PIPE,
  /** A socket's name, as {@link #PIPE}. */
  SOCKET,
  /** A character device, as {@link #PIPE}. */
  CHARACTER_DEVICE,
  /** A block device, as {@link #PIPE}. */
  BLOCK_DEVICE
}
