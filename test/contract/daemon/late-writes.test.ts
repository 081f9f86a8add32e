import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { createHubWriter } from "../../../src/hub/hub-writer.ts";
import type { ApplyOptions, KubeApi } from "../../../src/kube/kube.ts";
import { memberStateName, readMemberState } from "../../../src/model/member-state.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import { describeRef } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import type { InstalledHub } from "../../support/installed-hub.ts";
import { startInstalledHub } from "../../support/installed-hub.ts";

const place = { workspace: "prod", name: "eu-1" };
const stateRef = { type: resourceTypes.configMap, namespace: "prod", name: memberStateName("eu-1") };
const clusterRef = { type: resourceTypes.cluster, namespace: "prod", name: "eu-1" };
const origin = { isDeclared: true };

describe("a write that arrives once more after its object is deleted", () => {
  let hub: InstalledHub | undefined;
  let api: KubeApi;

  beforeAll(async () => {
    hub = await startInstalledHub("prod");
    api = hub.api;
  });
  afterAll(async () => {
    await hub?.stop();
  });

  it("does not create the state of a removed member again", async () => {
    const { write, again } = openWriter();
    await write.createState(place, { origin });
    await write.updateState(place, () => ({ origin, leave: { commit: "c1", since: "2026-01-01T00:00:00Z" } }));
    await write.delete(stateRef);
    await expect(again()).rejects.toMatchObject({ code: "E_KUBE_CONFLICT" });
    expect(await api.get(stateRef)).toBeUndefined();
  });

  it("does not create a removed cluster again, whether git or the hub wrote it", async () => {
    const { write, again } = openWriter();
    const object = (label: string): KubeObject => ({
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Cluster",
      metadata: { namespace: "prod", name: "eu-1", labels: { label } },
    });
    for (const kind of ["apply", "update"] as const) {
      await write.apply(object("one"));
      const change = { kind: "update" as const, ref: clusterRef, object: object("two"), manager: "rollcall-git" };
      if (kind === "apply") await write.apply(object("two"));
      else await write.execute([{ ...change, fields: [{ path: "metadata.labels[label]", to: "two" }] }]);
      await write.delete(clusterRef);
      await expect(again()).rejects.toMatchObject({ code: "E_KUBE_CONFLICT" });
      expect(await api.get(clusterRef)).toBeUndefined();
    }
  });

  it("does not change an object that another program created in place of the one that was known", async () => {
    const { write } = openWriter();
    const object = (by: string): KubeObject => ({
      ...{ apiVersion: "v1", kind: "Secret", stringData: { by } },
      metadata: { namespace: "prod", name: "replaced", labels: { by } },
    });
    const ref = { type: resourceTypes.secret, namespace: "prod", name: "replaced" };
    await write.apply(object("us"));
    await api.delete(ref);
    const theirs = await api.create(object("them"), { fieldManager: "somebody" });
    const fields = [{ path: "metadata.labels[by]", to: "us" }];
    const change = { kind: "update" as const, ref, object: object("us"), manager: "rollcall-hub", fields };
    await expect(write.execute([change])).rejects.toMatchObject({
      code: expect.stringMatching(/^E_KUBE_(?:CONFLICT|INVALID)$/u) as string,
    });
    expect(await api.get(ref)).toEqual(theirs);
  });

  it("does not replace the state that another leader has created", async () => {
    const [{ write }, stale] = [openWriter(), openWriter()];
    await write.createState(place, { origin, clientID: "first" });
    await expect(stale.write.updateState(place, () => ({ origin, clientID: "second" }))).rejects.toThrow();
    expect(readMemberState(await api.get(stateRef))).toEqual({ origin, clientID: "first" });
    await write.delete(stateRef);
  });

  it("A217 does not take over what another program made before a watch brought it, and knows it then", async () => {
    const { write, view } = openWriter();
    for (const kind of ["apply", "create"] as const) {
      const ref = { type: resourceTypes.secret, namespace: "prod", name: `theirs-${kind}` };
      const labels = { [labelKeys.token]: "join", [labelKeys.ownerWorkspace]: "prod" };
      const object = (by: string, metadata: object = {}): KubeObject => ({
        ...{ apiVersion: "v1", kind: "Secret", stringData: { by } },
        metadata: { namespace: "prod", name: ref.name, ...metadata },
      });
      const theirs = await api.create(object("them"), { fieldManager: "somebody" });
      const ours = object("us", { labels });
      const change = { kind: "create" as const, ref, object: ours, manager: "rollcall-hub", fields: [] };
      const written = kind === "apply" ? write.apply(ours) : write.execute([change]);
      const code = kind === "apply" ? "E_KUBE_CONFLICT" : "E_KUBE_EXISTS";
      await expect(written).rejects.toMatchObject({ code });
      expect(await api.get(ref)).toEqual(theirs);
      expect(view.get(ref)).toEqual(theirs);
    }
  });

  it.each([
    { made: "that a person applied", labels: {}, code: "E_KUBE_CONFLICT" },
    { made: "of another Repository", labels: { [labelKeys.repository]: "other" }, code: "E_KUBE_CONFLICT" },
    { made: "that the hub has made again", labels: { [labelKeys.repository]: "fleet" }, code: undefined },
  ])("A217 creates a Cluster where one $made exists, which no watch has brought: $code", async ({ labels, code }) => {
    const object = (by: string, own: object): KubeObject => ({
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Cluster",
      metadata: { namespace: "prod", name: "eu-1", labels: { ...own, by } },
    });
    const before = await api.apply(object("them", labels), { fieldManager: "somebody" });
    const { write, view } = openWriter();
    const ours = object("us", { [labelKeys.repository]: "fleet" });
    const change = { kind: "create" as const, ref: clusterRef, object: ours, manager: "rollcall-git", fields: [] };
    const written = write.execute([change]).catch((error: unknown) => error);
    expect(await written).toEqual(code === undefined ? undefined : expect.objectContaining({ code }));
    const after = await api.get(clusterRef);
    expect(after?.metadata.labels).toEqual(code === undefined ? ours.metadata.labels : before.metadata.labels);
    expect(view.get(clusterRef)).toEqual(after);
    await write.delete(clusterRef);
  });

  /** A writer whose view has its own writes; `again` sends its last apply once more. */
  function openWriter() {
    const known = new Map<string, KubeObject>();
    const sent: [KubeObject, ApplyOptions][] = [];
    const hubApi: KubeApi = {
      ...api,
      apply: (...request) => {
        sent.push(request);
        return api.apply(...request);
      },
    };
    const get = (ref: ObjectRef): KubeObject | undefined => known.get(describeRef(ref));
    const view = {
      get,
      listsAll: () => true,
      memberStateOf: () => readMemberState(get(stateRef)),
      recordWritten: (type: ObjectRef["type"], object: KubeObject): void => {
        const { namespace = "", name } = object.metadata;
        known.set(describeRef({ type, namespace, name }), object);
      },
      recordDeleted: (ref: ObjectRef): void => void known.delete(describeRef(ref)),
    };
    const write = createHubWriter({ hubApi, view, log: silentLog }, new AbortController().signal);
    const again = (): Promise<unknown> => {
      const last = sent.at(-1);
      if (last === undefined) throw new Error("nothing was applied");
      return api.apply(...last);
    };
    return { write, again, view };
  }
});
