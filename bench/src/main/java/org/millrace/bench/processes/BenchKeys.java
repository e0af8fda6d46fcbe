package org.millrace.bench.processes;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import org.millrace.wire.Tls;

/** Makes keys with which processes of this host believe each other. Stateless. */
final class BenchKeys {

  /** The host that the certificate names. */
  static final String HOST = "127.0.0.1";

  private static final String ALIAS = "key";
  private static final String WORD = "measured";
  private static final FileAttribute<?> PRIVATE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private BenchKeys() {}

  /** Makes a folder of keys as {@link Tls#load} reads it. */
  static Path make(Path folder) throws IOException {
    Files.createDirectories(folder);
    Path key = folder.resolve(Tls.KEY);
    keytool(key);
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    Files.createFile(folder.resolve(Tls.PASSWORD), PRIVATE);
    Files.writeString(folder.resolve(Tls.PASSWORD), WORD);
    char[] word = WORD.toCharArray();
    try (OutputStream out = Files.newOutputStream(folder.resolve(Tls.TRUST))) {
      KeyStore trust = KeyStore.getInstance("PKCS12");
      trust.load(null, null);
      trust.setCertificateEntry(ALIAS, Tls.store(key, word).getCertificate(ALIAS));
      trust.store(out, word);
    } catch (GeneralSecurityException e) {
      throw new IOException("no keys for TLS to be had", e);
    }
    return folder;
  }

  private static void keytool(Path key) throws IOException {
    List<String> line =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair",
            "-keyalg",
            "EC",
            "-groupname",
            "secp256r1",
            "-alias",
            ALIAS,
            "-dname",
            "CN=" + System.getProperty("user.name"),
            "-ext",
            "san=ip:" + HOST,
            "-storetype",
            "PKCS12",
            "-storepass",
            WORD,
            "-keystore",
            key.toString());
    Process process =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      if (process.waitFor() != 0) {
        throw new IOException("keytool could not make " + key);
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("while keys are made").initCause(e);
    }
  }
}
