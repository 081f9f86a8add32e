import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { memberStateName } from "../../../src/model/member-state.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { createHubWriter } from "../../../src/hub/hub-writer.ts";
import { silentLog } from "../../../src/core/log.ts";
import { openMemberWorld } from "./members/member-world.ts";

const place = { workspace: "fleet", name: "eu-1" };
const origin = { isDeclared: false };
const stateRef = { type: resourceTypes.configMap, namespace: "fleet", name: memberStateName("eu-1") };

async function openWriter() {
  const world = await openMemberWorld();
  const write = createHubWriter({ ...world.ports, log: silentLog }, world.signal);
  return { ...world, write };
}

describe("createHubWriter", () => {
  it("creates a state once: one that a granted registration wrote at the same time stays", async () => {
    const { write, ports } = await openWriter();
    expect(await write.createState(place, { origin, clientID: "first" })).toBe(true);
    expect(await write.createState(place, { origin, clientID: "second" })).toBe(false);
    expect(ports.view.memberStateOf("fleet", "eu-1")).toEqual({ origin, clientID: "first" });
  });

  it("computes a state from the newest one", async () => {
    const { write, ports, requests } = await openWriter();
    await write.createState(place, { origin });
    await write.updateState(place, (state) => ({ ...state, clientID: "uid-1" }));
    requests.length = 0;
    await write.updateState(place, () => undefined);
    expect(requests).toEqual([]);
    expect(ports.view.memberStateOf("fleet", "eu-1")).toEqual({ origin, clientID: "uid-1" });
  });

  it("has the version that was read as precondition of a state, and writes an equal one not at all", async () => {
    const { write, ports, requests } = await openWriter();
    await write.writeState({ ...place, state: undefined }, { origin });
    const read = { ...place, state: ports.view.memberStateOf("fleet", "eu-1") };
    const { resourceVersion } = ports.view.get(stateRef)?.metadata ?? {};
    requests.length = 0;
    await write.writeState(read, { origin });
    expect(requests).toEqual([]);
    await write.writeState(read, { origin, clientID: "uid-1" });
    expect(requests).toMatchObject([{ verb: "apply", object: { metadata: { resourceVersion } } }]);
  });

  it.each([{ read: undefined }, { read: { origin } }])(
    "A263 writes no state that was computed from $read when another one is there by now",
    async ({ read }) => {
      const { write, ports, requests } = await openWriter();
      await write.createState(place, { origin, clientID: "admitted" });
      requests.length = 0;
      const written = write.writeState({ ...place, state: read }, { origin, answeredNonce: 1 });
      await expect(written).rejects.toMatchObject({ code: "E_KUBE_CONFLICT" });
      expect(requests).toEqual([]);
      expect(ports.view.memberStateOf("fleet", "eu-1")).toEqual({ origin, clientID: "admitted" });
    },
  );

  it("shows each write in the view before the watch brings it", async () => {
    const { write, ports } = await openWriter();
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "fleet", name: "one" } };
    const ref = { type: resourceTypes.configMap, namespace: "fleet", name: "one" };
    await write.apply({ ...object, data: { a: "1" } });
    await write.patch(ref, { data: { b: "2" } });
    expect(ports.view.get(ref)?.["data"]).toEqual({ a: "1", b: "2" });
    await write.delete(ref);
    expect(ports.view.get(ref)).toBeUndefined();
  });

  it("writes a status only when it differs", async () => {
    const { write, addCluster } = await openWriter();
    await addCluster("eu-1");
    const ref = { type: resourceTypes.cluster, namespace: "fleet", name: "eu-1" };
    const status = { phase: "Joining" };
    expect(await write.applyStatus({ ref, status })).toBe(true);
    expect(await write.applyStatus({ ref, status })).toBe(false);
  });

  it("writes a status to the very object that it was computed for, not to one that was created under its name since", async () => {
    const { write, addCluster, ports, requests } = await openWriter();
    await addCluster("eu-1");
    const ref = { type: resourceTypes.cluster, namespace: "fleet", name: "eu-1" };
    const { uid } = ports.view.get(ref)?.metadata ?? {};
    expect(uid).toBeDefined();
    requests.length = 0;
    await write.applyStatus({ ref, status: { phase: "Joining" } });
    expect(requests).toMatchObject([{ verb: "status", object: { metadata: { uid } } }]);
  });

  it("writes a status to the version that it was computed from: the view may be newer by now", async () => {
    const { write, addCluster, ports, requests } = await openWriter();
    await addCluster("eu-1");
    const ref = { type: resourceTypes.cluster, namespace: "fleet", name: "eu-1" };
    const cluster = ports.view.get(ref);
    await addCluster("eu-1", { labels: { tier: "edge" } });
    requests.length = 0;
    await write.applyStatus({ ref, status: { phase: "Joining" } }, cluster);
    const { resourceVersion } = cluster?.metadata ?? {};
    expect(resourceVersion).toBeDefined();
    expect(requests).toMatchObject([{ verb: "status", object: { metadata: { resourceVersion } } }]);
  });

  it("executes every change and throws the first failure", async () => {
    const { ports, signal } = await openWriter();
    const refuse = () => Promise.reject(new AppError("E_KUBE_FORBIDDEN", "delete Secret/one"));
    const write = createHubWriter({ ...ports, hubApi: { ...ports.hubApi, delete: refuse } }, signal);
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "fleet", name: "two" } };
    const ref = { type: resourceTypes.configMap, namespace: "fleet", name: "two" };
    const one = { type: resourceTypes.secret, namespace: "fleet", name: "one" };
    const changes = [
      { kind: "delete" as const, ref: one, uid: "uid", resourceVersion: "1", reason: "test" },
      { kind: "create" as const, ref, object, manager: "rollcall-hub" as const, fields: [] },
    ];
    await expect(write.execute(changes)).rejects.toMatchObject({ code: "E_KUBE_FORBIDDEN" });
    expect(ports.view.get(ref)).toMatchObject(object);
  });
});
