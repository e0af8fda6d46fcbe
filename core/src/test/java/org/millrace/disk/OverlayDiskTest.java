package org.millrace.disk;

/** An overlay keeps the contract of a disk. */
final class OverlayDiskTest extends DiskContractTest {

  @Override
  Disk make() {
    return new OverlayDisk(new MemoryDisk("below"));
  }
}
