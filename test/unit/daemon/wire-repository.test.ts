import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { applyRepository, followRepository } from "../../../src/daemon/wire-repository.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { until } from "../../support/until.ts";
import { ScriptedHub } from "../kube/scripted-hub.ts";

const target = { namespace: "rollcall-system", name: "fleet" };

function repository(resourceVersion: string): Repository {
  const metadata = { ...target, uid: "a", resourceVersion };
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Repository",
    metadata,
    spec: { url: "https://git.example.com" },
  };
}

/** A Repository that is followed, and whose own write is recorded as version 60. */
async function followWritten() {
  const hub = new ScriptedHub();
  const stop = new AbortController();
  hub.answer("50", repository("50"));
  const source = await followRepository(hub.api as KubeApi, target, stop.signal);
  source.record(repository("60"));
  await until(
    () => Promise.resolve(hub.watches.length),
    (count) => count === 1,
  );
  const version = () => Promise.resolve(source.read()?.metadata.resourceVersion);
  const close = async () => {
    stop.abort();
    await source.stop();
  };
  return { hub, source, version, close };
}

describe("followRepository", () => {
  it.each(["50", "20"])("continues with version %s of a hub that was restored from an older copy", async (restored) => {
    const { hub, version, close } = await followWritten();
    expect(await version()).toBe("60");
    hub.answer(restored, repository(restored));
    hub.watch.fail(new AppError("E_KUBE_UNREACHABLE", "reset"));
    await until(version, (seen) => seen === restored);
    await close();
  });

  it("keeps an own write that an older event, or a list that was asked for before it, does not show", async () => {
    const { hub, source, version, close } = await followWritten();
    hub.watch.tell("modified", repository("55"));
    hub.watch.tell("modified", repository("61"));
    await until(version, (seen) => seen === "61");
    const seen: unknown[] = [];
    source.onNews(() => seen.push(source.read()?.metadata.resourceVersion));
    hub.answerList = () => {
      source.record(repository("70"));
      return Promise.resolve({ items: [repository("61")], resourceVersion: "61" });
    };
    hub.watch.fail(new AppError("E_KUBE_UNREACHABLE", "reset"));
    await until(
      () => Promise.resolve(hub.watches.length),
      (count) => count === 2,
    );
    expect(await version()).toBe("70");
    expect(seen).toEqual(["70"]);
    await close();
  });
});

describe("followRepository, for those that listen", () => {
  it("has news of every version, and a change where another writer changed spec or annotations", async () => {
    const { hub, source, version, close } = await followWritten();
    const heard: string[] = [];
    source.onNews(() => heard.push(`news ${source.read()?.metadata.resourceVersion}`));
    source.onChange(() => heard.push(`change ${source.read()?.metadata.resourceVersion}`));
    const changed = (resourceVersion: string, metadata: object): Repository => {
      const object = repository(resourceVersion);
      return { ...object, metadata: { ...object.metadata, ...metadata } };
    };
    hub.watch.tell("modified", changed("61", {}));
    hub.watch.tell("modified", changed("62", { generation: 2 }));
    hub.watch.tell("modified", changed("63", { generation: 2, annotations: { a: "b" } }));
    hub.watch.tell("modified", changed("64", { generation: 2, annotations: { a: "b" } }));
    await until(version, (seen) => seen === "64");
    source.record(changed("65", { generation: 3 }));
    hub.watch.tell("deleted", changed("66", {}));
    await until(version, (seen) => seen === undefined);
    expect(heard).toEqual([
      ...["news 61", "news 62", "change 62", "news 63", "change 63", "news 64", "news 65"],
      ...["news undefined", "change undefined"],
    ]);
    await close();
  });

  it("gives the newer version to one who records an older one", async () => {
    const { source, close } = await followWritten();
    expect(source.record(repository("55")).metadata.resourceVersion).toBe("60");
    expect(source.record(repository("70")).metadata.resourceVersion).toBe("70");
    await close();
  });
});

describe("followRepository, where the hub does not let it", () => {
  it("logs that, and waits", async () => {
    const hub = new ScriptedHub();
    const lines: unknown[] = [];
    const log = { ...silentLog, warn: (message: string, fields: unknown) => void lines.push([message, fields]) };
    const stop = new AbortController();
    hub.answerList = () => Promise.reject(new AppError("E_KUBE_FORBIDDEN", "no"));
    const source = followRepository(hub.api as KubeApi, target, stop.signal, log);
    const isForbidden = { kind: "Repository", namespace: target.namespace, error: { code: "E_KUBE_FORBIDDEN" } };
    await expect.poll(() => lines[0]).toMatchObject(["watching a kind failed", isForbidden]);
    stop.abort(new Error("stopped"));
    await expect(source).rejects.toThrow("stopped");
  });
});

describe("followRepository, while the hub cannot be reached", () => {
  it("logs that until the Repository was read, and leaves it to other watches then", async () => {
    const hub = new ScriptedHub();
    const lines: string[] = [];
    const record = (message: string): void => void lines.push(message);
    const log = { ...silentLog, warn: record, info: record };
    const stop = new AbortController();
    hub.answerList = () => Promise.reject(new AppError("E_KUBE_UNREACHABLE", "refused"));
    const following = followRepository(hub.api as KubeApi, target, stop.signal, log);
    await expect.poll(() => lines).toEqual(["the hub cannot be reached"]);
    hub.answer("50", repository("50"));
    const source = await following;
    expect(lines).toEqual(["the hub cannot be reached", "the hub is reached again"]);
    await expect.poll(() => hub.watches.length).toBe(1);
    const lists = hub.lists.length;
    hub.watch.fail(new AppError("E_KUBE_UNREACHABLE", "reset"));
    await expect.poll(() => hub.lists.length).toBeGreaterThan(lists);
    expect(lines).toHaveLength(2);
    stop.abort();
    await source.stop();
  });
});

describe("applyRepository", () => {
  const spec = { url: "https://git.example.com" };
  const { signal } = new AbortController();

  /** A hub with this Repository, or that refuses to write one. */
  function hubWith(live: object | undefined, failure?: AppError) {
    const applied: unknown[] = [];
    const hubApi = {
      server: "https://hub:6443",
      get: async () => live,
      apply: async (object: object, options: object) => {
        if (failure) throw failure;
        applied.push([object, options]);
        return { ...object, written: true };
      },
    } as unknown as KubeApi;
    return { hubApi, applied };
  }
  const object = { apiVersion: "rollcall.dev/v1alpha1", kind: "Repository", metadata: target, spec };

  it("writes what the flags describe", async () => {
    const { hubApi, applied } = hubWith(undefined);
    expect(await applyRepository(hubApi, target, spec, { signal })).toMatchObject({ written: true });
    expect(applied).toEqual([[object, { fieldManager: "rollcall-hub", signal, isDryRun: false }]]);
  });

  const managed = (fields: object) => ({
    ...object,
    metadata: {
      ...target,
      managedFields: [{ manager: "rollcall-hub", operation: "Apply", fieldsV1: { "f:spec": fields } }],
    },
  });
  it("writes nothing where the object is so already, and what the flags no longer have", async () => {
    const same = hubWith(managed({ "f:url": {} }));
    expect(await applyRepository(same.hubApi, target, spec, { signal })).toBeUndefined();
    expect(same.applied).toEqual([]);
    const more = hubWith({ ...managed({ "f:url": {}, "f:interval": {} }), spec: { ...spec, interval: "9m" } });
    expect(await applyRepository(more.hubApi, target, spec, { signal, isDryRun: true })).toBeDefined();
    expect(more.applied).toMatchObject([[{ spec }, { isDryRun: true }]]);
  });

  it("names the namespace that is missing, and rejects with what else fails", async () => {
    const missing = hubWith(undefined, new AppError("E_KUBE_NOT_FOUND", "no"));
    await expect(applyRepository(missing.hubApi, target, spec, { signal })).rejects.toMatchObject({
      code: "E_KUBE_NOT_FOUND",
      message: expect.stringContaining("Namespace/rollcall-system is not on the hub https://hub:6443") as string,
    });
    const invalid = hubWith(undefined, new AppError("E_KUBE_INVALID", "no"));
    await expect(applyRepository(invalid.hubApi, target, spec, { signal })).rejects.toMatchObject({
      code: "E_KUBE_INVALID",
    });
  });
});
