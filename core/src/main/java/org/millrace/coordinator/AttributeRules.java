package org.millrace.coordinator;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NameExistsException;
import org.millrace.files.FileChange;
import org.millrace.files.FileTree.Setting;
import org.millrace.protocol.Bytes;
import org.millrace.protocol.CoordinatorRequest;

/**
 * The rules of POSIX, and of Linux for extended attributes, for changing what a file is: checks
 * what users ask and turns it into valid changes. It changes nothing itself.
 *
 * <p>Guarded by the coordinator's lock.
 */
final class AttributeRules {

  /** The largest value of an extended attribute. */
  static final int MAX_VALUE_BYTES = 4 << 10;

  /** Names and values of all extended attributes of a file together. */
  static final int MAX_ALL_BYTES = 64 << 10;

  private static final int GROUP_RUNS = 010;

  // constant after construction
  private final NameRules rules;
  private final NameClock clock;

  AttributeRules(NameRules rules, NameClock clock) {
    this.rules = rules;
    this.clock = clock;
  }

  NameChange.SetAttributes change(User user, NameEntry entry, FileChange change)
      throws MillraceException {
    return change(user, entry, change, 0);
  }

  /**
   * A change of attributes, if the user may.
   *
   * @param witness of a modification time that is set
   */
  NameChange.SetAttributes change(User user, NameEntry entry, FileChange change, long witness)
      throws MillraceException {
    if (change.size().isPresent()) {
      throw new MillraceException(ErrorCode.INVALID, "the coordinator cannot set a size");
    }
    if (!user.rank()) {
      FileRules.checkNoLogs(entry.parent, entry.name);
    }
    long now = clock.next();
    return new NameChange.SetAttributes(
        entry.id,
        rules.stored(entry, owner(user, entry, change)),
        group(user, entry, change),
        permissions(user, entry, change),
        stamps(user, entry, change, witness, now));
  }

  /** That a file was read, which any reader may cause. */
  NameChange.SetAttributes accessed(NameEntry entry) {
    return new NameChange.SetAttributes(
        entry.id,
        rules.stored(entry, entry.owner),
        entry.group,
        entry.permissions,
        entry.stamps.accessedAt(clock.next()));
  }

  private String owner(User user, NameEntry entry, FileChange change) throws MillraceException {
    String owner = change.owner().orElse(entry.owner);
    if (change.owner().isPresent()) {
      Paths.checkOwner(owner);
      boolean stays = owner.equals(entry.owner) && rules.owns(user, entry);
      if (!stays && !rules.isSuperuser(user)) {
        throw new MillraceException(
            ErrorCode.NOT_OWNER,
            "user %s may not give away %s".formatted(user, Paths.show(entry.path())));
      }
    }
    return owner;
  }

  private String group(User user, NameEntry entry, FileChange change) throws MillraceException {
    String group = change.group().orElse(entry.group);
    if (change.group().isPresent()) {
      Paths.checkGroup(group);
      rules.checkOwns(user, entry, "change the group of");
      checkMember(user, entry, group);
    }
    return group;
  }

  /** An owner gives a file to its own groups only; ranks also to none. */
  private void checkMember(User user, NameEntry entry, String group) throws MillraceException {
    boolean may =
        rules.isSuperuser(user)
            || user.groups().contains(group)
            || group.equals(entry.group)
            || group.isEmpty() && user.rank();
    if (!may) {
      throw new MillraceException(
          ErrorCode.NOT_OWNER,
          "user " + user + " is not in group " + Paths.show(group) + " but in " + user.groups());
    }
  }

  private int permissions(User user, NameEntry entry, FileChange change) throws MillraceException {
    boolean privileged = rules.isSuperuser(user);
    if (change.permissions().isPresent()) {
      int bits = change.permissions().getAsInt();
      NameRules.checkPermissions(bits, FileRules.ALL_BITS);
      rules.checkOwns(user, entry, "change");
      boolean keepsGroup = privileged || entry.isDirectory() || user.groups().contains(entry.group);
      return keepsGroup ? bits : bits & ~NameEntry.SET_GROUP;
    }
    boolean given = change.owner().isPresent() || change.group().isPresent();
    if (!given || entry.isDirectory()) {
      return entry.permissions;
    }
    int bits = entry.permissions & ~NameEntry.SET_USER;
    return (bits & GROUP_RUNS) != 0 ? bits & ~NameEntry.SET_GROUP : bits;
  }

  private Stamps stamps(User user, NameEntry entry, FileChange change, long witness, long now)
      throws MillraceException {
    checkMaySetTimes(user, entry, change);
    Stamps was = entry.stamps;
    return new Stamps(
        time(change.accessed(), was.accessed(), now),
        time(change.modified(), was.modified(), now),
        now,
        was.created(),
        change.modified().isPresent() ? witness : was.witness());
  }

  private static long time(OptionalLong wanted, long before, long now) {
    return wanted.isEmpty()
        ? before
        : wanted.getAsLong() == FileChange.NOW ? now : wanted.getAsLong();
  }

  /** Owners set any times; those who may write set the present one. */
  private void checkMaySetTimes(User user, NameEntry entry, FileChange change)
      throws MillraceException {
    if (change.accessed().isEmpty() && change.modified().isEmpty() || rules.owns(user, entry)) {
      return;
    }
    if (isNow(change.accessed()) && isNow(change.modified())) {
      rules.checkAllowed(user, entry, NameEntry.WRITE, "change the times of");
    } else {
      rules.checkOwns(user, entry, "set the times of");
    }
  }

  private static boolean isNow(OptionalLong time) {
    return time.isEmpty() || time.getAsLong() == FileChange.NOW;
  }

  /** The value of an extended attribute. */
  Bytes get(User user, NameEntry entry, String name) throws MillraceException {
    checkName(name);
    checkMayUse(user, entry, name, false);
    Bytes value = entry.extended.get(name);
    if (value == null) {
      throw none(entry, name);
    }
    return value;
  }

  NameChange set(User user, NameEntry entry, CoordinatorRequest.OfFile.SetAttribute request)
      throws MillraceException {
    String name = request.name();
    checkName(name);
    checkMayUse(user, entry, name, true);
    boolean there = entry.extended.containsKey(name);
    if (there && request.setting() == Setting.CREATE) {
      throw new NameExistsException(
          "%s has an attribute %s".formatted(Paths.show(entry.path()), Paths.show(name)));
    }
    if (!there && request.setting() == Setting.REPLACE) {
      throw none(entry, name);
    }
    checkFits(entry, name, request.value());
    return new NameChange.SetExtended(entry.id, name, Optional.of(request.value()), clock.next());
  }

  NameChange remove(User user, NameEntry entry, String name) throws MillraceException {
    checkName(name);
    checkMayUse(user, entry, name, true);
    if (!entry.extended.containsKey(name)) {
      throw none(entry, name);
    }
    return new NameChange.SetExtended(entry.id, name, Optional.empty(), clock.next());
  }

  /** Whether a user sees that there is an attribute of this name. */
  boolean isListed(User user, String name) {
    return !name.startsWith("trusted.") || rules.isSuperuser(user);
  }

  private static void checkFits(NameEntry entry, String name, Bytes value)
      throws MillraceException {
    long all = (long) bytes(name) + value.length();
    for (Map.Entry<String, Bytes> one : entry.extended.entrySet()) {
      all += one.getKey().equals(name) ? 0 : bytes(one.getKey()) + one.getValue().length();
    }
    if (value.length() > MAX_VALUE_BYTES || all > MAX_ALL_BYTES) {
      throw new MillraceException(
          ErrorCode.TOO_LARGE,
          "an attribute of %s bytes, at most %s; all of %s together %s bytes, at most %s"
              .formatted(
                  value.length(), MAX_VALUE_BYTES, Paths.show(entry.path()), all, MAX_ALL_BYTES));
    }
  }

  private static int bytes(String name) {
    return name.getBytes(StandardCharsets.UTF_8).length;
  }

  private static void checkName(String name) throws MillraceException {
    Paths.checkText(name);
    Paths.checkLength(name, name);
    if (name.isEmpty()) {
      throw new MillraceException(ErrorCode.INVALID, "an attribute without a name");
    }
  }

  /**
   * Attributes of users follow the mode bits, where these mean something; all others are the
   * superuser's to set. Lists of rights are not kept: nobody would heed them.
   */
  private void checkMayUse(User user, NameEntry entry, String name, boolean write)
      throws MillraceException {
    FileRules.checkNoLogs(entry.parent, entry.name);
    if (name.startsWith("system.")) {
      throw new MillraceException(
          ErrorCode.UNSUPPORTED, "attributes like " + Paths.show(name) + " are not kept");
    }
    if (name.startsWith("trusted.") || name.startsWith("security.")) {
      if ((write || name.startsWith("trusted.")) && !rules.isSuperuser(user)) {
        throw new MillraceException(
            ErrorCode.NOT_OWNER, "user " + user + " may not use attribute " + Paths.show(name));
      }
      return;
    }
    if (!entry.isFile() && !entry.isDirectory()) {
      if (write) {
        throw new MillraceException(
            ErrorCode.NOT_OWNER,
            "%s is %s, which has no such attributes"
                .formatted(Paths.show(entry.path()), entry.kindName()));
      }
      return;
    }
    if (write && entry.isDirectory() && (entry.permissions & NameEntry.STICKY) != 0) {
      rules.checkOwns(user, entry, "set attributes of");
    }
    rules.checkAllowed(user, entry, write ? NameEntry.WRITE : NameEntry.READ, "use attributes of");
  }

  private static MillraceException none(NameEntry entry, String name) {
    return new MillraceException(
        ErrorCode.NO_ATTRIBUTE,
        "%s has no attribute %s".formatted(Paths.show(entry.path()), Paths.show(name)));
  }
}
