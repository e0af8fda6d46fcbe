package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.List;
import org.millrace.error.MillraceException;

/**
 * A copy of the tree of names that follows a {@link ChangeLog}: for members of a group of
 * coordinators, which apply what another one has appended.
 *
 * <p>Not safe for use by several threads.
 */
public final class NameReplica {

  private static final int ALL = 0777;

  private final Names names = new Names("", ALL); // a log says first what the root's bits are

  /**
   * Applies records that were appended together: all of them or none.
   *
   * @throws MillraceException CORRUPT if one does not fit the tree, or cannot be read
   */
  public void apply(List<byte[]> records) throws MillraceException {
    List<NameChange> undo = new ArrayList<>();
    try {
      for (byte[] record : records) {
        undo.addFirst(names.apply(NameCodec.decode(record)));
      }
    } catch (MillraceException e) {
      for (NameChange change : undo) {
        names.apply(change);
      }
      throw e;
    }
  }

  /** Records that make this tree from an empty one. */
  public List<byte[]> records() {
    return names.asChanges().stream().map(NameCodec::encode).toList();
  }

  /** Which life of the coordinator has begun last; 0 if none has. */
  public long life() {
    return names.life().number();
  }
}
