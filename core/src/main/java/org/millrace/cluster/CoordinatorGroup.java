package org.millrace.cluster;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.millrace.disk.DiskFile;
import org.millrace.disk.FileDisk;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.Address;

/**
 * The coordinators of a cluster that has several, as the file {@code coordinators} in its directory
 * lists them. Every coordinator's host has such a file, with the same text. Immutable.
 *
 * <pre>
 * file "coordinators", UTF-8, one line each:
 *   millrace coordinators 1                       what it is, version of this format
 *   0 host0:7201 tls:host0:7200                   number, where the others reach it, where clients do
 *   1 host1:7201 tls:host1:7200
 * </pre>
 *
 * @param members all of them, by number
 */
public record CoordinatorGroup(List<Member> members) {

  /** The name of the file. */
  public static final String FILE = "coordinators";

  private static final String FORMAT = "millrace coordinators 1";
  private static final int MAX_BYTES = 1 << 16;

  /**
   * One of them.
   *
   * @param number never given to another one, even after it was replaced
   * @param peers where the others reach it: host:port
   * @param clients where clients do
   */
  public record Member(int number, String peers, Address clients) {

    /** What its part of a directory, its process and its socket are called. */
    public String name() {
      return nameOf(number);
    }

    /** The host at which others reach it. */
    public String host() {
      return peers.substring(0, peers.lastIndexOf(':'));
    }

    /** The port at which others reach it. */
    public int port() {
      return Integer.parseInt(peers.substring(peers.lastIndexOf(':') + 1));
    }

    @Override
    public String toString() {
      return number + " " + peers + " " + clients;
    }
  }

  /** Keeps a copy. */
  public CoordinatorGroup {
    members = List.copyOf(members);
  }

  /** What a member's part of a directory, its process and its socket are called. */
  public static String nameOf(int number) {
    return "coordinator-" + number;
  }

  /** The member of a number. */
  public Optional<Member> member(int number) {
    return members.stream().filter(one -> one.number == number).findFirst();
  }

  /** A number that none of them has had. */
  public int nextNumber() {
    return members.stream().mapToInt(Member::number).max().orElse(-1) + 1;
  }

  /** Where clients find them: {@code first} before all others. */
  public List<Address> addresses(int first) {
    List<Address> all = new ArrayList<>();
    member(first).ifPresent(one -> all.add(one.clients));
    members.stream().filter(one -> one.number != first).forEach(one -> all.add(one.clients));
    return all;
  }

  /** The group whose file is in {@code directory}; empty if its cluster has one coordinator. */
  public static Optional<CoordinatorGroup> read(Path directory) throws IOException {
    if (!FileDisk.isThere(directory)) {
      return Optional.empty();
    }
    try (FileDisk disk = FileDisk.open(directory)) {
      if (!disk.exists(FILE)) {
        return Optional.empty();
      }
      try (DiskFile file = disk.open(FILE)) {
        MemorySegment bytes =
            MemorySegment.ofArray(new byte[(int) Math.min(MAX_BYTES, file.size())]);
        file.read(0, bytes);
        byte[] text = bytes.toArray(ValueLayout.JAVA_BYTE);
        return Optional.of(parse(directory, new String(text, StandardCharsets.UTF_8)));
      }
    }
  }

  static CoordinatorGroup parse(Path directory, String text) throws MillraceException {
    List<String> lines = text.lines().filter(line -> !line.isBlank()).toList();
    List<Member> members = new ArrayList<>();
    if (!lines.isEmpty() && lines.getFirst().strip().equals(FORMAT)) {
      for (String line : lines.subList(1, lines.size())) {
        if (line.strip().matches("[0-9]{1,6} [^ ]+:[0-9]{1,5} .+")) {
          String[] fields = line.strip().split(" ", 3);
          members.add(new Member(Integer.parseInt(fields[0]), fields[1], Address.parse(fields[2])));
        }
      }
    }
    boolean distinct =
        members.stream().mapToInt(Member::number).distinct().count() == members.size();
    if (members.isEmpty() || members.size() != lines.size() - 1 || !distinct) {
      throw new MillraceException(
          ErrorCode.INVALID,
          directory.resolve(FILE)
              + " does not list coordinators, each as: number host:port address-for-clients");
    }
    return new CoordinatorGroup(members);
  }

  /** Says it, durably: a reader sees this or what was there before. */
  public void write(Path directory) throws IOException {
    StringBuilder text = new StringBuilder(FORMAT + "\n");
    members.forEach(one -> text.append(one).append('\n'));
    try (FileDisk disk = FileDisk.make(directory, FileDisk.Options.DEFAULT)) {
      disk.delete(FILE + ".new");
      try (DiskFile file = disk.create(FILE + ".new")) {
        file.write(0, MemorySegment.ofArray(text.toString().getBytes(StandardCharsets.UTF_8)));
        file.force();
      }
      disk.rename(FILE + ".new", FILE);
      disk.force();
    }
  }
}
