package org.millrace.heritage.vesta;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A Vesta file as the text tells it: cells of basic striping units, each with an end of its own,
 * and subfiles as lists of these units. One process, nothing clever. For one thread.
 */
final class VestaModel {

  private static final int ROWS = 200;

  private final int bsu;
  private final byte[][] cells;
  private final int[] ends;

  VestaModel(int bsu, int cells) {
    this.bsu = bsu;
    this.cells = new byte[cells][ROWS * bsu];
    this.ends = new int[cells];
  }

  /** A byte of a cell. */
  private record Place(int cell, int offset) {}

  private List<Place> places(Partition partition) {
    List<Place> places = new ArrayList<>();
    for (long record : PartitionTest.records(partition, cells.length, ROWS)) {
      for (int i = 0; i < bsu; i++) {
        int row = (int) (record / cells.length);
        if (row < ROWS) {
          places.add(new Place((int) (record % cells.length), row * bsu + i));
        }
      }
    }
    return places;
  }

  /** Whether the subfile has so many bytes in the part of the file that is kept here. */
  boolean holds(Partition partition, int bytes) {
    return places(partition).size() >= bytes && partition.vgs() * partition.vi() <= ROWS / 4;
  }

  /** One past the last byte of the subfile that its cell has. */
  int end(Partition partition) {
    List<Place> places = places(partition);
    int end = 0;
    for (int i = 0; i < places.size(); i++) {
      if (places.get(i).offset < ends[places.get(i).cell]) {
        end = i + 1;
      }
    }
    return end;
  }

  void write(Partition partition, long at, byte[] bytes) {
    List<Place> places = places(partition);
    for (int i = 0; i < bytes.length; i++) {
      Place place = places.get((int) at + i);
      cells[place.cell][place.offset] = bytes[i];
      ends[place.cell] = Math.max(ends[place.cell], place.offset + 1);
    }
  }

  /** What a read of so many bytes gets. */
  byte[] read(Partition partition, long at, int length) {
    List<Place> places = places(partition);
    int count = Math.clamp(end(partition) - at, 0, length);
    byte[] bytes = new byte[count];
    for (int i = 0; i < count; i++) {
      Place place = places.get((int) at + i);
      bytes[i] = cells[place.cell][place.offset];
    }
    return bytes;
  }

  /** The plain file: rows of all cells. */
  byte[] plain() {
    byte[] all = new byte[ROWS * bsu * cells.length];
    int size = 0;
    for (int cell = 0; cell < cells.length; cell++) {
      for (int i = 0; i < ends[cell]; i++) {
        int offset = (i / bsu * cells.length + cell) * bsu + i % bsu;
        all[offset] = cells[cell][i];
        size = Math.max(size, offset + 1);
      }
    }
    return Arrays.copyOf(all, size);
  }
}
