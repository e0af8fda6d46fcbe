package org.millrace.hadoop;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Files of a cluster for programs that use a {@code FileContext}: set {@code
 * fs.AbstractFileSystem.millrace.impl} to the name of this class. What it does is what {@link
 * MillraceFileSystem} does. Safe for use by several threads.
 */
public final class MillraceFs extends DelegateToFileSystem {

  private final MillraceFileSystem files;

  /** For Hadoop, which makes it by this constructor. */
  public MillraceFs(URI uri, Configuration configuration) throws IOException, URISyntaxException {
    this(uri, configuration, new MillraceFileSystem());
  }

  private MillraceFs(URI uri, Configuration configuration, MillraceFileSystem files)
      throws IOException, URISyntaxException {
    super(uri, files, configuration, MillraceFileSystem.SCHEME, false);
    this.files = files;
  }

  @Override
  public int getUriDefaultPort() {
    return -1;
  }

  @Override
  public void renameInternal(Path from, Path to, boolean overwrite) throws IOException {
    files.renameWithExceptions(from, to, overwrite);
  }
}
