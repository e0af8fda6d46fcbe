package org.millrace.array.zarr;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.millrace.error.NoSuchNameException;
import org.millrace.files.FileHandle;
import org.millrace.files.FileKind;
import org.millrace.files.FileListing;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;
import org.millrace.files.FileTree.Opening;
import org.millrace.files.NewFile;

/** Files of a program that is no rank. Safe for use by several threads. */
record TreeStore(FileTree tree, String directory) implements ZarrStore {

  private static final int PAGE = 1000;
  private static final NewFile FILE = NewFile.with(0644);
  private static final Set<Opening> READ = Set.of(Opening.READ);
  private static final Set<Opening> NEW = Set.of(Opening.WRITE, Opening.CREATE, Opening.TRUNCATE);

  @Override
  public String path(String key) {
    return key.isEmpty() ? directory : directory + "/" + key;
  }

  private FilePath at(String key) {
    return FilePath.of(path(key));
  }

  @Override
  public Optional<byte[]> read(String key) throws IOException {
    try (FileHandle file = tree.open(at(key), READ, FILE)) {
      byte[] all = new byte[Values.size(path(key), file.size())];
      return Optional.of(Arrays.copyOf(all, (int) file.read(0, MemorySegment.ofArray(all))));
    } catch (NoSuchNameException e) {
      return Optional.empty();
    }
  }

  @Override
  public byte[] read(String key, long from, int length) throws IOException {
    try (FileHandle file = tree.open(at(key), READ, FILE)) {
      byte[] all = new byte[length];
      return Arrays.copyOf(all, (int) file.read(from, MemorySegment.ofArray(all)));
    } catch (NoSuchNameException e) {
      return new byte[0];
    }
  }

  @Override
  public OptionalLong size(String key) throws IOException {
    try {
      return OptionalLong.of(tree.stat(at(key)).size());
    } catch (NoSuchNameException e) {
      return OptionalLong.empty();
    }
  }

  @Override
  public void write(String key, byte[] value) throws IOException {
    Directories.makeAbove(
        path(key), path -> tree.makeDirectory(FilePath.of(path), NewFile.with(0755)));
    FilePath part = at(key + Values.PART);
    try (FileHandle file = tree.open(part, NEW, FILE)) {
      file.write(0, MemorySegment.ofArray(value));
      file.force(true);
    }
    tree.rename(part, at(key), FileTree.Replacing.REPLACE);
  }

  @Override
  public void remove(String key) throws IOException {
    try {
      tree.remove(at(key), FileTree.Removing.FILE);
    } catch (NoSuchNameException e) {
      // there was none
    }
  }

  @Override
  public List<String> directories(String below) throws IOException {
    List<String> names = new ArrayList<>();
    try {
      FileListing page = tree.list(at(below), "", PAGE);
      while (true) {
        for (FileListing.Entry entry : page.entries()) {
          if (entry.status().kind() == FileKind.DIRECTORY) {
            names.add(entry.name());
          }
        }
        if (!page.more()) {
          break;
        }
        page = tree.list(at(below), page.entries().getLast().name(), PAGE);
      }
    } catch (NoSuchNameException e) {
      return List.of();
    }
    names.sort(null);
    return names;
  }

  @Override
  public void close() {}
}
