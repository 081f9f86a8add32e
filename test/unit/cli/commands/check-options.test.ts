import { describe, expect, it } from "vitest";
import { neededRights } from "../../../../src/daemon/check/needed-rights.ts";
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
  --metrics-address=:1 --page-address=:2 --page-access=Proxy --page-user-header=u --page-groups-header=g
  --webhook-secret-file=/w --serve-install-manifests --forge=Gitea --forge-secret=s --forge-api-url=https://g --log-level=debug
  --log-format=text`;
const given: Readonly<Record<string, unknown>> = Object.fromEntries(
  line.split(/\s+/u).map((word) => {
    const [flag = "", value] = word.split("=");
    return [flag.replace(/^--(?:no-)?/u, ""), value ?? !flag.startsWith("--no-")];
  }),
);

describe("rollcall check", () => {
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
