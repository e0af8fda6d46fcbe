package org.millrace.testing;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What makes the real code run in simulated time: time, threads and chance only through {@code
 * env}, files only through {@code disk}, sockets only through {@code message}, and no monitors
 * (those inside methods are found by {@link Monitors}).
 */
final class DeterminismRules {

  private static final String ROOT = "org.millrace";

  private static final Set<String> THREAD_MAKERS =
      Set.of(
          "java.util.concurrent.Executors",
          "java.util.concurrent.ForkJoinPool",
          "java.util.concurrent.ForkJoinTask",
          "java.util.concurrent.RecursiveAction",
          "java.util.concurrent.RecursiveTask",
          "java.util.concurrent.ThreadPoolExecutor",
          "java.util.concurrent.ScheduledThreadPoolExecutor",
          "java.util.concurrent.StructuredTaskScope",
          "java.util.concurrent.SubmissionPublisher",
          "java.util.Timer",
          "java.lang.ref.Cleaner",
          "java.lang.Thread$Builder",
          "java.lang.Thread$Builder$OfPlatform",
          "java.lang.Thread$Builder$OfVirtual");

  private static final Set<String> CHANCE =
      Set.of(
          "java.util.Random",
          "java.util.SplittableRandom",
          "java.security.SecureRandom",
          "java.util.concurrent.ThreadLocalRandom",
          "java.util.random.RandomGeneratorFactory");

  private static final Set<String> FILES =
      Set.of(
          "java.nio.file.Files",
          "java.nio.file.FileSystem",
          "java.nio.file.FileSystems",
          "java.nio.file.FileStore",
          "java.nio.file.DirectoryStream",
          "java.nio.file.WatchService",
          "java.nio.channels.FileChannel",
          "java.nio.channels.FileLock",
          "java.nio.channels.AsynchronousFileChannel",
          "java.io.File",
          "java.io.FileDescriptor",
          "java.io.FileInputStream",
          "java.io.FileOutputStream",
          "java.io.FileReader",
          "java.io.FileWriter",
          "java.io.RandomAccessFile");

  /** What the package {@code nio} is made of: types of which it has its own, not the host's. */
  private static final Set<String> PROVIDED =
      Set.of(
          "java.nio.file.FileSystem",
          "java.nio.file.FileStore",
          "java.nio.file.DirectoryStream",
          "java.nio.file.WatchService",
          "java.nio.channels.FileChannel",
          "java.nio.channels.FileLock");

  private static final Set<String> SOCKETS =
      Set.of(
          "java.net.Socket",
          "java.net.ServerSocket",
          "java.net.DatagramSocket",
          "java.net.MulticastSocket",
          "java.net.URL",
          "java.net.URLConnection",
          "java.nio.channels.SocketChannel",
          "java.nio.channels.ServerSocketChannel",
          "java.nio.channels.DatagramChannel",
          "java.nio.channels.Selector",
          "java.nio.channels.AsynchronousSocketChannel",
          "java.nio.channels.AsynchronousServerSocketChannel");

  private static final List<String> ALLOWED_LIBRARIES =
      List.of(
          "java.",
          "javax.crypto.", // these four are packages of the JDK
          "javax.naming.",
          "javax.net.",
          "javax.security.",
          "jdk.",
          "com.sun.management.", // the JDK's module jdk.management
          "org.millrace",
          "org.jspecify.",
          "com.google.errorprone.annotations");

  private DeterminismRules() {}

  static ArchRule threadsOnlyFromEnv() {
    return outside(
        Set.of("env"),
        "make and number no threads",
        (type, complain) -> {
          dependsOn(type, THREAD_MAKERS, complain);
          accesses(type, DeterminismRules::makesThread, complain);
          accesses(type, DeterminismRules::numbersThread, complain);
        });
  }

  static ArchRule timeOnlyFromEnv() {
    return outside(
        Set.of("env"),
        "neither read clocks nor sleep nor wait with timeouts",
        (type, complain) -> {
          accesses(type, DeterminismRules::takesTime, complain);
          recordsEvents(type, complain);
        });
  }

  static ArchRule chanceOnlyFromEnv() {
    return outside(
        Set.of("env"),
        "draw no randomness",
        (type, complain) -> {
          dependsOn(type, CHANCE, complain);
          accesses(type, DeterminismRules::drawsRandomness, complain);
        });
  }

  static ArchRule filesOnlyInDisk() {
    Set<String> pathsThatLook = Set.of("toRealPath", "toFile", "register");
    return outside(
        Set.of("disk", "wire"),
        "touch no files",
        (type, complain) -> {
          boolean provides = Layers.layerOf(ROOT, type).equals("nio");
          Set<String> forbidden = new HashSet<>(FILES);
          forbidden.removeAll(provides ? PROVIDED : Set.of());
          dependsOn(type, forbidden, complain);
          accesses(
              type,
              access ->
                  owner(access).equals("java.nio.file.Path")
                      && pathsThatLook.contains(access.getTarget().getName()),
              complain);
        });
  }

  static ArchRule socketsOnlyInWire() {
    return outside(
        Set.of("wire"), "touch no sockets", (type, complain) -> dependsOn(type, SOCKETS, complain));
  }

  static ArchRule noSynchronizedMethods() {
    return outside(
        Set.of(),
        "have no synchronized methods",
        (type, complain) ->
            type.getMethods().stream()
                .filter(method -> method.getModifiers().contains(JavaModifier.SYNCHRONIZED))
                .forEach(method -> complain.accept(method.getDescription() + " is synchronized")));
  }

  static ArchRule noMutableStatics() {
    return outside(
        Set.of(),
        "have no mutable statics",
        (type, complain) ->
            type.getFields().stream()
                .filter(field -> field.getModifiers().contains(JavaModifier.STATIC))
                .filter(field -> !field.getModifiers().contains(JavaModifier.FINAL))
                .forEach(
                    field -> complain.accept(field.getDescription() + " is a mutable static")));
  }

  static ArchRule noLibraries() {
    return outside(
        Set.of(),
        "need nothing but the JDK at run time",
        (type, complain) ->
            type.getDirectDependenciesFromSelf().stream()
                .filter(
                    dependency -> {
                      JavaClass known = dependency.getTargetClass().getBaseComponentType();
                      return !known.isPrimitive()
                          && ALLOWED_LIBRARIES.stream().noneMatch(known.getName()::startsWith);
                    })
                .forEach(dependency -> complain.accept(dependency.getDescription())));
  }

  /** Events of the flight recorder read a clock when they begin and end. */
  private static void recordsEvents(JavaClass type, Consumer<String> complain) {
    type.getDirectDependenciesFromSelf().stream()
        .filter(dependency -> dependency.getTargetClass().getName().startsWith("jdk.jfr."))
        .forEach(dependency -> complain.accept(dependency.getDescription()));
  }

  private static boolean makesThread(JavaAccess<?> access) {
    String owner = owner(access);
    String name = access.getTarget().getName();
    return switch (owner) {
      case "java.lang.Thread" ->
          Set.of("<init>", "start", "startVirtualThread", "ofVirtual", "ofPlatform").contains(name);
      case "java.util.concurrent.CompletableFuture", "java.util.concurrent.CompletionStage" ->
          name.equals("delayedExecutor")
              || (name.endsWith("Async") && !takes(access, Executor.class));
      case "java.util.Arrays" -> name.startsWith("parallel");
      default ->
          name.equals("parallelStream")
              || (name.equals("parallel") && owner.startsWith("java.util.stream."));
    };
  }

  /** The JVM counts threads of all environments together: one's numbers depend on the others. */
  private static boolean numbersThread(JavaAccess<?> access) {
    return owner(access).equals("java.lang.Thread")
        && Set.of("threadId", "getId").contains(access.getTarget().getName());
  }

  private static boolean takesTime(JavaAccess<?> access) {
    String owner = owner(access);
    String name = access.getTarget().getName();
    return switch (owner) {
      case "java.lang.System" -> Set.of("nanoTime", "currentTimeMillis").contains(name);
      case "java.lang.Thread" ->
          name.equals("sleep") || (name.equals("join") && takesSomething(access));
      case "java.util.concurrent.TimeUnit" ->
          Set.of("sleep", "timedJoin", "timedWait").contains(name);
      case "java.util.concurrent.locks.LockSupport" ->
          Set.of("parkNanos", "parkUntil").contains(name);
      case "java.util.Date", "java.util.Calendar", "java.util.GregorianCalendar" -> true;
      default ->
          Set.of("awaitNanos", "awaitUntil", "wait", "notify", "notifyAll").contains(name)
              || (owner.startsWith("java.time.") && Set.of("now", "tick").contains(name))
              || (owner.equals("java.time.Clock") && name.startsWith("system"))
              || (owner.startsWith("java.") && takes(access, TimeUnit.class));
    };
  }

  private static boolean drawsRandomness(JavaAccess<?> access) {
    String name = access.getTarget().getName();
    return switch (owner(access)) {
      case "java.lang.Math", "java.lang.StrictMath" -> name.equals("random");
      case "java.util.UUID" -> name.equals("randomUUID");
      case "java.util.Collections" -> name.equals("shuffle") && !takesGenerator(access);
      case "java.util.random.RandomGenerator" -> Set.of("of", "getDefault").contains(name);
      default -> false;
    };
  }

  private static boolean takesGenerator(JavaAccess<?> access) {
    return access.getTarget() instanceof CodeUnitAccessTarget target
        && target.getRawParameterTypes().size() > 1;
  }

  private static boolean takesSomething(JavaAccess<?> access) {
    return access.getTarget() instanceof CodeUnitAccessTarget target
        && !target.getRawParameterTypes().isEmpty();
  }

  private static boolean takes(JavaAccess<?> access, Class<?> parameter) {
    return access.getTarget() instanceof CodeUnitAccessTarget target
        && target.getRawParameterTypes().stream()
            .anyMatch(type -> type.getName().equals(parameter.getName()));
  }

  private static String owner(JavaAccess<?> access) {
    return access.getTargetOwner().getName();
  }

  private static void accesses(
      JavaClass type, Predicate<JavaAccess<?>> forbidden, Consumer<String> complain) {
    type.getAccessesFromSelf().stream()
        .filter(forbidden)
        .forEach(access -> complain.accept(access.getDescription()));
  }

  private static void dependsOn(JavaClass type, Set<String> forbidden, Consumer<String> complain) {
    type.getDirectDependenciesFromSelf().stream()
        .filter(
            dependency ->
                forbidden.contains(dependency.getTargetClass().getBaseComponentType().getName()))
        .forEach(dependency -> complain.accept(dependency.getDescription()));
  }

  /** The rule that all classes, except those in the packages {@code except}, pass {@code check}. */
  private static ArchRule outside(
      Set<String> except, String description, BiConsumer<JavaClass, Consumer<String>> check) {
    return ArchRuleDefinition.classes()
        .should(
            new ArchCondition<JavaClass>(description) {
              @Override
              public void check(JavaClass type, ConditionEvents events) {
                if (!except.contains(Layers.layerOf(ROOT, type))) {
                  check.accept(
                      type, message -> events.add(SimpleConditionEvent.violated(type, message)));
                }
              }
            });
  }
}
