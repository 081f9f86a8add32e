import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CheckResult } from "../../../../src/daemon/check/check-result.ts";
import { runChecks } from "../../../../src/daemon/check/run-checks.ts";
import { apiOf } from "../../../../src/daemon/connect-hub.ts";
import { installHub } from "../../../../src/install/install-hub.ts";
import { readKubeconfig } from "../../../../src/kube/read-kubeconfig.ts";
import type { RepositorySpec } from "../../../../src/model/generated/repository.ts";
import { readSettings } from "../../../../src/settings/read-settings.ts";
import type { TestRepository } from "../../../support/git-repositories.ts";
import { createRepository, makeTempFolder } from "../../../support/git-repositories.ts";
import type { HubUnderTest } from "../../../support/hub-under-test.ts";
import { embeddedHub } from "../../../support/hub-under-test.ts";
import { neverAborted } from "../../../support/never-aborted.ts";

const namespace = "rollcall-system";
let folder: Awaited<ReturnType<typeof makeTempFolder>>;
let hub: HubUnderTest;
let remote: TestRepository;
const fileOf = (name: string): string => join(folder.path, name);

beforeAll(async () => {
  folder = await makeTempFolder();
  remote = await createRepository(fileOf("fleet.git"));
  await remote.commit({ branch: "prod", files: { "a.yaml": "" } });
  hub = await embeddedHub();
  await writeFile(fileOf("hub"), hub.kubeconfig);
  await writeFile(fileOf("nobody"), hub.kubeconfig.replaceAll(/https:\/\/127\.0\.0\.1:\d+/gu, "https://127.0.0.1:1"));
});
afterAll(async () => {
  await hub.stop();
  await folder.remove();
});

interface Given {
  readonly kubeconfig: "hub" | "nobody" | "lost";
  readonly spec?: RepositorySpec;
}

/** The results by name: `ok`, or the state with the message. */
async function checksOf({ kubeconfig, spec }: Given, signal = new AbortController().signal) {
  const given = { kubeconfig: fileOf(kubeconfig), "cache-dir": fileOf("cache"), namespace };
  const settings = readSettings("check", { given, environment: {} });
  const results: CheckResult[] = [];
  for await (const result of runChecks({ settings, environment: {}, spec, signal })) results.push(result);
  return Object.fromEntries(results.map(({ name, state, message }) => [name, `${state}: ${message}`]));
}

const skippedOnHub = Object.fromEntries(
  ["definitions", "daemon", "workspaces", "rights", "secrets"].map((name) => [name, "skipped: the hub is not reached"]),
);

describe("runChecks", () => {
  it.each(["nobody", "lost"] as const)("skips what a hub that is not reached would answer: %s", async (kubeconfig) => {
    const found = await checksOf({ kubeconfig });
    expect(found).toMatchObject({
      options: "ok: 3 options given",
      ...skippedOnHub,
      repository: "failed: no repository is named, and the hub is not reached",
      forge: "skipped: the hub has its token",
    });
    expect(found["hub"]).toMatch(
      kubeconfig === "lost" ? /^failed: .*it is not there/u : /^failed: E_KUBE_UNREACHABLE/u,
    );
    expect(Object.keys(found).slice(0, 4)).toEqual(["program", "options", "files", "hub"]);
    expect(found["program"]).toMatch(/^ok: rollcall \S+, Node\.js v\S+, \S+ \S+$/u);
  });

  it("checks the repository that options name without a hub", async () => {
    const found = await checksOf({ kubeconfig: "nobody", spec: { url: remote.path, ref: { branch: "prod" } } });
    expect(found["repository"]).toMatch(/^ok: .* branch prod is at /u);
    expect(found["forge"]).toBe("skipped: the hub has its token");
  });

  it("ends when it is stopped, without results that look like failures", async () => {
    const stopped = AbortSignal.abort();
    await expect(checksOf({ kubeconfig: "hub" }, stopped)).rejects.toMatchObject({ name: "AbortError" });
  });

  describe("on a hub", () => {
    it("without the definitions: reports them once, and checks the repository that options name", async () => {
      const found = await checksOf({ kubeconfig: "hub", spec: { url: remote.path, ref: { branch: "prod" } } });
      expect(found).toMatchObject({
        definitions: expect.stringContaining("failed: E_KUBE_NOT_FOUND") as string,
        daemon: "failed: namespace rollcall-system is not on the hub",
        workspaces: "failed: no namespace has the label rollcall.dev/workspace",
        rights: "ok: every right that these options need",
        secrets: "ok: no option names a Secret",
        repository: expect.stringMatching(/^ok: .* branch prod is at /u) as string,
        forge: "ok: no forge is named",
      });
      expect((await checksOf({ kubeconfig: "hub" }))["repository"]).toMatch(/^failed: E_KUBE_NOT_FOUND/u);
    });

    it("takes the Repository of the hub, whose spec the options come before", async () => {
      const hubApi = apiOf(readKubeconfig(hub.kubeconfig));
      await installHub(hubApi, namespace, neverAborted());
      expect((await checksOf({ kubeconfig: "hub" }))["repository"]).toBe(
        "failed: neither --repo nor the hub names one",
      );
      const metadata = { namespace, name: "fleet" };
      const spec = { url: "https://127.0.0.1:1/fleet.git", ref: { branch: "prod" } };
      const repository = { apiVersion: "rollcall.dev/v1alpha1", kind: "Repository", metadata, spec };
      await hubApi.create(repository, { fieldManager: "test" });
      await hubApi.close();
      expect((await checksOf({ kubeconfig: "hub" }))["repository"]).toContain("failed: E_GIT_REMOTE");
      const found = await checksOf({ kubeconfig: "hub", spec: { url: remote.path } });
      expect(found["repository"]).toMatch(/^ok: .* branch prod is at /u);
      expect(found).toMatchObject({ definitions: "ok: 6 definitions of this version", forge: "ok: no forge is named" });
    });
  });
});
