package org.millrace.protocol;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes one message of each kind to a folder, for Jazzer to start from. */
final class FuzzSeeds {

  private FuzzSeeds() {}

  /** Writes to the folder that the first argument names. */
  public static void main(String[] args) throws IOException {
    Path folder = Files.createDirectories(Path.of(args[0]));
    for (PlainMessages.Named sample : PlainMessages.all()) {
      byte[] bytes = WireCodecTest.encode(sample.message());
      Files.write(folder.resolve(sample.name().replace(' ', '-')), bytes);
    }
  }
}
