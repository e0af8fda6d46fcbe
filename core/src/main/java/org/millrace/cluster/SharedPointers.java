package org.millrace.cluster;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.millrace.env.Env;
import org.millrace.protocol.PointerCells;
import org.millrace.wire.SharedFolder;
import org.millrace.wire.SharedMemory;

/** A coordinator's shared pointers in memory that processes of its user on its host can map. */
public final class SharedPointers {

  private static final String SETTING = "pointerCells";
  private static final int SLOTS = 4096;
  private static final long BYTES = (long) SLOTS * PointerCells.SLOT_BYTES;

  private SharedPointers() {}

  /** Memory for pointers; empty where there is none to share. */
  public static Optional<SharedMemory> make(Env env) {
    try {
      return Optional.of(SharedFolder.open(env).create(BYTES));
    } catch (IOException e) {
      return Optional.empty(); // every move is a message then
    }
  }

  /** How others find it. */
  public static Map<String, String> asSettings(SharedMemory memory) {
    return Map.of(SETTING, memory.path().toString());
  }

  /** Where a coordinator says they are; empty if nowhere. */
  static String place(Map<String, String> settings) {
    return settings.getOrDefault(SETTING, "");
  }

  /** A coordinator's pointers; of no bytes if they are not within reach. */
  static MemorySegment at(String place, Env env) {
    if (place.isEmpty()) {
      return MemorySegment.NULL;
    }
    try {
      return SharedFolder.open(env).attach(Path.of(place), BYTES).segment();
    } catch (IOException | InvalidPathException e) {
      return MemorySegment.NULL; // another host, another user
    }
  }
}
