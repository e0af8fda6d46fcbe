package org.millrace.array.zarr;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.NoSuchNameException;

/** Files of a rank that is the only one of its group. Belongs to the rank's thread. */
final class RankStore implements ZarrStore {

  private final Rank alone;
  private final String directory;

  RankStore(Rank alone, String directory) {
    this.alone = alone;
    this.directory = directory;
  }

  @Override
  public String path(String key) {
    return key.isEmpty() ? directory : directory + "/" + key;
  }

  @Override
  public Optional<byte[]> read(String key) throws IOException {
    try (SharedFile file = alone.open(path(key), OpenOptions.read())) {
      byte[] all = new byte[Values.size(path(key), file.size())];
      return Optional.of(Arrays.copyOf(all, (int) file.at(0).read(Memory.of(all))));
    } catch (NoSuchNameException e) {
      return Optional.empty();
    }
  }

  @Override
  public byte[] read(String key, long from, int length) throws IOException {
    try (SharedFile file = alone.open(path(key), OpenOptions.read())) {
      byte[] all = new byte[length];
      return Arrays.copyOf(all, (int) file.at(from).read(Memory.of(all)));
    } catch (NoSuchNameException e) {
      return new byte[0];
    }
  }

  @Override
  public OptionalLong size(String key) throws IOException {
    try (SharedFile file = alone.open(path(key), OpenOptions.read())) {
      return OptionalLong.of(file.size());
    } catch (NoSuchNameException e) {
      return OptionalLong.empty();
    }
  }

  @Override
  public void write(String key, byte[] value) throws IOException {
    String path = path(key);
    String part = path + Values.PART;
    Directories.makeAbove(path, alone.names()::makeDirectory);
    try (SharedFile file = alone.open(part, OpenOptions.create().withTruncate())) {
      file.at(0).write(Memory.of(value));
    }
    alone.names().replace(part, path);
  }

  @Override
  public void remove(String key) throws IOException {
    try {
      alone.names().remove(path(key));
    } catch (NoSuchNameException e) {
      // there was none
    }
  }

  @Override
  public List<String> directories(String below) throws IOException {
    try {
      return alone.names().list(path(below)).stream()
          .filter(name -> name.endsWith("/"))
          .map(name -> name.substring(0, name.length() - 1))
          .toList();
    } catch (NoSuchNameException e) {
      return List.of();
    }
  }

  @Override
  public void close() throws IOException {
    alone.leave("");
  }
}
