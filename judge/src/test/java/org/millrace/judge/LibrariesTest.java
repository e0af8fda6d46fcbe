package org.millrace.judge;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.jhdf.HdfFile;
import io.jhdf.WritableHdfFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveOutputStream;
import org.apache.commons.compress.archivers.zip.ZipFile;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.NIOFSDirectory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Libraries that know nothing of Millrace, on its files. */
final class LibrariesTest {

  @TempDir private Path folder;

  private FileSystem files = FileSystems.getDefault();

  @BeforeEach
  void start() throws IOException {
    files = FileSystems.newFileSystem(URI.create("millrace:" + folder), Map.of("nodes", "3"));
  }

  @AfterEach
  void end() throws IOException {
    files.close();
  }

  @Test
  void jhdfReadsAnHdf5File() throws IOException {
    int[][] numbers = new int[300][200];
    for (int i = 0; i < numbers.length; i++) {
      Arrays.setAll(numbers[i], j -> j * j);
      numbers[i][0] = -i;
    }
    Path local = folder.resolveSibling(folder.getFileName() + ".h5");
    try (WritableHdfFile out = HdfFile.write(local)) {
      out.putGroup("run").putDataset("numbers", numbers);
    }
    Path ours = files.getPath("/numbers.h5");
    Files.copy(local, ours);
    Files.delete(local);
    try (HdfFile in = new HdfFile(ours)) {
      assertThat((int[][]) in.getDatasetByPath("run/numbers").getData()).isEqualTo(numbers);
    }
  }

  @Test
  void zipfsMountsAZipInsideIt() throws IOException {
    Path zip = files.getPath("/archive.zip");
    try (FileSystem inside = FileSystems.newFileSystem(zip, Map.of("create", "true"))) {
      Files.createDirectory(inside.getPath("/deep"));
      Files.writeString(inside.getPath("/deep/text"), "zipped".repeat(5_000));
    }
    try (FileSystem inside = FileSystems.newFileSystem(zip)) {
      assertThat(Files.readString(inside.getPath("/deep/text"))).isEqualTo("zipped".repeat(5_000));
    }
    assertThat(Files.size(zip)).isLessThan(30_000);
  }

  @Test
  void luceneBuildsAndSearchesAnIndex() throws IOException {
    Path index = Files.createDirectory(files.getPath("/index"));
    try (Directory directory = new NIOFSDirectory(index);
        StandardAnalyzer analyzer = new StandardAnalyzer();
        IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(analyzer))) {
      for (int i = 0; i < 1_000; i++) {
        Document document = new Document();
        String text = i % 10 == 0 ? "wheel " + i : "water " + i;
        document.add(new TextField("text", text, Field.Store.YES));
        writer.addDocument(document);
        if (i % 250 == 0) {
          writer.commit();
        }
      }
      writer.forceMerge(1);
    }
    try (Directory directory = new NIOFSDirectory(index);
        DirectoryReader reader = DirectoryReader.open(directory)) {
      IndexSearcher searcher = new IndexSearcher(reader);
      assertThat(searcher.count(new TermQuery(new Term("text", "wheel")))).isEqualTo(100);
      assertThat(searcher.count(new TermQuery(new Term("text", "777")))).isEqualTo(1);
    }
  }

  @Test
  void jacksonWritesAndReads() throws IOException {
    Path json = files.getPath("/values.json");
    Map<String, List<Integer>> values = Map.of("squares", List.of(0, 1, 4, 9), "none", List.of());
    ObjectMapper mapper = new ObjectMapper();
    try (OutputStream out = Files.newOutputStream(json)) {
      mapper.writeValue(out, values);
    }
    try (InputStream in = Files.newInputStream(json)) {
      Object read = mapper.readValue(in, Map.class);
      assertThat(read).isEqualTo(values);
    }
  }

  @Test
  void commonsCompressWritesAndReads() throws IOException {
    byte[] content = "barley ".repeat(10_000).getBytes(UTF_8);
    Path tar = files.getPath("/grain.tar");
    try (TarArchiveOutputStream out = new TarArchiveOutputStream(Files.newOutputStream(tar))) {
      TarArchiveEntry entry = new TarArchiveEntry("grain/barley");
      entry.setSize(content.length);
      out.putArchiveEntry(entry);
      out.write(content);
      out.closeArchiveEntry();
    }
    try (TarArchiveInputStream in = new TarArchiveInputStream(Files.newInputStream(tar))) {
      assertThat(in.getNextEntry().getName()).isEqualTo("grain/barley");
      assertThat(in.readAllBytes()).isEqualTo(content);
    }
    Path zip = files.getPath("/grain.zip");
    try (ZipArchiveOutputStream out = new ZipArchiveOutputStream(zip)) {
      out.putArchiveEntry(new ZipArchiveEntry("barley"));
      out.write(content);
      out.closeArchiveEntry();
    }
    try (ZipFile in = ZipFile.builder().setPath(zip).get();
        InputStream barley = in.getInputStream(in.getEntry("barley"))) {
      assertThat(barley.readAllBytes()).isEqualTo(content);
    }
  }
}
