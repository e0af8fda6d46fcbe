package org.millrace.cache;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.millrace.disk.BlockChanges;
import org.millrace.disk.BlockSize;
import org.millrace.disk.BlockStore;

/**
 * A sparse store in memory that insists on its contract: it fails the test if calls for one block
 * overlap, if writes run beside a flush or a resize, if memory changes while it is written, or if
 * bytes beyond the strand's end are not zero. It records every call. What went wrong is kept in
 * {@link #broken}, because the cache would turn an exception into an error of the disk. All methods
 * may be called from any thread.
 */
@SuppressWarnings("LockNotBeforeTry") // what stands between lock and unlock here does not throw
final class MemoryBlockStore implements BlockStore {

  enum Op {
    READ,
    WRITE,
    FLUSH,
    RESIZE,
    PREALLOCATE
  }

  record Call(Op op, long block, int blocks) {}

  /** Called before each call does anything; may fail it or take time. */
  interface Fault {
    void before(Op op, long block, int blocks) throws IOException;
  }

  private final int blockBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Long, byte[]> blocks = new HashMap<>();
  private final Set<Long> busy = new HashSet<>();
  private final List<Call> calls = new ArrayList<>();
  final List<String> broken = new ArrayList<>();
  private int transfers;
  private int writes;
  private boolean exclusive;
  private long end;
  private long durableEnd;
  private final Map<Long, byte[]> durable = new HashMap<>();
  volatile Fault fault = (op, block, count) -> {};
  volatile LongSupplier strandEnd = () -> Long.MAX_VALUE;

  MemoryBlockStore() {
    this(BlockSize.DEFAULT_BYTES);
  }

  MemoryBlockStore(int blockBytes) {
    this.blockBytes = blockBytes;
  }

  @Override
  public int blockBytes() {
    return blockBytes;
  }

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public long end() {
    lock.lock();
    try {
      return end;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void read(long firstBlock, List<MemorySegment> into) throws IOException {
    enter(Op.READ, firstBlock, into.size());
    try {
      fault.before(Op.READ, firstBlock, into.size());
      for (int i = 0; i < into.size(); i++) {
        if (into.get(i).byteSize() != blockBytes) {
          broken.add("read into " + into.get(i).byteSize());
        }
        byte[] block = get(firstBlock + i);
        MemorySegment.copy(block, 0, into.get(i), ValueLayout.JAVA_BYTE, 0, blockBytes);
      }
    } finally {
      leave(Op.READ, firstBlock, into.size());
    }
  }

  private byte[] get(long block) {
    lock.lock();
    try {
      return blocks.getOrDefault(block, new byte[blockBytes]);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void write(long firstBlock, MemorySegment from, List<BlockChanges> changes)
      throws IOException {
    int count = (int) (from.byteSize() / blockBytes);
    enter(Op.WRITE, firstBlock, count);
    try {
      byte[] before = from.toArray(ValueLayout.JAVA_BYTE);
      long strand = strandEnd.getAsLong();
      fault.before(Op.WRITE, firstBlock, count);
      byte[] bytes = from.toArray(ValueLayout.JAVA_BYTE);
      lock.lock();
      try {
        if (!Arrays.equals(before, bytes)) {
          broken.add("memory changed while it was written");
        }
        if (count == 0 || from.byteSize() % blockBytes != 0) {
          broken.add("write of " + from.byteSize());
        }
        for (long i = Math.max(0, strand - firstBlock * blockBytes); i < bytes.length; i++) {
          if (bytes[(int) i] != 0) {
            broken.add("block " + firstBlock + " byte " + i + " beyond the end is not zero");
            break;
          }
        }
        for (int i = 0; i < count; i++) {
          byte[] known = blocks.get(firstBlock + i);
          MemorySegment next = from.asSlice((long) i * blockBytes, blockBytes);
          if (known != null
              && changes.get(i).restSum(MemorySegment.ofArray(known))
                  != changes.get(i).restSum(next)) {
            broken.add("block " + (firstBlock + i) + " changed elsewhere than " + changes.get(i));
          }
          blocks.put(
              firstBlock + i, Arrays.copyOfRange(bytes, i * blockBytes, (i + 1) * blockBytes));
        }
      } finally {
        lock.unlock();
      }
    } finally {
      leave(Op.WRITE, firstBlock, count);
    }
  }

  @Override
  public void flush(long newEnd) throws IOException {
    enter(Op.FLUSH, 0, 0);
    try {
      fault.before(Op.FLUSH, 0, 0);
      lock.lock();
      end = newEnd;
      durableEnd = newEnd;
      durable.clear();
      durable.putAll(blocks);
      lock.unlock();
    } finally {
      leave(Op.FLUSH, 0, 0);
    }
  }

  @Override
  public void resize(long newEnd) throws IOException {
    enter(Op.RESIZE, 0, 0);
    try {
      fault.before(Op.RESIZE, 0, 0);
      lock.lock();
      end = newEnd;
      blocks.keySet().removeIf(block -> block * blockBytes >= newEnd);
      byte[] cut = blocks.get(newEnd / blockBytes);
      for (int i = (int) (newEnd % blockBytes); cut != null && i < blockBytes; i++) {
        if (cut[i] != 0) {
          broken.add("resize to " + newEnd + " finds byte " + i + " not zero");
          break;
        }
      }
      lock.unlock();
    } finally {
      leave(Op.RESIZE, 0, 0);
    }
  }

  @Override
  public long nextWritten(long firstBlock, long beforeBlock) {
    lock.lock();
    try {
      return blocks.keySet().stream()
          .filter(block -> block >= firstBlock && block < beforeBlock)
          .min(Long::compare)
          .orElse(beforeBlock);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void preallocate(long newEnd) throws IOException {
    enter(Op.PREALLOCATE, 0, 0);
    try {
      fault.before(Op.PREALLOCATE, 0, 0);
    } finally {
      leave(Op.PREALLOCATE, 0, 0);
    }
  }

  @Override
  public void close() {}

  private void enter(Op op, long block, int count) {
    lock.lock();
    try {
      calls.add(new Call(op, block, count));
      for (long b = block; b < block + count; b++) {
        if (!busy.add(b)) {
          broken.add(op + " of block " + b + " beside another call");
        }
      }
      boolean transfer = op == Op.READ || op == Op.WRITE;
      if (op == Op.WRITE && exclusive || !transfer && (writes > 0 || exclusive)) {
        broken.add(op + " beside a call that must be kept apart");
      }
      if (op == Op.RESIZE && transfers > 0) {
        broken.add("resize beside a transfer");
      }
      transfers += transfer ? 1 : 0;
      writes += op == Op.WRITE ? 1 : 0;
      exclusive |= !transfer;
    } finally {
      lock.unlock();
    }
  }

  private void leave(Op op, long block, int count) {
    lock.lock();
    try {
      for (long b = block; b < block + count; b++) {
        busy.remove(b);
      }
      boolean transfer = op == Op.READ || op == Op.WRITE;
      transfers -= transfer ? 1 : 0;
      writes -= op == Op.WRITE ? 1 : 0;
      exclusive &= transfer;
    } finally {
      lock.unlock();
    }
  }

  /** Puts content into the store as if it had been written and flushed long ago. */
  void fill(byte[] content) {
    lock.lock();
    for (int at = 0; at < content.length; at += blockBytes) {
      blocks.put(
          (long) at / blockBytes,
          Arrays.copyOf(
              Arrays.copyOfRange(content, at, Math.min(content.length, at + blockBytes)),
              blockBytes));
    }
    end = content.length;
    durableEnd = end;
    durable.putAll(blocks);
    lock.unlock();
  }

  /** What would be found after a crash now. */
  byte[] durable() {
    lock.lock();
    try {
      byte[] content = new byte[(int) durableEnd];
      durable.forEach(
          (block, bytes) -> {
            int at = (int) (block * blockBytes);
            int length = Math.min(blockBytes, content.length - at);
            if (length > 0) {
              System.arraycopy(bytes, 0, content, at, length);
            }
          });
      return content;
    } finally {
      lock.unlock();
    }
  }

  List<Call> calls() {
    lock.lock();
    try {
      return List.copyOf(calls);
    } finally {
      lock.unlock();
    }
  }

  List<Call> calls(Op op) {
    return calls().stream().filter(call -> call.op() == op).toList();
  }

  void forgetCalls() {
    lock.lock();
    calls.clear();
    lock.unlock();
  }

  void checkKept() {
    lock.lock();
    try {
      if (!broken.isEmpty()) {
        throw new AssertionError("contract of the store broken: " + broken);
      }
    } finally {
      lock.unlock();
    }
  }
}
