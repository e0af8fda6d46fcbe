package org.millrace.nio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.LinkOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Attributes by their names, {@code view:name,name} or {@code view:*}. Stateless. */
final class NamedAttributes {

  private static final Map<String, Function<StatusAttributes, Object>> BASIC =
      new LinkedHashMap<>();
  private static final Map<String, Function<StatusAttributes, Object>> POSIX =
      new LinkedHashMap<>();
  private static final Map<String, Function<StatusAttributes, Object>> UNIX = new LinkedHashMap<>();

  static {
    BASIC.put("lastModifiedTime", StatusAttributes::lastModifiedTime);
    BASIC.put("lastAccessTime", StatusAttributes::lastAccessTime);
    BASIC.put("creationTime", StatusAttributes::creationTime);
    BASIC.put("size", StatusAttributes::size);
    BASIC.put("isRegularFile", StatusAttributes::isRegularFile);
    BASIC.put("isDirectory", StatusAttributes::isDirectory);
    BASIC.put("isSymbolicLink", StatusAttributes::isSymbolicLink);
    BASIC.put("isOther", StatusAttributes::isOther);
    BASIC.put("fileKey", StatusAttributes::fileKey);
    POSIX.putAll(BASIC);
    POSIX.put("owner", StatusAttributes::owner);
    POSIX.put("group", StatusAttributes::group);
    POSIX.put("permissions", StatusAttributes::permissions);
    UNIX.putAll(POSIX);
    UNIX.put("mode", StatusAttributes::mode);
    UNIX.put("ino", attributes -> attributes.status().id());
    UNIX.put("nlink", attributes -> (int) attributes.status().links());
    UNIX.put("rdev", attributes -> attributes.status().device());
    UNIX.put("ctime", StatusAttributes::changeTime);
  }

  private NamedAttributes() {}

  /**
   * A view and a name in it.
   *
   * @param view its name
   * @param names of attributes, with commas between
   */
  private record Named(String view, String names) {
    static Named parse(String text) {
      int colon = text.indexOf(':');
      return colon < 0
          ? new Named("basic", text)
          : new Named(text.substring(0, colon), text.substring(colon + 1));
    }
  }

  static Map<String, Object> read(MillracePath path, String text, LinkOption... options)
      throws IOException {
    Named asked = Named.parse(text);
    if (asked.view.equals("user")) {
      return users(new UserAttributes(path, options), asked.names);
    }
    Map<String, Function<StatusAttributes, Object>> known = known(asked.view);
    List<String> names = List.of(asked.names.split(","));
    for (String name : names) {
      if (!name.equals("*") && !known.containsKey(name)) {
        throw new IllegalArgumentException(
            "attribute '%s' of the view %s; known are %s"
                .formatted(name, asked.view, known.keySet()));
      }
    }
    StatusAttributes attributes = new Views.Posix(path, options).readAttributes();
    Map<String, Object> found = new LinkedHashMap<>();
    known.forEach(
        (name, value) -> {
          if (names.contains("*") || names.contains(name)) {
            found.put(name, value.apply(attributes));
          }
        });
    return found;
  }

  private static Map<String, Function<StatusAttributes, Object>> known(String view) {
    return switch (view) {
      case "basic" -> BASIC;
      case "posix" -> POSIX;
      case "unix" -> UNIX;
      case "owner" -> Map.of("owner", StatusAttributes::owner);
      default -> throw unknown(view);
    };
  }

  private static UnsupportedOperationException unknown(String view) {
    return new UnsupportedOperationException(
        "view '" + view + "' of attributes; known are " + MillraceFileSystem.VIEWS);
  }

  private static Map<String, Object> users(UserAttributes view, String names) throws IOException {
    Map<String, Object> found = new LinkedHashMap<>();
    for (String name : names.equals("*") ? view.list() : Arrays.asList(names.split(","))) {
      found.put(name, view.get(name));
    }
    return found;
  }

  static void set(MillracePath path, String text, @Nullable Object value, LinkOption... options)
      throws IOException {
    Named asked = Named.parse(text);
    if (asked.view.equals("user")) {
      byte[] bytes =
          value instanceof byte[] given ? given : bytes(as(ByteBuffer.class, value, text));
      new UserAttributes(path, options).write(asked.names, ByteBuffer.wrap(bytes));
      return;
    }
    if (!known(asked.view).containsKey(asked.names)) {
      throw new IllegalArgumentException(
          "attribute '%s' of the view %s; known are %s"
              .formatted(asked.names, asked.view, known(asked.view).keySet()));
    }
    Views.Posix view = new Views.Posix(path, options);
    switch (asked.names) {
      case "lastModifiedTime" -> view.setTimes(as(FileTime.class, value, text), null, null);
      case "lastAccessTime" -> view.setTimes(null, as(FileTime.class, value, text), null);
      case "creationTime" -> view.setTimes(null, null, as(FileTime.class, value, text));
      case "owner" -> view.setOwner(as(UserPrincipal.class, value, text));
      case "group" -> view.setGroup(as(GroupPrincipal.class, value, text));
      case "permissions" -> view.setPermissions(permissions(as(Set.class, value, text)));
      case "mode" -> view.setMode(as(Integer.class, value, text));
      default -> throw new IllegalArgumentException("attribute '" + text + "' cannot be set");
    }
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  private static Set<PosixFilePermission> permissions(Set<?> given) {
    Set<PosixFilePermission> all = EnumSet.noneOf(PosixFilePermission.class);
    given.forEach(one -> all.add((PosixFilePermission) one));
    return all;
  }

  private static <T> T as(Class<T> type, @Nullable Object value, String text) {
    if (value == null) {
      throw new NullPointerException("the value of '" + text + "' is null");
    }
    return type.cast(value);
  }
}
