import { AppError } from "../core/errors.ts";
import { containerEnv } from "./container-env.ts";
import type { PreparedRun } from "./container-runner.ts";
import type { NodeFacts } from "./downward-fields.ts";
import { expandVariables } from "./expand-variables.ts";
import { accountDirOf, hostEnv, hostPath, hostPort, mapToHost } from "./host-mapping.ts";
import type { KubeObject, ResolveImage } from "./node-types.ts";
import { writePodKubeconfig } from "./pod-kubeconfig.ts";
import { newMessageFile } from "./termination-message.ts";
import type { ContainerSpec, PodSpec } from "./pod-spec.ts";
import type { PodVolumes } from "./pod-volumes.ts";
import type { ReadSource } from "./read-sources.ts";

export interface PrepareOptions {
  readonly container: ContainerSpec;
  readonly pod: KubeObject;
  readonly spec: PodSpec;
  /** The Pod's own folder: where its containers run. */
  readonly folder: string;
  readonly volumes: Pick<PodVolumes, "folderOf">;
  readonly read: ReadSource;
  readonly resolveImage: ResolveImage;
  readonly node: NodeFacts;
  readonly service: { readonly host: string; readonly port: string };
}

/**
 * Everything a container needs to start as a process of this machine, or undefined when there is no program for its
 * image. Throws E_KUBE_NOT_FOUND while a ConfigMap, a Secret or a variable is missing, E_UNSUPPORTED for lifecycle hooks, and for
 * a `command` that is not the program itself: there is no image in which that file could be.
 */
export async function prepareRun(options: PrepareOptions): Promise<PreparedRun | undefined> {
  const { container, folder, spec } = options;
  const program = options.resolveImage(container.image);
  if (program === undefined) return undefined;
  const [called, ...commandArgs] = container.command;
  if (called !== undefined && program.names?.includes(called) !== true) {
    throw new AppError(
      "E_UNSUPPORTED",
      "this node runs the program of an image; a command of its own is not supported",
    );
  }
  if (container.hasHooks) throw new AppError("E_UNSUPPORTED", "this node runs no lifecycle hooks (postStart, preStop)");
  const declared = await containerEnv(options);
  const messageFile = await newMessageFile(folder, container.name);
  const volumeDir = (volume: string) => options.volumes.folderOf(volume);
  const mapping = await mapToHost(container, { volumeDir, messageFile }, declared);
  const account = accountDirOf(mapping);
  const { readsKubeconfig = false, kubeconfigFlag } = program;
  const kubeconfig =
    (readsKubeconfig || kubeconfigFlag !== undefined) && account !== undefined
      ? await writePodKubeconfig({
          folder,
          accountDir: account,
          namespace: spec.namespace,
          service: options.service,
        })
      : undefined;
  const env = {
    ...program.env,
    ...hostEnv(declared, mapping, spec),
    ...(readsKubeconfig && kubeconfig !== undefined ? { KUBECONFIG: kubeconfig } : {}),
  };
  const path = (text: string) => hostPath(text, mapping);
  const workingDir = container.workingDir === undefined ? undefined : path(container.workingDir);
  return {
    command: program.command,
    args: [
      ...program.args,
      ...(kubeconfigFlag === undefined || kubeconfig === undefined ? [] : [`${kubeconfigFlag}=${kubeconfig}`]),
      ...[...commandArgs, ...container.args].map((text) => path(expandVariables(text, declared))),
    ],
    env,
    messageFile,
    // A folder of the image is not there; one in a volume is.
    cwd: workingDir === undefined || workingDir === container.workingDir ? folder : workingDir,
    probeTarget: { port: (port) => hostPort(container, mapping, port), env, cwd: folder, path },
  };
}
