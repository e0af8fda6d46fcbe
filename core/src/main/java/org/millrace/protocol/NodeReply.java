package org.millrace.protocol;

import java.util.List;
import java.util.Map;
import org.millrace.message.Message;

/** Answers of a node. */
public sealed interface NodeReply extends Message {

  /** It is done. */
  record Done() implements NodeReply {}

  /** A number of bytes. */
  record Count(long bytes) implements NodeReply {}

  /** Checksums, CRC32C. */
  record Sums(List<Integer> sums) implements NodeReply {

    /** Keeps a copy of the list. */
    public Sums {
      sums = List.copyOf(sums);
    }
  }

  /**
   * Blocks stay where they are until the sender gives them back, but not for long.
   *
   * @param pin by which number they are given back; {@link #NONE} if too much is pinned now, and
   *     {@link #NEVER} if the node lends this sender nothing
   * @param end where the strand ended
   * @param places of the blocks, in the order in which they were asked for
   * @param refused those that were given back too late: what was written is not there
   */
  record Pinned(long pin, long end, List<PinnedBlocks.BlockPlace> places, List<Long> refused)
      implements NodeReply {

    /** Nothing is pinned. */
    public static final long NONE = 0;

    /** Nothing will ever be. */
    public static final long NEVER = -1;

    /** Keeps copies of the lists. */
    public Pinned {
      places = List.copyOf(places);
      refused = List.copyOf(refused);
    }
  }

  /**
   * Blocks stay where they are until the cell is closed.
   *
   * @param pin their number; as in {@link Pinned} if there is none
   * @param cell which of the {@link KeptCells} is theirs
   * @param places of the blocks, one behind the other
   */
  record Kept(long pin, int cell, List<PinnedBlocks.BlockPlace> places) implements NodeReply {

    /** Keeps a copy of the list. */
    public Kept {
      places = List.copyOf(places);
    }
  }

  /** What a slab is mapped by, and how large it is; no name and no bytes if it is gone. */
  record SlabAt(String name, long bytes) implements NodeReply {}

  /**
   * What a copy is.
   *
   * @param clean whether it is known to hold all that its owner had taken
   * @param since as that owner said in {@link NodeRequest.CopyBegin}
   * @param mark that the owner said last; 0 if the node has started since
   * @param end of the strand
   * @param sum CRC32C of its bytes, if the owner only asked; -1 if there are too many to read at
   *     once
   */
  record CopyState(boolean clean, long since, long mark, long end, long sum) implements NodeReply {}

  /**
   * Checksums of blocks of a copy.
   *
   * @param end of the copy
   * @param sums CRC32C of each block; {@link #BAD} for one that is not what was written
   */
  record CopySums(long end, List<Long> sums) implements NodeReply {

    /** In place of the checksum of a block that is corrupt. */
    public static final long BAD = -1;

    /** Keeps a copy of the list. */
    public CopySums {
      sums = List.copyOf(sums);
    }
  }

  /**
   * How far a scrub has come.
   *
   * @param number of the scrub since the node started; 0 if there was none
   * @param running whether it goes on
   * @param doneBytes how much it has read
   * @param totalBytes how much there is, about
   * @param left how many findings could not be repaired
   * @param findings the first of all that was found
   */
  record Scrubbed(
      long number,
      boolean running,
      long doneBytes,
      long totalBytes,
      long left,
      List<ScrubFinding> findings)
      implements NodeReply {

    /** Keeps a copy of the list. */
    public Scrubbed {
      findings = List.copyOf(findings);
    }
  }

  /** What strands are, in the order in which they were asked for. */
  record Statuses(List<StrandStatus> strands) implements NodeReply {

    /** Keeps a copy of the list. */
    public Statuses {
      strands = List.copyOf(strands);
    }
  }

  /** Counters by name. */
  record Report(Map<String, Long> counters) implements NodeReply {}
}
