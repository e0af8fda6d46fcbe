package org.millrace.message;

import java.lang.foreign.MemorySegment;
import org.millrace.copy.Kernels;

/** Copies the travelling bytes of a payload to and from memory where they lie packed. */
final class CargoCopy {

  private CargoCopy() {}

  /** Whether the travelling bytes are the first {@link Cargo#bytes} of the payload. */
  static boolean isPacked(Cargo cargo) {
    Cargo.Walk walk = cargo.walk();
    long at = 0;
    while (at < cargo.bytes() && walk.next()) {
      boolean dense = walk.count() == 1 || walk.stride() == walk.length();
      if (walk.offset() != at || !dense) {
        return false;
      }
      at += walk.length() * walk.count();
    }
    return true;
  }

  static void pack(Cargo cargo, MemorySegment payload, MemorySegment packed) {
    long at = 0;
    Cargo.Walk walk = cargo.walk();
    while (walk.next()) {
      Kernels.copy(
          payload,
          walk.offset(),
          walk.stride(),
          packed,
          at,
          walk.length(),
          walk.length(),
          walk.count());
      at += walk.length() * walk.count();
    }
  }

  static void unpack(Cargo cargo, MemorySegment packed, MemorySegment payload) {
    long at = 0;
    Cargo.Walk walk = cargo.walk();
    while (walk.next()) {
      Kernels.copy(
          packed,
          at,
          walk.length(),
          payload,
          walk.offset(),
          walk.stride(),
          walk.length(),
          walk.count());
      at += walk.length() * walk.count();
    }
  }
}
