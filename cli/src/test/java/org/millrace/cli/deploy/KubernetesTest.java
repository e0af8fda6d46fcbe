package org.millrace.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.cli.deploy.Repository.at;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** The manifests fit Kubernetes' fields, each other, and what the command expects. */
final class KubernetesTest {

  private static List<Map<?, ?>> manifests() throws IOException {
    List<Map<?, ?>> all = new ArrayList<>();
    for (String file : List.of("cluster.yaml", "job.yaml")) {
      String text = Files.readString(Repository.file("deploy/kubernetes/" + file));
      new Yaml().loadAll(text).forEach(one -> all.add((Map<?, ?>) one));
    }
    return all;
  }

  private static Map<?, ?> object(String kind, String name) throws IOException {
    return manifests().stream()
        .filter(each -> at(each, "kind").equals(kind) && at(each, "metadata.name").equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static Map<String, String> environment(Map<?, ?> job) {
    return ((List<?>) at(job, "spec.template.spec.containers.0.env"))
        .stream()
            .collect(
                Collectors.toMap(
                    each -> (String) at(each, "name"),
                    each ->
                        ((Map<?, ?>) each).containsKey("value")
                            ? (String) at(each, "value")
                            : (String) at(each, "valueFrom.fieldRef.fieldPath")));
  }

  @Test
  void allFieldsAreKubernetesOwn() throws IOException {
    assertThat(manifests()).hasSize(5);
    for (Map<?, ?> one : manifests()) {
      assertThat(KubernetesFields.complaints(one)).isEmpty();
    }
  }

  @Test
  void wrongFieldsAreFound() {
    Yaml yaml = new Yaml();
    String job = "{apiVersion: batch/v1, kind: Job, metadata: {name: x}, spec: {%s}}";
    String pod = "template: {spec: {containers: [{name: a, image: b, %s}]}}";
    assertThat(complaints(yaml, job.formatted(pod.formatted("args: [x]")))).isEmpty();
    assertThat(complaints(yaml, job.formatted(pod.formatted("arg: [x]"))))
        .containsExactly("Job.spec.template.spec.containers[] has no field arg");
    assertThat(complaints(yaml, job.formatted(pod.formatted("env: [{name: A, value: 4}]"))))
        .containsExactly("Job.spec.template.spec.containers[].env[].value is 4, not string");
    assertThat(complaints(yaml, job.formatted("completions: 4")))
        .containsExactly("Job.spec needs template");
    assertThat(complaints(yaml, "{apiVersion: v1, kind: Jobb}")).hasSize(1);
  }

  private static List<String> complaints(Yaml yaml, String text) {
    return KubernetesFields.complaints((Map<?, ?>) yaml.load(text));
  }

  @Test
  void podsMountVolumesThatTheyHave() throws IOException {
    for (Map<?, ?> one : manifests()) {
      if (at(one, "kind").equals("Service")) {
        continue;
      }
      List<Object> volumes = new ArrayList<>(names(at(one, "spec.template.spec.volumes")));
      if (at(one, "spec") instanceof Map<?, ?> spec && spec.containsKey("volumeClaimTemplates")) {
        volumes.add(at(spec, "volumeClaimTemplates.0.metadata.name"));
      }
      for (String kind : List.of("initContainers", "containers")) {
        Object mounts = at(one, "spec.template.spec." + kind + ".0.volumeMounts");
        assertThat(volumes).containsAll(names(mounts));
      }
    }
  }

  private static List<Object> names(Object list) {
    return ((List<?>) list).stream().map(each -> at(each, "name")).toList();
  }

  @Test
  void servicesSelectThePodsThatTheyAreFor() throws IOException {
    Map<?, ?> selected = (Map<?, ?>) at(object("Service", "millrace"), "spec.selector");
    for (String name : List.of("millrace-coordinator", "millrace-node")) {
      Map<?, ?> set = object("StatefulSet", name);
      Map<?, ?> labels = (Map<?, ?>) at(set, "spec.template.metadata.labels");
      assertThat(labels.entrySet().containsAll(selected.entrySet())).isTrue();
      assertThat(at(set, "spec.selector.matchLabels")).isEqualTo(labels);
      assertThat(at(set, "spec.serviceName")).isEqualTo("millrace");
    }
    assertThat(at(object("Service", "heat"), "spec.selector"))
        .isEqualTo(Map.of("job-name", "heat"));
    assertThat(at(object("Job", "heat"), "spec.template.spec.subdomain")).isEqualTo("heat");
  }

  @Test
  void aJobRunsAllItsRanksAtOnceAndTellsThemOfHowMany() throws IOException {
    Map<?, ?> job = object("Job", "heat");
    Object ranks = at(job, "spec.completions");
    assertThat(at(job, "spec.completionMode")).isEqualTo("Indexed");
    assertThat(at(job, "spec.parallelism")).isEqualTo(ranks);
    assertThat(environment(job))
        .containsEntry("MILLRACE_RANKS", ranks.toString())
        .containsEntry("MILLRACE_LISTEN", "tls:heat-$(JOB_COMPLETION_INDEX).heat:0")
        .containsEntry("MILLRACE_JOB", "metadata.labels['batch.kubernetes.io/controller-uid']");
    Object env = at(job, "spec.template.spec.containers.0.env");
    assertThat(names(env)).containsSubsequence("JOB_COMPLETION_INDEX", "MILLRACE_LISTEN");
  }

  @Test
  void commandsOfPodsCanBeParsed() throws IOException {
    List<String> coordinator = words(object("StatefulSet", "millrace-coordinator"), "args");
    int nodes = (Integer) at(object("StatefulSet", "millrace-node"), "spec.replicas");
    assertThat(coordinator).containsSubsequence("--nodes", "" + nodes);
    String node = words(object("StatefulSet", "millrace-node"), "command").getLast();
    String line = node.replaceFirst("^exec millrace ", "").replace("${HOSTNAME##*-}", "2");
    List<List<String>> lines =
        List.of(
            coordinator,
            words(object("Job", "heat"), "args"),
            Stream.of(line.split(" ", -1)).map(word -> word.replace("\"", "")).toList());
    for (List<String> each : lines) {
      Repository.parse(each);
    }
  }

  private static List<String> words(Map<?, ?> object, String field) {
    return ((List<?>) at(object, "spec.template.spec.containers.0." + field))
        .stream().map(String.class::cast).toList();
  }

  @Test
  void theSecretsAreNamedAfterThePodsThatUseThem() throws IOException {
    String script = Files.readString(Repository.file("deploy/kubernetes/secrets"));
    assertThat(script)
        .contains("millrace-coordinator-0.millrace", "millrace-node-$i.millrace", "$1-$i.$1")
        .contains("secret generic millrace-keys", "secret generic millrace-secret");
    Path cluster = Repository.file("deploy/kubernetes/cluster.yaml");
    assertThat(Files.readString(cluster))
        .contains("secretName: millrace-keys", "secretName: millrace-secret");
  }
}
