package org.millrace.mount.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Mounts and unmounts: by the calls of the kernel for root, else with the help of {@code
 * fusermount3}. Stateless.
 */
public final class Mounting {

  private static final long NO_SET_ID = 2;
  private static final long NO_DEVICES = 4;
  private static final int DIRECTORY = 0040000;

  private Mounting() {}

  /** Whether this process may mount by itself. */
  public static boolean isRoot() {
    return new Libc().user() == 0;
  }

  /** Checks the place of a mount, and says what to do where it is wrong. */
  public static void check(Path mountPoint) throws IOException {
    if (!Libc.isPossible()) {
      throw new MountException(
          "mounting needs Linux, and a JVM with --enable-native-access=ALL-UNNAMED");
    }
    if (!Files.exists(Path.of(FuseDevice.PATH))) {
      throw new MountException(
          "there is no /dev/fuse: load the module (modprobe fuse),"
              + " or give the container the device (--device /dev/fuse --cap-add SYS_ADMIN)");
    }
    if (!Files.isWritable(Path.of(FuseDevice.PATH))) {
      throw new MountException(
          "/dev/fuse may not be used by this user; let root allow it: chmod 666 /dev/fuse");
    }
    Optional<MountTable.Mounted> mounted = MountTable.at(mountPoint);
    if (mounted.isPresent()) {
      throw new MountException(
          mountPoint + " is a mount point already; unmount it: millrace umount " + mountPoint);
    }
    if (!Files.isDirectory(mountPoint)) {
      throw new MountException(mountPoint + " is not a directory; make it: mkdir " + mountPoint);
    }
    try (Stream<Path> inside = Files.list(mountPoint)) {
      if (inside.findAny().isPresent()) {
        throw new MountException(mountPoint + " is not empty; choose an empty directory");
      }
    }
  }

  /**
   * Mounts.
   *
   * @param largestRead the most bytes of a read
   */
  public static FuseDevice mount(Path mountPoint, String source, int largestRead)
      throws IOException {
    check(mountPoint);
    Path place = MountTable.absolute(mountPoint);
    Libc libc = new Libc();
    if (libc.user() != 0) {
      return Fusermount.mount(place, source, largestRead);
    }
    int descriptor = libc.open(FuseDevice.PATH, Libc.READ_WRITE_CLOEXEC);
    if (descriptor < 0) {
      throw new MountException("cannot open /dev/fuse: errno " + -descriptor);
    }
    String options =
        "fd=%s,rootmode=%o,user_id=0,group_id=0,allow_other,default_permissions,max_read=%s"
            .formatted(descriptor, DIRECTORY, largestRead);
    int failed =
        libc.mount(source, place.toString(), MountTable.TYPE, NO_SET_ID | NO_DEVICES, options);
    if (failed < 0) {
      libc.close(descriptor);
      throw new MountException(
          failed == -Errno.EPERM.number()
              ? "the kernel does not permit mounts here; a container needs --cap-add SYS_ADMIN"
              : "cannot mount at %s: errno %s".formatted(mountPoint, -failed));
    }
    return new FuseDevice(descriptor);
  }

  /**
   * Unmounts.
   *
   * @param detach whether it goes even though it is in use: at once from the names, later for those
   *     who use it
   */
  public static void unmount(Path mountPoint, boolean detach) throws IOException {
    Path place = MountTable.absolute(mountPoint);
    Optional<MountTable.Mounted> mounted = MountTable.at(place);
    if (mounted.isEmpty() || !mounted.get().isMillrace()) {
      throw new MountException(
          mountPoint + " is no mount of millrace; see: findmnt -t fuse.millrace");
    }
    if (!isRoot()) {
      Fusermount.unmount(place, detach);
      return;
    }
    int failed = new Libc().umount(place.toString(), detach ? Libc.DETACH : 0);
    if (failed == -Errno.EBUSY.number()) {
      throw new MountException(busy(mountPoint));
    }
    if (failed < 0) {
      throw new MountException("cannot unmount %s: errno %s".formatted(mountPoint, -failed));
    }
  }

  static String busy(Path mountPoint) {
    return "%s is in use: close what is open there (fuser -vm %s), or unmount with --lazy"
        .formatted(mountPoint, mountPoint);
  }

  /** Whether a mount's server is dead: everything there fails, and only unmounting helps. */
  public static boolean isDead(Path mountPoint) throws IOException {
    Optional<MountTable.Mounted> mounted = MountTable.at(mountPoint);
    if (mounted.isEmpty() || !mounted.get().isMillrace()) {
      return false;
    }
    try (Stream<Path> _ = Files.list(mountPoint)) {
      return false;
    } catch (IOException e) {
      String message = String.valueOf(e.getMessage());
      return message.contains("not connected") || message.contains("abort");
    }
  }

  /** Has the kernel let all requests of a mount fail, now and later; false if it cannot be told. */
  public static boolean abort(int device) {
    try {
      Files.writeString(Path.of("/sys/fs/fuse/connections/" + device + "/abort"), "1");
      return true;
    } catch (IOException e) {
      return false; // the connection is gone, or nobody has mounted fusectl
    }
  }
}
