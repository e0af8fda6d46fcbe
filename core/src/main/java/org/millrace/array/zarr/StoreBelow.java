package org.millrace.array.zarr;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A directory of a store, as a store. Threads as the store itself. */
record StoreBelow(ZarrStore store, String directory) implements ZarrStore {

  private String in(String key) {
    return key.isEmpty() ? directory : directory + "/" + key;
  }

  @Override
  public Optional<byte[]> read(String key) throws IOException {
    return store.read(in(key));
  }

  @Override
  public byte[] read(String key, long from, int length) throws IOException {
    return store.read(in(key), from, length);
  }

  @Override
  public OptionalLong size(String key) throws IOException {
    return store.size(in(key));
  }

  @Override
  public void write(String key, byte[] value) throws IOException {
    store.write(in(key), value);
  }

  @Override
  public void remove(String key) throws IOException {
    store.remove(in(key));
  }

  @Override
  public List<String> directories(String below) throws IOException {
    return store.directories(in(below));
  }

  @Override
  public String path(String key) {
    return store.path(in(key));
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
