import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { AgentValues } from "../../../src/join/rollcall/agent-values.ts";
import { readValuesText } from "../../../src/join/rollcall/downstream/values.ts";
import type { ClusterRegistrationToken } from "../../../src/model/generated/cluster-registration-token.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { installAgent } from "../life/install-agent.ts";
import type { FleetSession, LogLine } from "./fleet-session.ts";
import { until } from "../../support/until.ts";

export function token(
  { workspace }: FleetSession,
  name: string,
  spec: ClusterRegistrationToken["spec"],
): ClusterRegistrationToken & KubeObject {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRegistrationToken",
    metadata: { name, namespace: workspace },
    spec,
  };
}

export async function declare(session: FleetSession, name: string, spec: Cluster["spec"]): Promise<void> {
  await session.create({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name, namespace: session.workspace },
    spec,
  });
}

export async function kubeconfigSecret(session: FleetSession, name: string): Promise<{ name: string }> {
  await session.create({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: `${name}-kubeconfig`, namespace: session.workspace },
    data: { value: Buffer.from(session.kubeconfig).toString("base64") },
  });
  return { name: `${name}-kubeconfig` };
}

export async function valuesOf(session: FleetSession, name: string): Promise<AgentValues> {
  const filled = await session.until(
    resourceTypes.secret,
    name,
    (object) => textAt(object, "data", "values") !== undefined,
  );
  const finding = readValuesText(Buffer.from(textAt(filled, "data", "values") ?? "", "base64").toString("utf8"));
  if (finding.kind !== "values") throw new Error("the token's values are not complete");
  return finding.values;
}

export function install(session: FleetSession, namespace: string, values: AgentValues): Promise<void> {
  return installAgent(session.api, namespace, values);
}

export function conditionOf(object: KubeObject | undefined, type: string): string | undefined {
  const found = objectsAt(object, "status", "conditions").find((condition) => condition["type"] === type);
  return textAt(found, "status");
}

export function countsOf(
  apis: readonly { readonly requestCounts: ReadonlyMap<string, number> }[],
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { requestCounts } of apis)
    for (const [verb, count] of requestCounts) counts[verb] = (counts[verb] ?? 0) + count;
  return counts;
}

export async function untilReady(port: () => number): Promise<void> {
  await poll(async () => Number.isInteger(port()) && (await fetch(`http://127.0.0.1:${port()}/readyz`)).status === 200);
}

export async function untilLogged(
  lines: readonly LogLine[],
  condition: (line: LogLine) => boolean,
  meanwhile: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  try {
    await poll(async () => {
      await meanwhile();
      return lines.some(condition);
    });
  } catch (error) {
    throw new Error(`${String(error)}\n${JSON.stringify(lines, undefined, 1)}`, { cause: error });
  }
}

/** Probes ask again and again, and so do readers of logs: there is nothing to wait on. */
export async function poll(condition: () => Promise<boolean>): Promise<void> {
  await until(condition, Boolean);
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
