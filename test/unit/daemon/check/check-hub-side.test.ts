import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import {
  checkHubDefinitions,
  checkLeader,
  checkRights,
  checkServer,
  checkWorkspaces,
  listWorkspaces,
} from "../../../../src/daemon/check/check-hub-side.ts";
import type { KubeApi, ListOptions } from "../../../../src/kube/kube.ts";
import { crds } from "../../../../src/model/generated/crds.ts";
import type { KubeObject, ObjectRef } from "../../../../src/model/kubernetes.ts";
import { readSettings } from "../../../../src/settings/read-settings.ts";

const { signal } = new AbortController();
const settingsOf = (given: Readonly<Record<string, string | boolean>>) =>
  readSettings("check", { given, environment: {} });
const hubOf = (parts: object) => ({ server: "https://hub:6443", ...parts }) as unknown as KubeApi;
const refused = (code: "E_KUBE_FORBIDDEN" | "E_KUBE_SERVER") => Promise.reject(new AppError(code, "refused"));

describe("checkServer", () => {
  const hub = (version: string, status: object) =>
    hubOf({
      getRaw: async (path: string) => ({ text: path === "/version" ? version : "" }),
      create: async (review: KubeObject) => ({ ...review, ...(review.kind === "SelfSubjectReview" ? { status } : {}) }),
    });

  it.each([
    ['{"gitVersion":"v1.34.4"}', { userInfo: { username: "ada" } }, "Kubernetes v1.34.4, as ada"],
    ['{"gitVersion":"v1.34.4"}', {}, "Kubernetes v1.34.4"],
    ["<html>", {}, "Kubernetes of an unknown version"],
  ])("reports the version %s and the user %j", async (version, status, says) => {
    expect(await checkServer(hub(version, status), signal)).toBe(`https://hub:6443 answers, ${says}`);
  });

  it("refuses a hub that is too old", async () => {
    await expect(checkServer(hub('{"gitVersion":"v1.28.0"}', {}), signal)).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
    });
  });
});

describe("checkHubDefinitions", () => {
  const hubWith = (definitions: readonly KubeObject[]) =>
    hubOf({ get: async ({ name }: ObjectRef) => definitions.find(({ metadata }) => metadata.name === name) });
  const older = crds.map((crd) => ({ ...crd, spec: { versions: [{ name: "v1alpha1", storage: true }] } }));
  const newer = crds.map((crd) => ({
    ...crd,
    metadata: { ...crd.metadata, annotations: { "rollcall.dev/data-format": "99" } },
  }));

  it("counts those of this version", async () => {
    const message = await checkHubDefinitions(hubWith(crds), settingsOf({}), signal);
    expect(message).toBe(`${crds.length} definitions of this version`);
  });

  it.each([
    ["none are there", [], "E_KUBE_NOT_FOUND"],
    ["they are older", older, "E_KUBE_DEFINITION"],
  ] as const)("fails where %s, and is content where the daemon installs them", async (_, definitions, code) => {
    const hub = hubWith(definitions);
    await expect(checkHubDefinitions(hub, settingsOf({}), signal)).rejects.toMatchObject({ code });
    const message = await checkHubDefinitions(hub, settingsOf({ "install-crds": true }), signal);
    expect(message).toBe("missing or older; rollcall run installs them (--install-crds)");
  });

  it("fails where a newer version made them, which the daemon does not replace", async () => {
    const hub = hubWith(newer);
    const check = checkHubDefinitions(hub, settingsOf({ "install-crds": true }), signal);
    await expect(check).rejects.toMatchObject({ code: "E_STORE_VERSION" });
  });
});

describe("workspaces", () => {
  const namespace = (name: string) => ({ metadata: { name } });

  it.each([
    [{}, ["eu", "eu-2", "us"]],
    [{ workspaces: "eu*" }, ["eu", "eu-2"]],
    [{ workspaces: "us,eu" }, ["eu", "us"]],
    [{ workspaces: "lost" }, []],
  ])("that options %j leave, of those with the label", async (given, expected) => {
    let asked: ListOptions | undefined;
    const list = async (_: unknown, options: ListOptions) => {
      asked = options;
      return { items: ["eu", "eu-2", "us"].map(namespace) };
    };
    expect(await listWorkspaces(hubOf({ list }), settingsOf(given), signal)).toEqual(expected);
    expect(asked?.labelSelector).toBe("rollcall.dev/workspace");
  });

  it.each([
    [{}, ["eu"], "1 workspace: eu"],
    [{ workspaces: "eu,us" }, ["eu", "us"], "2 workspaces: eu, us"],
    [{ workspaces: "eu-*" }, ["eu-1"], "1 workspace: eu-1"],
    [
      { workspaces: "eu,lost,gone", "install-crds": true },
      ["eu"],
      "missing: lost, gone; rollcall run makes what no namespace is named yet",
    ],
  ])("with %j are fine where %j are there", (given, workspaces, message) => {
    expect(checkWorkspaces(settingsOf(given), workspaces)).toEqual({ message });
  });

  it.each([
    [{}, "no namespace has the label rollcall.dev/workspace", "NAMESPACE"],
    [{ "install-crds": true }, "no namespace has the label rollcall.dev/workspace", "NAMESPACE"],
    [{ workspaces: "eu,lost" }, "no namespace with the label rollcall.dev/workspace is named eu, lost", "eu"],
    [{ "default-workspace": "home" }, "no namespace with the label rollcall.dev/workspace is named home", "home"],
  ])("with %j fail on a hub without any, with the commands that make one", (given, message, name) => {
    expect(checkWorkspaces(settingsOf(given), [])).toEqual({
      state: "failed",
      message,
      remedy: `Run: kubectl create namespace ${name}; kubectl label namespace ${name} rollcall.dev/workspace=true`,
    });
  });
});

describe("checkRights", () => {
  const hubThatAllows = (isAllowed: (verb: string, resource: string, namespace?: string) => boolean) =>
    hubOf({
      create: async ({ spec }: { spec: { resourceAttributes?: Record<string, string> } }) => {
        const { verb = "", resource = "", namespace } = spec.resourceAttributes ?? {};
        return { status: { allowed: isAllowed(verb, resource, namespace) } };
      },
    });
  const check = (hub: KubeApi) => checkRights(hub, settingsOf({}), { workspaces: ["eu"], signal });

  it("is content with an administrator", async () => {
    expect(await check(hubThatAllows(() => true))).toEqual({ message: "every right that these options need" });
  });

  it("names the rights that a publishing daemon does without, and is content", async () => {
    const publishing = settingsOf({ "publish-argocd": "argocd", "publish-flux": "flux-system" });
    const options = { workspaces: ["eu"], signal };
    const users = ["*", "applications", "kustomizations", "helmreleases"];
    const finding = await checkRights(
      hubThatAllows((_, resource) => !users.includes(resource)),
      publishing,
      options,
    );
    expect(finding).toEqual({
      message:
        "every right that these options need; without those below, a published Secret is removed only after --publish-removal-timeout",
      details: [
        expect.stringMatching(/^in the whole hub: list applications\.argoproj\.io: sees which Applications use/u),
        expect.stringMatching(/^in namespace flux-system: list kustomizations\.kustomize\.toolkit\.fluxcd\.io: /u),
        expect.stringMatching(/^in namespace flux-system: list helmreleases\.helm\.toolkit\.fluxcd\.io: /u),
      ],
    });
    const everything = { message: "every right that these options need" };
    expect(
      await checkRights(
        hubThatAllows((_, resource) => resource !== "*"),
        publishing,
        options,
      ),
    ).toEqual(everything);
    expect(await check(hubThatAllows((_, resource) => !users.includes(resource)))).toEqual(everything);
  });

  it.each([
    {
      lacks: "one",
      isAllowed: (_: string, resource: string) => resource !== "*" && resource !== "namespaces",
      message: "1 rule of 1 place is missing",
      details: [expect.stringMatching(/^in the whole hub: list, watch namespaces: finds /u) as string],
    },
    {
      lacks: "some",
      isAllowed: (_: string, resource: string, namespace?: string) =>
        resource !== "*" && resource !== "namespaces" && !(resource === "serviceaccounts" && namespace === "eu"),
      message: expect.stringMatching(/^\d rules of 2 places are missing$/u) as string,
      details: expect.arrayContaining([
        expect.stringMatching(/^in namespace eu: .*serviceaccounts: /u) as string,
      ]) as string[],
    },
  ])("names each rule that an account lacks, and where: $lacks", async ({ isAllowed, message, details }) => {
    expect(await check(hubThatAllows(isAllowed))).toEqual({
      state: "failed",
      message,
      details,
      remedy: "Bind the roles of docs/rbac.md to this user; the chart does it for the daemon's account.",
    });
  });
});

describe("checkLeader", () => {
  const hub = (
    namespace: KubeObject | undefined | Promise<never>,
    lease: Readonly<Record<string, string>> | undefined,
  ) =>
    hubOf({
      get: async ({ type, name }: ObjectRef) => {
        if (type.kind === "Namespace") return namespace;
        return type.kind === "Lease" && name === "rollcall-hub" && lease ? { spec: lease } : undefined;
      },
    });
  const there: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: "rollcall-system" } };

  it.each([
    [
      { holderIdentity: "pod-1", acquireTime: "2026-11-27T10:00:00Z" },
      "pod-1 leads in namespace rollcall-system, since 2026-11-27T10:00:00Z",
    ],
    [{ holderIdentity: "pod-1" }, "pod-1 leads in namespace rollcall-system, since ?"],
    [{ holderIdentity: "" }, "no daemon leads in namespace rollcall-system"],
    [undefined, "no daemon leads in namespace rollcall-system"],
  ])("reports the holder of the Lease %j", async (lease, message) => {
    expect(await checkLeader(hub(there, lease), settingsOf({}), signal)).toEqual({ message });
  });

  it("fails where the namespace is missing, and is content where the daemon makes it", async () => {
    expect(await checkLeader(hub(undefined, undefined), settingsOf({ namespace: "lost" }), signal)).toEqual({
      state: "failed",
      message: "namespace lost is not on the hub",
      remedy: "Install the chart, or start with rollcall run --install-crds.",
    });
    expect(await checkLeader(hub(undefined, undefined), settingsOf({ "install-crds": true }), signal)).toEqual({
      message: "namespace rollcall-system is missing; rollcall run makes it",
    });
  });

  it("needs no right to read the namespace, and hides no other failure", async () => {
    const lease = { holderIdentity: "pod-1" };
    const found = await checkLeader(hub(refused("E_KUBE_FORBIDDEN"), lease), settingsOf({}), signal);
    expect(found.message).toContain("pod-1 leads");
    const failed = checkLeader(hub(refused("E_KUBE_SERVER"), lease), settingsOf({}), signal);
    await expect(failed).rejects.toMatchObject({ code: "E_KUBE_SERVER" });
  });
});
