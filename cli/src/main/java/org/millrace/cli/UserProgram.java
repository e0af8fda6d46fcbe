package org.millrace.cli;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
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

/**
 * A program that is not part of Millrace: the {@code main} method of a class that was found by
 * name, or through the manifest of a jar. Used by one thread. Closing it closes the jars; classes
 * not loaded by then cannot be loaded any more.
 */
final class UserProgram implements AutoCloseable {

  private final URLClassLoader loader;
  private final Method main;

  private UserProgram(URLClassLoader loader, Method main) {
    this.loader = loader;
    this.main = main;
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

  /** Runs it in this thread. What it throws arrives as the cause. */
  void main(List<String> args) throws InvocationTargetException, IllegalAccessException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      main.invoke(null, (Object) args.toArray(String[]::new));
    } finally {
      thread.setContextClassLoader(before);
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
      return new UserProgram(loader, mainMethod(loader.loadClass(className)));
    } catch (ClassNotFoundException e) {
      loader.close();
      throw new IOException(className + ": " + otherwise, e);
    } catch (IOException | LinkageError e) {
      loader.close();
      throw new IOException(className + " cannot be run: " + e.getMessage(), e);
    }
  }

  private static Method mainMethod(Class<?> type) throws IOException {
    try {
      Method method = type.getDeclaredMethod("main", String[].class);
      if (Modifier.isStatic(method.getModifiers()) && method.trySetAccessible()) {
        return method;
      }
    } catch (NoSuchMethodException e) {
      throw new IOException("it has no static main(String[])", e);
    }
    throw new IOException("its main(String[]) is not static");
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
