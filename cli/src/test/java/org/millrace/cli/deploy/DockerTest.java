package org.millrace.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.cli.deploy.Repository.at;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** The compose file and the Dockerfile fit each other and the command. No engine is asked. */
final class DockerTest {

  private static Map<?, ?> compose() throws IOException {
    String text = Files.readString(Repository.file("deploy/docker/compose.yaml"));
    return new Yaml().load(text);
  }

  private static Collection<?> services() throws IOException {
    return ((Map<?, ?>) at(compose(), "services")).values();
  }

  /** The commands in the entry points of all services. */
  private static List<String> commands() throws IOException {
    List<String> found = new ArrayList<>();
    for (Object service : services()) {
      if (((Map<?, ?>) service).get("entrypoint") instanceof List<?> words) {
        Pattern.compile("millrace ([a-z][^\\n&]*)")
            .matcher(String.valueOf(words.getLast()))
            .results()
            .forEach(result -> found.add(result.group(1)));
      }
    }
    return found;
  }

  @Test
  void commandsOfContainersCanBeParsed() throws IOException {
    List<String> commands = commands();
    assertThat(commands).hasSize(5);
    for (String command : commands) {
      Repository.parse(List.of(command.split(" ", -1)));
    }
  }

  @Test
  void keysAreMadeForEachHostAtWhichADaemonListens() throws IOException {
    List<String> commands = commands();
    TreeSet<String> listening = new TreeSet<>();
    TreeSet<String> named = new TreeSet<>();
    for (String command : commands) {
      List<String> words = List.of(command.split(" ", -1));
      for (int i = 0; i < words.size() - 1; i++) {
        if (words.get(i).equals("--host")) {
          named.add(words.get(i + 1));
        } else if (words.get(i).equals("--address")) {
          listening.add(words.get(i + 1).split(":", -1)[1]);
        }
      }
    }
    assertThat(listening).isEqualTo(named).hasSize(3);
  }

  @Test
  void volumesOfServicesAreThere() throws IOException {
    Map<?, ?> volumes = (Map<?, ?>) at(compose(), "volumes");
    for (Object service : services()) {
      for (Object volume : (List<?>) at(service, "volumes")) {
        assertThat(volumes.containsKey(String.valueOf(volume).split(":", -1)[0]))
            .as("%s", volume)
            .isTrue();
      }
    }
  }

  @Test
  void theImageHasTheNameThatAllFilesUse() throws IOException {
    String version =
        Pattern.compile("<version>([^<]*)</version>")
            .matcher(Files.readString(Repository.file("pom.xml")))
            .results()
            .findFirst()
            .orElseThrow()
            .group(1);
    for (String name :
        List.of(
            "Dockerfile",
            "deploy/docker/compose.yaml",
            "deploy/kubernetes/cluster.yaml",
            "deploy/kubernetes/job.yaml")) {
      Stream<String> images =
          Pattern.compile("(?:image: |-t )millrace:([\\w.-]+)")
              .matcher(Files.readString(Repository.file(name)))
              .results()
              .map(result -> result.group(1));
      assertThat(images).as(name).isNotEmpty().allMatch(version::equals);
    }
  }
}
