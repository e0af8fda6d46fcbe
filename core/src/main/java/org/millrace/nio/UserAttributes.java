package org.millrace.nio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.LinkOption;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import org.millrace.files.FileTree;

/** Attributes that users define: extended attributes whose names begin with {@code user.}. */
final class UserAttributes implements UserDefinedFileAttributeView {

  private static final String PREFIX = "user.";

  private final MillracePath path;
  private final LinkOption[] options;

  UserAttributes(MillracePath path, LinkOption... options) {
    this.path = path;
    this.options = options.clone();
  }

  @Override
  public String name() {
    return "user";
  }

  @Override
  public List<String> list() throws IOException {
    return path.fileSystem().call(path, tree -> tree.attributes(path.inTree(options))).stream()
        .filter(name -> name.startsWith(PREFIX))
        .map(name -> name.substring(PREFIX.length()))
        .toList();
  }

  byte[] get(String name) throws IOException {
    return path.fileSystem()
        .call(path, tree -> tree.attribute(path.inTree(options), PREFIX + name));
  }

  @Override
  public int size(String name) throws IOException {
    return get(name).length;
  }

  @Override
  public int read(String name, ByteBuffer into) throws IOException {
    byte[] value = get(name);
    if (value.length > into.remaining()) {
      throw new IOException(
          "attribute %s of %s has %s bytes, the buffer has room for %s"
              .formatted(name, path, value.length, into.remaining()));
    }
    into.put(value);
    return value.length;
  }

  @Override
  public int write(String name, ByteBuffer from) throws IOException {
    byte[] value = new byte[from.remaining()];
    from.get(value);
    path.fileSystem()
        .run(
            path,
            tree ->
                tree.setAttribute(
                    path.inTree(options), PREFIX + name, value, FileTree.Setting.EITHER));
    return value.length;
  }

  @Override
  public void delete(String name) throws IOException {
    path.fileSystem().run(path, tree -> tree.removeAttribute(path.inTree(options), PREFIX + name));
  }
}
