package org.millrace.cli.run;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.millrace.client.Program;

/**
 * A program that is not part of Millrace: a class that was found by name, or through the manifest
 * of a jar. It has a {@code main}, or it is a {@link Program}; where it is both, {@code main}
 * counts. Used by one thread, except where a method says otherwise. Closing it closes the jars;
 * classes not loaded by then cannot be loaded any more.
 */
final class UserProgram implements AutoCloseable {

  private final URLClassLoader loader;
  private final Class<?> type;

  private UserProgram(URLClassLoader loader, Class<?> type) {
    this.loader = loader;
    this.type = type;
  }

  /**
   * Finds the program: {@code name} is a jar if it ends so, else a class to be found in {@code
   * classPath}.
   *
   * @param className which class of the jar, instead of the one that its manifest names
   * @throws IOException if there is no such program; the message says what was looked for
   */
  static UserProgram load(String name, Optional<String> className, List<Path> classPath)
      throws IOException {
    if (!name.endsWith(".jar")) {
      String otherwise = "no example, and no class in " + readable(classPath);
      return load(classPath, name, otherwise + "; " + hint(name));
    }
    Path jar = Path.of(name);
    if (!Files.isRegularFile(jar)) {
      throw new FileNotFoundException("no such jar: " + name);
    }
    List<Path> places = new ArrayList<>(classPath);
    places.addFirst(jar);
    return className.isPresent()
        ? load(places, className.get(), "not in " + name)
        : load(places, mainClass(jar), "named in the manifest of " + name + " but not in it");
  }

  /** Whether it has a {@code main} of its own. */
  boolean hasMain() {
    return mainMethod(type).isPresent();
  }

  /** Runs its {@code main} in this thread. What it throws arrives as the cause. */
  void main(List<String> args) throws Exception {
    Method main = mainMethod(type).orElseThrow();
    withLoader(() -> main.invoke(null, (Object) args.toArray(String[]::new)));
  }

  /** Does something with this program's classes in reach of code that asks the thread for them. */
  void withLoader(Act act) throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      act.run();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /** Something to do with the program. */
  interface Act {
    /** Does it. */
    void run() throws Exception;
  }

  /**
   * Throws unless instances can be made with these arguments.
   *
   * @throws IOException if there are some and the program's constructor takes none
   */
  void checkTakes(List<String> args) throws IOException {
    if (!hasMain() && !args.isEmpty() && constructor(type).orElseThrow().getParameterCount() == 0) {
      throw new IOException(
          type.getName()
              + " takes no arguments, but "
              + args.size()
              + (args.size() == 1 ? " was" : " were")
              + " given; a constructor that takes a String[] would");
    }
  }

  /**
   * A new instance, made with the arguments if it takes any. Any number of threads may ask for one
   * each.
   */
  Program instance(List<String> args) throws Exception {
    Constructor<?> constructor = constructor(type).orElseThrow();
    constructor.trySetAccessible();
    Object[] given =
        constructor.getParameterCount() == 0
            ? new Object[0]
            : new Object[] {args.toArray(String[]::new)};
    try {
      return (Program) constructor.newInstance(given);
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  @Override
  public void close() throws IOException {
    loader.close();
  }

  private static UserProgram load(List<Path> classPath, String className, String otherwise)
      throws IOException {
    URL[] urls = new URL[classPath.size()];
    for (int i = 0; i < urls.length; i++) {
      urls[i] = classPath.get(i).toUri().toURL();
    }
    URLClassLoader loader = new URLClassLoader(urls, UserProgram.class.getClassLoader());
    try {
      Class<?> type = loader.loadClass(className);
      checkRunnable(type);
      return new UserProgram(loader, type);
    } catch (ClassNotFoundException e) {
      loader.close();
      throw new IOException(className + ": " + otherwise, e);
    } catch (IOException | LinkageError e) {
      loader.close();
      throw new IOException(className + " cannot be run: " + e.getMessage(), e);
    }
  }

  private static void checkRunnable(Class<?> type) throws IOException {
    if (mainMethod(type).isPresent()) {
      return;
    }
    if (!Program.class.isAssignableFrom(type)) {
      throw new IOException(
          "it has no static main(String[]) and does not implement " + Program.class.getName());
    }
    if (Modifier.isAbstract(type.getModifiers()) || constructor(type).isEmpty()) {
      throw new IOException(
          "no instance of it can be made: it is abstract, or has no constructor that takes nothing"
              + " or a String[]");
    }
  }

  private static Optional<Method> mainMethod(Class<?> type) {
    try {
      Method method = type.getDeclaredMethod("main", String[].class);
      boolean callable = Modifier.isStatic(method.getModifiers()) && method.trySetAccessible();
      return callable ? Optional.of(method) : Optional.empty();
    } catch (NoSuchMethodException e) {
      return Optional.empty();
    }
  }

  private static Optional<Constructor<?>> constructor(Class<?> type) {
    Optional<Constructor<?>> plain = Optional.empty();
    for (Constructor<?> one : type.getDeclaredConstructors()) {
      List<Class<?>> takes = List.of(one.getParameterTypes());
      if (takes.equals(List.of(String[].class))) {
        return Optional.of(one);
      }
      plain = takes.isEmpty() ? Optional.of(one) : plain;
    }
    return plain;
  }

  private static String mainClass(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      Manifest manifest = file.getManifest();
      String name =
          manifest == null
              ? null
              : manifest.getMainAttributes().getValue(Attributes.Name.MAIN_CLASS);
      if (name == null) {
        throw new IOException(jar + ": its manifest names no Main-Class; say --class");
      }
      return name;
    } catch (java.util.zip.ZipException e) {
      throw new IOException(jar + ": no jar: " + e.getMessage(), e);
    }
  }

  /** What may have been meant by a name that nothing has. */
  private static String hint(String name) {
    String bare = name.replaceFirst("^.*/", "").replaceFirst("\\.(class|java)$", "");
    return bare.equals(name)
        ? "see millrace run --help for the examples, -cp says where classes are"
        : "give the name of the class, such as " + bare;
  }

  private static String readable(List<Path> classPath) {
    return String.join(
        ":", classPath.stream().map(path -> path.toAbsolutePath().toString()).toList());
  }
}
