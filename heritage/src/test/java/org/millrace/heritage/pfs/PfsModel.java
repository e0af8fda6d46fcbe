package org.millrace.heritage.pfs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A shared file of PFS in one process, naively: an array of bytes, pointers, and every operation
 * happens when it is issued. What the report says of positions is here as directly as it can be;
 * nothing waits, nothing is pending.
 */
final class PfsModel {

  /** What a client's read or write is: where, how many bytes, and what it read. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Moved(int start, int count, byte[] bytes) {}

  private final int clients;
  private byte[] content = new byte[0];
  private IoMode mode = IoMode.M_UNIX;
  private boolean append;
  private int shared;
  private final int[] own;
  private final int[] recordEnd;

  PfsModel(int clients) {
    this.clients = clients;
    this.own = new int[clients];
    this.recordEnd = new int[clients];
  }

  IoMode mode() {
    return mode;
  }

  boolean appends() {
    return append;
  }

  int size() {
    return content.length;
  }

  byte[] content() {
    return content.clone();
  }

  int pointer(int client) {
    return mode.mode().sharesPointer() ? shared : own[client];
  }

  boolean clientsAgree() {
    return mode.mode().sharesPointer() || Arrays.stream(own).allMatch(one -> one == own[0]);
  }

  void open(IoMode newMode, boolean newAppend) {
    mode = newMode;
    append = newAppend;
    shared = 0;
    Arrays.fill(own, 0);
    Arrays.fill(recordEnd, content.length);
  }

  void setMode(IoMode newMode) {
    int start = pointer(0);
    shared = start;
    Arrays.fill(own, start);
    Arrays.fill(recordEnd, content.length);
    mode = newMode;
  }

  void seek(int client, int position) {
    if (mode.mode().sharesPointer()) {
      shared = position;
    } else {
      own[client] = position;
    }
  }

  void grow(int size) {
    content = Arrays.copyOf(content, Math.max(size, content.length));
  }

  private void put(int start, byte[] bytes) {
    grow(start + bytes.length);
    System.arraycopy(bytes, 0, content, start, bytes.length);
  }

  private byte[] get(int start, int count) {
    return Arrays.copyOfRange(content, start, start + count);
  }

  private int available(int start, int length) {
    return Math.clamp(content.length - start, 0, length);
  }

  /** Where a pointer stands after a read: not beyond the end, nor before where it was. */
  private int after(int start, int length) {
    return Math.max(start, Math.min(start + length, content.length));
  }

  /** One client reads, in a mode in which it does so alone. */
  Moved read(int client, int length) {
    int start = pointer(client);
    if (mode == IoMode.M_RECORD) {
      int place = start + client * length;
      own[client] = after(start, clients * length);
      int count = available(place, length);
      return new Moved(place, count, count == 0 ? new byte[0] : get(place, count));
    }
    int count = available(start, length);
    seek(client, after(start, length));
    return new Moved(start, count, count == 0 ? new byte[0] : get(start, count));
  }

  /** Where a client's next record of this length would begin. */
  int recordAt(int client, int length) {
    return (append ? recordEnd[client] : own[client]) + client * length;
  }

  /** One client writes, in a mode in which it does so alone. */
  Moved write(int client, byte[] bytes) {
    int length = bytes.length;
    if (length == 0) {
      return new Moved(pointer(client), 0, bytes);
    }
    if (mode == IoMode.M_RECORD) {
      int row = append ? recordEnd[client] : own[client];
      own[client] = row + clients * length;
      recordEnd[client] = own[client];
      put(row + client * length, bytes);
      return new Moved(row + client * length, length, bytes);
    }
    int start = append ? content.length : pointer(client);
    put(start, bytes);
    seek(client, start + length);
    return new Moved(start, length, bytes);
  }

  /** All clients read together, in M_SYNC or M_GLOBAL. */
  List<Moved> readTogether(int[] lengths) {
    List<Moved> all = new ArrayList<>();
    boolean global = mode == IoMode.M_GLOBAL;
    int start = shared;
    for (int length : lengths) {
      int count = available(start, length);
      all.add(new Moved(start, count, count == 0 ? new byte[0] : get(start, count)));
      start += global ? 0 : length;
    }
    shared = after(shared, global ? lengths[0] : start - shared);
    return all;
  }

  /** All clients write together, in M_SYNC or M_GLOBAL. */
  List<Moved> writeTogether(List<byte[]> pieces) {
    List<Moved> all = new ArrayList<>();
    boolean global = mode == IoMode.M_GLOBAL;
    int begin = append ? content.length : shared;
    int start = begin;
    int sum = 0;
    for (byte[] piece : pieces) {
      if (piece.length > 0 && (!global || all.isEmpty())) {
        put(start, piece);
      }
      all.add(new Moved(start, piece.length, piece));
      start += global ? 0 : piece.length;
      sum = global ? piece.length : sum + piece.length;
    }
    if (sum > 0) {
      shared = begin + sum;
    }
    return all;
  }
}
