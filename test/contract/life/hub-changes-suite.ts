import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import type { HubObjectPolicy } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import type { LifeSession } from "./life-session.ts";
import { clusterFile, openLifeSession } from "./life-session.ts";

const { fleetRegistrationToken, secret } = resourceTypes;
const kubectl = { fieldManager: "kubectl-client-side-apply" };
const serves = [{ name: "fleet", controllers: "Rollcall", bootstrapTokens: false }] as const;

/** What people create on the hub, as changes of files. */
export function describeHubChanges(name: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`policies for objects on ${name}`, () => {
    let session: LifeSession;

    beforeAll(async () => {
      session = await openLifeSession(await startHub());
      await session.repository.commit({ files: { "clusters/first.yaml": clusterFile("first") } });
      await session.startDaemon({ serves, spec: { onHubObjects: [{ policy: "Propose" }] } });
      await session.settle();
    });
    afterAll(() => session.close());

    const setPolicy = async (...onHubObjects: HubObjectPolicy[]): Promise<void> => {
      const ref = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
      await session.api.mergePatch(ref, { spec: { onHubObjects } }, { fieldManager: "kubectl-edit" });
    };
    const makeToken = async (tokenName: string): Promise<void> => {
      const metadata = { name: tokenName, namespace: session.workspace };
      const apiVersion = "fleet.cattle.io/v1alpha1";
      const token = { apiVersion, kind: "ClusterRegistrationToken", metadata, spec: { ttl: "240h" } };
      await session.api.create(token, kubectl);
    };

    it("a token of Fleet that kubectl creates is proposed, and served when its branch is merged", async () => {
      await makeToken("new-token");
      const branch = `rollcall/hub/${session.workspace}/clusterregistrationtokens.fleet.cattle.io/new-token`;
      const head = () => session.repository.head(branch);
      await until(head, (seen) => seen !== undefined);
      const path = `tokens/${session.workspace}/new-token.yaml`;
      expect(await session.repository.git("diff", "--name-only", `main...${branch}`)).toBe(`${path}\n`);
      expect(await session.get(secret, "new-token")).toBeUndefined();
      const planned = await session.planBranch(branch);
      expect(planned?.changes.map(({ kind, object }) => `${kind} ${object}`)).toEqual([
        `create ClusterRegistrationToken/${session.workspace}/new-token`,
      ]);

      await session.repository.git("update-ref", "refs/heads/main", branch);
      expect(await session.settle()).toMatchObject({ isApplied: true, errorCount: 0, planSizes: { create: 1 } });
      await session.until(secret, "new-token", (seen) => textAt(seen, "data", "values") !== undefined);
      await session.settle();
      await until(head, (seen) => seen === undefined);
    });

    it("a token of Fleet is committed and served at once under Commit, and committed once", async () => {
      await setPolicy({ policy: "Commit" });
      await makeToken("at-once");
      await session.until(secret, "at-once", (seen) => textAt(seen, "data", "values") !== undefined);
      const uid = (await session.get(fleetRegistrationToken, "at-once"))?.metadata.uid;
      const message = await session.repository.git("log", "-1", "--format=%an%n%B", "main");
      expect(message).toContain(`Rollcall\nhub: create ClusterRegistrationToken ${session.workspace}/at-once\n`);
      const object = `ClusterRegistrationToken.fleet.cattle.io/${session.workspace}/at-once`;
      expect(message).toContain(`Rollcall-Hub-Object: ${object} ${uid}\n`);
      expect(message).toContain("Rollcall-Hub-Manager: kubectl-client-side-apply\n");
      await session.settle();
      expect(await session.repository.git("rev-list", "--count", "--author=Rollcall", "main")).toBe("2\n");
    });
  });
}
