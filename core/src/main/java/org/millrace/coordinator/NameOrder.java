package org.millrace.coordinator;

import java.util.Comparator;

/**
 * The order of names by their UTF-8 bytes, which is that of their code points. Strings compare
 * otherwise where one has a character beyond 16 bits. Stateless.
 */
enum NameOrder implements Comparator<String> {
  INSTANCE;

  @Override
  public int compare(String a, String b) {
    int common = Math.min(a.length(), b.length());
    for (int i = 0; i < common; i++) {
      char x = a.charAt(i);
      char y = b.charAt(i);
      if (x != y) {
        boolean highX = Character.isSurrogate(x);
        boolean highY = Character.isSurrogate(y);
        return highX == highY ? Character.compare(x, y) : highX ? 1 : -1;
      }
    }
    return Integer.compare(a.length(), b.length());
  }
}
