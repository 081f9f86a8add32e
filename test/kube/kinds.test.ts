import process from "node:process";
import { expect, it } from "vitest";
import type { Json } from "../../src/core/json.ts";
import { isJsonObject } from "../../src/core/json.ts";
import { objectsAt, textAt } from "../../src/core/read-json.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { until } from "../support/until.ts";
import { twoHubs } from "../support/two-hubs.ts";
import { makeKindSequence } from "./differential/kind-sequences.ts";
import { Normalizer } from "./differential/replay.ts";
import type { Answer, RawClient, Request } from "./differential/replay.ts";

/** Others on demand: ROLLCALL_KINDS_SEEDS=100,101 and ROLLCALL_KINDS_LENGTH=2000. */
const seeds = (process.env["ROLLCALL_KINDS_SEEDS"] ?? "1,2,3").split(",").map(Number);
const length = Number(process.env["ROLLCALL_KINDS_LENGTH"] ?? "300");

const clients = twoHubs();

async function replay(client: RawClient, seed: number): Promise<(readonly [Request, Json])[]> {
  const namespace = `kinds-${process.pid}-${seed}`;
  await client.send({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } });
  for (const path of [`serviceaccounts/default`, `configmaps/kube-root-ca.crt`]) {
    await until(
      () => client.send({ method: "GET", path: `/api/v1/namespaces/${namespace}/${path}` }),
      ({ code }) => code === 200,
    );
  }
  const normalizer = new Normalizer([[namespace, "NS"]]);
  const answers: (readonly [Request, Json])[] = [];
  for (const { path, body, ...rest } of makeKindSequence(seededRandom(seed), length)) {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const filled = text === undefined ? {} : { body: text.replaceAll("NS", namespace) };
    const answer = await client.send({ ...rest, path: path.replaceAll("NS", namespace), ...filled });
    answers.push([{ path, ...(body === undefined ? {} : { body }), ...rest }, viewOf(normalizer.answer(answer))]);
  }
  await client.send({ method: "DELETE", path: `/api/v1/namespaces/${namespace}` });
  return answers;
}

/** What controllers of the hubs write in their own time is left out: status, its owners, versions and ages. */
function viewOf({ code, warnings: all, body }: Answer): Json {
  // The embedded hub reports what it does not do.
  const warnings = all.filter((text) => !/this hub (?:calls no admission webhooks|has no controller)/u.test(text));
  if (code < 300) return [code, [...warnings], steady(body)];
  const message = (textAt(body, "message") ?? "").replace(/ of type \S+$/u, " of type T");
  const causes = objectsAt(body, "details", "causes").map((cause) => JSON.stringify(cause));
  return [
    code,
    [...warnings],
    textAt(body, "reason") ?? "",
    code === 422 ? [...new Set(causes.map(withoutMemory))].sort() : [message],
  ];
}

/** kube-apiserver shows some objects in the form and the order of its own memory. */
function withoutMemory(cause: string): string {
  return cause
    .replace(/(previously negative\)).*(","field")/u, "$1$2")
    .replace(/Invalid value: \\"\{.*\}\\": strict decoding/u, "Invalid value: OBJECT: strict decoding")
    .replace(/Invalid value: \{\\".*\}: field is immutable/u, "Invalid value: OBJECT: field is immutable");
}

function steady(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(steady);
  if (typeof value === "string") {
    return (
      value
        .replace(/^(?:\d+[smh])+$/u, "<age>")
        .replace(/^kube-api-access-[a-z0-9]{5}$/u, "<token volume>")
        .replace(/^X509SHA256=[0-9a-f]{64}$/u, "<certificate>")
        // Each hub has a range of its own.
        .replace(/^10\.(?:0\.0|96\.\d+)\.\d+$/u, "<cluster IP>")
    );
  }
  if (!isJsonObject(value)) return value;
  const isDeleted = textAt(value, "object", "metadata", "deletionTimestamp") !== undefined;
  const entries = Object.entries(value).flatMap(([key, item]): [string, Json][] => {
    if (["status", "resourceVersion", "description"].includes(key) || item === undefined) return [];
    // The collector of Pods reports a deleted one without a node as failed, up to 20 s later.
    // The controller of Jobs reports a suspended one as suspended.
    if (key === "cells" && !isDeleted) return [[key, JSON.stringify(steady(item)).replace('"Suspended"', '"Running"')]];
    if (key === "cells" && isDeleted) return [[key, JSON.stringify(steady(item)).replace('"Failed"', '"Terminating"')]];
    if (key !== "managedFields" || !Array.isArray(item)) return [[key, steady(item)]];
    const clients = (item as readonly Json[]).filter(
      (entry) => textAt(entry, "subresource") !== "status" && textAt(entry, "manager") !== "kube-controller-manager",
    );
    return [[key, clients.map(steady)]];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** kube-apiserver validates the status of a Service that is not there as a new Service. */
function isMissingStatus({ method, path }: Request, answer: Json): boolean {
  return method === "PUT" && path.includes("/status") && Array.isArray(answer) && answer[0] === 404;
}

it.each(seeds)(
  "all verbs on all kinds have the same answers on both hubs: sequence %i",
  { timeout: 3_600_000 },
  async (seed) => {
    const [here = [], there = []] = await Promise.all(clients.map((client) => replay(client, seed)));
    const differences = here.flatMap(([request, answer], index) => {
      const other = there[index]?.[1] ?? null;
      if (JSON.stringify(answer) === JSON.stringify(other) || isMissingStatus(request, answer)) return [];
      return [{ index, request, embedded: answer, real: other }];
    });
    expect(differences.slice(0, 3)).toEqual([]);
    expect(here).toHaveLength(length);
  },
);
