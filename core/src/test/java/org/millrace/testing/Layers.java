package org.millrace.testing;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The table of the house: which package of the core may know which. {@code error} lies at the
 * bottom and is known by all; the top package, where programs start, knows all and is known by
 * nobody.
 */
final class Layers {

  /** What everybody may know. */
  static final String BOTTOM = "error";

  private Layers() {}

  /** Each package with those it may know beside {@link #BOTTOM} and itself, low to high. */
  static Map<String, Set<String>> table() {
    Map<String, Set<String>> table = new LinkedHashMap<>();
    table.put(BOTTOM, Set.of());
    table.put("env", Set.of());
    table.put("access", Set.of());
    table.put("files", Set.of());
    table.put("layout", Set.of("access"));
    table.put("plan", Set.of("access", "layout"));
    table.put("disk", Set.of("env"));
    table.put("cache", Set.of("env", "access", "disk"));
    table.put("wire", Set.of("env"));
    table.put("message", Set.of("env", "access", "wire"));
    table.put("protocol", Set.of("message", "wire", "access", "layout", "files"));
    table.put(
        "node",
        Set.of("env", "access", "layout", "plan", "disk", "cache", "wire", "message", "protocol"));
    table.put(
        "coordinator",
        Set.of("env", "disk", "wire", "message", "protocol", "layout", "access", "plan", "files"));
    table.put("transfer", Set.of("env", "access", "layout", "plan", "message", "protocol"));
    table.put(
        "client",
        Set.of("env", "access", "layout", "plan", "message", "protocol", "transfer", "files"));
    table.put("array", Set.of("env", "access", "layout", "plan", "client", "files"));
    Set<String> parts =
        Set.of(
            "env",
            "access",
            "layout",
            "plan",
            "disk",
            "cache",
            "wire",
            "message",
            "protocol",
            "node",
            "coordinator",
            "transfer",
            "client",
            "files");
    table.put("cluster", parts);
    table.put("nio", Set.of("env", "wire", "message", "client", "files", "cluster"));
    table.put("daemon", and(parts, "cluster"));
    table.put("launch", and(parts, "cluster", "daemon"));
    return table;
  }

  private static Set<String> and(Set<String> some, String... more) {
    Set<String> all = new HashSet<>(some);
    all.addAll(Set.of(more));
    return all;
  }

  /** The rule that packages below {@code root} keep to the table. */
  static ArchRule rule(String root) {
    return ArchRuleDefinition.classes().should(new KeepsToTable(root)).allowEmptyShould(false);
  }

  /**
   * The package that {@code type} belongs to: the first name below {@code root}, "" for the top.
   */
  static String layerOf(String root, JavaClass type) {
    String name = type.getPackageName();
    return name.equals(root) ? "" : name.substring(root.length() + 1).split("\\.", 2)[0];
  }

  private static final class KeepsToTable extends ArchCondition<JavaClass> {

    private final String root;
    private final Map<String, Set<String>> table = table();

    KeepsToTable(String root) {
      super("keep to the table of layers");
      this.root = root;
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
      String layer = layerOf(root, type);
      if (layer.isEmpty()) {
        return;
      }
      Set<String> mayKnow = table.get(layer);
      if (mayKnow == null) {
        complain(type, type.getName() + " is in package " + layer + ", which has no row", events);
        return;
      }
      type.getDirectDependenciesFromSelf().stream()
          .filter(dependency -> isOurs(dependency.getTargetClass().getBaseComponentType()))
          .forEach(
              dependency -> {
                String known = layerOf(root, dependency.getTargetClass().getBaseComponentType());
                if (!known.equals(layer) && !known.equals(BOTTOM) && !mayKnow.contains(known)) {
                  complain(type, dependency.getDescription(), events);
                }
              });
    }

    private boolean isOurs(JavaClass type) {
      return type.getPackageName().equals(root) || type.getPackageName().startsWith(root + ".");
    }

    private static void complain(JavaClass type, String message, ConditionEvents events) {
      events.add(SimpleConditionEvent.violated(type, message));
    }
  }
}
