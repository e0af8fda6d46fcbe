package org.millrace.client;

import java.util.Optional;
import org.millrace.layout.Layout;
import org.millrace.plan.Hints;
import org.millrace.plan.Striping;
import org.millrace.protocol.OpenFlags;

/**
 * How to open a file. Immutable: start from {@link #read()}, {@link #write()}, {@link #readWrite()}
 * or {@link #create()} and add. All ranks of the group must give equal options.
 *
 * @param flags what the coordinator is asked for
 * @param mode the mode the file starts in
 * @param hints how its collective calls are to be carried out; empty leaves it to the cluster
 * @param usesDataCache whether ranks keep copies of remote blocks; see {@link #dataCache()}
 */
public record OpenOptions(
    OpenFlags flags, Mode mode, Optional<Hints> hints, boolean usesDataCache) {

  private static final int DEFAULT_PERMISSIONS = 0644;

  /** An existing file, for reading. */
  public static OpenOptions read() {
    return of(true, false, false);
  }

  /** An existing file, for writing. */
  public static OpenOptions write() {
    return of(false, true, false);
  }

  /** An existing file, for reading and writing. */
  public static OpenOptions readWrite() {
    return of(true, true, false);
  }

  /** A file for reading and writing that is made if there is none. */
  public static OpenOptions create() {
    return of(true, true, true);
  }

  private static OpenOptions of(boolean read, boolean write, boolean create) {
    return new OpenOptions(
        new OpenFlags(read, write, create, false, false, false, false, DEFAULT_PERMISSIONS, 0, 0),
        Mode.M_ASYNC,
        Optional.empty(),
        false);
  }

  /** Fails if the file exists; only with creating. */
  public OpenOptions exclusive() {
    return with(flags.create(), true, flags.truncate(), flags.append(), flags.deleteOnClose());
  }

  /** Makes the file if there is none. */
  public OpenOptions orCreate() {
    return with(true, flags.exclusive(), flags.truncate(), flags.append(), flags.deleteOnClose());
  }

  /** Cuts the file to nothing first. */
  public OpenOptions truncate() {
    return with(flags.create(), flags.exclusive(), true, flags.append(), flags.deleteOnClose());
  }

  /** Every write by pointer goes to the end of the file. */
  public OpenOptions append() {
    return with(flags.create(), flags.exclusive(), flags.truncate(), true, flags.deleteOnClose());
  }

  /** Removes the file when the group has closed it. */
  public OpenOptions deleteOnClose() {
    return with(flags.create(), flags.exclusive(), flags.truncate(), flags.append(), true);
  }

  /** The mode bits, as in chmod, of a file that is made. */
  public OpenOptions permissions(int permissions) {
    return striped(permissions, flags.stripeUnitBytes(), flags.strands());
  }

  /** Bytes that go to one strand before the next strand's turn, for a file that is made. */
  public OpenOptions stripeUnit(long stripeUnitBytes) {
    if (stripeUnitBytes < 1) {
      throw new IllegalArgumentException(
          "stripe unit of " + stripeUnitBytes + " bytes, must be at least 1");
    }
    return striped(flags.permissions(), stripeUnitBytes, flags.strands());
  }

  /** Number of strands of a file that is made. */
  public OpenOptions strands(int strands) {
    if (strands < 1) {
      throw new IllegalArgumentException(strands + " strands, must be at least 1");
    }
    return striped(flags.permissions(), flags.stripeUnitBytes(), strands);
  }

  /**
   * Bytes of a block, the unit in which a file that is made is cached, checked and moved to and
   * from disks: a power of two from 4 KiB to 4 MiB; 64 KiB unless said otherwise. Small blocks suit
   * small scattered accesses, large ones long contiguous transfers.
   */
  public OpenOptions blockSize(int blockBytes) {
    Layout.requireBlockBytes(blockBytes);
    return new OpenOptions(flags.withBlockBytes(blockBytes), mode, hints, usesDataCache);
  }

  /**
   * The node of the first strand of a file that is made, counted round: with four nodes, 5 is node
   * 1. Without it the file's id decides, so that files spread.
   */
  public OpenOptions firstNode(int node) {
    if (node < 0) {
      throw new IllegalArgumentException("first node " + node + " is negative");
    }
    return new OpenOptions(flags.withFirstNode(node), mode, hints, usesDataCache);
  }

  /** The mode to start in. */
  public OpenOptions mode(Mode mode) {
    return new OpenOptions(flags, mode, hints, usesDataCache);
  }

  /** How collective calls are to be carried out. */
  public OpenOptions hints(Hints newHints) {
    return new OpenOptions(flags, mode, Optional.of(newHints), usesDataCache);
  }

  /**
   * Lets each rank keep copies of blocks that it read from nodes in other processes, as many as
   * {@link Rank#setDataCacheBytes} allows, until it closes the file; only for a file that is opened
   * for reading and nothing else. Reading the same bytes again then sends no message. Calls of the
   * rank's own through a view without holes use the copies; all others ask the nodes, as ever.
   *
   * <p>This gives up the promise that a completed write is visible to every later read: if somebody
   * writes to the file while it is open like this, ranks may go on seeing what they saw first. They
   * see bytes that were in the file at some time since they opened it, and the present ones once
   * they open it again.
   */
  public OpenOptions dataCache() {
    return new OpenOptions(flags, mode, hints, true);
  }

  /** Whether reading is allowed. */
  public boolean reads() {
    return flags.read();
  }

  /** Whether writing is allowed. */
  public boolean writes() {
    return flags.write();
  }

  /** Whether the file is made if there is none. */
  public boolean creates() {
    return flags.create();
  }

  /** Whether the file is cut to nothing first. */
  public boolean truncates() {
    return flags.truncate();
  }

  /** Whether writes by pointer go to the end. */
  public boolean appends() {
    return flags.append();
  }

  private OpenOptions with(
      boolean create, boolean exclusive, boolean truncate, boolean append, boolean deleteOnClose) {
    return new OpenOptions(
        new OpenFlags(
            flags.read(),
            flags.write(),
            create,
            exclusive,
            truncate,
            append,
            deleteOnClose,
            flags.permissions(),
            flags.stripeUnitBytes(),
            flags.strands(),
            flags.firstNode(),
            flags.blockBytes()),
        mode,
        hints,
        usesDataCache);
  }

  /** The same, striped as a hint says where these options leave it open. */
  OpenOptions striped(Striping hint) {
    OpenOptions striped =
        striped(
            flags.permissions(),
            flags.stripeUnitBytes() > 0 ? flags.stripeUnitBytes() : hint.unitBytes(),
            flags.strands() > 0 ? flags.strands() : hint.strands());
    return flags.blockBytes() > 0 || hint.blockBytes() == 0
        ? striped
        : striped.blockSize(hint.blockBytes());
  }

  private OpenOptions striped(int permissions, long stripeUnitBytes, int strands) {
    return new OpenOptions(
        new OpenFlags(
            flags.read(),
            flags.write(),
            flags.create(),
            flags.exclusive(),
            flags.truncate(),
            flags.append(),
            flags.deleteOnClose(),
            permissions,
            stripeUnitBytes,
            strands,
            flags.firstNode(),
            flags.blockBytes()),
        mode,
        hints,
        usesDataCache);
  }
}
