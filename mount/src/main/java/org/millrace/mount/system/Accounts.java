package org.millrace.mount.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Names and numbers of users, or of groups, as {@code /etc/passwd} and {@code /etc/group} have
 * them. The file is read again when something is looked for that is not in it and the file has
 * changed. A number without a name has its decimal digits as name; a name without a number is
 * nobody's.
 *
 * <p>Safe for use by several threads.
 */
public final class Accounts {

  /** The number that stands for nobody. */
  public static final int NOBODY = 65534;

  /** What the file said at a time. */
  private record Table(
      @Nullable FileTime read, Map<Integer, String> names, Map<String, Integer> ids) {}

  // Constant after construction.
  private final Path file;
  private final ReentrantLock lock = new ReentrantLock();

  // Replaced with the lock held, read without.
  private volatile Table table = new Table(null, Map.of(), Map.of());

  /** Of a file whose lines begin with name, anything and number, with colons between. */
  public Accounts(Path file) {
    this.file = file;
  }

  /** The users of this host. */
  public static Accounts users() {
    return new Accounts(Path.of("/etc/passwd"));
  }

  /** The groups of this host. */
  public static Accounts groups() {
    return new Accounts(Path.of("/etc/group"));
  }

  /** The name of a number. */
  public String name(int id) {
    String name = table.names().get(id);
    if (name == null) {
      name = refresh().names().get(id);
    }
    return name == null ? Integer.toUnsignedString(id) : name;
  }

  /** The number of a name. */
  public int id(String name) {
    Integer id = table.ids().get(name);
    if (id == null && isNumber(name)) {
      return Integer.parseUnsignedInt(name);
    }
    if (id == null) {
      id = refresh().ids().get(name);
    }
    return id == null ? NOBODY : id;
  }

  private static boolean isNumber(String name) {
    try {
      Integer.parseUnsignedInt(name);
      return !name.startsWith("+");
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private Table refresh() {
    lock.lock();
    try {
      FileTime changed = Files.getLastModifiedTime(file);
      if (!changed.equals(table.read())) {
        table = read(changed);
      }
    } catch (IOException e) {
      table = new Table(null, Map.of(), Map.of()); // no file: nobody has a name here
    } finally {
      lock.unlock();
    }
    return table;
  }

  private Table read(FileTime changed) throws IOException {
    Map<Integer, String> names = new HashMap<>();
    Map<String, Integer> ids = new HashMap<>();
    for (String line : Files.readAllLines(file)) {
      String[] parts = line.split(":", -1);
      if (parts.length > 2 && isNumber(parts[2])) {
        names.putIfAbsent(Integer.parseUnsignedInt(parts[2]), parts[0]);
        ids.putIfAbsent(parts[0], Integer.parseUnsignedInt(parts[2]));
      }
    }
    return new Table(changed, Map.copyOf(names), Map.copyOf(ids));
  }
}
