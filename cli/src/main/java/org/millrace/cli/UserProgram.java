package org.millrace.cli;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Program;

/**
 * A program that is not part of Millrace: a class that was found by name, or through the manifest
 * of a jar. It is a {@link Program}, to be run by all ranks, or has a {@code main} method, which
 * makes a cluster for itself. Used by one thread, which finds the program's classes by name while
 * it is open, as do the threads it starts. Closing it closes the jars; classes not loaded by then
 * cannot be loaded any more.
 */
final class UserProgram implements AutoCloseable {

  private final URLClassLoader loader;
  private final Class<?> type;
  private final ClassLoader before = Thread.currentThread().getContextClassLoader();

  private UserProgram(URLClassLoader loader, Class<?> type) {
    this.loader = loader;
    this.type = type;
    Thread.currentThread().setContextClassLoader(loader);
  }

  /**
   * Finds the program: {@code name} is a jar if it ends so, else a class to be found in {@code
   * classPath}.
   *
   * @throws IOException if there is no such program; the message says what was looked for
   */
  static UserProgram load(String name, List<Path> classPath) throws IOException {
    if (!name.endsWith(".jar")) {
      return load(classPath, name, "no example, and no class in " + readable(classPath));
    }
    Path jar = Path.of(name);
    if (!Files.isRegularFile(jar)) {
      throw new FileNotFoundException("no such jar: " + name);
    }
    return load(
        List.of(jar), mainClass(jar), "named in the manifest of " + name + " but not in it");
  }

  /** Whether it is to be run by all ranks. */
  boolean isParallel() {
    return Program.class.isAssignableFrom(type);
  }

  /**
   * What each rank runs: made by the constructor that takes {@code String[]}, or, where there are
   * no arguments, by the one that takes nothing. What the constructor throws arrives as the cause.
   *
   * @throws IOException if there is no such constructor
   */
  Program program(List<String> args) throws IOException, ReflectiveOperationException {
    Object made;
    Constructor<?> withArgs = constructor(String[].class);
    if (withArgs != null) {
      made = withArgs.newInstance((Object) args.toArray(String[]::new));
    } else {
      Constructor<?> plain = args.isEmpty() ? constructor() : null;
      if (plain == null) {
        throw new IOException(
            type.getName() + " has no constructor for " + args.size() + " arguments");
      }
      made = plain.newInstance();
    }
    return (Program) made;
  }

  /** Runs its {@code main} in this thread. What it throws arrives as the cause. */
  void main(List<String> args) throws IOException, ReflectiveOperationException {
    mainMethod().invoke(null, (Object) args.toArray(String[]::new));
  }

  @Override
  public void close() throws IOException {
    Thread.currentThread().setContextClassLoader(before);
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
      return new UserProgram(loader, loader.loadClass(className));
    } catch (ClassNotFoundException e) {
      loader.close();
      throw new IOException(className + ": " + otherwise, e);
    } catch (LinkageError e) {
      loader.close();
      throw new IOException(className + " cannot be loaded: " + e.getMessage(), e);
    }
  }

  private @Nullable Constructor<?> constructor(Class<?>... parameters) {
    try {
      Constructor<?> constructor = type.getDeclaredConstructor(parameters);
      return constructor.trySetAccessible() ? constructor : null;
    } catch (NoSuchMethodException e) {
      return null;
    }
  }

  private Method mainMethod() throws IOException {
    try {
      Method method = type.getDeclaredMethod("main", String[].class);
      if (Modifier.isStatic(method.getModifiers()) && method.trySetAccessible()) {
        return method;
      }
    } catch (NoSuchMethodException e) {
      // Said below, together with the other reason.
    }
    throw new IOException(
        type.getName() + " is no Program and has no static main(String[]), so it cannot be run");
  }

  private static String mainClass(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      Manifest manifest = file.getManifest();
      String name =
          manifest == null
              ? null
              : manifest.getMainAttributes().getValue(Attributes.Name.MAIN_CLASS);
      if (name == null) {
        throw new IOException(jar + ": its manifest names no Main-Class");
      }
      return name;
    }
  }

  private static String readable(List<Path> classPath) {
    return String.join(
        ":", classPath.stream().map(path -> path.toAbsolutePath().toString()).toList());
  }
}
