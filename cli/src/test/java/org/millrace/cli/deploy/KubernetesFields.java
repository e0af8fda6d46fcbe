package org.millrace.cli.deploy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The fields of Kubernetes' objects that our manifests use, with their types, as its API reference
 * has them: written by hand, because nothing here may ask a server. A field that is not in this
 * table is an error, as it is with {@code kubectl --validate=strict}. Stateless.
 */
final class KubernetesFields {

  /** Lines of type, field, and what it holds; {@code []} is a list, {@code !} must be there. */
  private static final String TABLE =
      """
      Service apiVersion v1!
      Service kind string!
      Service metadata Metadata!
      Service spec ServiceSpec!
      Metadata name string
      Metadata labels map
      ServiceSpec clusterIP string
      ServiceSpec publishNotReadyAddresses bool
      ServiceSpec selector map
      ServiceSpec ports []ServicePort
      ServicePort name string
      ServicePort port int!
      StatefulSet apiVersion apps/v1!
      StatefulSet kind string!
      StatefulSet metadata Metadata!
      StatefulSet spec StatefulSetSpec!
      StatefulSetSpec serviceName string!
      StatefulSetSpec replicas int
      StatefulSetSpec podManagementPolicy string
      StatefulSetSpec selector Selector!
      StatefulSetSpec template Template!
      StatefulSetSpec volumeClaimTemplates []Claim
      Selector matchLabels map
      Template metadata Metadata
      Template spec PodSpec!
      Claim metadata Metadata!
      Claim spec ClaimSpec!
      ClaimSpec accessModes []string!
      ClaimSpec resources Resources!
      Resources requests map
      Resources limits map
      PodSpec terminationGracePeriodSeconds int
      PodSpec restartPolicy string
      PodSpec subdomain string
      PodSpec securityContext PodSecurity
      PodSpec initContainers []Container
      PodSpec containers []Container!
      PodSpec volumes []Volume
      PodSpec affinity Affinity
      PodSecurity runAsNonRoot bool
      PodSecurity runAsUser int
      PodSecurity runAsGroup int
      PodSecurity fsGroup int
      Container name string!
      Container image string!
      Container command []string
      Container args []string
      Container env []EnvVar
      Container ports []ContainerPort
      Container readinessProbe Probe
      Container resources Resources
      Container volumeMounts []VolumeMount
      ContainerPort name string
      ContainerPort containerPort int!
      Probe tcpSocket TcpSocket
      Probe periodSeconds int
      TcpSocket port int!
      VolumeMount name string!
      VolumeMount mountPath string!
      VolumeMount readOnly bool
      EnvVar name string!
      EnvVar value string
      EnvVar valueFrom EnvSource
      EnvSource fieldRef FieldRef
      FieldRef fieldPath string!
      Volume name string!
      Volume secret SecretVolume
      Volume emptyDir EmptyDir
      SecretVolume secretName string!
      EmptyDir medium string
      Affinity podAntiAffinity AntiAffinity
      AntiAffinity preferredDuringSchedulingIgnoredDuringExecution []WeightedTerm
      WeightedTerm weight int!
      WeightedTerm podAffinityTerm AffinityTerm!
      AffinityTerm topologyKey string!
      AffinityTerm labelSelector Selector
      Job apiVersion batch/v1!
      Job kind string!
      Job metadata Metadata!
      Job spec JobSpec!
      JobSpec completionMode string
      JobSpec completions int
      JobSpec parallelism int
      JobSpec backoffLimit int
      JobSpec template Template!
      """;

  private static final Map<String, Map<String, String>> TYPES = new HashMap<>();

  static {
    TABLE
        .lines()
        .map(line -> line.split(" ", -1))
        .forEach(w -> TYPES.computeIfAbsent(w[0], _ -> new HashMap<>()).put(w[1], w[2]));
  }

  private KubernetesFields() {}

  /** What is wrong with an object; empty if nothing is. */
  static List<String> complaints(Map<?, ?> object) {
    List<String> found = new ArrayList<>();
    String kind = String.valueOf(object.get("kind"));
    check(kind, TYPES.containsKey(kind) ? kind : "a known kind", object, found);
    return found;
  }

  private static void check(String at, String type, @Nullable Object value, List<String> found) {
    if (type.startsWith("[]")) {
      if (value instanceof List<?> list) {
        list.forEach(each -> check(at + "[]", type.substring(2), each, found));
      } else {
        found.add(at + " is not a list");
      }
      return;
    }
    Map<String, String> fields = TYPES.get(type);
    if (fields != null && value instanceof Map<?, ?> object) {
      checkFields(at, fields, object, found);
    } else if (!isOf(type, value)) {
      found.add("%s is %s, not %s".formatted(at, value, type));
    }
  }

  private static void checkFields(
      String at, Map<String, String> fields, Map<?, ?> object, List<String> found) {
    object.forEach(
        (name, inside) -> {
          String type = fields.get(String.valueOf(name));
          if (type == null) {
            found.add("%s has no field %s".formatted(at, name));
          } else {
            check(at + "." + name, type.replace("!", ""), inside, found);
          }
        });
    fields.forEach(
        (name, type) -> {
          if (type.endsWith("!") && !object.containsKey(name)) {
            found.add("%s needs %s".formatted(at, name));
          }
        });
  }

  private static boolean isOf(String type, @Nullable Object value) {
    return switch (type) {
      case "string" -> value instanceof String;
      case "int" -> value instanceof Integer;
      case "bool" -> value instanceof Boolean;
      case "map" ->
          value instanceof Map<?, ?> map
              && map.values().stream().allMatch(KubernetesFields::isText);
      default -> Objects.equals(value, type); // a word that must be exactly this
    };
  }

  private static boolean isText(@Nullable Object value) {
    return value instanceof String;
  }
}
