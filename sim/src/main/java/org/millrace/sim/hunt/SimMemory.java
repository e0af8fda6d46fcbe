package org.millrace.sim.hunt;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.millrace.wire.HostMemory;

/**
 * The memory that processes of a simulated host share: it outlives the process that made it as long
 * as another maps it, as the kernel's does.
 *
 * <p>For threads of the world's environment.
 */
final class SimMemory {

  private static final long SIMULATED_WINDOW_BYTES = 128 << 10;

  private final Map<String, ProcessEnv> processes = new HashMap<>();
  private final Map<String, MemorySegment> pieces = new HashMap<>();
  private final Map<String, ProcessEnv> makers = new HashMap<>();
  private long last;

  /** The memory as one process uses it. */
  HostMemory of(ProcessEnv process) {
    processes.put(process.name(), process);
    return new Of(process);
  }

  private final class Of implements HostMemory {

    private final ProcessEnv process;

    Of(ProcessEnv process) {
      this.process = process;
    }

    @Override
    public long minBytes() {
      return 1;
    }

    @Override
    public long windowBytes() {
      return SIMULATED_WINDOW_BYTES;
    }

    @Override
    public int minWrites() {
      return 1;
    }

    @Override
    public String process() {
      return process.name();
    }

    @Override
    public boolean isGone(String name) {
      ProcessEnv known = processes.get(name);
      return known == null || known.isKilled();
    }

    @Override
    public Piece make(long bytes) {
      String name = process.name() + " " + ++last;
      MemorySegment memory = Arena.ofAuto().allocate(bytes, 4096);
      pieces.put(name, memory);
      makers.put(name, process);
      return new Made(name, memory);
    }

    @Override
    public boolean isThere(String name) {
      ProcessEnv maker = makers.get(name);
      return maker != null && !maker.isKilled();
    }

    @Override
    public MemorySegment attach(String name, long bytes) throws IOException {
      MemorySegment found = pieces.get(name);
      if (found == null || found.byteSize() != bytes) {
        throw new IOException("no memory of " + bytes + " bytes is called " + name);
      }
      return found;
    }
  }

  private final class Made implements HostMemory.Piece {

    private final String name;
    private final MemorySegment memory;

    Made(String name, MemorySegment memory) {
      this.name = name;
      this.memory = memory;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public MemorySegment memory() {
      return memory;
    }

    @Override
    public void close() {
      pieces.remove(name);
      makers.remove(name);
      memory.fill((byte) 0);
    }
  }
}
