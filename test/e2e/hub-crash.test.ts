import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { objectsAt, textAt } from "../../src/core/read-json.ts";
import type { TestClient } from "../contract/embedded-hub/hub-client.ts";
import { adminClient, eventsOf, tlsOf } from "../contract/embedded-hub/hub-client.ts";
import { makeTempFolder } from "../support/git-repositories.ts";
import type { RollcallProcess } from "../support/rollcall-process.ts";
import { startRollcall } from "../support/rollcall-process.ts";
import { until } from "../support/until.ts";

/** CI has 100 of them: ROLLCALL_CRASH_ROUNDS=100. */
const rounds = Number(process.env["ROLLCALL_CRASH_ROUNDS"] ?? "4");
const writerCount = 8;
const path = "/api/v1/namespaces/default/configmaps";

/** The answers to clients, over all lives of the hub. */
interface Heard {
  /** Revisions of writes that were acknowledged, with what each was. */
  readonly acknowledged: Map<number, string>;
  /** Events in the order of their arrival. */
  readonly events: { readonly revision: number; readonly what: string }[];
}

it(
  `a hub that is killed ${rounds} times under load loses no acknowledged write, and its watches miss and repeat nothing`,
  { timeout: 60_000 + rounds * 20_000 },
  async () => {
    const folder = await makeTempFolder();
    const heard: Heard = { acknowledged: new Map(), events: [] };
    let hub: RollcallProcess | undefined;
    try {
      let revision = 0;
      for (let round = 0; round <= rounds; round += 1) {
        hub = startRollcall(["hub", "--dir", folder.path]);
        await hub.whenPrinted(/The hub is ready/u);
        const client = await clientOf(folder.path);
        // Where the first list is, watching begins; from then on, where it was cut off.
        revision = heard.events.at(-1)?.revision ?? (round === 0 ? await revisionOf(client) : revision);
        const watching = follow(client, revision, heard);
        const before = heard.acknowledged.size;
        const killed = round === rounds ? undefined : hub;
        await writeUntil(client, round, {
          heard,
          isEnough: () => heard.acknowledged.size - before > 1 + ((round * 37) % 120),
          killed,
        });
        if (killed === undefined) {
          const last = Math.max(...heard.acknowledged.keys());
          await until(
            () => Promise.resolve(heard.events.at(-1)?.revision ?? 0),
            (seen) => seen >= last,
          );
          expect(await namesAndVersions(client)).toEqual(stateOf(heard));
          hub.kill("SIGINT");
        }
        await hub.finished;
        await watching;
        client.close();
      }
      const revisions = heard.events.map((event) => event.revision);
      expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
      const seen = new Map(heard.events.map((event) => [event.revision, event.what]));
      for (const [acknowledged, what] of heard.acknowledged)
        expect(seen.get(acknowledged), `${acknowledged}`).toBe(what);
    } finally {
      hub?.kill("SIGKILL");
      await hub?.finished;
      await folder.remove();
    }
  },
);

async function clientOf(dir: string): Promise<TestClient> {
  const kubeconfig = await readFile(join(dir, "hub.kubeconfig"), "utf8");
  const [cluster] = objectsAt(parse(kubeconfig), "clusters");
  return adminClient(textAt(cluster, "cluster", "server") ?? "", tlsOf(kubeconfig));
}

/** Several writers, each with objects of its own, until there was enough of it; then the hub is killed in their midst. */
async function writeUntil(
  client: TestClient,
  round: number,
  {
    heard,
    isEnough,
    killed,
  }: { readonly heard: Heard; readonly isEnough: () => boolean; readonly killed: RollcallProcess | undefined },
): Promise<void> {
  const write = async (writer: number): Promise<void> => {
    for (let count = 0; !isEnough(); count += 1) {
      const name = `w${writer}-${count % 3}`;
      // Every fourth write deletes; an object that a former life left behind is written over.
      const isDelete = count % 4 === 3;
      const answer = await client.call({
        method: isDelete ? "DELETE" : "PATCH",
        path: isDelete ? `${path}/${name}` : `${path}/${name}?fieldManager=crash&force=true`,
        ...(isDelete
          ? {}
          : {
              body: configMap(name, `${round}-${count}`),
              headers: { "content-type": "application/apply-patch+yaml" },
            }),
      });
      if (isDelete) {
        if (answer.statusCode !== 200 && answer.statusCode !== 404) throw new Error(answer.text);
        continue;
      }
      if (answer.statusCode >= 300) throw new Error(answer.text);
      const { metadata } = answer.json as { metadata: { resourceVersion: string } };
      heard.acknowledged.set(Number(metadata.resourceVersion), `${name} ${round}-${count}`);
    }
    killed?.kill("SIGKILL");
  };
  const ends = await Promise.allSettled(Array.from({ length: writerCount }, (_, writer) => write(writer)));
  // A connection that the kill cut off was to be expected; anything else was not.
  const reasons = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as NodeJS.ErrnoException] : []));
  const isCutOff = ({ code = "" }: NodeJS.ErrnoException): boolean =>
    ["ECONNRESET", "EPIPE", "ECONNREFUSED"].includes(code);
  const others = killed === undefined ? reasons : reasons.filter((reason) => !isCutOff(reason));
  expect(others).toEqual([]);
}

function configMap(name: string, value: string): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { value, filler: "x".repeat(300) } };
}

/** Takes in events until the hub has ended. */
async function follow(client: TestClient, revision: number, { events }: Heard): Promise<void> {
  try {
    const stream = await client.open({ path: `${path}?watch=true&resourceVersion=${revision}` });
    for await (const { type, object } of eventsOf(stream)) {
      const version = Number(textAt(object, "metadata", "resourceVersion"));
      const name = textAt(object, "metadata", "name") ?? "";
      if (type === "ERROR") throw new Error(JSON.stringify(object));
      const what = type === "DELETED" ? `${name} deleted` : `${name} ${textAt(object, "data", "value") ?? ""}`;
      events.push({ revision: version, what });
    }
  } catch (error) {
    // The stream broke, perhaps in the middle of a line: what was cut off comes again.
    const isCut =
      error instanceof SyntaxError ||
      ["ECONNRESET", "ECONNREFUSED"].includes((error as NodeJS.ErrnoException).code ?? "");
    if (!isCut) throw error;
  }
}

async function revisionOf(client: TestClient): Promise<number> {
  return Number(textAt((await client.call({ path })).json, "metadata", "resourceVersion"));
}

async function namesAndVersions(client: TestClient): Promise<Record<string, number>> {
  const { json } = await client.call({ path });
  const items = objectsAt(json, "items").filter((item) => textAt(item, "metadata", "name") !== "kube-root-ca.crt");
  return Object.fromEntries(
    items.map((item) => [textAt(item, "metadata", "name") ?? "", Number(textAt(item, "metadata", "resourceVersion"))]),
  );
}

/** What exists, by the events alone. */
function stateOf({ events }: Heard): Record<string, number> {
  const state = new Map<string, number>();
  for (const { revision, what } of events) {
    const [name = "", value] = what.split(" ");
    if (value === "deleted") state.delete(name);
    else if (name !== "kube-root-ca.crt") state.set(name, revision);
  }
  return Object.fromEntries(state);
}
