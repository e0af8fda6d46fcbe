package org.millrace.wire;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;

/** An authority that certifies whatever a test wants. Used by one thread. */
final class TestKeys {

  private static final String PASSWORD = "only for tests";

  private final Path folder;
  private final Path store;

  TestKeys(Path folder, String name) throws IOException, InterruptedException {
    this.folder = folder.resolve(name);
    this.store = this.folder.resolve("all.p12");
    Files.createDirectories(this.folder);
    Files.writeString(this.folder.resolve("password"), PASSWORD);
    keytool("ca", "CN=authority", "-ext", "bc:c");
  }

  /** A folder of keys for {@code name}, signed by this authority. */
  Path issue(String alias, String name, String... more)
      throws IOException, InterruptedException, GeneralSecurityException {
    List<String> options = new ArrayList<>(List.of("-signer", "ca"));
    options.addAll(List.of(more));
    keytool(alias, name, options.toArray(String[]::new));
    char[] password = PASSWORD.toCharArray();
    KeyStore all = Tls.store(store, password);
    KeyStore key = empty();
    key.setKeyEntry(alias, all.getKey(alias, password), password, all.getCertificateChain(alias));
    KeyStore trust = empty();
    trust.setCertificateEntry("ca", requireNonNull(all.getCertificate("ca")));
    Path place = Files.createDirectories(folder.resolve(alias));
    write(key, place.resolve(Tls.KEY));
    write(trust, place.resolve(Tls.TRUST));
    Files.writeString(place.resolve(Tls.PASSWORD), PASSWORD + "\n");
    keepPrivate(place.resolve(Tls.KEY));
    keepPrivate(place.resolve(Tls.PASSWORD));
    return place;
  }

  SSLContext server() throws IOException, InterruptedException, GeneralSecurityException {
    return Tls.load(issue("server", "CN=miller, OU=staff", "-ext", "san=dns:localhost")).context();
  }

  SSLContext client() throws IOException, InterruptedException, GeneralSecurityException {
    return Tls.load(issue("client", "CN=rosa, OU=staff, OU=guests", "-ext", "eku=clientAuth"))
        .context();
  }

  private static KeyStore empty() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static void write(KeyStore store, Path file)
      throws IOException, GeneralSecurityException {
    try (OutputStream out = Files.newOutputStream(file)) {
      store.store(out, PASSWORD.toCharArray());
    }
  }

  private static void keepPrivate(Path file) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  private void keytool(String alias, String name, String... more)
      throws IOException, InterruptedException {
    List<String> line =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
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
                "-keystore",
                store.toString(),
                "-storetype",
                "PKCS12",
                "-storepass:file",
                folder.resolve("password").toString()));
    line.addAll(List.of(more));
    Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(said);
    }
  }
}
