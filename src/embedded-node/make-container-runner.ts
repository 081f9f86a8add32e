import { ContainerRunner } from "./container-runner.ts";
import { earlierContainer } from "./earlier-status.ts";
import type { KubeObject } from "./node-types.ts";
import type { PodEnvironment } from "./pod-environment.ts";
import type { PodLogs } from "./pod-logs.ts";
import { fieldPathOf } from "./pod-spec.ts";
import type { ContainerSpec, PodSpec } from "./pod-spec.ts";
import type { PodVolumes } from "./pod-volumes.ts";
import { prepareRun } from "./prepare-run.ts";
import type { ReadSource } from "./read-sources.ts";

/** What a container takes from its Pod. */
export interface RunnerScope extends PodEnvironment {
  readonly spec: PodSpec;
  readonly folder: string;
  readonly volumes: PodVolumes;
  readonly read: ReadSource;
  readonly logs: PodLogs;
  readonly podNow: () => KubeObject;
  readonly onChange: () => void;
}

/** The runner of a container, not started; it knows how an earlier run of the node left the container. */
export function makeContainerRunner(container: ContainerSpec, reason: string, scope: RunnerScope): ContainerRunner {
  const { spec, podNow, events, clock } = scope;
  const earlier = earlierContainer(podNow(), container.name, clock.nowMs());
  if (earlier.state !== undefined) scope.logs.resume(container.name, earlier.restartCount);
  const isInit = spec.initContainers.includes(container) && !container.isSidecar;
  const fieldPath = fieldPathOf(container, spec);
  return new ContainerRunner(
    {
      ...scope,
      spec: container,
      podLabel: `${spec.name}_${spec.namespace}(${spec.uid})`,
      restartPolicy: restartPolicyOf(container, isInit, spec),
      gracePeriodSeconds: spec.gracePeriodSeconds,
      earlierRestarts: earlier.restartCount,
      earlierState: earlier.state,
      isRepeated: isInit,
      prepare: (now) => prepareRun({ ...scope, container: now, pod: podNow() }),
      openLog: (restartCount) => scope.logs.open(container.name, restartCount),
      onEvent: (event) => events.write(podNow(), { ...event, fieldPath }),
    },
    reason,
  );
}

/** An init container has to succeed once; a sidecar runs as long as its Pod. */
function restartPolicyOf(container: ContainerSpec, isInit: boolean, { restartPolicy }: PodSpec) {
  if (container.isSidecar) return "Always";
  return isInit && restartPolicy === "Always" ? "OnFailure" : restartPolicy;
}
