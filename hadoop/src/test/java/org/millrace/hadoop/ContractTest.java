package org.millrace.hadoop;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractAppendTest;
import org.apache.hadoop.fs.contract.AbstractContractBulkDeleteTest;
import org.apache.hadoop.fs.contract.AbstractContractConcatTest;
import org.apache.hadoop.fs.contract.AbstractContractContentSummaryTest;
import org.apache.hadoop.fs.contract.AbstractContractCopyFromLocalTest;
import org.apache.hadoop.fs.contract.AbstractContractCreateTest;
import org.apache.hadoop.fs.contract.AbstractContractDeleteTest;
import org.apache.hadoop.fs.contract.AbstractContractGetFileStatusTest;
import org.apache.hadoop.fs.contract.AbstractContractMkdirTest;
import org.apache.hadoop.fs.contract.AbstractContractOpenTest;
import org.apache.hadoop.fs.contract.AbstractContractPathHandleTest;
import org.apache.hadoop.fs.contract.AbstractContractRenameTest;
import org.apache.hadoop.fs.contract.AbstractContractRootDirectoryTest;
import org.apache.hadoop.fs.contract.AbstractContractSeekTest;
import org.apache.hadoop.fs.contract.AbstractContractSetTimesTest;
import org.apache.hadoop.fs.contract.AbstractContractStreamIOStatisticsTest;
import org.apache.hadoop.fs.contract.AbstractContractUnbufferTest;
import org.apache.hadoop.fs.contract.AbstractContractVectoredReadTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;
import org.apache.hadoop.tools.contract.AbstractContractDistCpTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Hadoop's contract tests for file systems. {@code contract/millrace.xml} has what is declared. Not
 * here are those of leases and of safe mode, which are interfaces of HDFS, and those of entity tags
 * and of uploads in parts, which are not offered.
 */
@ExtendWith(ContractTable.class)
final class ContractTest {

  @Nested
  class Append extends AbstractContractAppendTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
      return new MillraceContract(configuration);
    }
  }

  @Nested
  class BulkDelete extends AbstractContractBulkDeleteTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
      return new MillraceContract(configuration);
    }
  }

  @Nested
  class ContentSummary extends AbstractContractContentSummaryTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
      return new MillraceContract(configuration);
    }
  }

  @Nested
  class CopyFromLocal extends AbstractContractCopyFromLocalTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
      return new MillraceContract(configuration);
    }
  }

  @Nested
  class Concat extends AbstractContractConcatTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
      return new MillraceContract(configuration);
    }
  }

  @Nested
  class Create extends AbstractContractCreateTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
      return new MillraceContract(configuration);
    }
  }

  @Nested
  class Delete extends AbstractContractDeleteTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
      return new MillraceContract(configuration);
    }
  }

  /** Copies by jobs of Hadoop's that run in this JVM. */
  @Nested
  class DistCp extends AbstractContractDistCpTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
      return new MillraceContract(configuration);
    }
  }

  @Nested
  class GetFileStatus extends AbstractContractGetFileStatusTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
      return new MillraceContract(configuration);
    }
  }

  @Nested
  class Mkdir extends AbstractContractMkdirTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
      return new MillraceContract(configuration);
    }
  }

  @Nested
  class Open extends AbstractContractOpenTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
      return new MillraceContract(configuration);
    }
  }

  @Nested
  class PathHandle extends AbstractContractPathHandleTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
      return new MillraceContract(configuration);
    }
  }

  @Nested
  class Rename extends AbstractContractRenameTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
      return new MillraceContract(configuration);
    }
  }

  @Nested
  class RootDirectory extends AbstractContractRootDirectoryTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
      return new MillraceContract(configuration);
    }
  }

  @Nested
  class Seek extends AbstractContractSeekTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
      return new MillraceContract(configuration);
    }
  }

  @Nested
  class SetTimes extends AbstractContractSetTimesTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
      return new MillraceContract(configuration);
    }
  }

  @Nested
  class StreamIOStatistics extends AbstractContractStreamIOStatisticsTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
      return new MillraceContract(configuration);
    }
  }

  @Nested
  class Unbuffer extends AbstractContractUnbufferTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
      return new MillraceContract(configuration);
    }
  }

  @Nested
  class VectoredRead extends AbstractContractVectoredReadTest {

    VectoredRead(String buffers) {
      super(buffers);
    }

    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
      return new MillraceContract(configuration);
    }
  }
}
