package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;

/**
 * A naive tree under POSIX's rules, to compare the coordinator's with: every node knows its
 * children, and everything else is found by looking at all of them.
 */
final class ModelTree {

  static final String ROOT = "root";
  private static final Map<String, String> GROUP_OF = Map.of("ann", "g", "bob", "g");

  /** What there is. */
  static final class Node {
    final char kind; // d, f or l
    final String target;
    final TreeMap<String, Node> names = new TreeMap<>();
    String owner;
    String group;
    int mode;

    Node(char kind, String owner, String group, int mode, String target) {
      this.kind = kind;
      this.owner = owner;
      this.group = group;
      this.mode = mode;
      this.target = target;
    }
  }

  /** A refusal. */
  static final class No extends Exception {
    private static final long serialVersionUID = 1;
    final ErrorCode code;

    No(ErrorCode code) {
      this.code = code;
    }
  }

  private record Spot(Node parent, String name, @Nullable Node node) {
    Node there() {
      return Objects.requireNonNull(node);
    }
  }

  final Node root = new Node('d', ROOT, "", 01777, "");

  private static boolean may(String user, Node node, int bit) {
    int shift =
        user.equals(node.owner)
            ? 6
            : !node.group.isEmpty() && node.group.equals(GROUP_OF.get(user)) ? 3 : 0;
    return user.equals(ROOT) || (node.mode >> shift & bit) != 0;
  }

  private static void need(boolean holds, ErrorCode code) throws No {
    if (!holds) {
      throw new No(code);
    }
  }

  private boolean isBelow(Node node, Node top) {
    return node == top || top.names.values().stream().anyMatch(child -> isBelow(node, child));
  }

  private Node up(Node directory) {
    List<Node> way = new ArrayList<>();
    find(root, directory, way);
    return way.size() < 2 ? root : way.get(way.size() - 2);
  }

  private static boolean find(Node at, Node wanted, List<Node> way) {
    way.add(at);
    if (at == wanted) {
      return true;
    }
    for (Node child : at.names.values()) {
      if (find(child, wanted, way)) {
        return true;
      }
    }
    way.removeLast();
    return false;
  }

  private Spot walk(String user, Node from, String path, boolean follow, int depth) throws No {
    need(depth <= 40, ErrorCode.LOOP);
    Node at = path.startsWith("/") ? root : from;
    String[] parts = path.split("/", 0);
    Spot spot = new Spot(at, "", at);
    for (int i = 0; i < parts.length; i++) {
      if (parts[i].isEmpty()) {
        continue;
      }
      need(at.kind == 'd', ErrorCode.NOT_A_DIRECTORY);
      need(may(user, at, 1), ErrorCode.NOT_PERMITTED);
      boolean last = i == parts.length - 1;
      if (parts[i].equals(".") || parts[i].equals("..")) {
        at = parts[i].equals(".") ? at : up(at);
        spot = new Spot(at, "", at);
        continue;
      }
      Node next = at.names.get(parts[i]);
      spot = new Spot(at, parts[i], next);
      if (next != null && next.kind == 'l' && (!last || follow)) {
        spot = walk(user, at, next.target, true, depth + 1);
        next = spot.node;
      }
      need(next != null || last, ErrorCode.NO_SUCH_NAME);
      at = next == null ? at : next;
    }
    return spot;
  }

  private Spot at(String user, String path, boolean follow) throws No {
    return walk(user, root, path, follow, 0);
  }

  private Spot there(String user, String path, boolean follow) throws No {
    Spot spot = at(user, path, follow);
    need(spot.node != null, ErrorCode.NO_SUCH_NAME);
    return spot;
  }

  /** Makes something. */
  void make(String user, char kind, String path, int mode, String target) throws No {
    Spot spot = at(user, path, false);
    need(spot.node == null, ErrorCode.NAME_EXISTS);
    need(may(user, spot.parent, 2), ErrorCode.NOT_PERMITTED);
    boolean inherits = (spot.parent.mode & 02000) != 0;
    String group = inherits ? spot.parent.group : GROUP_OF.getOrDefault(user, "");
    int bits = kind == 'l' ? 0777 : mode | (inherits && kind == 'd' ? 02000 : 0);
    boolean member = !group.isEmpty() && group.equals(GROUP_OF.get(user));
    bits &= kind == 'd' || member || user.equals(ROOT) ? 07777 : ~02000;
    spot.parent.names.put(spot.name, new Node(kind, user, group, bits, target));
  }

  void link(String user, String existing, String path) throws No {
    Node node = there(user, existing, false).there();
    Spot spot = at(user, path, false);
    need(spot.node == null, ErrorCode.NAME_EXISTS);
    need(node.kind != 'd', ErrorCode.NOT_OWNER);
    need(may(user, spot.parent, 2), ErrorCode.NOT_PERMITTED);
    spot.parent.names.put(spot.name, node);
  }

  private static void takes(String user, Node parent, Node node) throws No {
    need(may(user, parent, 2), ErrorCode.NOT_PERMITTED);
    boolean sticky = (parent.mode & 01000) != 0;
    need(!sticky || List.of(ROOT, node.owner, parent.owner).contains(user), ErrorCode.NOT_OWNER);
  }

  void remove(String user, String path, boolean directory) throws No {
    Spot spot = there(user, path, false);
    takes(user, spot.parent, spot.there());
    need(directory || spot.there().kind != 'd', ErrorCode.IS_DIRECTORY);
    need(!directory || spot.there().kind == 'd', ErrorCode.NOT_A_DIRECTORY);
    need(spot.there().names.isEmpty(), ErrorCode.NOT_EMPTY);
    spot.parent.names.remove(spot.name);
  }

  void rename(String user, String from, String to, boolean exchange) throws No {
    Spot a = there(user, from, false);
    Spot b = exchange ? there(user, to, false) : at(user, to, false);
    need(!isBelow(b.parent, a.there()), ErrorCode.INVALID);
    if (b.node != null) {
      need(!isBelow(a.parent, b.node), exchange ? ErrorCode.INVALID : ErrorCode.NOT_EMPTY);
      if (a.there() == b.node) {
        return;
      }
    }
    moves(user, a, b.parent);
    if (exchange) {
      moves(user, b, a.parent);
      b.parent.names.put(b.name, a.there());
      a.parent.names.put(a.name, b.there());
      return;
    }
    if (b.node == null) {
      need(may(user, b.parent, 2), ErrorCode.NOT_PERMITTED);
    } else {
      takes(user, b.parent, b.node);
      need(a.there().kind != 'd' || b.node.kind == 'd', ErrorCode.NOT_A_DIRECTORY);
      need(a.there().kind == 'd' || b.node.kind != 'd', ErrorCode.IS_DIRECTORY);
      need(b.node.names.isEmpty(), ErrorCode.NOT_EMPTY);
    }
    a.parent.names.remove(a.name);
    b.parent.names.put(b.name, a.there());
  }

  private static void moves(String user, Spot from, Node to) throws No {
    takes(user, from.parent, from.there());
    if (from.there().kind == 'd' && from.parent != to) {
      need(may(user, from.there(), 2), ErrorCode.NOT_PERMITTED);
    }
  }

  void chmod(String user, String path, int mode) throws No {
    Node node = there(user, path, true).there();
    need(user.equals(ROOT) || user.equals(node.owner), ErrorCode.NOT_OWNER);
    boolean member = !node.group.isEmpty() && node.group.equals(GROUP_OF.get(user));
    boolean keeps = user.equals(ROOT) || node.kind == 'd' || member;
    node.mode = keeps ? mode : mode & ~02000;
  }

  /** All there is, with the first path of what has several. */
  String dump() {
    StringBuilder text = new StringBuilder();
    dump(root, "", new HashMap<>(), text);
    return text.toString();
  }

  private void dump(Node node, String path, Map<Node, String> seen, StringBuilder text) {
    String first = seen.putIfAbsent(node, path);
    long links =
        node.kind == 'd'
            ? 2 + node.names.values().stream().filter(child -> child.kind == 'd').count()
            : count(root, node);
    text.append(
        "%s %s %d %s:%s %o %s%n"
            .formatted(
                path,
                first == null ? node.kind : "=" + first,
                links,
                node.owner,
                node.group,
                node.mode,
                node.target));
    node.names.forEach((name, child) -> dump(child, path + "/" + name, seen, text));
  }

  private static long count(Node at, Node wanted) {
    return at.names.values().stream()
        .mapToLong(child -> (child == wanted ? 1 : 0) + count(child, wanted))
        .sum();
  }
}
