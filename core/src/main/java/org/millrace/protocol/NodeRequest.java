package org.millrace.protocol;

import java.util.List;
import org.millrace.access.Access;
import org.millrace.layout.Layout;
import org.millrace.message.Message;

/**
 * Requests to a node, other than the one-sided get, put and hint of contiguous bytes, whose key is
 * {@link StrandId#key()}.
 */
public sealed interface NodeRequest extends Message {

  /** A request about a strand that is there. */
  sealed interface OfStrand extends NodeRequest {
    /** Which strand. */
    StrandId strand();
  }

  /**
   * Makes the strand, with blocks of {@code blockBytes}, if it is not there; one that is there must
   * have blocks of that size. Answered by {@link NodeReply.Done}.
   */
  record Create(StrandId strand, int blockBytes) implements NodeRequest {}

  /** Removes the strand if it is there. */
  record Remove(StrandId strand) implements NodeRequest {}

  /**
   * Asks about many strands at once, without using them; answered by {@link NodeReply.Statuses}.
   *
   * @param asking what lets the sender ask; not looked at if it may use all the files
   * @param files that the right is for
   * @param strands which strands, of these files
   */
  record AskStatuses(Asking asking, List<Long> files, List<StrandId> strands)
      implements NodeRequest {

    /** Keeps copies of the lists. */
    public AskStatuses {
      files = List.copyOf(files);
      strands = List.copyOf(strands);
    }
  }

  /** Asks for the strand's end; answered by {@link NodeReply.Count}. */
  record Size(StrandId strand) implements OfStrand {}

  /**
   * Asks where the next byte at or behind {@code offset} may lie that was ever written; answered by
   * {@link NodeReply.Count}, with -1 if there is none.
   */
  record NextData(StrandId strand, long offset) implements OfStrand {}

  /**
   * Asks for checksums of the strand's bytes from {@code from} to before {@code to}: those between
   * two multiples of {@code unit} by themselves, one after the other. Bytes beyond the strand's end
   * are zero. Answered by {@link NodeReply.Sums}.
   */
  record Sum(StrandId strand, long from, long to, long unit) implements OfStrand {}

  /** Cuts or extends the strand to {@code end}. */
  record Resize(StrandId strand, long end) implements OfStrand {}

  /** Extends the strand to at least {@code end}; cuts nothing. */
  record Extend(StrandId strand, long end) implements OfStrand {}

  /** Takes room on disk up to {@code end} without moving the strand's end. */
  record Preallocate(StrandId strand, long end) implements OfStrand {}

  /** Answered after everything written to the strand is durable. */
  record Flush(StrandId strand) implements OfStrand {}

  /** Fills empty cache slots with the strand's blocks from {@code offset} on. */
  record Preload(StrandId strand, long offset) implements OfStrand {}

  /**
   * Reads what of {@code access} lies on this strand into the payload, of which byte i is the i-th
   * of the access. Bytes beyond the strand's end are zero.
   */
  record Gather(StrandId strand, Layout layout, Access access) implements OfStrand {

    /** Checks that the layout has the strand. */
    public Gather {
      strand.requireIn(layout);
    }
  }

  /**
   * Writes what the payload holds for this strand; as {@link Gather} in the other direction.
   *
   * @param strand which strand
   * @param layout of the file
   * @param access what is written of the file
   * @param toFlush whether the sender will flush it soon: then the disk had better begin at once
   */
  record Scatter(StrandId strand, Layout layout, Access access, boolean toFlush)
      implements OfStrand {

    /** Checks that the layout has the strand. */
    public Scatter {
      strand.requireIn(layout);
    }
  }

  /**
   * Asks the node to keep blocks where they are in its memory, so that the sender can copy them by
   * itself, and gives back what it had asked for before. Answered by {@link NodeReply.Pinned}.
   *
   * @param strand which strand
   * @param blockBytes how large the sender takes its blocks to be
   * @param write whether the sender writes into them
   * @param process the sender's, so that the node can find out whether it lives
   * @param wanted blocks, ascending; none if it only gives back
   * @param returned what is given back
   */
  record Pin(
      StrandId strand,
      int blockBytes,
      boolean write,
      String process,
      List<PinnedBlocks.WantedBlocks> wanted,
      List<PinnedBlocks.ReturnedPin> returned)
      implements OfStrand {

    /** Keeps copies of the lists. */
    public Pin {
      wanted = List.copyOf(wanted);
      returned = List.copyOf(returned);
    }
  }

  /**
   * Asks the node to keep blocks where they are for longer, so that the sender can write into them
   * again and again without a message, as {@link KeptCells} says; and gives back what it kept
   * before. Answered by {@link NodeReply.Kept}.
   *
   * @param strand which strand
   * @param blockBytes how large the sender takes its blocks to be
   * @param process the sender's, so that the node can find out whether it lives
   * @param wanted which blocks, ascending, at most {@link KeptCells#MAX_BLOCKS}, whose span {@link
   *     KeptCells#fits}; none if it only gives back. None can be overwritten wholly each time
   * @param returned the pin that is given back, 0 if none
   */
  record Keep(
      StrandId strand,
      int blockBytes,
      String process,
      List<PinnedBlocks.WantedBlocks> wanted,
      long returned)
      implements OfStrand {

    /** Keeps a copy of the list. */
    public Keep {
      wanted = List.copyOf(wanted);
    }
  }

  /**
   * Asks what a slab is mapped by that a {@link PinnedBlocks.BlockPlace} names; answered by {@link
   * NodeReply.SlabAt}.
   */
  record AskSlab(int slab, int generation) implements NodeRequest {}

  /**
   * A rank's part in disk-directed I/O: the node waits until all parts have arrived, then goes
   * through its blocks in order and moves the pieces between them and the payloads of all. Either
   * all ranks send parts to all strands, empty ones perhaps; or they want each byte of a stretch of
   * the file once, ranks that want nothing of this strand send nothing, and the parts are all there
   * when they have all bytes of it. All are answered together, with the same outcome. Where several
   * ranks write one byte the highest rank's stays.
   *
   * @param strand which strand
   * @param collective which call
   * @param write whether the payloads go to the file
   * @param rank the sender
   * @param ranks how many ranks take part
   * @param strandBytes how many bytes of the strand all parts together have; 0 if each rank sends
   *     at least one part
   * @param part number of this part among those of its rank
   * @param parts how many parts this rank sends
   * @param depth how many buffers may be ahead of the disk
   * @param layout the file's
   * @param access which bytes; byte i of the payload is the i-th of them
   */
  record Direct(
      StrandId strand,
      CollectiveId collective,
      boolean write,
      int rank,
      int ranks,
      long strandBytes,
      int part,
      int parts,
      int depth,
      Layout layout,
      Access access)
      implements OfStrand {

    /** Checks that the layout has the strand. */
    public Direct {
      strand.requireIn(layout);
    }
  }

  /**
   * Gives a round of a disk-directed call up, and all later ones: if parts are still missing it
   * fails for all ranks that have sent their parts or will, else it goes on. Answered by {@link
   * NodeReply.Done} when no payload of this round is accessed any longer.
   */
  record WithdrawDirect(StrandId strand, CollectiveId collective) implements NodeRequest {}

  /**
   * Asks since which epoch the strand's owner vouches that no write is lost that it, or the owner
   * before it, has taken; answered by {@link NodeReply.Count}. Writes that were taken under a lower
   * epoch and not made durable may be lost.
   */
  record Vouch(StrandId strand) implements OfStrand {}

  /**
   * A request of a strand's owner to a node that holds a copy. MOVED if the epoch is over: a later
   * owner, or the same one since it last gave the copy up, has used a higher one.
   */
  sealed interface OfCopy extends NodeRequest {
    /** Which strand. */
    StrandId strand();

    /** At which this owner took the copy for one of its own. */
    long epoch();
  }

  /**
   * The owner is about to write to a strand that was clean; or it only asks how the copy is.
   * Answered by {@link NodeReply.CopyState} with what the copy was before.
   *
   * @param strand which strand
   * @param epoch as {@link OfCopy} says
   * @param since the epoch since which the owner vouches that no write is lost
   * @param blockBytes bytes of its blocks
   * @param mark number of this change from clean to not clean; 0 to ask
   */
  record CopyBegin(StrandId strand, long epoch, long since, int blockBytes, long mark)
      implements OfCopy {}

  /** Removes what there is of a copy and makes it anew, empty. */
  record CopyMake(StrandId strand, long epoch, int blockBytes) implements OfCopy {}

  /** Writes whole blocks, which are the payload, to a copy. */
  record CopyWrite(StrandId strand, long epoch, long firstBlock, long bytes) implements OfCopy {}

  /** Cuts or extends a copy. */
  record CopyResize(StrandId strand, long epoch, long end) implements OfCopy {}

  /**
   * Makes all that was written to a copy durable, and its end; from then on it is clean, unless the
   * owner has begun to write again with a higher mark.
   */
  record CopyFlush(StrandId strand, long epoch, long end, long mark) implements OfCopy {}

  /** Reads whole blocks of a copy into the payload. */
  record CopyRead(StrandId strand, long epoch, long firstBlock, long bytes) implements OfCopy {}

  /**
   * Asks for checksums of whole blocks of a copy, read from the disk; answered by {@link
   * NodeReply.CopySums}.
   */
  record CopySum(StrandId strand, long epoch, long firstBlock, int count) implements OfCopy {}

  /**
   * Writes a block again that has rotted in a copy, durably: the payload is what the copy should
   * have.
   */
  record CopyMend(StrandId strand, long epoch, long block, long bytes) implements OfCopy {}

  /** Makes a copy durable and closes its files. */
  record CopyEnd(StrandId strand, long epoch) implements OfCopy {}

  /**
   * Begins to read all that is on the node's disk, to compare it with its checksums and with the
   * copies of strands that the node owns, and to repair what can be repaired. If it does so
   * already, it goes on at this rate. Only the superuser may. Answered at once.
   *
   * @param bytesPerSecond the most that is read; 0 for no limit
   */
  record Scrub(long bytesPerSecond) implements NodeRequest {}

  /** Asks how far the node's last scrub has come; answered by {@link NodeReply.Scrubbed}. */
  record AskScrub() implements NodeRequest {}

  /** Changes the cache's size. */
  record SetCacheBytes(long bytes) implements NodeRequest {}

  /** Asks what the node's cache and disk have done; answered by {@link NodeReply.Report}. */
  record AskReport() implements NodeRequest {}

  /**
   * Shows what lets the sender use a file; good for its session until it expires, and for writing
   * until its holder has ended at the coordinator. A session has one holder.
   */
  record Present(Capability capability, Holder holder) implements NodeRequest {}

  /** Asks the node's process to end in order. Only the superuser may. */
  record Shutdown() implements NodeRequest {}
}
