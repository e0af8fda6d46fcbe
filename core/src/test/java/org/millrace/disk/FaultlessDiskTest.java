package org.millrace.disk;

/** Without faults the faulty disk keeps the contract. */
final class FaultlessDiskTest extends DiskContractTest {

  @Override
  Disk make() {
    return new FaultyDisk(new MemoryDisk("memory"), Faults.seeded(1));
  }
}
