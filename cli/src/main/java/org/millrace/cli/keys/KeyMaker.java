package org.millrace.cli.keys;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NameExistsException;
import org.millrace.wire.Address;
import org.millrace.wire.Tls;

/**
 * An authority in a folder, and the keys that it certifies, each in a folder as {@link Tls} loads
 * it. The JDK's keytool makes the keys; passwords go to it in files, never as arguments, which
 * everybody on the host could read. Existing folders are never written to.
 *
 * <p>Immutable; used by one thread at a time.
 */
public final class KeyMaker {

  static final String AUTHORITY = "authority";

  private static final String SIGNER = "authority";
  private static final String SUBJECT = "key";
  private static final int PASSWORD_BYTES = 24;
  private static final int MANY_DAYS = 36_500; // nobody carries them elsewhere
  private static final FileAttribute<?> PRIVATE_FOLDER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final FileAttribute<?> PRIVATE_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Path folder;
  private final int days;

  /** The authority that is, or shall be, in {@code folder}. */
  KeyMaker(Path folder, int days) {
    this.folder = folder;
    this.days = days;
  }

  private Path authority() {
    return folder.resolve(AUTHORITY);
  }

  /**
   * Keys for processes of one host that talk to each other alone, with an authority of their own.
   *
   * @return the folder of the keys
   */
  public static Path forThisHost(Path folder, String host) throws IOException {
    Path target = folder.resolve(host);
    if (!Files.exists(target.resolve(Tls.TRUST))) {
      KeyMaker maker = new KeyMaker(folder, MANY_DAYS);
      maker.makeAuthority();
      maker.issue(target, System.getProperty("user.name", "unknown"), List.of(), List.of(host));
    }
    return target;
  }

  /** Makes the authority. */
  void makeAuthority() throws IOException {
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(folder, PRIVATE_FOLDER);
    }
    makeFolder(authority());
    writePassword(authority());
    keytool(
        authority().resolve(Tls.KEY),
        SIGNER,
        "CN=millrace authority",
        List.of("-ext", "bc:c=ca:true,pathlen:0", "-ext", "ku:c=keyCertSign,cRLSign"));
  }

  /**
   * Makes keys for a user, which also serve as those of a process at the given hosts.
   *
   * @param target folder for the keys, which must not be there
   */
  void issue(Path target, String user, List<String> groups, List<String> hosts) throws IOException {
    if (!Files.exists(authority().resolve(Tls.KEY))) {
      throw new MillraceException(
          ErrorCode.REFUSED,
          "there is no authority in " + folder + "; make one with: millrace keys init");
    }
    makeFolder(target);
    Path work = Files.createTempDirectory(folder, ".issue-", PRIVATE_FOLDER);
    try {
      // A copy of the authority's store: there the new key is signed, the store itself stays as is.
      Path store = work.resolve(Tls.KEY);
      Files.createFile(store, PRIVATE_FILE);
      Files.write(store, Files.readAllBytes(authority().resolve(Tls.KEY)));
      List<String> options = new ArrayList<>(List.of("-signer", SIGNER));
      options.addAll(List.of("-ext", "ku:c=digitalSignature"));
      options.addAll(
          List.of("-ext", hosts.isEmpty() ? "eku=clientAuth" : "eku=serverAuth,clientAuth"));
      if (!hosts.isEmpty()) {
        options.addAll(List.of("-ext", "san=" + alternatives(hosts)));
      }
      keytool(store, SUBJECT, distinguishedName(user, groups), options);
      split(store, target);
    } finally {
      Files.deleteIfExists(work.resolve(Tls.KEY));
      Files.delete(work);
    }
  }

  private static String distinguishedName(String user, List<String> groups) {
    return "CN="
        + user
        + groups.stream().map(group -> ", OU=" + group).collect(Collectors.joining());
  }

  private static String alternatives(List<String> hosts) {
    return hosts.stream()
        .map(host -> (Address.isNumber(host) ? "ip:" : "dns:") + host)
        .collect(Collectors.joining(","));
  }

  /** Moves the new key to a store of its own, and the authority's certificate to another. */
  private void split(Path all, Path target) throws IOException {
    char[] from = Tls.password(authority());
    writePassword(target);
    char[] to = Tls.password(target);
    hashPasswordsOnce();
    try {
      KeyStore store = Tls.store(all, from);
      KeyStore key = empty();
      key.setKeyEntry(SUBJECT, store.getKey(SUBJECT, from), to, store.getCertificateChain(SUBJECT));
      KeyStore trust = empty();
      trust.setCertificateEntry(SIGNER, store.getCertificate(SIGNER));
      write(key, target.resolve(Tls.KEY), to);
      write(trust, target.resolve(Tls.TRUST), to);
    } catch (GeneralSecurityException e) {
      throw new MillraceException(ErrorCode.REFUSED, "cannot make keys: " + e.getMessage(), e);
    } finally {
      Arrays.fill(from, ' ');
      Arrays.fill(to, ' ');
    }
  }

  /**
   * Hashing passwords thousands of times makes guessing them slow. These are random and as strong
   * as the keys that they protect, so nobody can guess them; but each process that starts would
   * hash them, and a new JVM does that slowly. The JDK takes the numbers from here only.
   */
  private static void hashPasswordsOnce() {
    for (String what : List.of("keyPbe", "certPbe", "mac")) {
      System.setProperty("keystore.pkcs12." + what + "IterationCount", "1");
    }
  }

  private static KeyStore empty() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static void write(KeyStore store, Path file, char[] password)
      throws IOException, GeneralSecurityException {
    Files.createFile(file, PRIVATE_FILE);
    try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.WRITE)) {
      store.store(out, password);
    }
  }

  private static void makeFolder(Path target) throws IOException {
    try {
      Files.createDirectory(target, PRIVATE_FOLDER);
    } catch (FileAlreadyExistsException e) {
      throw new NameExistsException(
          target + " exists, and keys are never overwritten; choose another folder");
    }
  }

  private static void writePassword(Path target) throws IOException {
    byte[] bytes = new byte[PASSWORD_BYTES];
    new SecureRandom().nextBytes(bytes);
    Path file = Files.createFile(target.resolve(Tls.PASSWORD), PRIVATE_FILE);
    Files.writeString(file, HexFormat.of().formatHex(bytes) + "\n");
  }

  private void keytool(Path store, String alias, String name, List<String> more)
      throws IOException {
    List<String> line =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1", // it ends before more would pay
                "-J-XX:+UseSerialGC",
                "-genkeypair",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-alias",
                alias,
                "-dname",
                name,
                "-validity",
                Integer.toString(days),
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass:file",
                authority().resolve(Tls.PASSWORD).toString()));
    line.addAll(more);
    ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
    builder.environment().keySet().removeAll(Set.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"));
    Process process = builder.start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new MillraceException(ErrorCode.REFUSED, "keytool failed: " + said.strip());
      }
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new java.io.InterruptedIOException("interrupted while keytool ran");
    }
    if (alias.equals(SIGNER)) {
      Files.setPosixFilePermissions(store, PosixFilePermissions.fromString("rw-------"));
    }
  }
}
