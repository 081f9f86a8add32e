import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** The rooms that write conditions, refusals and Events of objects on the hub. */
const rooms = ["planning", "hub", "publish", "join", "reconcile", "daemon"];

/** Of an API server's answers, or texts that agents of other projects compare. Their own documents explain them. */
const ofOthers = new Set([
  ...["Forbidden", "Error", "Healthy", "Unhealthy", "ApiServerNotReady"],
  ...["NamespaceCreated", "RoleCreated", "RoleBindingCreated", "InternalMemberClusterCreated"],
  ...["InternalMemberClusterStatusUpdated", "ReconcileInternalMemberClusterStatus"],
]);

/** The place of a reason: a field of that name, or what gives a refusal or a result its reason. */
const givers = [
  /\breason(?::| =) (?:[\w.]+ \? )?"([A-Z][A-Za-z]+)"(?: [:|] "([A-Z][A-Za-z]+)")?(?: \| "([A-Z][A-Za-z]+)")?/gu,
  /\b(?:refuse|missing|report)\(\s*(?:[a-z.]+,\s*)?(?:[^"()]* \? )?"([A-Z][A-Za-z]+)"(?: : "([A-Z][A-Za-z]+)")?/gu,
  /\bresult\(\s*"[A-Z][a-z]+",\s*"([A-Z][A-Za-z]+)"/gu,
  /\bconst \w+ = "([A-Z][A-Za-z]+OtherHub)"/gu,
];

/** Where pages of refusals have theirs: a key with a sentence, or a case that returns one. */
const giversOfRefusals = [
  /^ {2}([A-Z][A-Za-z]+):(?: "|$)/gmu,
  /^ {4}case "([A-Z][A-Za-z]+)":\n {6}return (?:"|`|\(\n)/gmu,
  /^ {6}return \[\s*"([A-Z][A-Za-z]+)",/gmu,
];

function reasonsIn(text: string, file: string): string[] {
  const hasSentences = file.endsWith("refusals.ts") || file.endsWith("follow-hub.ts");
  return [...givers, ...(hasSentences ? giversOfRefusals : [])].flatMap((giver) =>
    [...text.matchAll(giver)].flatMap((match) => match.slice(1).filter((reason) => reason !== undefined)),
  );
}

it("docs/reasons.md explains each reason of a condition, a refusal or an Event, and no other", () => {
  const files = rooms.flatMap((room) =>
    readdirSync(join(root, "src", room), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => `src/${room}/${name}`),
  );
  const used = new Set(files.flatMap((file) => reasonsIn(readFileSync(join(root, file), "utf8"), file)));
  const page = readFileSync(join(root, "docs/reasons.md"), "utf8");
  const explained = [...page.matchAll(/^\| `([A-Z][A-Za-z]+)`/gmu)].map(([, reason]) => reason);
  const wanted = [...used].filter((reason) => !ofOthers.has(reason));
  expect([...new Set(explained)].sort()).toEqual(wanted.sort());
});
