package org.millrace.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.hadoop.util.HadoopOutputFile;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parquet's own library on files of a cluster. */
final class ParquetTest {

  private static final int ROWS = 50_000;
  private static final MessageType SCHEMA =
      MessageTypeParser.parseMessageType(
          "message row { required int64 number; required double half; required binary text (UTF8); }");

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void rowsAreReadAsTheyWereWritten(boolean vectored) throws IOException {
    Configuration configuration = TestCluster.OF_THIS_JVM.configuration();
    configuration.setBoolean("parquet.hadoop.vectored.io.enabled", vectored);
    Path path = new Path(TestCluster.ROOT.resolve("/rows.parquet"));
    SimpleGroupFactory rows = new SimpleGroupFactory(SCHEMA);
    try (ParquetWriter<Group> writer =
        ExampleParquetWriter.builder(HadoopOutputFile.fromPath(path, configuration))
            .withType(SCHEMA)
            .withConf(configuration)
            .withRowGroupSize(256L << 10)
            .withWriteMode(ParquetFileWriter.Mode.OVERWRITE)
            .build()) {
      for (int i = 0; i < ROWS; i++) {
        writer.write(
            rows.newGroup()
                .append("number", (long) i)
                .append("half", i / 2.0)
                .append("text", "t" + i));
      }
    }
    try (ParquetReader<Group> reader =
        new ParquetReader.Builder<Group>(HadoopInputFile.fromPath(path, configuration)) {
          @Override
          protected GroupReadSupport getReadSupport() {
            return new GroupReadSupport();
          }
        }.withConf(configuration).build()) {
      for (int i = 0; i < ROWS; i++) {
        Group row = reader.read();
        assertThat(row.getLong("number", 0)).isEqualTo(i);
        assertThat(row.getDouble("half", 0)).isEqualTo(i / 2.0);
        assertThat(row.getString("text", 0)).isEqualTo("t" + i);
      }
      assertThat(reader.read()).isNull();
    }
    FileSystem.get(TestCluster.ROOT, configuration).delete(path, false);
  }
}
