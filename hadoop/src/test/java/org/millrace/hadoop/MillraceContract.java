package org.millrace.hadoop;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** What Hadoop's contract tests need to know: where the files are, and what is declared. */
final class MillraceContract extends AbstractFSContract {

  MillraceContract(Configuration configuration) {
    super(configuration);
    addConfResource("contract/millrace.xml");
    TestCluster.OF_THIS_JVM.configure(getConf());
  }

  @Override
  public FileSystem getTestFileSystem() throws IOException {
    return FileSystem.get(TestCluster.ROOT, getConf());
  }

  @Override
  public String getScheme() {
    return MillraceFileSystem.SCHEME;
  }

  @Override
  public Path getTestPath() {
    return new Path("/contract");
  }
}
