package org.millrace.cluster;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.millrace.disk.ProcessStart;
import org.millrace.disk.RunFolder;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.Address;

/**
 * The file in a cluster's folder by which others find the coordinator.
 *
 * <pre>
 * file "coordinator.address", UTF-8, one line each:
 *   unix:/a/path      where it listens; behind it, with blanks between, where others listen that
 *                     may take its place
 *   pid 4711          its process
 *   job 1367408641    the run that it lives and dies with; nothing after "job" for a daemon
 *   began 0f3c... 47  when its process began, as {@link ProcessStart} says it
 * </pre>
 *
 * @param addresses where it listens, and then where others do that may take its place
 * @param pid its process, on the host where it runs
 * @param job of which run it is part; empty for a daemon
 * @param began when its process began; empty if that is not known
 */
public record CoordinatorAddress(List<Address> addresses, long pid, String job, String began) {

  /** Its name in the cluster's folder {@code run}. */
  public static final String FILE = "coordinator.address";

  /** Keeps a copy. */
  public CoordinatorAddress {
    addresses = List.copyOf(addresses);
  }

  /** Of this process. */
  public static CoordinatorAddress ofThis(Address address, String job) {
    return ofThis(List.of(address), job);
  }

  /** Of this process, and others that may take its place. */
  public static CoordinatorAddress ofThis(List<Address> addresses, String job) {
    ProcessHandle self = ProcessHandle.current();
    return new CoordinatorAddress(addresses, self.pid(), job, ProcessStart.of(self));
  }

  /** Where it listens. */
  public Address address() {
    return addresses.getFirst();
  }

  /** Its process, if it lives and is one of this host. */
  public Optional<ProcessHandle> process() {
    return ProcessStart.find(pid, began);
  }

  /** What is there, if anything is. */
  public static Optional<CoordinatorAddress> read(RunFolder folder) throws IOException {
    Optional<String> text = folder.read(FILE);
    return text.isEmpty() ? Optional.empty() : Optional.of(parse(folder, text.get()));
  }

  private static CoordinatorAddress parse(RunFolder folder, String text) throws MillraceException {
    List<String> lines = text.lines().toList();
    try {
      if (lines.size() == 4
          && lines.get(1).startsWith("pid ")
          && lines.get(2).startsWith("job")
          && lines.get(3).startsWith("began")) {
        return new CoordinatorAddress(
            Arrays.stream(lines.get(0).split(" (?=(unix|tcp|tls):)")).map(Address::parse).toList(),
            Long.parseLong(lines.get(1).substring("pid ".length())),
            lines.get(2).substring("job".length()).strip(),
            lines.get(3).substring("began".length()).strip());
      }
    } catch (IllegalArgumentException e) {
      // said below
    }
    throw new MillraceException(
        ErrorCode.INVALID, folder.file(FILE) + " does not say where a coordinator is; delete it");
  }

  /** Leaves it. */
  public void write(RunFolder folder) throws IOException {
    String all = String.join(" ", addresses.stream().map(Address::toString).toList());
    folder.write(FILE, all + "\npid " + pid + "\njob " + job + "\nbegan " + began + "\n");
  }

  /** Takes it away, unless another coordinator has come since. */
  public void delete(RunFolder folder) throws IOException {
    if (read(folder).filter(this::equals).isPresent()) {
      folder.delete(FILE);
    }
  }
}
