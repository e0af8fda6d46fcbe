package org.millrace.coordinator;

import java.util.Optional;

/**
 * Files whose last name is gone while they are open: they stay until the last open is closed. After
 * a restart of the coordinator nobody knows which of them are open before all who had them open
 * have come back, or will not; then the others go.
 *
 * <p>Guarded by the coordinator's lock.
 */
record Leftovers(
    Names names,
    Opens opens,
    Removals removals,
    Transactions transactions,
    Recalls recalls,
    NameClock clock) {

  /** Begins to wait for those who had files open; what nobody has open goes. */
  void start() {
    if (recalls.isOpen()) {
      recalls.whenOver(_ -> collect());
    } else {
      collect();
    }
  }

  /** Drops what nobody has open, and nobody is about to hear that it has. */
  void collect() {
    for (NameEntry orphan : names.orphans()) {
      if (!isInUse(orphan)) {
        removals.remove(orphan, clock.next());
      }
    }
  }

  /** Whether a file is open, or may be. */
  boolean isInUse(NameEntry entry) {
    return entry.isFile()
        && (recalls.isOpen()
            || !opens.of(entry.id).isEmpty()
            || recalls.makerOf(entry.id, names.answers()).isPresent());
  }

  /**
   * Takes a name away, and makes other changes in the same step.
   *
   * @return whether what it stood for went, too
   */
  boolean unlink(FileRules.Taken taken, Optional<NameChange> then) {
    boolean goes =
        removals.unlink(
            taken.place(), isInUse(taken.entry()), clock.next(), then.stream().toList());
    if (goes) {
      transactions.removeOrphans(removals, clock.next());
    }
    return goes;
  }

  /**
   * Closes an open file; the file goes if it has no name any more and nobody else has it open, or
   * if it was to be removed with its last close.
   *
   * @return whether its bytes go
   */
  boolean close(Open open) {
    Optional<NameEntry> found = names.byId(open.file());
    Optional<NameEntry.Place> place = found.flatMap(opens::nameToDelete);
    boolean deletes = opens.remove(open);
    if (found.isEmpty() || !opens.of(open.file()).isEmpty()) {
      return false;
    }
    NameEntry entry = found.get();
    if (deletes && !entry.isOrphan()) {
      return place.isPresent() && unlink(new FileRules.Taken(place.get(), entry), Optional.empty());
    }
    if (!entry.isOrphan() || recalls.isOpen()) {
      return false;
    }
    removals.remove(entry, clock.next());
    transactions.removeOrphans(removals, clock.next());
    return true;
  }
}
