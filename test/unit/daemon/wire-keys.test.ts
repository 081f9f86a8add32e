import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryKeys } from "../../../src/daemon/wire-keys.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";

const golden = (name: string) => readFileSync(join(import.meta.dirname, "../secrets/golden", name), "utf8");
const encode = (text: string) => Buffer.from(text).toString("base64");
const path = "clusters/kubeconfig.yaml";

/** A Repository whose key is in a Secret, which `secret` may change. */
function open() {
  const secret = { resourceVersion: "1", data: { key: encode(golden("identity.txt")) } };
  const get = async () => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "keys", namespace: "rollcall", uid: "u", resourceVersion: secret.resourceVersion },
    data: secret.data,
  });
  const repository = {
    metadata: { name: "fleet", namespace: "rollcall" },
    spec: { decryption: { ageKeySecretRef: { name: "keys" } } },
  } as Repository;
  return { secret, openKeys: repositoryKeys({ hubApi: { get } as unknown as KubeApi, repository: () => repository }) };
}

describe("an encrypted file of a Repository", () => {
  it("that changed is decrypted anew in the next run", async () => {
    const { openKeys } = open();
    const first = await (await openKeys())({ path, blobId: "1", text: golden("secret.yaml") });
    expect(first).toMatchObject({ documents: [{ kind: "Secret" }] });
    const second = await (await openKeys())({ path, blobId: "2", text: golden("two-documents.yaml") });
    expect(second).toMatchObject({ documents: [{ kind: "A" }, { kind: "B" }] });
  });

  it("that is as before is not decrypted again, also after a run in between", async () => {
    const { openKeys } = open();
    const file = { path, blobId: "1", text: golden("secret.yaml") };
    const first = await (await openKeys())(file);
    for (const _run of [2, 3]) expect(await (await openKeys())(file)).toBe(first);
  });

  it("is not readable any more when its key was taken away", async () => {
    const { secret, openKeys } = open();
    const file = { path, blobId: "1", text: golden("secret.yaml") };
    expect(await (await openKeys())(file)).toMatchObject({ kind: "documents" });
    Object.assign(secret, { resourceVersion: "2", data: {} });
    expect(await (await openKeys())(file)).toMatchObject({ problem: { code: "E_SOPS_KEY" } });
  });

  it.each([
    ["there is no Repository", undefined],
    ["it names no keys", { metadata: { namespace: "rollcall" }, spec: {} }],
    ["it names no Secret with keys", { metadata: { namespace: "rollcall" }, spec: { decryption: {} } }],
    ["it has no namespace", { metadata: {}, spec: { decryption: { ageKeySecretRef: { name: "keys" } } } }],
  ])("has a problem where %s, and the hub is asked for no Secret", async (_, repository) => {
    const get = () => Promise.reject(new Error("a Secret was asked for"));
    const hubApi = { get } as unknown as KubeApi;
    const decrypt = await repositoryKeys({ hubApi, repository: () => repository as Repository | undefined })();
    const file = { path, blobId: "1", text: golden("secret.yaml") };
    expect(await decrypt(file)).toMatchObject({ problem: { code: "E_SOPS_KEY" } });
  });
});
