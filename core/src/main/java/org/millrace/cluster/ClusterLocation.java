package org.millrace.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.millrace.disk.RunFolder;
import org.millrace.disk.SecretFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Destination;
import org.millrace.wire.Address;
import org.millrace.wire.Secret;
import org.millrace.wire.Security;

/** Where a cluster of processes is to be found. Immutable. */
public sealed interface ClusterLocation {

  /** Where a cluster is if nothing else was said: below the current folder. */
  Path DEFAULT_DIRECTORY = Path.of(".millrace", "data");

  /**
   * At an address.
   *
   * @param address the coordinator's
   */
  record At(Address address) implements ClusterLocation {

    @Override
    public Address coordinator() {
      return address;
    }

    @Override
    public Security security(Security given) {
      return given;
    }

    @Override
    public String toString() {
      return address.toString();
    }
  }

  /**
   * At the addresses of several coordinators, of which one leads.
   *
   * @param addresses of all of them
   */
  record AnyOf(List<Address> addresses) implements ClusterLocation {

    /** Keeps a copy. */
    public AnyOf {
      addresses = List.copyOf(addresses);
    }

    @Override
    public Address coordinator() {
      return addresses.getFirst();
    }

    @Override
    public Security security(Security given) {
      return given;
    }

    @Override
    public String toString() {
      return String.join(",", addresses.stream().map(Address::toString).toList());
    }
  }

  /**
   * In a directory, where the coordinator has left its address.
   *
   * @param directory of the cluster
   */
  record In(Path directory) implements ClusterLocation {

    @Override
    public Address coordinator() throws IOException {
      return addresses().getFirst();
    }

    @Override
    public List<Address> addresses() throws IOException {
      return CoordinatorAddress.read(RunFolder.of(directory))
          .orElseThrow(
              () ->
                  new MillraceException(
                      ErrorCode.NODE,
                      "no coordinator runs in %1$s: there is no %2$s; start one with: millrace up --dir"
                              .formatted(directory, CoordinatorAddress.FILE)
                          + " "
                          + directory))
          .addresses();
    }

    /**
     * Whether a coordinator that is no rank's runs there, as far as can be seen from this host.
     * What one left that was killed does not count.
     */
    public boolean hasDaemons() throws IOException {
      return CoordinatorAddress.read(RunFolder.of(directory))
          .filter(said -> said.job().isEmpty())
          .filter(said -> said.addresses().size() > 1 || said.process().isPresent())
          .isPresent();
    }

    @Override
    public Security security(Security given) throws IOException {
      return given.secret().isPresent()
          ? given
          : SecretFile.read(directory).map(Secret::new).map(given::withSecret).orElse(given);
    }

    @Override
    public String toString() {
      return directory.toString();
    }
  }

  /** The coordinator's address as it is now: a coordinator that was restarted may have another. */
  Address coordinator() throws IOException;

  /** Where coordinators may be, the most likely first. */
  default List<Address> addresses() throws IOException {
    return List.of(coordinator());
  }

  /** All of {@link #addresses}, in turn: the coordinator that leads is at one of them. */
  default Destination destination() {
    AtomicInteger turn = new AtomicInteger();
    return new Destination() {
      @Override
      public Address next() throws IOException {
        List<Address> all = addresses();
        return all.get(Math.floorMod(turn.getAndIncrement(), all.size()));
      }

      @Override
      public boolean hasOthers() {
        try {
          return addresses().size() > 1;
        } catch (IOException e) {
          return false; // nobody has said yet where it is
        }
      }

      @Override
      public String toString() {
        return ClusterLocation.this.toString();
      }
    };
  }

  /** What is given, with the cluster's secret if that can be found and was not given. */
  Security security(Security given) throws IOException;

  /** An address as {@link Address#parse} takes it, several with commas between, or a directory. */
  static ClusterLocation parse(String text) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException(
          "neither an address such as unix:/path nor a cluster's directory was given");
    }
    if (!text.matches("(unix|tcp|tls):.*")) {
      return new In(Path.of(text));
    }
    List<Address> all =
        Arrays.stream(text.split(",(?=(unix|tcp|tls):)")).map(Address::parse).toList();
    return all.size() == 1 ? new At(all.getFirst()) : new AnyOf(all);
  }
}
