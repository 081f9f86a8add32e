import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { numberAt, textAt } from "../../../src/core/read-json.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { HubObjectPolicy } from "../../../src/model/generated/repository.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import type { LifeSession } from "./life-session.ts";
import { clusterFile, openLifeSession } from "./life-session.ts";

const { cluster, clusterRegistrationToken, event } = resourceTypes;
const kubectl = { fieldManager: "kubectl-client-side-apply" };
const serves = (["fleet", "kubefleet"] as const).map(
  (protocol) => ({ name: protocol, controllers: "Rollcall", bootstrapTokens: false }) as const,
);
const own = "rollcall.dev/v1alpha1";

const withComments = (workspace: string): string => `# Owned by the platform team.
${clusterFile("edited", ["paused: false # set by hand"], workspace)}---
# The other one stays as it is.
${clusterFile("beside", [], workspace)}`;

/** What people change and delete on the hub, as changes of files. */
export function describeHubEdits(name: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`changes of people on ${name}`, () => {
    let session: LifeSession;
    let committed: HubObjectPolicy = { policy: "Commit", deletions: "Commit" };
    const named: HubObjectPolicy = { kinds: ["MemberCluster", "ManagedCluster"], policy: "Commit" };

    beforeAll(async () => {
      session = await openLifeSession(await startHub());
      committed = { ...committed, workspaces: [session.workspace] };
      await session.repository.commit({
        files: {
          "clusters/edited.yaml": withComments(session.workspace),
          ...Object.fromEntries(["one", "two", "three"].map((each) => [`c/${each}.yaml`, clusterFile(each)])),
        },
      });
      await session.startDaemon({ serves, spec: { onHubObjects: [named, committed] } });
      await session.settle();
    });
    afterAll(() => session.close());

    const show = (path: string, revision = "main"): Promise<string> =>
      session.repository.git("show", `${revision}:${path}`);
    const setPolicy = async (...onHubObjects: HubObjectPolicy[]): Promise<void> => {
      const ref = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
      const { metadata } = await session.api.mergePatch(
        ref,
        { spec: { onHubObjects } },
        { fieldManager: "kubectl-edit" },
      );
      await until(
        () => session.api.get(ref),
        (seen) => numberAt(seen, "status", "observedGeneration") === metadata.generation,
      );
    };
    const patch = (clusterName: string, change: JsonObject): Promise<KubeObject> => {
      const ref = { type: cluster, namespace: session.workspace, name: clusterName };
      return session.api.mergePatch(ref, change, { fieldManager: "kubectl-edit" });
    };
    const commitsOfOurs = async (): Promise<number> =>
      Number(await session.repository.git("rev-list", "--count", "--author=Rollcall", "main"));

    it("a label and a field that kubectl changes are committed into the file, whose comments stay", async () => {
      await patch("edited", { metadata: { labels: { site: "paris" } }, spec: { paused: true } });
      const edited = withComments(session.workspace)
        .replace(
          "labels: { env: test }\nspec:\n  displayName: Cluster edited",
          "labels: { env: test, site: paris }\nspec:\n  displayName: Cluster edited",
        )
        .replace("paused: false #", "paused: true #");
      await until(
        () => show("clusters/edited.yaml"),
        (text) => text === edited,
      );
      await session.settle();
      expect((await session.get(cluster, "edited"))?.metadata.labels).toMatchObject({ env: "test", site: "paris" });
      const count = await commitsOfOurs();
      await session.settle();
      expect(await commitsOfOurs()).toBe(count);
    });

    it("a label that kubectl removes is taken out of the file", async () => {
      await patch("edited", { metadata: { labels: { site: null } } });
      await until(
        () => show("clusters/edited.yaml"),
        (text) => !text.includes("paris"),
      );
      await session.settle();
    });

    it("the identity of a cluster stays as its file declares, and an Event names the field", async () => {
      const count = await commitsOfOurs();
      await patch("one", { spec: { clientID: "stolen" } });
      const messages = async (): Promise<string> => {
        const { items } = await session.api.list(event, { namespace: session.workspace });
        return items.map((seen) => textAt(seen, "message") ?? "").join("\n");
      };
      await until(messages, (text) => text.includes("spec.clientID (only a file may set it)"));
      expect(await commitsOfOurs()).toBe(count);
    });

    it("an object that git refuses by a policy is not committed, and an Event has the code", async () => {
      await session.commit({ "policies/names.yaml": policy });
      const count = await commitsOfOurs();
      const metadata = { name: "forbidden", namespace: session.workspace };
      await session.api.create(
        { apiVersion: own, kind: "ClusterRegistrationToken", metadata, spec: { ttl: "1h" } },
        kubectl,
      );
      const reasons = async (): Promise<readonly string[]> => {
        const { items } = await session.api.list(event, { namespace: session.workspace });
        const about = items.filter((seen) => textAt(seen, "involvedObject", "name") === "forbidden");
        return about.map((seen) => `${textAt(seen, "reason")} ${textAt(seen, "message")}`);
      };
      const seen = await until(reasons, (all) => all.some((each) => each.startsWith("NotProposed")));
      expect(seen.join("\n")).toContain("E_POLICY");
      expect(await commitsOfOurs()).toBe(count);
      await session.api.delete({ type: clusterRegistrationToken, ...metadata });
      await session.untilDeleted(clusterRegistrationToken, "forbidden");
      await session.commit({ "policies/names.yaml": null });
    });

    it("an object of a workspace without a policy changes no file", async () => {
      const make = async (tokenName: string, namespace: string): Promise<void> => {
        const metadata = { name: tokenName, namespace };
        const kind = "ClusterRegistrationToken";
        await session.api.create({ apiVersion: own, kind, metadata, spec: { ttl: "1h" } }, kubectl);
      };
      await make("theirs", session.otherWorkspace);
      await make("ours", session.workspace);
      await until(
        () => session.repository.fileNames("main"),
        (names) => names.includes(`tokens/${session.workspace}/ours.yaml`),
      );
      await session.settle();
      // The status branch names the object.
      expect(await session.repository.git("log", "-p", "main", "--branches=rollcall/hub/*")).not.toContain("theirs");
      expect(await session.repository.git("branch", "--list", "rollcall/hub/*")).not.toContain("theirs");
    });

    it("a value of git that kubectl changes under Propose is reverted, and its branch has the change", async () => {
      await setPolicy({ policy: "Propose" });
      await patch("two", { metadata: { labels: { env: "dev" } } });
      const branch = `rollcall/hub/${session.workspace}/clusters.rollcall.dev/two`;
      await until(
        () => session.repository.head(branch),
        (head) => head !== undefined,
      );
      expect(await show("c/two.yaml", branch)).toContain("labels: { env: dev }");
      await session.until(cluster, "two", (seen) => seen?.metadata.labels?.["env"] === "test");
      await session.settle();
      expect(await session.repository.head(branch)).toBeDefined();
    });

    it("one deleted object is removed from git after a while; all of them at once are only proposed", async () => {
      await setPolicy(named, committed);
      const ref = (clusterName: string) => ({ type: cluster, namespace: session.workspace, name: clusterName });
      await session.api.delete(ref("three"));
      await session.until(cluster, "three", (seen) => seen !== undefined);
      const files = () => session.repository.fileNames("main");
      await until(files, (names) => !names.includes("c/three.yaml"));
      await session.settle();
      await session.untilDeleted(cluster, "three");

      const before = await session.repository.head();
      for (const clusterName of ["one", "two", "beside", "edited"]) await session.api.delete(ref(clusterName));
      const branch = `rollcall/hub/${session.workspace}/clusters.rollcall.dev/beside`;
      await until(
        () => session.repository.head(branch),
        (head) => head !== undefined,
      );
      expect(await session.repository.head()).toBe(before);
      expect(await show("clusters/edited.yaml", branch)).not.toContain("name: beside");
      expect(await show("clusters/edited.yaml", branch)).toContain("name: edited");
      for (const clusterName of ["one", "two", "beside", "edited"])
        await session.until(cluster, clusterName, (seen) => seen !== undefined);
    });

    it("a process that died between push and apply is followed by one that commits nothing", async () => {
      await session.stopDaemon();
      const metadata = { name: "cut-off", namespace: session.workspace };
      const object = { apiVersion: own, kind: "ClusterRegistrationToken", metadata, spec: { ttl: "1h" } };
      await session.api.create(object, kubectl);
      const adopted = { ...object, metadata: { ...metadata, annotations: { "rollcall.dev/adopt": "true" } } };
      await session.repository.commit({ files: { "tokens/cut-off.yaml": JSON.stringify(adopted) } });
      const head = await session.repository.head();
      await session.startDaemon({ serves, spec: { onHubObjects: [named, committed] } });
      await session.settle();
      await session.until(
        clusterRegistrationToken,
        "cut-off",
        (seen) => seen?.metadata.labels?.["rollcall.dev/repository"] !== undefined,
      );
      // The run that comes after it compares the object with what was applied.
      await session.settle();
      expect(await session.repository.head()).toBe(head);
    });
  });
}

const policy = JSON.stringify({
  apiVersion: own,
  kind: "Policy",
  metadata: { name: "names" },
  spec: { rules: [{ expression: "object.metadata.name != 'forbidden'", message: "this name is not allowed" }] },
});
