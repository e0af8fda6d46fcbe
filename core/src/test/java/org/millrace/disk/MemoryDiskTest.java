package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Memory as a disk keeps the contract, and knows what a loss of power leaves. */
final class MemoryDiskTest extends DiskContractTest {

  @Override
  Disk make() {
    return new MemoryDisk("memory");
  }

  private static byte[] content(Disk disk, String name) throws IOException {
    DiskFile file = disk.open(name);
    byte[] bytes = new byte[(int) file.size()];
    file.read(0, MemorySegment.ofArray(bytes));
    return bytes;
  }

  @Test
  void crashKeepsWhatWasForcedAndNothingElse() throws IOException {
    MemoryDisk disk = new MemoryDisk("memory");
    DiskFile file = disk.create("a");
    file.write(0, bytes(1, 2, 3));
    file.force();
    assertThat(disk.crash().list()).as("the name was not forced").isEmpty();
    disk.force();
    file.write(1, bytes(9));
    file.write(2000, bytes(9));
    assertThat(content(disk.crash(), "a")).containsExactly(1, 2, 3);
    file.resize(1);
    assertThat(content(disk.crash(), "a")).containsExactly(1, 2, 3);
    file.force();
    assertThat(content(disk.crash(), "a")).containsExactly(1);
    disk.rename("a", "b");
    assertThat(disk.crash().list()).containsExactly("a");
    disk.delete("b");
    disk.force();
    assertThat(disk.crash().list()).isEmpty();
  }

  @Test
  void seededCrashKeepsAnySubsetOfSectors() throws IOException {
    MemoryDisk disk = new MemoryDisk("memory");
    DiskFile file = disk.create("a");
    file.write(0, MemorySegment.ofArray(new byte[1024]));
    file.force();
    disk.force();
    byte[] ones = new byte[1024];
    java.util.Arrays.fill(ones, (byte) 1);
    file.write(0, MemorySegment.ofArray(ones));
    Set<String> seen = new HashSet<>();
    for (long seed = 0; seed < 200; seed++) {
      byte[] left = content(disk.crash(seed), "a");
      assertThat(content(disk.crash(seed), "a")).isEqualTo(left);
      assertThat(left).hasSize(1024);
      for (int i = 0; i < 1024; i++) {
        assertThat(left[i]).as("within a sector all is of one kind").isEqualTo(left[i / 512 * 512]);
      }
      seen.add(left[0] + " " + left[512]);
    }
    assertThat(seen).containsExactlyInAnyOrder("0 0", "0 1", "1 0", "1 1");
  }

  @Test
  void seededCrashKeepsAnyStepOfNames() throws IOException {
    MemoryDisk disk = new MemoryDisk("memory");
    disk.create("a");
    disk.force();
    disk.create("b");
    disk.rename("b", "a");
    Set<String> seen = new HashSet<>();
    for (long seed = 0; seed < 100; seed++) {
      seen.add(disk.crash(seed).list().toString());
    }
    assertThat(seen).containsExactlyInAnyOrder("[a]", "[a, b]");
  }

  @Test
  void crashedDiskIsACopy() throws IOException {
    MemoryDisk disk = new MemoryDisk("memory");
    DiskFile file = disk.create("a");
    file.write(0, bytes(1));
    file.force();
    disk.force();
    MemoryDisk after = disk.crash();
    after.open("a").write(0, bytes(2));
    MemorySegment read = bytes(0);
    file.read(0, read);
    assertThat(read.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 1);
  }
}
