import type { Answer, TestClient } from "../contract/embedded-hub/hub-client.ts";
import { adminClient, startTestHub, tlsOf } from "../contract/embedded-hub/hub-client.ts";
import { startControlPlane } from "../support/control-plane.ts";
import { until } from "../support/until.ts";
import { objectExamples } from "./object-examples.ts";
import { shaken } from "./random-input.ts";
import type { Input, Target } from "./target.ts";
import { inputOf } from "./target.ts";

/** Edges of formats, sizes, signs and enumerations. */
const edges = [
  ...[
    "",
    "a-",
    "-a",
    "A",
    "a b",
    "a/b",
    "a/b/c",
    "a..b",
    "0",
    "é",
    "a".repeat(64),
    "a".repeat(254),
    "10d",
    "1Gi",
    "1x",
  ],
  ...["-1", "101%", "In", "Always", "TCP", "UDP", "None", "10.0.0.1", "::1", "2026-13-01T00:00:00Z", "../a", "/", "*"],
  ...[
    0,
    -1,
    1,
    65536,
    2 ** 31,
    2 ** 53,
    0.5,
    1e30,
    true,
    false,
    null,
    [],
    {},
    [null],
    [""],
    [{}],
    { a: "b" },
    { a: null },
  ],
];

/**
 * What the embedded hub accepts, a real API server accepts too: both are asked to create the same object, as a dry run.
 * It needs KUBEBUILDER_ASSETS. One difference of each kind is reported.
 */
export const differential: Target = {
  seeds: Object.entries(objectExamples).map(([path, example]) => inputOf(nameOf(path), JSON.stringify(example))),
  generate: (dice) => {
    const path = dice.pick(Object.keys(objectExamples));
    return inputOf(nameOf(path), JSON.stringify(shaken(dice, objectExamples[path], edges)) ?? "");
  },
  open: async () => {
    const [hub, plane] = await Promise.all([startTestHub(), startControlPlane()]);
    const real = adminClient(plane.server, tlsOf(plane.kubeconfig));
    const account = { path: "/api/v1/namespaces/default/serviceaccounts/default" };
    for (const client of [hub, real])
      await until(
        () => client.call(account),
        ({ statusCode }) => statusCode === 200,
      );
    const known = new Set<string>();
    return {
      take: async (input) => {
        const [ours, theirs] = await Promise.all([send(hub, input), send(real, input)]);
        const isDifference = ours.statusCode < 300 && theirs.statusCode >= 400 && theirs.statusCode < 500;
        const id = `${input.form} ${messageOf(theirs)}`;
        if (!isDifference || known.has(id)) return;
        known.add(id);
        throw new Error(`accepted here, refused there with ${theirs.statusCode}: ${theirs.text.slice(0, 600)}`);
      },
      close: async () => {
        real.close();
        await hub.stop();
        await plane.stop();
      },
    };
  },
};

function send(client: Pick<TestClient, "call">, { form, bytes }: Input): Promise<Answer> {
  const path = Object.keys(objectExamples).find((one) => nameOf(one) === form) ?? "";
  return client.call({
    method: "POST",
    path: `${path}?dryRun=All&fieldValidation=Strict`,
    body: Buffer.from(bytes),
    headers: { "content-type": "application/json" },
  });
}

function nameOf(path: string): string {
  return path.split("/").at(-1) ?? "";
}

/** Without what differs between two inputs with one cause. */
function messageOf({ text }: Answer): string {
  const message = /"message":"((?:[^"\\]|\\.)*)"/u.exec(text)?.[1] ?? text;
  return message.replaceAll(/\\"(?:[^"\\]|\\\\.)*?\\"|\d+|"[^"]*"/gu, "_").slice(0, 160);
}
