import { appendFileSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { crds } from "../../src/model/generated/crds.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { compareVerdicts, define, installedDefinitions } from "../support/api-verdicts.ts";
import type { HubUnderTest } from "../support/hub-under-test.ts";
import { ownRealHub } from "../support/hub-under-test.ts";

/** How many documents; 10,000 take a minute or two. */
const count = Number(process.env["ROLLCALL_MUTATED_DOCUMENTS"] ?? 1000);
const seed = Number(process.env["ROLLCALL_MUTATION_SEED"] ?? 7);
/** A folder of YAML files with the CustomResourceDefinitions that the other projects publish. */
const published = process.env["ROLLCALL_PUBLISHED_CRDS"];
const groups = ["fleet.cattle.io", "cluster.kubernetes-fleet.io", "clusters.clusternet.io"];

describe("mutated documents beside a real kube-apiserver", () => {
  let hub: HubUnderTest | undefined;
  afterEach(async () => hub?.stop());

  it("never pass the checks of files where the API refuses them, with the definitions that we install", async () => {
    hub = await ownRealHub();
    await define(hub.kubeconfig, installedDefinitions);
    await expectAgreement(hub.kubeconfig);
  });

  // Skipped without a folder: those files are not ours to keep.
  it.skipIf(published === undefined)("never pass them with the definitions that the projects publish", async () => {
    hub = await ownRealHub();
    await define(hub.kubeconfig, [...crds, ...readDefinitions(published ?? "")]);
    await expectAgreement(hub.kubeconfig);
  });
});

async function expectAgreement(kubeconfig: string): Promise<void> {
  const { refusedByApiOnly, refusedHereOnly, ...counts } = await compareVerdicts(kubeconfig, { count, seed });
  const report = process.env["ROLLCALL_VERDICTS_FILE"];
  if (report !== undefined) appendFileSync(report, `${JSON.stringify({ ...counts, refusedHereOnly }, undefined, 2)}\n`);
  expect(refusedByApiOnly).toEqual([]);
  expect(counts.acceptedByBoth).toBeGreaterThan(count / 20);
  expect(counts.refusedByBoth).toBeGreaterThan(count / 4);
}

function readDefinitions(folder: string): KubeObject[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .flatMap((name) => parseAllDocuments(readFileSync(join(folder, name), "utf8")))
    .map((document) => document.toJS() as (KubeObject & { spec?: { group?: string } }) | null)
    .filter((object) => object !== null && object.kind === "CustomResourceDefinition")
    .filter((object): object is KubeObject =>
      groups.includes((object as { spec?: { group?: string } }).spec?.group ?? ""),
    );
}
