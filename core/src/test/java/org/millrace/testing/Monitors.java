package org.millrace.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.MonitorInstruction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Finds {@code synchronized} blocks where no comment can hide or imitate them: as instructions of
 * the compiled methods.
 */
final class Monitors {

  private Monitors() {}

  /** The methods below {@code folder} of class files that enter a monitor. */
  static List<String> below(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".class"))
          .sorted()
          .flatMap(file -> in(file).stream())
          .toList();
    }
  }

  /** The methods of one class file that enter a monitor. */
  static List<String> in(Path classFile) {
    ClassModel type = parse(classFile);
    return type.methods().stream()
        .filter(method -> method.code().map(Monitors::entersMonitor).orElse(false))
        .map(method -> nameOf(type, method))
        .toList();
  }

  private static boolean entersMonitor(CodeModel code) {
    return code.elementStream().anyMatch(MonitorInstruction.class::isInstance);
  }

  private static String nameOf(ClassModel type, MethodModel method) {
    return type.thisClass().asInternalName() + "." + method.methodName().stringValue();
  }

  private static ClassModel parse(Path classFile) {
    try {
      return ClassFile.of().parse(classFile);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
