package org.millrace.testing;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.GenericDeclaration;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the signatures that programs see name: supertypes, fields, constructors and methods of types
 * that are public, or protected where programs may extend them. Immutable.
 *
 * @param exported the packages that programs may use
 */
record Signatures(Set<String> exported) {

  private static final String OURS = "org.millrace";

  /** The types in a folder of classes that programs see, nested ones as well. */
  List<Class<?>> visibleBelow(Path classes) throws IOException {
    List<Class<?>> found = new ArrayList<>();
    for (String name : exported) {
      try (Stream<Path> files = Files.list(classes.resolve(name.replace('.', '/')))) {
        for (Path file : files.sorted().toList()) {
          String simple = file.getFileName().toString();
          if (simple.endsWith(".class") && !simple.equals("package-info.class")) {
            Class<?> type = load(name + "." + simple.substring(0, simple.length() - 6));
            if (isVisible(type)) {
              found.add(type);
            }
          }
        }
      }
    }
    return found;
  }

  /** The types that signatures of {@code type} name though programs cannot, each with where. */
  List<String> leaks(Class<?> type) {
    List<String> complaints = new ArrayList<>();
    Set<Class<?>> above = new LinkedHashSet<>();
    collect(type.getGenericSuperclass(), above);
    collect(type.getGenericInterfaces(), above);
    collectBounds(type, above);
    for (Class<?> one : above) {
      if (!isExported(one)) {
        complaints.add(type.getName() + " names " + one.getName());
      }
    }
    for (Field field : type.getDeclaredFields()) {
      if (isOpen(type, field.getModifiers())) {
        Set<Class<?>> named = new LinkedHashSet<>();
        collect(field.getGenericType(), named);
        complain(type, field.getName(), named, complaints);
      }
    }
    executables(type)
        .forEach(
            member -> {
              Set<Class<?>> named = new LinkedHashSet<>();
              collect(member.getGenericParameterTypes(), named);
              collect(member.getGenericExceptionTypes(), named);
              collectBounds(member, named);
              if (member instanceof Method method) {
                collect(method.getGenericReturnType(), named);
              }
              complain(type, member.getName(), named, complaints);
            });
    return complaints;
  }

  /** Methods that come from a supertype which programs do not see are part of the type. */
  private static Stream<Executable> executables(Class<?> type) {
    Stream<Method> inherited =
        Arrays.stream(type.getMethods())
            .filter(one -> one.getDeclaringClass().getName().startsWith(OURS));
    Stream<Method> declared = Arrays.stream(type.getDeclaredMethods());
    Stream<Constructor<?>> constructors = Arrays.stream(type.getDeclaredConstructors());
    return Stream.<Executable>concat(Stream.concat(inherited, declared).distinct(), constructors)
        .filter(one -> !one.isSynthetic() && isOpen(type, one.getModifiers()));
  }

  private static boolean isOpen(Class<?> type, int modifiers) {
    boolean extended = !Modifier.isFinal(type.getModifiers()) && !type.isSealed();
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers) && extended;
  }

  private void complain(
      Class<?> type, String member, Set<Class<?>> named, List<String> complaints) {
    for (Class<?> one : named) {
      if (!isExported(one) || one.getName().startsWith(OURS) && !isVisible(one)) {
        complaints.add(type.getName() + "." + member + " names " + one.getName());
      }
    }
  }

  private boolean isExported(Class<?> type) {
    return !type.getName().startsWith(OURS) || exported.contains(type.getPackageName());
  }

  private static boolean isVisible(Class<?> type) {
    for (Class<?> one = type; one != null; one = one.getEnclosingClass()) {
      if (!Modifier.isPublic(one.getModifiers()) || one.isAnonymousClass() || one.isLocalClass()) {
        return false;
      }
    }
    return true;
  }

  private static void collectBounds(GenericDeclaration declaration, Set<Class<?>> named) {
    for (TypeVariable<?> variable : declaration.getTypeParameters()) {
      collect(variable.getBounds(), named);
    }
  }

  private static void collect(Type[] types, Set<Class<?>> named) {
    for (Type one : types) {
      collect(one, named);
    }
  }

  private static void collect(Type type, Set<Class<?>> named) {
    switch (type) {
      case null -> {}
      case Class<?> one when one.isArray() -> collect(one.getComponentType(), named);
      case Class<?> one -> named.add(one);
      case GenericArrayType array -> collect(array.getGenericComponentType(), named);
      case WildcardType wildcard -> {
        collect(wildcard.getLowerBounds(), named);
        collect(wildcard.getUpperBounds(), named);
      }
      case ParameterizedType parameterized -> {
        collect(parameterized.getRawType(), named);
        collect(parameterized.getActualTypeArguments(), named);
      }
      default -> {} // a type variable, whose bounds are looked at where it is declared
    }
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name, false, Signatures.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }
}
