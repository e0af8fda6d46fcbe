package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.List;
import org.millrace.error.MillraceException;

/**
 * A copy of the tree of names that follows a log of {@link Batch}es: for members of a group of
 * coordinators, which apply what another one has appended. All members apply the same batches in
 * the same order, and so come to the same verdicts.
 *
 * <p>Not safe for use by several threads.
 */
public final class NameReplica {

  private static final int ALL = 0777;

  private final Names names = new Names("", ALL); // a log says first what the root's bits are
  private long writer;
  private long number;

  /**
   * A copy of a tree.
   *
   * @param state as {@link #state} has said it
   */
  public static NameReplica of(Batch state) throws MillraceException {
    NameReplica made = new NameReplica();
    made.apply(state.records());
    made.writer = state.writer();
    made.number = state.number();
    return made;
  }

  /** All that is known, as one batch: its number is that of the last that was applied. */
  public Batch state() {
    return new Batch(writer, number, number == 0 ? List.of() : records());
  }

  /**
   * Applies a batch, once.
   *
   * @return whether it is part of the tree now
   */
  public boolean apply(Batch batch) {
    if (batch.isBeat()) {
      return true;
    }
    if (batch.number() == number && batch.writer() == writer) {
      return true; // it is here twice
    }
    if (batch.number() != number + 1) {
      return false; // another leader has gone on since
    }
    try {
      apply(batch.records());
    } catch (MillraceException e) {
      return false; // all members have the same tree: it fits none of theirs
    }
    number = batch.number();
    writer = batch.writer();
    return true;
  }

  /**
   * Applies records that were appended together: all of them or none.
   *
   * @throws MillraceException CORRUPT if one does not fit the tree, or cannot be read
   */
  private void apply(List<byte[]> records) throws MillraceException {
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
  private List<byte[]> records() {
    return names.asChanges().stream().map(NameCodec::encode).toList();
  }
}
