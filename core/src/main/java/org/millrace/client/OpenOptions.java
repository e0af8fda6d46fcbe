package org.millrace.client;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import org.millrace.layout.Copies;
import org.millrace.layout.Layout;
import org.millrace.plan.Hints;
import org.millrace.plan.Striping;
import org.millrace.protocol.OpenFlags;

/**
 * How to open a file. Immutable: start from {@link #read()}, {@link #write()}, {@link #readWrite()}
 * or {@link #create()} and add. All ranks of the group must pass equal options.
 *
 * @param flags what is allowed, and what opening does
 * @param creation options for a new file
 * @param mode the mode the file starts in
 * @param hints for its collective calls; empty: the cluster's
 */
public record OpenOptions(
    Set<OpenFlag> flags, Creation creation, Mode mode, Optional<Hints> hints) {

  /**
   * Options for a new file. With zero, and -1 for the first node, the cluster chooses the value.
   *
   * @param permissions its mode bits, as in chmod
   * @param stripeUnitBytes bytes that go to one strand before it is the next strand's turn
   * @param strands how many strands it has
   * @param firstNode the node of its first strand
   * @param blockBytes the size of its blocks
   * @param copies on how many nodes each strand is
   */
  public record Creation(
      int permissions,
      long stripeUnitBytes,
      int strands,
      int firstNode,
      int blockBytes,
      int copies) {

    static final Creation DEFAULT = new Creation(0644, 0, 0, -1, 0, 0);
  }

  /** Keeps a copy of the flags. */
  public OpenOptions {
    flags = Set.copyOf(flags);
  }

  /** An existing file, for reading. */
  public static OpenOptions read() {
    return of(EnumSet.of(OpenFlag.READ));
  }

  /** An existing file, for writing. */
  public static OpenOptions write() {
    return of(EnumSet.of(OpenFlag.WRITE));
  }

  /** An existing file, for reading and writing. */
  public static OpenOptions readWrite() {
    return of(EnumSet.of(OpenFlag.READ, OpenFlag.WRITE));
  }

  /** A file for reading and writing, which is created if it does not exist. */
  public static OpenOptions create() {
    return of(EnumSet.of(OpenFlag.READ, OpenFlag.WRITE, OpenFlag.CREATE));
  }

  private static OpenOptions of(Set<OpenFlag> flags) {
    return new OpenOptions(flags, Creation.DEFAULT, Mode.INDEPENDENT, Optional.empty());
  }

  /** Whether a flag is set. */
  public boolean has(OpenFlag flag) {
    return flags.contains(flag);
  }

  /** Fails if the file exists; only with creating. */
  public OpenOptions withExclusive() {
    return with(OpenFlag.EXCLUSIVE);
  }

  /** Creates the file if it does not exist. */
  public OpenOptions withCreate() {
    return with(OpenFlag.CREATE);
  }

  /** Truncates the file to 0 bytes first. */
  public OpenOptions withTruncate() {
    return with(OpenFlag.TRUNCATE);
  }

  /** Every write at a pointer goes to the end of the file. */
  public OpenOptions withAppend() {
    return with(OpenFlag.APPEND);
  }

  /** Removes the file when the group has closed it. */
  public OpenOptions withDeleteOnClose() {
    return with(OpenFlag.DELETE_ON_CLOSE);
  }

  /**
   * Opens a file that a rank of a group of this one's has open for all that these options ask for:
   * what it was allowed then, this one is allowed, too. Fails with CLOSED if none has it open like
   * that; {@link Rank#isOpenElsewhere} tells whether one has it open.
   */
  public OpenOptions withJoining() {
    return with(OpenFlag.JOINS);
  }

  /**
   * Lets each rank keep copies of blocks that it read from nodes in other processes, as many as
   * {@link Rank#setDataCacheBytes} allows, until it closes the file; only for a file that is opened
   * for reading alone. Reading the same bytes again then sends no message. Calls of one rank
   * through a view without holes use the copies; all others go to the nodes as usual.
   *
   * <p>Completed writes are then not visible to every later read. If the file is written while it
   * is open in this way, ranks may keep reading old bytes, which were in the file at some time
   * since they opened it. They see the current bytes when they open it again.
   */
  public OpenOptions withDataCache() {
    return with(OpenFlag.DATA_CACHE);
  }

  /**
   * Closing does not make the file durable: what was written is there for every reader, and for
   * those who open it later, but a crash of a node may take what nobody has flushed. Without this,
   * closing returns only when all is durable.
   */
  public OpenOptions withUnforcedClose() {
    return with(OpenFlag.UNFORCED_CLOSE);
  }

  private OpenOptions with(OpenFlag flag) {
    EnumSet<OpenFlag> more = EnumSet.of(flag);
    more.addAll(flags);
    return new OpenOptions(more, creation, mode, hints);
  }

  /** The mode bits, as in chmod, of a new file. */
  public OpenOptions withPermissions(int permissions) {
    return with(
        new Creation(
            permissions,
            creation.stripeUnitBytes,
            creation.strands,
            creation.firstNode,
            creation.blockBytes,
            creation.copies));
  }

  /** The stripe unit of a new file: bytes that go to one strand before the next strand. */
  public OpenOptions withStripeUnit(long stripeUnitBytes) {
    if (stripeUnitBytes < 1) {
      throw new IllegalArgumentException(
          "stripe unit of " + stripeUnitBytes + " bytes, must be at least 1");
    }
    return with(
        new Creation(
            creation.permissions,
            stripeUnitBytes,
            creation.strands,
            creation.firstNode,
            creation.blockBytes,
            creation.copies));
  }

  /** Number of strands of a new file. */
  public OpenOptions withStrands(int strands) {
    if (strands < 1) {
      throw new IllegalArgumentException(strands + " strands, must be at least 1");
    }
    return with(
        new Creation(
            creation.permissions,
            creation.stripeUnitBytes,
            strands,
            creation.firstNode,
            creation.blockBytes,
            creation.copies));
  }

  /**
   * The node of the first strand of a new file, modulo the number of nodes: with four nodes, 5 is
   * node 1. By default it depends on the file's id, which spreads files evenly.
   */
  public OpenOptions withFirstNode(int node) {
    if (node < 0) {
      throw new IllegalArgumentException("first node " + node + " is negative");
    }
    return with(
        new Creation(
            creation.permissions,
            creation.stripeUnitBytes,
            creation.strands,
            node,
            creation.blockBytes,
            creation.copies));
  }

  /**
   * The block size of a new file, the unit of caching, checksums and disk transfers: a power of two
   * from 4 KiB to 4 MiB, by default 64 KiB. Small blocks suit small scattered accesses, large ones
   * long contiguous transfers.
   */
  public OpenOptions withBlockSize(int blockBytes) {
    Layout.requireBlockBytes(blockBytes);
    return with(
        new Creation(
            creation.permissions,
            creation.stripeUnitBytes,
            creation.strands,
            creation.firstNode,
            blockBytes,
            creation.copies));
  }

  /**
   * On how many nodes each strand of a new file is, 1 to 3: with two or three the death of a node
   * costs no byte that was flushed. By default the file's directory or the cluster decides.
   */
  public OpenOptions withCopies(int copies) {
    return with(
        new Creation(
            creation.permissions,
            creation.stripeUnitBytes,
            creation.strands,
            creation.firstNode,
            creation.blockBytes,
            Copies.require(copies)));
  }

  private OpenOptions with(Creation newCreation) {
    return new OpenOptions(flags, newCreation, mode, hints);
  }

  /** The initial mode. */
  public OpenOptions withMode(Mode newMode) {
    return new OpenOptions(flags, creation, newMode, hints);
  }

  /** The hints for collective calls. */
  public OpenOptions withHints(Hints newHints) {
    return new OpenOptions(flags, creation, mode, Optional.of(newHints));
  }

  /** The same, striped as a hint says where these options leave it open. */
  OpenOptions striped(Striping hint) {
    return with(
        new Creation(
            creation.permissions,
            creation.stripeUnitBytes > 0 ? creation.stripeUnitBytes : hint.unitBytes(),
            creation.strands > 0 ? creation.strands : hint.strands(),
            creation.firstNode,
            creation.blockBytes > 0 ? creation.blockBytes : hint.blockBytes(),
            creation.copies));
  }

  /** What the coordinator is asked for. */
  OpenFlags openFlags() {
    return new OpenFlags(
        has(OpenFlag.READ),
        has(OpenFlag.WRITE),
        has(OpenFlag.CREATE),
        has(OpenFlag.EXCLUSIVE),
        has(OpenFlag.TRUNCATE),
        has(OpenFlag.APPEND),
        has(OpenFlag.DELETE_ON_CLOSE),
        has(OpenFlag.JOINS),
        creation.permissions,
        creation.stripeUnitBytes,
        creation.strands,
        creation.firstNode,
        creation.blockBytes,
        creation.copies);
  }

  /** The flags, and whatever else is not as usual. */
  @Override
  public String toString() {
    StringJoiner shown = new StringJoiner(", ");
    for (OpenFlag flag : OpenFlag.values()) {
      if (has(flag)) {
        shown.add(flag.name().toLowerCase(Locale.ROOT).replace('_', ' '));
      }
    }
    Creation usual = Creation.DEFAULT;
    if (creation.permissions != usual.permissions) {
      shown.add("permissions " + Integer.toOctalString(creation.permissions));
    }
    if (creation.stripeUnitBytes != usual.stripeUnitBytes) {
      shown.add("stripe unit " + creation.stripeUnitBytes);
    }
    if (creation.strands != usual.strands) {
      shown.add("strands " + creation.strands);
    }
    if (creation.firstNode != usual.firstNode) {
      shown.add("first node " + creation.firstNode);
    }
    if (creation.blockBytes != usual.blockBytes) {
      shown.add("block size " + creation.blockBytes);
    }
    if (creation.copies != usual.copies) {
      shown.add("copies " + creation.copies);
    }
    if (mode != Mode.INDEPENDENT) {
      shown.add("mode " + mode);
    }
    hints.ifPresent(given -> shown.add("hints " + given));
    return "[" + shown + "]";
  }
}
