package org.millrace.sim.network;

/** How many routers a message passes on its way from one host to another. Immutable. */
public sealed interface Topology {

  /** How many hosts there are. */
  int hosts();

  /** Routers on the way. */
  int hops(int from, int to);

  /**
   * Hosts in rows and columns whose ends meet.
   *
   * @param width hosts in a row
   * @param height rows
   */
  record Torus(int width, int height) implements Topology {

    /** Checks that there is a host. */
    public Torus {
      if (width < 1 || height < 1) {
        throw new IllegalArgumentException("a torus of " + width + " x " + height + " hosts");
      }
    }

    @Override
    public int hosts() {
      return Math.multiplyExact(width, height);
    }

    @Override
    public int hops(int from, int to) {
      return around(from % width, to % width, width) + around(from / width, to / width, height);
    }

    private static int around(int a, int b, int size) {
      int distance = Math.abs(a - b);
      return Math.min(distance, size - distance);
    }
  }

  /**
   * Hosts in rows and columns.
   *
   * @param width hosts in a row
   * @param height rows
   */
  record Mesh(int width, int height) implements Topology {

    /** Checks that there is a host. */
    public Mesh {
      if (width < 1 || height < 1) {
        throw new IllegalArgumentException("a mesh of " + width + " x " + height + " hosts");
      }
    }

    @Override
    public int hosts() {
      return Math.multiplyExact(width, height);
    }

    @Override
    public int hops(int from, int to) {
      return Math.abs(from % width - to % width) + Math.abs(from / width - to / width);
    }
  }

  /**
   * A fat tree: as much bandwidth at every level, and switches of {@code radix} ports downwards.
   *
   * @param hosts how many leaves
   * @param radix children of a switch
   */
  record FatTree(int hosts, int radix) implements Topology {

    /** Checks that it is a tree. */
    public FatTree {
      if (hosts < 1 || radix < 2) {
        throw new IllegalArgumentException("a tree of " + hosts + " hosts and radix " + radix);
      }
    }

    @Override
    public int hops(int from, int to) {
      int switches = 0;
      int a = from;
      int b = to;
      for (int up = 0; a != b; up++) { // both go up until they meet
        a /= radix;
        b /= radix;
        switches = 2 * up + 1;
      }
      return switches;
    }
  }

  /**
   * One switch for all.
   *
   * @param hosts how many there are
   */
  record Lan(int hosts) implements Topology {

    @Override
    public int hops(int from, int to) {
      return from == to ? 0 : 1;
    }
  }
}
