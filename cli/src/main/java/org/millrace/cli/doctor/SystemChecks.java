package org.millrace.cli.doctor;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.millrace.cli.terminal.Shown;

/** Checks that read files of the system: limits, memory, clocks, FUSE, MPI. Stateless. */
final class SystemChecks {

  private static final long ENOUGH_DESCRIPTORS = 4096;
  private static final long FEW_DESCRIPTORS = 256;
  private static final long ENOUGH_PROCESSES = 2048;
  private static final Set<String> QUICK_CLOCKS =
      Set.of("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "xen");
  private static final List<String> LAUNCHERS =
      List.of("mpirun.openmpi", "mpiexec.mpich", "mpirun", "mpiexec", "srun");

  // constant after construction
  private final Host host;

  SystemChecks(Host host) {
    this.host = host;
  }

  List<Finding> all() {
    List<Finding> all = new ArrayList<>();
    all.add(java(Runtime.version(), System.getProperty("java.home")));
    all.add(encoding(System.getProperty("sun.jnu.encoding", "")));
    all.add(memory());
    all.add(descriptors());
    all.add(processes());
    all.add(lockedMemory());
    all.add(sharedMemory());
    all.add(fuse());
    all.add(mpi());
    all.add(clock());
    all.add(synchronization());
    return all;
  }

  Finding java(Runtime.Version version, String home) {
    String found = version + " in " + home;
    return version.compareToIgnoreOptional(Runtime.Version.parse("25.0.3")) < 0
        ? Finding.fail(
            "java", found, "JDK 25.0.3 or newer is needed, such as temurin-25-jdk of adoptium.net")
        : Finding.ok("java", found);
  }

  /** Java makes names of files from bytes by this. */
  Finding encoding(String name) {
    return name.equalsIgnoreCase("UTF-8")
        ? Finding.ok("encoding", name)
        : Finding.warn(
            "encoding",
            name,
            "local files whose names have other letters than English ones cannot be put: export"
                + " LC_ALL=C.UTF-8");
  }

  Finding memory() {
    Optional<Long> total = number("/proc/meminfo", "MemTotal:\\s+(\\d+) kB").map(kib -> kib << 10);
    Optional<Long> container =
        host.read("/sys/fs/cgroup/memory.max")
            .filter(text -> text.matches("\\d+"))
            .map(Long::valueOf);
    if (total.isEmpty()) {
      return Finding.warn("memory", "unknown", "give the JVM its memory in MILLRACE_JAVA_OPTS");
    }
    long bytes = Math.min(total.get(), container.orElse(Long.MAX_VALUE));
    String found = Shown.bytes(bytes) + (container.isPresent() ? ", a container's limit" : "");
    return bytes < 1L << 30
        ? Finding.warn("memory", found, "a coordinator and two nodes want 1G or more")
        : Finding.ok("memory", found);
  }

  Finding descriptors() {
    Limit limit = limit("Max open files");
    String advice =
        "each open strand and each connection takes one: raise the limit with ulimit -n, or nofile"
            + " in /etc/security/limits.conf";
    if (limit.hard < FEW_DESCRIPTORS) {
      return Finding.fail("open files", limit.shown(), advice);
    }
    return limit.hard < ENOUGH_DESCRIPTORS // the JVM raises its own limit to the hard one
        ? Finding.warn("open files", limit.shown(), advice)
        : Finding.ok("open files", limit.shown());
  }

  Finding processes() {
    Limit limit = limit("Max processes");
    return limit.soft < ENOUGH_PROCESSES
        ? Finding.warn(
            "processes",
            limit.shown(),
            "threads count, too, and a rank's JVM has about 30: raise the limit with ulimit -u")
        : Finding.ok("processes", limit.shown());
  }

  Finding lockedMemory() {
    return Finding.ok(
        "locked memory", limit("Max locked memory").shown() + "; nothing here locks memory");
  }

  Finding sharedMemory() {
    Path folder = host.file("/dev/shm");
    if (!Files.isDirectory(folder) || !Files.isWritable(folder)) {
      return Finding.warn(
          "shared memory",
          "no /dev/shm to write to",
          "processes of one host exchange data by sockets, which is slower: mount a tmpfs there");
    }
    long free = folder.toFile().getUsableSpace();
    long memory = number("/proc/meminfo", "MemTotal:\\s+(\\d+) kB").orElse(0L) << 10;
    String found = "/dev/shm has " + Shown.bytes(free) + " free";
    return free < memory / 16
        ? Finding.warn(
            "shared memory",
            found,
            "less than a node's cache (1/16 of the memory): in a container give --shm-size, else"
                + " mount -o remount,size=50% /dev/shm")
        : Finding.ok("shared memory", found);
  }

  Finding fuse() {
    Path device = host.file("/dev/fuse");
    if (!Files.exists(device)) {
      return Finding.warn(
          "mount", "no /dev/fuse", "millrace mount needs it: modprobe fuse, or --device /dev/fuse");
    }
    if (!Files.isReadable(device) || !Files.isWritable(device)) {
      return Finding.warn("mount", "/dev/fuse may not be opened", "millrace mount needs it");
    }
    boolean root = "root".equals(System.getProperty("user.name"));
    boolean helper = host.command("fusermount3").isPresent();
    return root || helper
        ? Finding.ok("mount", "/dev/fuse" + (helper ? " and fusermount3" : ", as root"))
        : Finding.warn(
            "mount",
            "/dev/fuse without fusermount3",
            "to mount without root: apt-get install fuse3");
  }

  Finding mpi() {
    List<String> found =
        LAUNCHERS.stream()
            .flatMap(name -> host.command(name).stream())
            .map(Path::toString)
            .toList();
    return found.isEmpty()
        ? Finding.ok("launchers", "none; millrace run --procs starts ranks on one host")
        : Finding.ok("launchers", String.join(", ", found));
  }

  Finding clock() {
    Optional<String> source =
        host.read("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    if (source.isEmpty()) {
      return Finding.ok("clock", "source unknown");
    }
    return QUICK_CLOCKS.contains(source.get())
        ? Finding.ok("clock", "source " + source.get())
        : Finding.warn(
            "clock",
            "source " + source.get(),
            "each look at it is a call of the kernel; short calls take longer. Measurements are not"
                + " comparable");
  }

  /** Deadlines do not depend on the date, but capabilities and certificates do. */
  Finding synchronization() {
    boolean synchronizes =
        Files.exists(host.file("/run/systemd/timesync/synchronized"))
            || Files.exists(host.file("/run/chrony"))
            || Files.exists(host.file("/run/ntpd.pid"))
            || Files.exists(host.file("/run/openntpd"));
    return synchronizes
        ? Finding.ok("date", "kept by a time service")
        : Finding.warn(
            "date",
            "no time service seen",
            "on one host that does not matter; several hosts must agree within a minute: apt-get"
                + " install chrony");
  }

  private record Limit(long soft, long hard) {

    String shown() {
      return soft == hard ? word(soft) : word(soft) + ", can be raised to " + word(hard);
    }

    private static String word(long value) {
      return value == Long.MAX_VALUE ? "unlimited" : Long.toString(value);
    }
  }

  private Limit limit(String name) {
    Matcher line =
        Pattern.compile("(?m)^" + name + "\\s+(\\S+)\\s+(\\S+)")
            .matcher(host.read("/proc/self/limits").orElse(""));
    return line.find()
        ? new Limit(value(line.group(1)), value(line.group(2)))
        : new Limit(Long.MAX_VALUE, Long.MAX_VALUE);
  }

  private static long value(String text) {
    return text.matches("\\d{1,18}") ? Long.parseLong(text) : Long.MAX_VALUE;
  }

  private Optional<Long> number(String file, String pattern) {
    Matcher found = Pattern.compile(pattern).matcher(host.read(file).orElse(""));
    return found.find() ? Optional.of(Long.valueOf(found.group(1))) : Optional.empty();
  }
}
