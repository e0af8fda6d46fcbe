package org.millrace.node;

import java.util.ArrayList;
import java.util.List;
import org.millrace.protocol.NodeReply;

/**
 * Which of the copies of a block is right, and which are to be written again. A block whose
 * checksum does not match is never right, on any node. Where whole blocks differ the owner's
 * counts, since that is what programs have read, unless more of the others agree on another one:
 * then nobody can tell.
 *
 * <p>Immutable.
 *
 * @param source whose block is right: {@link #OWNER}, the number of a copy, or {@link #NOBODY}
 * @param wrong whose block is to be written again
 */
public record CopyVerdict(int source, List<Integer> wrong) {

  /** The owner's own block. */
  public static final int OWNER = -1;

  /** None is known to be right. */
  public static final int NOBODY = -2;

  /** Decides; a control of the tests decides wrongly. */
  public interface Judge {
    /**
     * About one block.
     *
     * @param own the owner's checksum, or {@link NodeReply.CopySums#BAD}
     * @param copies those of the copies that could be asked
     */
    CopyVerdict of(long own, List<Long> copies);
  }

  /** Keeps a copy. */
  public CopyVerdict {
    wrong = List.copyOf(wrong);
  }

  /** As the class says; see {@link Judge#of}. */
  public static CopyVerdict of(long own, List<Long> copies) {
    List<Integer> bad = new ArrayList<>();
    int source = own == NodeReply.CopySums.BAD ? NOBODY : OWNER;
    long right = own;
    if (source == NOBODY) {
      bad.add(OWNER);
    }
    for (int i = 0; i < copies.size(); i++) {
      long sum = copies.get(i);
      if (sum == NodeReply.CopySums.BAD) {
        bad.add(i);
      } else if (source == NOBODY) {
        source = i;
        right = sum;
      } else if (sum != right) {
        bad.add(i);
      }
    }
    return isOutvoted(own, copies, right)
        ? new CopyVerdict(NOBODY, bad)
        : new CopyVerdict(source, bad);
  }

  /** Whether copies disagree, and no more of them are for the one than for another. */
  private static boolean isOutvoted(long own, List<Long> copies, long right) {
    long votes = copies.stream().filter(sum -> sum == right).count();
    boolean isOwners = own != NodeReply.CopySums.BAD;
    for (long other : copies) {
      boolean differs = other != NodeReply.CopySums.BAD && other != right;
      long against = copies.stream().filter(sum -> sum == other).count();
      if (differs && (!isOwners || against > votes + 1)) {
        return true;
      }
    }
    return false;
  }

  /** Whether all blocks are right. */
  boolean isGood() {
    return wrong.isEmpty() && source == OWNER;
  }
}
