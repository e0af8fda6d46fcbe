package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.millrace.disk.StrandStore;
import org.millrace.env.Env;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.node.CopyMembers.Member;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.ScrubFinding;

/**
 * Compares a strand that this node owns with its copies, some blocks at a time, and repairs what
 * differs. While blocks are compared nothing of the strand is written back, flushed or cut, here
 * and in the copies: what differs then is wrong. What is in the cache and not yet written back does
 * not matter.
 *
 * <p>A block is written again only from one that matches its checksum, here or in a copy; the bytes
 * that come from there are summed again. Repairing changes nothing that programs could see, so
 * copies need not be told as they are of writes.
 *
 * <p>For one thread.
 */
final class CopiedScrub {

  // constant after construction
  private final Env env;
  private final CopiedStrands node;
  private final CopiedStore strand;
  private final CopyVerdict.Judge judge;
  private final Scrubber.Findings findings;

  private final Set<Member> hopeless = new HashSet<>(); // those of which a block could not be
  private final Set<Member> silent = new HashSet<>(); // those that could not be asked
  private final List<Misfit> misfits = new ArrayList<>();
  private boolean ownBad; // a block here that could not be repaired

  /** A copy that is not as its owner's, whatever its blocks hold. */
  private record Misfit(Member copy, long from, long to, String what) {}

  CopiedScrub(
      Env env,
      CopiedStrands node,
      CopiedStore strand,
      CopyVerdict.Judge judge,
      Scrubber.Findings findings) {
    this.env = env;
    this.node = node;
    this.strand = strand;
    this.judge = judge;
    this.findings = findings;
  }

  /** Goes through all of it; {@code pace} is told of bytes that were read. */
  void run(Scrubber.Pace pace) throws IOException {
    strand.matchSettled(); // what nobody has flushed may differ, and nothing is wrong
    if (strand.own().mendSums() > 0) {
      findings.add(found(node.number(), 0, 0, true, "checksums had rotted on the disk"));
    }
    long block = 0;
    while (block >= 0) {
      long before = block;
      block = step(block);
      pace.read(Math.max(0, block - before) * strand.blockBytes());
    }
    end();
  }

  /** Compares some blocks from one on; returns the next one, or -1 at the end. */
  private long step(long from) throws IOException {
    StrandStore own = strand.own();
    strand.gate().hold();
    try {
      strand.members().requireOwned();
      long blocks = Math.ceilDiv(own.end(), own.blockBytes());
      long first = from < blocks ? own.nextWritten(from, blocks) : blocks;
      if (from == 0) {
        compareEnds();
      }
      if (first >= blocks) {
        return -1;
      }
      long most = Math.max(1, Scrubber.CHUNK_BYTES / own.blockBytes());
      int count = (int) Math.min(most, blocks - first);
      compare(first, count);
      return first + count;
    } finally {
      strand.gate().letGo();
    }
  }

  /** A copy that ends elsewhere is made anew: its blocks say nothing about that. */
  private void compareEnds() {
    for (Member copy : asked()) {
      try {
        NodeReply.CopySums said = sums(copy, 0, 0);
        if (said.end() != strand.own().end()) {
          long end = strand.own().end();
          String what = "the copy ends at %s, its owner's at %s".formatted(said.end(), end);
          misfits.add(new Misfit(copy, Math.min(said.end(), end), Math.max(said.end(), end), what));
          hopeless.add(copy);
        }
      } catch (CorruptBlockException e) {
        misfits.add(
            new Misfit(copy, 0, Long.MAX_VALUE, "the copy cannot be opened: " + e.getMessage()));
        hopeless.add(copy);
      } catch (IOException e) {
        silent.add(copy);
      }
    }
  }

  private List<Member> asked() {
    List<Member> all = new ArrayList<>(strand.members().inSync());
    all.removeIf(copy -> silent.contains(copy) || hopeless.contains(copy));
    return all;
  }

  private NodeReply.CopySums sums(Member copy, long first, int count) throws IOException {
    return (NodeReply.CopySums)
        call(copy, new NodeRequest.CopySum(strand.id(), copy.fence(), first, count), Payload.NONE);
  }

  private Message call(Member copy, NodeRequest request, Payload payload) throws IOException {
    return node.link(copy.node())
        .start(request, payload)
        .await(env.deadlineAfter(CopyCalls.COPY_NANOS));
  }

  private void compare(long first, int count) throws IOException {
    int blockBytes = strand.blockBytes();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment bytes = arena.allocate((long) count * blockBytes, CopyTargets.ALIGNMENT);
      List<Long> own = BlockSums.of(strand.own(), first, bytes);
      Map<Member, List<Long>> copies = new LinkedHashMap<>();
      for (Member copy : asked()) {
        try {
          copies.put(copy, sums(copy, first, count).sums());
        } catch (CorruptBlockException e) {
          copies.put(copy, Collections.nCopies(count, NodeReply.CopySums.BAD));
        } catch (MillraceException e) {
          if (e.code() == ErrorCode.MOVED) {
            throw e;
          }
          silent.add(copy);
        }
      }
      for (int i = 0; i < count; i++) {
        int at = i;
        List<Long> sums = copies.values().stream().map(list -> list.get(at)).toList();
        CopyVerdict verdict = judge.of(own.get(i), sums);
        if (!verdict.isGood()) {
          MemorySegment block = bytes.asSlice((long) i * blockBytes, blockBytes);
          repair(first + i, block, verdict, List.copyOf(copies.keySet()), sums);
        }
      }
    }
  }

  /** Writes what is wrong again from what is right, if anything is. */
  private void repair(
      long block, MemorySegment bytes, CopyVerdict verdict, List<Member> copies, List<Long> sums)
      throws IOException {
    boolean known =
        verdict.source() == CopyVerdict.OWNER
            || (verdict.source() >= 0
                && fetch(copies.get(verdict.source()), block, bytes, sums.get(verdict.source())))
            || (copies.isEmpty() && tryRead(block, bytes));
    for (int wrong : verdict.wrong()) {
      boolean own = wrong == CopyVerdict.OWNER;
      boolean done =
          known && (own ? tryWriteOwn(block, bytes) : tryWrite(copies.get(wrong), block, bytes));
      ownBad |= own && !done;
      if (!own && !done && known) {
        hopeless.add(copies.get(wrong));
      }
      String what =
          done
              ? "written again from "
                  + (verdict.source() == CopyVerdict.OWNER ? "its owner" : "a copy")
              : known
                  ? "a good copy exists, and writing it again failed"
                  : "no copy of it is known to be right";
      findings.add(
          found(
              own ? node.number() : copies.get(wrong).node(),
              block * strand.blockBytes(),
              (block + 1) * strand.blockBytes(),
              done,
              what));
    }
  }

  /** Reads a block of a copy; true if it is what the copy's node has summed. */
  private boolean fetch(Member copy, long block, MemorySegment into, long sum) {
    try {
      var request = new NodeRequest.CopyRead(strand.id(), copy.fence(), block, into.byteSize());
      call(copy, request, Payload.of(into));
      return BlockSums.of(into) == sum;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Where no copy can be compared with: what a program would read, from one that ends elsewhere.
   */
  private boolean tryRead(long block, MemorySegment into) {
    try {
      strand.readMending(block, List.of(into));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private boolean tryWriteOwn(long block, MemorySegment bytes) {
    try {
      strand.mend(block, bytes);
      return true;
    } catch (IOException e) {
      return false; // its checksums are destroyed, or the disk does not write
    }
  }

  private boolean tryWrite(Member copy, long block, MemorySegment bytes) {
    try {
      var request = new NodeRequest.CopyMend(strand.id(), copy.fence(), block, bytes.byteSize());
      call(copy, request, Payload.of(bytes));
      return sums(copy, block, 1).sums().equals(List.of(BlockSums.of(bytes)));
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Copies that cannot be repaired block by block are made anew, but only if all blocks are right
   * here: else they may be the last that have one.
   */
  private void end() throws IOException {
    String then = ownBad ? "; it stays while blocks of its owner are bad" : "; it is made anew";
    for (Misfit one : misfits) {
      findings.add(found(one.copy.node(), one.from, one.to, !ownBad, one.what + then));
    }
    if (!hopeless.isEmpty() && !ownBad) {
      hopeless.forEach(strand.members()::miss);
      strand.members().leave();
    }
    for (Member copy : silent) {
      findings.add(
          found(
              copy.node(),
              0,
              Long.MAX_VALUE,
              false,
              "the copy could not be compared: its node is silent"));
    }
  }

  private ScrubFinding found(int at, long from, long to, boolean repaired, String what) {
    return new ScrubFinding(strand.id(), at, from, to, repaired, what);
  }
}
