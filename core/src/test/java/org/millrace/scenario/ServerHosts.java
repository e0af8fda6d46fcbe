package org.millrace.scenario;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.millrace.disk.StoredBytes;
import org.millrace.scenario.ServerHost.Role;

/**
 * Processes that are the coordinator and the nodes of one cluster at a time. Belongs to one thread
 * at a time. Closing kills them; others are started when they are needed.
 */
final class ServerHosts implements AutoCloseable {

  private final Map<Integer, Jvm> jvms = new HashMap<>();

  /** Starts a cluster, or starts it again, each of its servers in its own process. */
  void serve(Role any) throws IOException {
    try {
      begin(any.as(ServerHost.COORDINATOR)).expect("ok"); // nodes that do not find it wait long
      List<Jvm> nodes = new ArrayList<>();
      for (int n = 0; n < any.nodes(); n++) {
        nodes.add(begin(any.as(n)));
      }
      for (Jvm one : nodes) {
        one.expect("ok");
      }
    } catch (IOException e) {
      close(); // others may still have to answer
      throw e;
    }
  }

  private Jvm begin(Role role) throws IOException {
    Jvm jvm = jvm(role.number());
    jvm.send(role.toString());
    return jvm;
  }

  /** Ends the cluster in order. */
  void end(int nodes) throws IOException {
    for (int n = nodes - 1; n >= ServerHost.COORDINATOR; n--) {
      jvm(n).send("close");
      jvm(n).expect("ok");
    }
  }

  /** The process of a node or of the coordinator. */
  Jvm jvm(int number) throws IOException {
    Jvm there = jvms.get(number);
    if (there == null || !there.isAlive()) {
      there = Jvm.start(ServerHost.class, Map.of());
      jvms.put(number, there);
    }
    return there;
  }

  /** The bytes of strands that each node keeps. */
  static List<Long> strandSizes(Path place, int nodes) throws IOException {
    List<Long> sizes = new ArrayList<>();
    for (int n = 0; n < nodes; n++) {
      sizes.add(StoredBytes.of(place.resolve("node-" + n)));
    }
    return sizes;
  }

  @Override
  public void close() throws IOException {
    for (Jvm one : jvms.values()) {
      one.close();
    }
    jvms.clear();
  }
}
