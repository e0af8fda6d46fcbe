package org.millrace.cli.campaign;

import java.util.ArrayList;
import java.util.List;

/**
 * What one sector may hold. Belongs to its writer while that runs, then to the campaign's thread.
 */
final class SectorModel {

  private long durable = Sector.NEVER;
  private final List<Long> since = new ArrayList<>();

  /** A write of this sequence begins. */
  void written(long sequence) {
    since.add(sequence);
  }

  /** All that was written is durable; false if nothing was. */
  boolean acknowledged() {
    if (since.isEmpty()) {
      return false;
    }
    durable = since.getLast();
    since.clear();
    return true;
  }

  boolean mayHold(long sequence) {
    return sequence == durable || since.contains(sequence);
  }

  /** This is what it holds now, on the disk. */
  void found(long sequence) {
    durable = sequence;
    since.clear();
  }

  @Override
  public String toString() {
    return since.isEmpty() ? "" + durable : durable + " or one of " + since;
  }
}
