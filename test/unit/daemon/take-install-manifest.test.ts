import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { Log, LogFields } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import { takeInstallManifest } from "../../../src/daemon/take-install-manifest.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { installKeyDigest, installSecret, installSecretName } from "../../../src/model/install-address.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

const nowMs = 1_800_000_000_000;
const minuteMs = 60_000;
const address = { workspace: "fleet", key: "k".repeat(43) };
const name = installSecretName(address);
const owner = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", name: "eu-1", uid: "c" };

function secretOf(change: object = {}, madeMs = nowMs - minuteMs): KubeObject {
  const secret = installSecret(address, "kind: Namespace\n", owner);
  const creationTimestamp = new Date(madeMs).toISOString();
  return { ...secret, metadata: { ...secret.metadata, uid: "u", resourceVersion: "7", creationTimestamp }, ...change };
}

interface Failures {
  readonly mark?: AppError;
  readonly remove?: AppError;
}

/** What is handed out, and what was done on the hub and logged for it. */
async function take(secret: KubeObject | undefined, failures: Failures = {}) {
  const done: unknown[] = [];
  const logged: string[] = [];
  const note = (message: string, fields: LogFields = {}) => void logged.push(`${message}: ${JSON.stringify(fields)}`);
  const log: Log = { ...silentLog, info: note, warn: note };
  const hubApi = {
    list: async (_: unknown, options: unknown) => {
      done.push(["list", options]);
      return { items: secret ? [secret] : [] };
    },
    mergePatch: async (ref: { readonly name: string }, patch: unknown, { fieldManager }: { fieldManager: string }) => {
      done.push(["mark", ref.name, patch, fieldManager]);
      if (failures.mark) throw failures.mark;
    },
    delete: async (ref: { readonly name: string }, { uid }: { readonly uid: string }) => {
      done.push(["delete", ref.name, uid]);
      if (failures.remove) throw failures.remove;
    },
  } as unknown as KubeApi;
  const manifest = await takeInstallManifest({ hubApi, log, nowMs: () => nowMs }, address);
  return { manifest, done, logged };
}

const listed = ["list", { namespace: "fleet", fieldSelector: `metadata.name=${name}` }];
const annotations = { "rollcall.dev/used": "2027-01-15T08:00:00Z" };
const marked = ["mark", name, { metadata: { uid: "u", resourceVersion: "7", annotations } }, "rollcall-hub"];
const deleted = ["delete", name, "u"];

describe("takeInstallManifest", () => {
  it("marks the Secret at the version that was read, deletes it, and hands the manifest out", async () => {
    expect(await take(secretOf())).toEqual({
      manifest: "kind: Namespace\n",
      done: [listed, marked, deleted],
      logged: [`an install manifest was handed out: {"workspace":"fleet","secret":"${name}"}`],
    });
  });

  const encode = (text: string) => Buffer.from(text).toString("base64");
  const digest = installKeyDigest(address);
  it.each([
    ["there is no Secret", undefined],
    ["it is a Secret of another type", secretOf({ type: "Opaque" })],
    ["it is of another key", secretOf({ data: { digest: encode(digest.replace(/.$/u, "x")) } })],
    ["its digest is cut", secretOf({ data: { digest: encode(digest.slice(0, -1)) } })],
    ["it has no digest", secretOf({ data: {} })],
  ])("hands nothing out and writes nothing where %s", async (_, secret) => {
    expect(await take(secret)).toEqual({ manifest: undefined, done: [listed], logged: [] });
  });

  const used = { ...secretOf().metadata, annotations };
  it.each([
    ["that was used", secretOf({ metadata: used })],
    ["that is too old", secretOf({}, nowMs - 15 * minuteMs)],
  ])("deletes one %s, and hands nothing out", async (_, secret) => {
    expect(await take(secret)).toEqual({ manifest: undefined, done: [listed, deleted], logged: [] });
  });

  it.each(["E_KUBE_CONFLICT", "E_KUBE_NOT_FOUND"] as const)(
    "hands nothing out where another request was first: %s",
    async (code) => {
      const taken = await take(secretOf(), { mark: new AppError(code, "changed") });
      expect(taken).toEqual({ manifest: undefined, done: [listed, marked], logged: [] });
    },
  );

  it("rejects, and keeps the Secret, where it cannot be marked", async () => {
    const failed = take(secretOf(), { mark: new AppError("E_KUBE_SERVER", "no") });
    await expect(failed).rejects.toMatchObject({ code: "E_KUBE_SERVER" });
  });

  it("hands out the manifest of a Secret that cannot be deleted, and logs that", async () => {
    const { manifest, logged } = await take(secretOf(), { remove: new AppError("E_KUBE_FORBIDDEN", "no") });
    expect(manifest).toBe("kind: Namespace\n");
    expect(logged[0]).toContain(`a used install manifest could not be deleted: {"secret":"${name}","error":`);
  });
});
