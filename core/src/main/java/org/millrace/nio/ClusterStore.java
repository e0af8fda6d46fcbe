package org.millrace.nio;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;
import org.jspecify.annotations.Nullable;
import org.millrace.files.FileSpace;
import org.millrace.files.FileTree;

/** The disks of a cluster's nodes together. Safe for use by several threads. */
final class ClusterStore extends FileStore {

  private final MillraceFileSystem fileSystem;

  ClusterStore(MillraceFileSystem fileSystem) {
    this.fileSystem = fileSystem;
  }

  private FileSpace space() throws IOException {
    return fileSystem.call(fileSystem.getPath("/"), FileTree::space);
  }

  @Override
  public String name() {
    return fileSystem.location();
  }

  @Override
  public String type() {
    return ClusterUri.SCHEME;
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }

  @Override
  public long getTotalSpace() throws IOException {
    return space().totalBytes();
  }

  @Override
  public long getUsableSpace() throws IOException {
    return space().freeBytes();
  }

  @Override
  public long getUnallocatedSpace() throws IOException {
    return space().freeBytes();
  }

  @Override
  public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
    return Views.isKnown(type);
  }

  @Override
  public boolean supportsFileAttributeView(String name) {
    return MillraceFileSystem.VIEWS.contains(name);
  }

  @Override
  public <V extends FileStoreAttributeView> @Nullable V getFileStoreAttributeView(Class<V> type) {
    return null;
  }

  @Override
  public Object getAttribute(String attribute) throws IOException {
    return switch (attribute) {
      case "totalSpace" -> getTotalSpace();
      case "usableSpace" -> getUsableSpace();
      case "unallocatedSpace" -> getUnallocatedSpace();
      default ->
          throw new UnsupportedOperationException(
              "attribute '" + attribute + "'; known are totalSpace, usableSpace, unallocatedSpace");
    };
  }
}
