package org.millrace.heritage.sharedfiles;

import java.io.IOException;

/**
 * A shared file that this rank has open.
 *
 * <p>Belongs to the rank's thread. Closed by {@link SharedFiles#sf_close} or {@link
 * SharedFiles#sf_destroy}.
 */
public final class SfHandle {

  private final String name;
  private final ElioFile device;

  SfHandle(String name, ElioFile device) {
    this.name = name;
    this.device = device;
  }

  /** The name it was created by. */
  public String name() {
    return name;
  }

  /** Whether it lies on strands; else on a file system that all processes share. */
  public boolean isOnStrands() {
    return device instanceof StrandFile;
  }

  /** Bytes that go to one disk before the next one's turn; 0 for a file that is not on strands. */
  public long stripeUnitBytes() {
    return device.stripeUnitBytes();
  }

  /** The end of the file: one past the highest byte that any process has written. */
  public long size() throws IOException {
    return device.size();
  }

  ElioFile device() {
    return device;
  }
}
