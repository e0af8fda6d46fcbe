package org.millrace.mount.serve;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongConsumer;
import org.millrace.mount.fuse.Reply;
import org.millrace.mount.fuse.Structs;
import org.millrace.mount.system.FuseDevice;

/**
 * Has the kernel drop all bytes of a node, after it has written back those that were changed in
 * maps. Waits for reads and writes of that node that are under way, so that no thread may call it
 * that serves them. A node that the kernel does not know, or a mount that is gone, is no error.
 *
 * <p>Safe for use by several threads.
 */
public final class Dropping implements LongConsumer {

  private final FuseDevice device;

  /** By way of a device. */
  public Dropping(FuseDevice device) {
    this.device = device;
  }

  @Override
  public void accept(long node) {
    try (Arena own = Arena.ofConfined()) {
      MemorySegment memory = own.allocate(Structs.Out.BYTES + Structs.InvalInode.BYTES, Long.BYTES);
      Reply message = new Reply(memory);
      message.clear();
      int at = message.add(Structs.InvalInode.BYTES); // from 0, and 0 bytes: everything
      message.put8(at + Structs.InvalInode.NODE, node);
      device.tell(memory, message.notice(Structs.InvalInode.CODE));
    }
  }
}
