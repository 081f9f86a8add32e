import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embeddedHub, realHub } from "../support/hub-under-test.ts";
import type { HubUnderTest } from "../support/hub-under-test.ts";
import { kubectlSteps } from "./kubectl/kubectl-steps.ts";
import { normalizeOutput, runKubectl } from "./kubectl/run-kubectl.ts";
import type { KubectlRun } from "./kubectl/run-kubectl.ts";

/** Runs all steps on one hub, and returns what each printed. */
async function runAll(hub: HubUnderTest, home: string): Promise<readonly KubectlRun[]> {
  const kubeconfigPath = join(home, "kubeconfig");
  await writeFile(kubeconfigPath, hub.kubeconfig);
  const runs: KubectlRun[] = [];
  for (const { args, input } of kubectlSteps) {
    const options = { home, ...(input === undefined ? {} : { input }) };
    const { code, text } = await runKubectl(kubeconfigPath, args.split(" "), options);
    runs.push({ code, text: normalizeOutput(text) });
  }
  return runs;
}

describe("kubectl on the embedded hub", () => {
  const homes: string[] = [];
  let embedded: HubUnderTest | undefined;
  let seen: readonly KubectlRun[] = [];
  let wanted: readonly KubectlRun[] = [];

  beforeAll(async () => {
    homes.push(await mkdtemp(join(tmpdir(), "rollcall-kubectl-")), await mkdtemp(join(tmpdir(), "rollcall-kubectl-")));
    embedded = await embeddedHub();
    [seen, wanted] = await Promise.all([
      runAll(embedded, homes[0] ?? ""),
      realHub().then((hub) => runAll(hub, homes[1] ?? "")),
    ]);
  });
  afterAll(async () => {
    await embedded?.stop();
    await Promise.all(homes.map((home) => rm(home, { recursive: true, force: true })));
  });

  it.each(kubectlSteps.map((step, index) => ({ ...step, index })))(
    "prints what it prints on a real one: $args",
    ({ index, embedded: expected, isUnordered, whileWaiting }) => {
      const ordered = ({ code, text }: KubectlRun) => ({
        code,
        lines: sortedIf(isUnordered === true, text).filter((line) => whileWaiting?.test(line) !== true),
      });
      const [here, there] = [seen[index], wanted[index]];
      if (here === undefined || there === undefined) throw new Error("the step did not run");
      if (expected === undefined) expect(ordered(here)).toEqual(ordered(there));
      else expect(here.text).toMatch(expected.prints);
    },
  );
});

function sortedIf(isUnordered: boolean, text: string): readonly string[] {
  const lines = text.split("\n");
  return isUnordered ? lines.sort() : lines;
}
