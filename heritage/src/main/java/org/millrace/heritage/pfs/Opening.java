package org.millrace.heritage.pfs;

import java.io.IOException;

/**
 * The three ways to a descriptor. Belongs to the rank's thread.
 *
 * @param connection that keeps the descriptors
 */
record Opening(Connection connection) {

  /** As the name says, without synchronizing. */
  int opened(String fileName, PfsFlags flags) throws IOException {
    Clients clients = connection.clients();
    FileName name = FileName.ofOpen(fileName, clients.number());
    int descriptor = connection.requireFree(name.isShared());
    try {
      connection.put(descriptor, PfsFile.alone(clients, name, flags));
    } catch (IOException | RuntimeException e) {
      throw Errors.of(name.isShared() ? Errors.Doing.OPEN : Errors.Doing.UNIX, e);
    }
    return descriptor;
  }

  /** A shared file, without synchronizing. */
  int apart(Clients clients, String fileName, int openFlags, int mode) throws IOException {
    PfsFlags flags = connection.flags(openFlags, mode);
    FileName name = FileName.ofShared(fileName);
    int descriptor = connection.requireFree(true);
    connection.put(descriptor, PfsFile.alone(clients, name, flags));
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
      descriptor = connection.requireFree(true);
    } catch (PfsException e) {
      PfsFile.refuse(clients, fileName, e);
      throw e;
    }
    connection.put(descriptor, PfsFile.together(clients, name, flags, ioMode));
    return descriptor;
  }
}
