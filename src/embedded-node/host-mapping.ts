import { mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { isAbsolute, join } from "node:path";
import { AppError, errorCodeOf } from "../core/errors.ts";
import { expandVariables } from "./expand-variables.ts";
import type { ContainerSpec, PodSpec, VolumeMount } from "./pod-spec.ts";
import { missingSource } from "./read-sources.ts";
import { trimEndOf } from "../core/trim-characters.ts";

/**
 * Processes share the host's files and ports, so what a container calls by the names of its own world is translated:
 * - a text that is a mount path, or lies under one, becomes the path of that volume on the host, and so does the path of the
 *   termination message;
 * - each declared containerPort gets a free port of the host, and a variable whose whole value is that number becomes
 *   the host's number. Probes follow.
 */
export interface HostMapping {
  readonly ports: ReadonlyMap<number, number>;
  /** Mount path to host path, longest mount path first. */
  readonly mounts: readonly (readonly [string, string])[];
}

/** The folder of the Pod's service account, where Pods find it by its fixed path in a container. */
const serviceAccountMountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
/** The variable with the path of that folder on the host. */
const serviceAccountVariable = "ROLLCALL_SERVICE_ACCOUNT_DIR";

/**
 * Chooses free ports now; another process may take one before the container does, then it restarts with others.
 * Throws E_KUBE_NOT_FOUND for a `subPathExpr` with a variable that the container does not have.
 */
export async function mapToHost(
  container: ContainerSpec,
  { volumeDir, messageFile }: { readonly volumeDir: (volume: string) => string; readonly messageFile: string },
  variables: Readonly<Record<string, string>>,
): Promise<HostMapping> {
  const numbers = [...new Set(container.ports.map(({ port }) => port).filter((port) => port > 0))];
  const free = await freePorts(numbers.length);
  const mounts: (readonly [string, string])[] = [];
  for (const mount of container.mounts) {
    mounts.push([trimSlash(mount.mountPath), await mountedPath(mount, volumeDir(mount.volume), variables)]);
  }
  mounts.push([container.messagePath, messageFile]);
  mounts.sort(([a], [b]) => b.length - a.length);
  return { ports: new Map(numbers.map((port, index) => [port, free[index] ?? port])), mounts };
}

/** The mounted part of a volume. As a kubelet does, it makes a folder where the volume has nothing there. */
async function mountedPath(
  { subPath, subPathExpr }: VolumeMount,
  volume: string,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const onUnknown = (name: string): never => {
    throw missingSource(`missing value for ${JSON.stringify(name)}`);
  };
  const part = subPathExpr === "" ? subPath : expandVariables(subPathExpr, variables, onUnknown);
  if (part === "") return volume;
  // A variable may have any value.
  if (isAbsolute(part) || part.split("/").includes("..")) {
    throw new AppError("E_UNSAFE_PATH", `the subPath ${JSON.stringify(part)} leaves its volume`);
  }
  const path = join(volume, part);
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    if (errorCodeOf(error) !== "EEXIST") throw error; // a file of the volume
  });
  return path;
}

/** The host's number for a port that is named or given by number. Undefined when the name is not declared. */
export function hostPort(spec: ContainerSpec, mapping: HostMapping, port: string | number): number | undefined {
  const declared =
    typeof port === "number"
      ? port
      : (spec.ports.find(({ name }) => name === port)?.port ?? (/^\d+$/u.test(port) ? Number(port) : undefined));
  return declared === undefined ? undefined : (mapping.ports.get(declared) ?? declared);
}

/** A text of the container in terms of the host's files. */
export function hostPath(text: string, { mounts }: HostMapping): string {
  for (const [mountPath, path] of mounts) {
    if (text === mountPath) return path;
    if (text.startsWith(`${mountPath}/`)) return join(path, text.slice(mountPath.length + 1));
  }
  return text;
}

/** The container's variables in terms of the host's files and ports. */
export function hostEnv(
  env: Readonly<Record<string, string>>,
  mapping: HostMapping,
  pod: PodSpec,
): Record<string, string> {
  const translated = Object.entries(env).map(([name, value]) => {
    const port = /^\d+$/u.test(value) ? mapping.ports.get(Number(value)) : undefined;
    return [name, port === undefined ? hostPath(value, mapping) : String(port)] as const;
  });
  const account = accountDirOf(mapping);
  return {
    HOSTNAME: pod.hostname,
    ...Object.fromEntries(translated),
    ...(account === undefined ? {} : { [serviceAccountVariable]: account }),
  };
}

/** The folder of the Pod's service account on the host; undefined for a container without one. */
export function accountDirOf({ mounts }: HostMapping): string | undefined {
  return mounts.find(([mountPath]) => mountPath === serviceAccountMountPath)?.[1];
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listenAnywhere));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function listenAnywhere() {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return server;
}

function trimSlash(path: string): string {
  return path.length > 1 ? trimEndOf(path, "/") : path;
}
