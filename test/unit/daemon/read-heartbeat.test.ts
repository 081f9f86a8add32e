import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { heartbeatTime, readHeartbeat } from "../../../src/daemon/read-heartbeat.ts";
import { workingName } from "../../../src/model/dialects/rollcall.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";

const time = "2026-11-27T10:00:00.000000Z";
const { signal } = new AbortController();

function clusterOf(spec: Cluster["spec"]): Cluster {
  const metadata = { name: "eu-1", namespace: "fleet" };
  return { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata, ...(spec ? { spec } : {}) };
}

const lease: KubeObject = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: workingName("eu-1"), namespace: "fleet" },
  spec: { renewTime: time },
};
const fleetCluster: KubeObject = {
  apiVersion: "fleet.cattle.io/v1alpha1",
  kind: "Cluster",
  metadata: { name: "eu-1", namespace: "fleet" },
  status: { agent: { lastSeen: "2026-11-27T11:00:00Z" } },
};

/** Reads from a hub that answers by kind; what it was asked for. */
async function read(spec: Cluster["spec"], answer: (kind: string, asked: number) => Promise<KubeObject | undefined>) {
  const asked: string[] = [];
  const get = ({ type, namespace, name }: ObjectRef) => {
    asked.push(`${type.kind}.${type.group} ${namespace}/${name}`);
    return answer(type.kind, asked.length);
  };
  return { heartbeat: await readHeartbeat({ get }, clusterOf(spec), signal), asked };
}

describe("readHeartbeat", () => {
  it.each([
    ["of the own protocol where the Cluster names none", undefined],
    ["of the own protocol by name", { protocol: "rollcall" as const }],
  ])("reads the Lease of an agent %s", async (_, spec) => {
    const { heartbeat, asked } = await read(spec, async (kind) => (kind === "Lease" ? lease : undefined));
    expect(heartbeat).toBe(time);
    expect(asked).toEqual([`Lease.coordination.k8s.io fleet/${lease.metadata.name}`]);
  });

  it("reads the heartbeat of a foreign agent where either kind of controllers puts it", async () => {
    const spec = { protocol: "fleet" as const };
    const here = await read(spec, async () => fleetCluster);
    expect(here).toMatchObject({ heartbeat: "2026-11-27T11:00:00Z", asked: { length: 1 } });
    const beside = await read(spec, async (_, asked) => (asked === 1 ? undefined : fleetCluster));
    expect(beside).toMatchObject({ heartbeat: "2026-11-27T11:00:00Z", asked: { length: 2 } });
  });

  it("is undefined where no protocol serves the cluster", async () => {
    const spec = { protocol: "ocm" } as unknown as Cluster["spec"];
    expect(await read(spec, async () => fleetCluster)).toEqual({ heartbeat: undefined, asked: [] });
  });

  it.each(["E_KUBE_FORBIDDEN", "E_KUBE_NOT_FOUND"] as const)("is undefined after %s", async (code) => {
    const { heartbeat } = await read({}, () => Promise.reject(new AppError(code, "no")));
    expect(heartbeat).toBeUndefined();
  });

  it("rejects with any other failure: it must not look like an agent that never reported", async () => {
    const failed = read({}, () => Promise.reject(new AppError("E_KUBE_SERVER", "no")));
    await expect(failed).rejects.toMatchObject({ code: "E_KUBE_SERVER" });
  });
});

describe("heartbeatTime", () => {
  const markedBy = (marker: string | undefined) => ({
    heartbeatIn: () => (marker === undefined ? undefined : { workspace: "fleet", cluster: "eu-1", marker }),
  });

  it.each([
    ["a time", time, time],
    ["a text that is none", "now", undefined],
    ["nothing", undefined, undefined],
  ])("of an object that has %s", (_, marker, expected) => {
    expect(heartbeatTime(markedBy(marker), lease)).toBe(expected);
    expect(heartbeatTime(markedBy(marker), undefined)).toBeUndefined();
  });
});
