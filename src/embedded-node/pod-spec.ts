import { isTrueAt, numberAt, objectAt, objectsAt, textAt, textsAt, valueAt } from "../core/read-json.ts";
import type { JsonObject } from "../core/json.ts";
import { trimEndOf } from "../core/trim-characters.ts";
import type { KubeObject } from "./node-types.ts";

const longestHostname = 63;

/** What the node runs of a Pod. Source: Kubernetes API, core/v1 PodSpec; what is not here has no effect. */
export interface PodSpec {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** As kubelets have it: its own, or its name, cut to what a host may be called. */
  readonly hostname: string;
  readonly serviceAccountName: string;
  readonly restartPolicy: "Always" | "OnFailure" | "Never";
  readonly gracePeriodSeconds: number;
  readonly activeDeadlineSeconds?: number;
  readonly initContainers: readonly ContainerSpec[];
  readonly containers: readonly ContainerSpec[];
  readonly volumes: readonly JsonObject[];
  readonly readinessGates: readonly string[];
}

export interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly workingDir?: string;
  readonly env: readonly JsonObject[];
  readonly envFrom: readonly JsonObject[];
  readonly ports: readonly ContainerPort[];
  readonly mounts: readonly VolumeMount[];
  /** The file in which it leaves its last words. */
  readonly messagePath: string;
  /** A failed run without last words has the end of its log in place of them. */
  readonly hasLogAsMessage: boolean;
  readonly probes: Readonly<Partial<Record<ProbeKind, ProbeSpec>>>;
  /** It is to do something after its start or before its end. */
  readonly hasHooks: boolean;
  /** An init container that keeps running beside the others. */
  readonly isSidecar: boolean;
  /** As declared: the status repeats it. */
  readonly resources: JsonObject | undefined;
}

export interface ContainerPort {
  readonly name: string;
  readonly port: number;
}

export interface VolumeMount {
  readonly volume: string;
  readonly mountPath: string;
  readonly subPath: string;
  /** In place of `subPath`: it may have variables. */
  readonly subPathExpr: string;
  readonly isReadOnly: boolean;
}

export type ProbeKind = "startup" | "readiness" | "liveness";

export interface ProbeSpec {
  readonly action: ProbeAction;
  readonly initialDelayMs: number;
  readonly periodMs: number;
  readonly timeoutMs: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
  /** Of liveness and startup probes: in place of the Pod's. */
  readonly gracePeriodSeconds?: number;
}

export type ProbeAction =
  | {
      readonly kind: "http";
      readonly scheme: "http" | "https";
      readonly host?: string;
      readonly port: string | number;
      readonly path: string;
      readonly headers: readonly (readonly [string, string])[];
    }
  | { readonly kind: "tcp"; readonly host?: string; readonly port: string | number }
  | { readonly kind: "exec"; readonly command: readonly string[] }
  | { readonly kind: "unsupported"; readonly what: string };

/** The place of a container in its Pod, as Events name it. */
export function fieldPathOf(container: ContainerSpec, { initContainers }: PodSpec): string {
  return `spec.${initContainers.includes(container) ? "initContainers" : "containers"}{${container.name}}`;
}

export function readPodSpec(pod: KubeObject): PodSpec {
  const { name, namespace = "", uid = "" } = pod.metadata;
  const policy = textAt(pod, "spec", "restartPolicy");
  const activeDeadlineSeconds = numberAt(pod, "spec", "activeDeadlineSeconds");
  return {
    namespace,
    name,
    uid,
    hostname: textAt(pod, "spec", "hostname") || trimEndOf(name.slice(0, longestHostname), "-."),
    serviceAccountName: textAt(pod, "spec", "serviceAccountName") ?? "default",
    restartPolicy: policy === "Never" || policy === "OnFailure" ? policy : "Always",
    gracePeriodSeconds: numberAt(pod, "spec", "terminationGracePeriodSeconds") ?? 30,
    ...(activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds }),
    initContainers: objectsAt(pod, "spec", "initContainers").map(readContainer),
    containers: objectsAt(pod, "spec", "containers").map(readContainer),
    volumes: objectsAt(pod, "spec", "volumes"),
    readinessGates: objectsAt(pod, "spec", "readinessGates").map((gate) => textAt(gate, "conditionType") ?? ""),
  };
}

function readContainer(container: JsonObject): ContainerSpec {
  const workingDir = textAt(container, "workingDir");
  const probes = (["startup", "readiness", "liveness"] as const)
    .map((kind) => [kind, readProbe(objectAt(container, `${kind}Probe`))] as const)
    .filter(([, probe]) => probe !== undefined);
  return {
    name: textAt(container, "name") ?? "",
    image: textAt(container, "image") ?? "",
    command: textsAt(container, "command"),
    args: textsAt(container, "args"),
    ...(workingDir === undefined || workingDir === "" ? {} : { workingDir }),
    env: objectsAt(container, "env"),
    envFrom: objectsAt(container, "envFrom"),
    ports: objectsAt(container, "ports").map((port) => ({
      name: textAt(port, "name") ?? "",
      port: numberAt(port, "containerPort") ?? 0,
    })),
    mounts: objectsAt(container, "volumeMounts").map((mount) => ({
      volume: textAt(mount, "name") ?? "",
      mountPath: textAt(mount, "mountPath") ?? "",
      subPath: textAt(mount, "subPath") ?? "",
      subPathExpr: textAt(mount, "subPathExpr") ?? "",
      isReadOnly: isTrueAt(mount, "readOnly"),
    })),
    messagePath: textAt(container, "terminationMessagePath") ?? "/dev/termination-log",
    hasLogAsMessage: textAt(container, "terminationMessagePolicy") === "FallbackToLogsOnError",
    probes: Object.fromEntries(probes),
    hasHooks: ["postStart", "preStop"].some((hook) => objectAt(container, "lifecycle", hook) !== undefined),
    isSidecar: textAt(container, "restartPolicy") === "Always",
    resources: objectAt(container, "resources"),
  };
}

function readProbe(probe: JsonObject | undefined): ProbeSpec | undefined {
  if (probe === undefined) return undefined;
  const seconds = (field: string, fallback: number) => (numberAt(probe, field) ?? fallback) * 1000;
  const gracePeriodSeconds = numberAt(probe, "terminationGracePeriodSeconds");
  return {
    action: readAction(probe),
    initialDelayMs: seconds("initialDelaySeconds", 0),
    periodMs: seconds("periodSeconds", 10),
    timeoutMs: seconds("timeoutSeconds", 1),
    successThreshold: numberAt(probe, "successThreshold") ?? 1,
    failureThreshold: numberAt(probe, "failureThreshold") ?? 3,
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
  };
}

function readAction(probe: JsonObject): ProbeAction {
  const http = objectAt(probe, "httpGet");
  if (http !== undefined) {
    return {
      kind: "http",
      scheme: textAt(http, "scheme") === "HTTPS" ? "https" : "http",
      port: portAt(http),
      path: textAt(http, "path") ?? "/",
      headers: objectsAt(http, "httpHeaders").map((header) => [
        textAt(header, "name") ?? "",
        textAt(header, "value") ?? "",
      ]),
      ...hostAt(http),
    };
  }
  const tcp = objectAt(probe, "tcpSocket");
  if (tcp !== undefined) return { kind: "tcp", port: portAt(tcp), ...hostAt(tcp) };
  const exec = objectAt(probe, "exec");
  if (exec !== undefined) return { kind: "exec", command: textsAt(exec, "command") };
  return { kind: "unsupported", what: Object.keys(probe).includes("grpc") ? "grpc" : "none" };
}

function portAt(action: JsonObject): string | number {
  const port = valueAt(action, "port");
  return typeof port === "number" || typeof port === "string" ? port : 0;
}

function hostAt(action: JsonObject): { readonly host?: string } {
  const host = textAt(action, "host") ?? "";
  return host === "" ? {} : { host };
}
