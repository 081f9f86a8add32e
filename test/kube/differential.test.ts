import process from "node:process";
import { describe, expect, it } from "vitest";
import { textAt, textsAt } from "../../src/core/read-json.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { until } from "../support/until.ts";
import { twoHubs } from "../support/two-hubs.ts";
import { knownDifferences } from "./differential/known-differences.ts";
import { inKeyOrder, Normalizer, ownersOf } from "./differential/replay.ts";
import type { Answer, RawClient, Request } from "./differential/replay.ts";
import { makeSequence, preparation } from "./differential/sequences.ts";
import { writtenSequences } from "./differential/written-sequences.ts";

/** Other sequences on demand: ROLLCALL_DIFFERENTIAL_SEEDS=100,101,102 and ROLLCALL_DIFFERENTIAL_LENGTH=500. */
const seeds = (process.env["ROLLCALL_DIFFERENTIAL_SEEDS"] ?? "1,2,3,4,5,6").split(",").map(Number);
const length = Number(process.env["ROLLCALL_DIFFERENTIAL_LENGTH"] ?? "120");

const collectorFinalizers = ["foregroundDeletion", "orphan"];

/** A run of requests on a hub, on a namespace and a group of its own. */
interface Run {
  readonly normalizer: Normalizer;
  readonly send: (request: Request) => Promise<Answer>;
}

/** Creates what every sequence needs. */
async function startRun(client: RawClient, name: string): Promise<Run> {
  const run = `${name}-${process.pid}`;
  const namespace = `differential-${run}`;
  const group = `s${run}.differential.example.org`;
  const normalizer = new Normalizer([
    [namespace, "NS"],
    [group, "GROUP"],
  ]);
  const fill = (text: string): string => text.replaceAll("NS", namespace).replaceAll("GROUP", group);
  const send = ({ path, body, ...rest }: Request): Promise<Answer> => {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    return client.send({ ...rest, path: fill(path), ...(text === undefined ? {} : { body: fill(text) }) });
  };
  for (const request of preparation) expect((await send(request)).code, request.path).toBe(201);
  await until(
    () => send({ method: "GET", path: things }),
    ({ code }) => code === 200,
  );
  await until(
    () => send({ method: "GET", path: `${maps}/kube-root-ca.crt` }),
    ({ code }) => code === 200,
  );
  return { normalizer, send };
}

const things = "/apis/GROUP/v1/namespaces/NS/things";
const maps = "/api/v1/namespaces/NS/configmaps";

/** The answers of one hub to handwritten requests. */
async function replayWritten(client: RawClient, index: number): Promise<readonly (readonly [Request, Answer])[]> {
  const { normalizer, send } = await startRun(client, `w${index}`);
  const answers: [Request, Answer][] = [];
  for (const { view, ...request } of writtenSequences[index]?.requests ?? []) {
    const answer = await send(request);
    answers.push([request, normalizer.answer(view === undefined ? answer : ownersOf(answer))]);
    const { spec } = request.path.endsWith("/customresourcedefinitions") ? (request.body as { spec: CrdSpec }) : {};
    if (spec === undefined) continue;
    const path = `/apis/${spec.group}/${spec.versions[0]?.name ?? ""}/${spec.names.plural}`;
    await until(
      () => send({ method: "GET", path }),
      ({ code }) => code === 200,
    );
  }
  return answers;
}

interface CrdSpec {
  readonly group: string;
  readonly versions: readonly { readonly name: string }[];
  readonly names: { readonly plural: string };
}

/** The answers of one hub to a sequence, and then what a watch from its beginning reports. */
async function replay(client: RawClient, seed: number): Promise<readonly (readonly [Request, Answer])[]> {
  const { normalizer, send } = await startRun(client, String(seed));
  const starts: string[] = [];
  for (const path of [things, maps]) {
    starts.push(textAt((await send({ method: "GET", path })).body, "metadata", "resourceVersion") ?? "");
  }
  const answers: [Request, Answer][] = [];
  for (const request of makeSequence(seededRandom(seed), length)) {
    answers.push([request, normalizer.answer(await send(request))]);
    if (request.method !== "DELETE") continue;
    // The garbage collectors have their own pace.
    await until(
      () => send({ method: "GET", path: request.path }),
      ({ body }) => !textsAt(body, "metadata", "finalizers").some((one) => collectorFinalizers.includes(one)),
    );
  }
  for (const [index, path] of [things, maps].entries()) {
    const query = `watch=true&resourceVersion=${starts[index] ?? ""}&timeoutSeconds=1&fieldSelector=metadata.name!=kube-root-ca.crt`;
    const request: Request = { method: "GET", path: `${path}?${query}` };
    answers.push([{ method: "GET", path: `${path}?watch` }, normalizer.answer(await send(request))]);
  }
  return answers;
}

describe("the same requests", () => {
  const clients = twoHubs();

  it.each(seeds)("have the same answers on both hubs: sequence %i", async (seed) => {
    const [here = [], there = []] = await Promise.all(clients.map((client) => replay(client, seed)));
    expect(differencesOf(here, there).slice(0, 3)).toEqual([]);
    expect(here).toHaveLength(length + 2);
  });

  it.each(writtenSequences.map(({ name }, index) => [name, index] as const))(
    "have the same answers on both hubs: %s",
    async (_name, index) => {
      const [here = [], there = []] = await Promise.all(clients.map((client) => replayWritten(client, index)));
      expect(differencesOf(here, there).slice(0, 3)).toEqual([]);
      expect(here.length).toBeGreaterThan(0);
    },
  );
});

type Answered = readonly (readonly [Request, Answer])[];

/** Where two hubs answered the same requests differently, but for what may differ. */
function differencesOf(here: Answered, there: Answered): object[] {
  const versions = new Map<string, string>();
  return here.flatMap(([request, answer], index) => {
    const theirs = there[index]?.[1];
    if (theirs === undefined) throw new Error("the sequences have different lengths");
    const other = withVersions(theirs, versions);
    if (JSON.stringify(inKeyOrder(answer)) === JSON.stringify(inKeyOrder(other))) return [];
    const known = knownDifferences.find(({ isIt }) => isIt(request, answer, other));
    if (known === undefined) return [{ index, request, embedded: answer, real: other }];
    const [ours, real] = [answer, other].map(({ body }) => textAt(body, "metadata", "resourceVersion"));
    if (known.isOfVersion === true && ours !== undefined && real !== undefined) versions.set(real, ours);
    return [];
  });
}

/** With the versions that the embedded hub has for the same state. */
function withVersions(answer: Answer, versions: ReadonlyMap<string, string>): Answer {
  if (versions.size === 0) return answer;
  const text = JSON.stringify(answer).replaceAll(
    /"resourceVersion":"([^"]*)"/gu,
    (_match, version: string) => `"resourceVersion":"${versions.get(version) ?? version}"`,
  );
  return JSON.parse(text) as Answer;
}
