package org.millrace.protocol;

/**
 * How a file is opened.
 *
 * @param read reading is allowed
 * @param write writing is allowed
 * @param create make the file if there is none
 * @param exclusive with {@code create}: fail if there is one
 * @param truncate cut an existing file to nothing; needs {@code write}
 * @param append every write goes to the end
 * @param deleteOnClose remove the file when the group has closed it
 * @param joins a rank of a group that the opener is in has the file open with these rights: they
 *     were checked then. Fails with CLOSED if none has any more
 * @param permissions mode bits of a file that is made, as in chmod
 * @param stripeUnitBytes of a file that is made; 0: the cluster's default
 * @param strands of a file that is made; 0: as many as there are nodes
 * @param firstNode where the first strand of a file that is made lies, counted round the nodes; -1:
 *     the file's id decides
 * @param blockBytes of a file that is made; 0: the default
 * @param copies on how many nodes each strand of a file that is made is; 0: as its directory or the
 *     cluster says
 */
public record OpenFlags(
    boolean read,
    boolean write,
    boolean create,
    boolean exclusive,
    boolean truncate,
    boolean append,
    boolean deleteOnClose,
    boolean joins,
    int permissions,
    long stripeUnitBytes,
    int strands,
    int firstNode,
    int blockBytes,
    int copies) {

  /** Flags that leave the first node to the file's id, and the block size to the cluster. */
  public OpenFlags(
      boolean read,
      boolean write,
      boolean create,
      boolean exclusive,
      boolean truncate,
      boolean append,
      boolean deleteOnClose,
      int permissions,
      long stripeUnitBytes,
      int strands) {
    this(
        read,
        write,
        create,
        exclusive,
        truncate,
        append,
        deleteOnClose,
        false,
        permissions,
        stripeUnitBytes,
        strands,
        -1,
        0,
        0);
  }

  /** The same with the first strand of a file that is made on a node. */
  public OpenFlags withFirstNode(int node) {
    return new OpenFlags(
        read,
        write,
        create,
        exclusive,
        truncate,
        append,
        deleteOnClose,
        joins,
        permissions,
        stripeUnitBytes,
        strands,
        node,
        blockBytes,
        copies);
  }

  /** The same with another block size of a file that is made. */
  public OpenFlags withBlockBytes(int bytes) {
    return new OpenFlags(
        read,
        write,
        create,
        exclusive,
        truncate,
        append,
        deleteOnClose,
        joins,
        permissions,
        stripeUnitBytes,
        strands,
        firstNode,
        bytes,
        copies);
  }

  /** The same with another number of copies of a file that is made. */
  public OpenFlags withCopies(int count) {
    return new OpenFlags(
        read,
        write,
        create,
        exclusive,
        truncate,
        append,
        deleteOnClose,
        joins,
        permissions,
        stripeUnitBytes,
        strands,
        firstNode,
        blockBytes,
        count);
  }
}
