import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositorySpec } from "../../../../src/cli/commands/repository-spec.ts";
import { checkHubDefinitions, checkLeader, checkWorkspaces } from "../../../../src/daemon/check/check-hub-side.ts";
import { checkFiles, checkSecrets } from "../../../../src/daemon/check/check-sources.ts";
import { AppError } from "../../../../src/core/errors.ts";
import { neededRights } from "../../../../src/daemon/check/needed-rights.ts";
import { gitBackend } from "../../../../src/daemon/open-repository.ts";
import { accessOfFlags } from "../../../../src/daemon/wire-git.ts";
import type { KubeApi } from "../../../../src/kube/kube.ts";
import type { KubeObject, ObjectRef } from "../../../../src/model/kubernetes.ts";
import { describeRef } from "../../../../src/model/kubernetes.ts";
import { flagOf } from "../../../../src/settings/option-entry.ts";
import { optionTable } from "../../../../src/settings/options.ts";
import { readSettings } from "../../../../src/settings/read-settings.ts";

/** A whole command line of the daemon; a value for each option that takes one. */
const line = `--config=/c --repo=https://git.example.com/f --branch=b --kubeconfig=/k --context=c --namespace=n
  --repository=r --follow-repositories --workspaces=w --default-workspace=w --age-key-secret=s --verify-keys-secret=s
  --verify-paths=p --sops-program=/s --sops-origins=o --interval=2m --once --restore --trust-key-file=/t
  --restore-unsigned --install-crds --serve-fleet --fleet-controllers=External --kubefleet-controllers=External
  --clusternet-controllers=External --serve-kubefleet --serve-clusternet --clusternet-bootstrap-tokens
  --publish-cluster-profiles --publish-argocd=a --publish-flux=f --publish-removal-timeout=1m
  --publish-argocd-removal=Unselect --hub-url=https://h --hub-ca-file=/h --agent-image=i --write-back=Branch
  --write-back-branch=b --write-back-interval=1m --git-token-file=/g --git-username=u --git-ca-file=/g
  --git-ssh-key-file=/g --git-known-hosts-file=/g --git-backend=native --cache-dir=/c --no-leader-election
  --metrics-address=:1 --page-address=:2 --page-access=Proxy --page-actions --page-user-header=u --page-groups-header=g
  --webhook-secret-file=/w --serve-install-manifests --forge=Gitea --forge-secret=s --forge-api-url=https://g --log-level=debug
  --log-format=text`;
const given: Readonly<Record<string, unknown>> = Object.fromEntries(
  line.split(/\s+/u).map((word) => {
    const [flag = "", value] = word.split("=");
    return [flag.replace(/^--(?:no-)?/u, ""), value ?? !flag.startsWith("--no-")];
  }),
);

describe("rollcall check", () => {
  const placesOf = (options: Readonly<Record<string, unknown>>): readonly string[] => {
    const settings = readSettings("check", { given: { namespace: "n", ...options }, environment: {} });
    return neededRights(settings, ["w1", "w2"]).flatMap(({ namespace = "*", rules }) =>
      rules.flatMap(({ resources }) => resources.map((resource) => `${namespace} ${resource}`)),
    );
  };

  it.each([
    { options: { "follow-repositories": true }, place: /^n / },
    { options: { "publish-cluster-profiles": true }, place: /^(?:w1|w2|\*) / },
    { options: { "publish-argocd": "argocd" }, place: /^argocd / },
    { options: { "page-address": ":1" }, place: /^\* / },
    { options: { "serve-fleet": true }, place: /^(?:w1|w2|\*|cattle-fleet-clusters-system) / },
    { options: { "serve-fleet": true, "fleet-controllers": "External" }, place: /^(?:w1|w2) / },
    { options: { "serve-kubefleet": true }, place: /^\* / },
    { options: { "serve-clusternet": true, "clusternet-bootstrap-tokens": true }, place: /^(?:\*|kube-system) / },
    { options: { "install-crds": true }, place: /^\* / },
  ])("asks for more rights with $options, in the places that docs/rbac.md names", ({ options, place }) => {
    const usual = placesOf({});
    expect(new Set(usual.map((text) => text.split(" ")[0]))).toEqual(
      new Set(["*", "n", "rollcall-public", "w1", "w2"]),
    );
    const more = [...placesOf(options)];
    for (const text of usual) more.splice(more.indexOf(text), 1);
    expect(more.length).toBeGreaterThan(0);
    expect(more.filter((text) => !place.test(text))).toEqual([]);
  });

  it("needs nothing more for a page that every user of this machine may read", () => {
    expect(placesOf({ "page-address": "127.0.0.1:1", "page-access": "Open" })).toEqual(placesOf({}));
  });
});

/** Options that change what is checked, beside those that lead to the hub. */
describe("rollcall check with one option less", () => {
  const repo = "https://git.example.com/fleet";
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "rollcall-check-"));
    await writeFile(join(folder, "one"), "x", { mode: 0o700 });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** A hub that has every object, and remembers which ones were asked for. */
  function hubOf(asked: string[]): KubeApi {
    const get = (ref: ObjectRef): Promise<KubeObject> => {
      asked.push(describeRef(ref));
      const missing = ref.type.plural === "customresourcedefinitions";
      if (missing) return Promise.reject(new AppError("E_KUBE_NOT_FOUND", "get"));
      return Promise.resolve({
        apiVersion: "v1",
        kind: ref.type.kind,
        metadata: { name: ref.name },
        data: { a: "eA==" },
      });
    };
    return { get } as unknown as KubeApi;
  }

  async function outcomeOf(options: Readonly<Record<string, unknown>>): Promise<string> {
    const { signal } = new AbortController();
    const settings = readSettings("check", { given: { namespace: "n", repo, ...options }, environment: {} });
    const asked: string[] = [];
    const hubApi = hubOf(asked);
    const { url, ref, forge } = repositorySpec(settings);
    const { credentials, ssh, route } = accessOfFlags(settings, url, {});
    return JSON.stringify([
      neededRights(settings, ["w"]),
      { url, ref, forge },
      await checkFiles(settings),
      await checkSecrets(hubApi, settings),
      checkWorkspaces(settings, ["w"]),
      await checkLeader(hubApi, settings, signal),
      await checkHubDefinitions(hubApi, settings, signal).catch(String),
      [await valueOf(credentials), await valueOf(ssh), await route()],
      gitBackend(settings),
      asked,
    ]);
  }
  const valueOf = async (source: unknown): Promise<unknown> =>
    typeof source === "function" ? (source as () => Promise<unknown>)() : source;
  const forge = { forge: "Gitea", "forge-secret": "token" };
  const token = { "git-token-file": "one" };

  it.each<[string, string | boolean, Readonly<Record<string, unknown>>?]>([
    ["repo", "https://git.example.com/other"],
    ["branch", "next"],
    ["namespace", "other"],
    ["follow-repositories", true],
    ["workspaces", "other"],
    ["age-key-secret", "age"],
    ["verify-keys-secret", "signers"],
    ["sops-program", "one"],
    ["install-crds", true],
    ["serve-fleet", true],
    ["fleet-controllers", "External", { "serve-fleet": true }],
    ["serve-kubefleet", true],
    ["kubefleet-controllers", "External", { "serve-kubefleet": true }],
    ["serve-clusternet", true],
    ["clusternet-controllers", "External", { "serve-clusternet": true }],
    ["clusternet-bootstrap-tokens", true, { "serve-clusternet": true }],
    ["publish-cluster-profiles", true],
    ["publish-argocd", "argocd"],
    ["publish-flux", "flux"],
    ["trust-key-file", "one"],
    ["hub-ca-file", "one"],
    ["webhook-secret-file", "one"],
    ["git-token-file", "one"],
    ["git-username", "bot", token],
    ["git-ca-file", "one"],
    ["git-ssh-key-file", "one"],
    ["git-known-hosts-file", "one", { "git-ssh-key-file": "one" }],
    ["git-backend", "native"],
    ["page-address", ":1"],
    ["page-access", "Open", { "page-address": ":1" }],
    ["forge", "Gitea", { "forge-secret": "token" }],
    ["forge-secret", "other", forge],
    ["forge-api-url", "https://forge.example.com", forge],
  ])("asks for something else: --%s", async (name, value, beside = {}) => {
    const placed = (options: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(
        Object.entries(options).map(([key, text]) => [key, text === "one" ? join(folder, "one") : text]),
      );
    const less = await outcomeOf(placed(beside)).catch(String);
    expect(await outcomeOf(placed({ ...beside, [name]: value })).catch(String)).not.toBe(less);
  });
});

/** The other options of the daemon are taken as they are, so that a whole command line can be checked. */
describe("rollcall check with every option", () => {
  it("takes a whole command line of run, and reads it in the same way", () => {
    const [ofRun, ofCheck] = (["run", "check"] as const).map((command) => {
      const settings = readSettings(command, { given, environment: {} });
      return settings.entries.map(({ option: { name }, value, origin }) => ({ name, value, origin }));
    });
    const others = new Set(["print-config", "output"]);
    expect(ofCheck?.filter(({ name }) => !others.has(name))).toEqual(ofRun?.filter(({ name }) => !others.has(name)));
    const flags = optionTable.filter(({ commands }) => commands.includes("check")).map(flagOf);
    // `--identity` has no effect beside `--no-leader-election`; `--output text` or `json` is of the check alone.
    const untouched = new Set(["--identity", "--output"]);
    expect(flags.filter((flag) => !untouched.has(flag) && !line.includes(flag))).toEqual([]);
  });
});
