package org.millrace.heritage.pfs;

import java.io.IOException;
import java.util.Objects;

/**
 * The three ways to a descriptor. Belongs to the rank's thread.
 *
 * @param connection that keeps the descriptors
 */
record Opening(Connection connection) {

  /** As the name says, without synchronizing. */
  int opened(String fileName, int openFlags, int mode) throws IOException {
    Clients clients = connection.clients();
    PfsFlags flags = connection.flags(openFlags, mode);
    FileName name = FileName.ofOpen(fileName, clients.number());
    int descriptor = connection.requireFree(name.isShared());
    try {
      connection.put(
          descriptor,
          name.isShared()
              ? PfsFile.alone(clients, name.path(), flags)
              : OrdinaryFile.open(name.path(), flags));
    } catch (IOException | RuntimeException e) {
      throw name.isShared() ? Errors.ofShared(Page.OPEN, e) : Errors.ofOrdinary(e);
    }
    return descriptor;
  }

  /** A shared file, without synchronizing. */
  int apart(Clients clients, String fileName, int openFlags, int mode) throws IOException {
    PfsFlags flags = connection.flags(openFlags, mode);
    FileName name = FileName.ofShared(fileName);
    int descriptor = connection.requireFree(true);
    connection.put(descriptor, PfsFile.alone(clients, name.path(), flags));
    return descriptor;
  }

  /** A shared file, with all clients. */
  int together(Clients clients, String fileName, int openFlags, int mode, IoMode ioMode)
      throws IOException {
    PfsFlags flags;
    FileName name;
    int descriptor;
    try {
      flags = connection.flags(openFlags, mode);
      name = FileName.ofShared(fileName);
      Objects.requireNonNull(ioMode, "no I/O mode");
      descriptor = connection.requireFree(true);
    } catch (IOException | RuntimeException e) {
      PfsException own = Errors.ofShared(Page.GOPEN, e);
      PfsFile.refuse(clients, fileName, own);
      throw own;
    }
    connection.put(descriptor, PfsFile.together(clients, name.path(), flags, ioMode));
    return descriptor;
  }
}
