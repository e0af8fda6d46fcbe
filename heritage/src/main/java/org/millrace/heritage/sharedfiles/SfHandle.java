package org.millrace.heritage.sharedfiles;

import java.io.IOException;
import org.millrace.heritage.elio.ElioDevice;
import org.millrace.heritage.elio.ElioFile;

/**
 * A shared file that this rank has open.
 *
 * <p>Belongs to the rank's thread. Closing is {@link SharedFiles#sf_close}.
 */
public final class SfHandle implements AutoCloseable {

  // constant after construction
  private final String name;
  private final ElioDevice device;
  private final ElioFile file;

  SfHandle(String name, ElioDevice device, ElioFile file) {
    this.name = name;
    this.device = device;
    this.file = file;
  }

  /** The name it was created by. */
  public String name() {
    return name;
  }

  /** Where it lies. */
  public ElioDevice device() {
    return device;
  }

  /** Bytes that go to one disk before the next one's turn; 0 where the device knows none. */
  public long stripeUnitBytes() {
    return file.stripeUnitBytes();
  }

  /** The end of the file: one past the highest byte that any process has written. */
  public long size() throws IOException {
    return file.size();
  }

  ElioFile file() {
    return file;
  }

  /**
   * Completes this rank's requests, whose results wait for {@code sf_wait}, and closes the file,
   * which stays. Idempotent; not synchronizing.
   */
  @Override
  public void close() throws IOException {
    file.close();
  }
}
