package org.millrace.array.zarr;

import java.util.Arrays;
import org.millrace.array.ElementType;

/** The bytes of an element that is not stored. Immutable. */
final class Fill {

  private final byte[] element;

  private Fill(byte[] element) {
    this.element = element;
  }

  static Fill of(ElementType type, Json value) {
    return new Fill(FillValues.bytes(type, value));
  }

  boolean isZero() {
    return Arrays.equals(element, new byte[element.length]);
  }

  /** So many bytes of such elements. */
  byte[] of(int bytes) {
    byte[] all = new byte[bytes];
    if (!isZero()) {
      for (int at = 0; at < bytes; at += element.length) {
        System.arraycopy(element, 0, all, at, element.length);
      }
    }
    return all;
  }

  boolean isAll(byte[] elements) {
    for (int at = 0; at < elements.length; at += element.length) {
      if (!Arrays.equals(elements, at, at + element.length, element, 0, element.length)) {
        return false;
      }
    }
    return true;
  }
}
