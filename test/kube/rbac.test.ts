import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectsAt, textsAt } from "../../src/core/read-json.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import type { AuditedCall } from "../support/audit-log.ts";
import type { DaemonPlane } from "../support/daemon-plane.ts";
import {
  daemonNamespace as namespace,
  fileOf,
  metricsPortOf,
  planeWorkspace as workspace,
  startDaemonPlane,
} from "../support/daemon-plane.ts";
import { readDaemonRights } from "../support/daemon-rights.ts";
import type { RightsScope } from "../../src/model/generated/daemon-rights.ts";
import type { DaemonRule } from "../support/daemon-rights.ts";
import { joinByToken } from "../support/join-by-token.ts";
import type { RunningProgram } from "../support/run-program.ts";
import { until } from "../support/until.ts";

const { cluster, deployment, role } = resourceTypes;

describe("the daemon's rights on a real kube-apiserver", () => {
  let session: DaemonPlane;
  let calls: readonly AuditedCall[] = [];
  let agentRules: readonly unknown[] = [];

  beforeAll(async () => {
    session = await startDaemonPlane();
    await prepareHub();
    await liveThroughAFleet();
    calls = await session.calls();
  });
  afterAll(async () => session.close());

  it("let it do all it wants: no call was forbidden", () => {
    expect(calls.filter(({ status }) => status === 403).map(describeCall)).toEqual([]);
    expect(calls.length).toBeGreaterThan(100);
  });

  it("allow no call outside the table: each one falls under a rule of its scope", () => {
    const outside = calls.filter((call) => neededRights(call).some((right) => !isInTable(right)));
    expect([...new Set(outside.map(describeCall))]).toEqual([]);
  });

  it("hold nothing that is not called: every verb of every rule was needed", () => {
    const needed = calls.flatMap(neededRights);
    const unused = everyRight().filter(({ scope, resource, verb, rule }) => {
      if (rule.given?.includes(verb) || rule.seldom?.includes(verb)) return false;
      return !needed.some((right) => right.scope === scope && right.resource === resource && right.verb === verb);
    });
    expect(unused.map(({ scope, resource, verb }) => `${scope}: ${verb} ${resource}`)).toEqual([]);
  });

  it("give on what is in the table as given on, and that alone", () => {
    const isGiven = (resource: string, verb: string): boolean =>
      agentRules.some((rule) => textsAt(rule, "resources").includes(resource) && textsAt(rule, "verbs").includes(verb));
    for (const { resource, verb, rule } of everyRight()) {
      if (rule.given?.includes(verb))
        expect(`${verb} ${resource}: ${isGiven(resource, verb)}`).toBe(`${verb} ${resource}: true`);
    }
  });

  it("have no wildcard, no Pod, no way to more rights", () => {
    for (const { resource, verb, rule } of everyRight()) {
      expect(rule.why).not.toBe("");
      expect([resource, verb, ...rule.apiGroups].join(" ")).not.toMatch(/\*|escalate|bind\b|impersonate|pods|exec/u);
    }
  });

  async function prepareHub(): Promise<void> {
    const kubeconfig = Buffer.from(session.plane.kubeconfig).toString("base64");
    await session.create({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "eu-1-kubeconfig", namespace: workspace },
      data: { value: kubeconfig },
    });
  }

  /** A fleet's life: declared, joined by kubeconfig and by token, changed, left; twice by a daemon that is restarted. */
  async function liveThroughAFleet(): Promise<void> {
    await session.repository.commit({
      files: {
        "eu-1.yaml": fileOf("Cluster", "eu-1", {
          kubeConfigSecretRef: { name: "eu-1-kubeconfig" },
          agent: { namespace: "agent-eu-1" },
          heartbeat: { periodSeconds: 10 },
        }),
        "door.yaml": fileOf("ClusterRegistrationToken", "door", { ttl: "240h", maxRegistrations: 5 }),
        "all.yaml": fileOf("ClusterGroup", "all", { selector: { names: ["*"] } }),
        "spare.yaml": fileOf("ClusterGroup", "spare", { selector: { names: ["eu-*"] } }),
      },
    });
    const first = await startDaemon();
    await session.until(
      { type: deployment, namespace: "agent-eu-1", name: "rollcall-agent" },
      (object) => object !== undefined,
    );
    const agent = await session.startAgent("agent-eu-1");
    await session.untilReady("eu-1");
    const byToken = await joinByToken(session, "door", "us-1");
    await session.untilReady("us-1");
    agentRules = (await session.admin.list(role, { namespace: workspace })).items
      .filter(({ metadata }) => metadata.name !== `rollcall.${namespace}`)
      .flatMap((found) => objectsAt(found, "rules"));
    expect(await first.end()).toBe(0);
    const second = await startDaemon();
    await session.repository.commit({
      files: { "eu-1.yaml": null, "door.yaml": null, "spare.yaml": null },
      message: "Leave\n\nRollcall-Allow-Deletions: 9\n",
    });
    await session.until({ type: cluster, namespace: workspace, name: "eu-1" }, (object) => object === undefined);
    await session.until(
      { type: resourceTypes.clusterRegistrationToken, namespace: workspace, name: "door" },
      (object) => object === undefined,
    );
    await session.until(
      { type: resourceTypes.serviceAccount, namespace: workspace, name: "rollcall.token.door" },
      (object) => object === undefined,
    );
    await Promise.all([agent.end(), byToken.end()]);
    expect(await second.end()).toBe(0);
  }

  async function startDaemon(): Promise<RunningProgram> {
    const program = await session.startDaemon();
    const port = await metricsPortOf(program);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    const metrics = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    await until(
      metrics,
      (text) =>
        text.includes('rollcall_leader{lease="rollcall-repository"} 1') &&
        /^rollcall_hub_requests_total\{verb="apply"\} [1-9]/mu.test(text),
    );
    return program;
  }
});

interface Right {
  readonly scope: RightsScope;
  readonly apiGroup: string;
  readonly resource: string;
  readonly verb: string;
  readonly name: string | undefined;
}

/** What a call needs. An apply is a patch, and a create where it made the object. */
function neededRights(call: AuditedCall): Right[] {
  if (isForEverybody(call)) return [];
  const { apiGroup, resource, verb, name } = call;
  const scope =
    call.namespace === undefined || resource === "namespaces"
      ? ("cluster" as const)
      : call.namespace === workspace
        ? ("workspace" as const)
        : call.namespace === "rollcall-public"
          ? ("public" as const)
          : ("namespace" as const);
  const right = { scope, apiGroup, resource, verb, name };
  return verb === "patch" && call.status === 201 ? [right, { ...right, verb: "create" }] : [right];
}

/** What every account may do. */
function isForEverybody({ resource, path }: AuditedCall): boolean {
  return resource === "" && /^\/(?:version|livez|readyz|healthz|api|apis|openapi)\b/u.test(path);
}

function isInTable({ scope, apiGroup, resource, verb, name }: Right): boolean {
  return readDaemonRights()[scope].some(
    (rule) =>
      rule.apiGroups.includes(apiGroup) &&
      rule.resources.includes(resource) &&
      rule.verbs.includes(verb) &&
      !rule.given?.includes(verb) &&
      (rule.resourceNames === undefined || (name !== undefined && rule.resourceNames.includes(name))),
  );
}

function everyRight(): { scope: RightsScope; resource: string; verb: string; rule: DaemonRule }[] {
  const rights = readDaemonRights();
  return (["cluster", "namespace", "workspace", "public"] as const).flatMap((scope) =>
    rights[scope].flatMap((rule) =>
      rule.resources.flatMap((resource) => rule.verbs.map((verb) => ({ scope, resource, verb, rule }))),
    ),
  );
}

function describeCall({ verb, apiGroup, resource, namespace: where, name, status }: AuditedCall): string {
  return `${verb} ${resource}.${apiGroup} ${where ?? "-"}/${name ?? "-"} ${status}`;
}
