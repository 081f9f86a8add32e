import { createHmac } from "node:crypto";
import { isAppError } from "../../src/core/errors.ts";
import { readWebhook } from "../../src/forge/read-webhook.ts";
import { parseCommit } from "../../src/git/objects/commit-format.ts";
import { checkPack } from "../../src/git/wire/pack-file.ts";
import { readPackets } from "../../src/git/wire/pkt-line.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { checkFleet } from "../../src/manifests/check-fleet.ts";
import { createFileParser } from "../../src/manifests/parse-file.ts";
import { startTestHub } from "../contract/embedded-hub/hub-client.ts";
import type { Dice } from "./random-input.ts";
import { randomJson, randomText } from "./random-input.ts";

/** Something that takes bytes of others. `take` resolves for every input that is taken or refused as it should be. */
export interface Target {
  /** Inputs that have a meaning; mutations begin with them. */
  readonly seeds: readonly (string | Uint8Array)[];
  readonly generate: (dice: Dice) => string;
  readonly open: () => Promise<{
    readonly take: (input: Uint8Array) => Promise<void>;
    readonly close: () => Promise<void>;
  }>;
}

const clusterText = `apiVersion: rollcall.dev/v1alpha1
kind: Cluster
metadata:
  name: eu-1
  labels: { env: prod }
spec:
  displayName: Europe
  kubeConfigSecretRef: { name: k }
`;
const kubeconfigText = `apiVersion: v1
kind: Config
current-context: a
contexts: [{ name: a, context: { cluster: a, user: a } }]
clusters: [{ name: a, cluster: { server: "https://a.example" } }]
users: [{ name: a, user: { token: abc } }]
`;
const secret = "secret-of-the-hook";

/** A target without anything to open. A refusal is an AppError that is no bug. */
function pure(take: (input: Uint8Array) => unknown): Target["open"] {
  const guarded = async (input: Uint8Array): Promise<void> => {
    try {
      await take(input);
    } catch (error) {
      if (!isAppError(error) || error.recovery === "bug") throw error;
    }
  };
  return async () => ({ take: guarded, close: async () => undefined });
}

async function readAllPackets(input: Uint8Array): Promise<void> {
  const chunks = async function* () {
    yield input;
  };
  for await (const packet of readPackets(chunks())) void packet;
}

/** The first byte says how, the rest is the body of a dry run, or the path and the query. */
function hubTarget(kind: "api" | "paths"): Target["open"] {
  const types = [
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "application/merge-patch+json",
    "application/json-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
  ];
  return async () => {
    const hub = await startTestHub();
    const configMaps = "/api/v1/namespaces/default/configmaps";
    await hub.call({ method: "POST", path: configMaps, body: { metadata: { name: "a" }, data: { x: "1" } } });
    const send = async (input: Uint8Array): Promise<number> => {
      const index = (input[0] ?? 0) % types.length;
      const body = Buffer.from(input.subarray(1));
      if (kind === "paths") {
        const path = `/${body.toString("latin1").replace(/[^!-~]/gu, "%01")}`;
        return (
          await hub.call({ method: index === 0 ? "DELETE" : "GET", path: index === 0 ? `${path}?dryRun=All` : path })
        ).statusCode;
      }
      const query = "?dryRun=All&fieldManager=fuzz";
      const headers = { "content-type": types[index] ?? "" };
      if (index < 3) return (await hub.call({ method: "POST", path: configMaps + query, body, headers })).statusCode;
      return (await hub.call({ method: "PATCH", path: `${configMaps}/a${query}`, body, headers })).statusCode;
    };
    return {
      take: async (input) => {
        const status = await send(input);
        if (status >= 500 && status !== 501) throw new Error(`the hub answers ${status}`);
      },
      close: () => hub.stop(),
    };
  };
}

const parse = createFileParser();
const pathParts = [
  "api/v1",
  "apis/apps/v1",
  "watch",
  "namespaces",
  "default",
  "pods",
  "configmaps",
  "a",
  "status",
  "log",
  "..",
  "%2f",
  "%00",
  ";",
  "",
];
const queryKeys = [
  "fieldSelector",
  "labelSelector",
  "limit",
  "continue",
  "resourceVersion",
  "timeoutSeconds",
  "pretty",
  "dryRun",
];

export const targets: Readonly<Record<string, Target>> = {
  api: {
    seeds: [
      '0{"metadata":{"name":"a"}}',
      "1metadata: {name: a}\n",
      '3{"data":{"x":null}}',
      '4[{"op":"add","path":"/data/y","value":"1"}]',
    ],
    generate: (dice) =>
      `${dice.below(7)}${JSON.stringify({ metadata: { name: randomText(dice) }, data: randomJson(dice, 3) })}`,
    open: hubTarget("api"),
  },
  paths: {
    seeds: ["1api/v1/namespaces/default/configmaps?limit=1", "1apis/apps/v1/deployments?labelSelector=a%3Db"],
    generate: (dice) => {
      const path = Array.from({ length: 1 + dice.below(7) }, () => dice.pick(pathParts)).join(
        dice.next() < 0.95 ? "/" : "//",
      );
      return `${dice.below(2)}${path}?${dice.pick(queryKeys)}=${randomText(dice)}`;
    },
    open: hubTarget("paths"),
  },
  files: {
    seeds: [clusterText, `${clusterText}---\n${clusterText}`],
    generate: (dice) =>
      `${clusterText}${dice.pick(["  ", ""])}${randomText(dice)}: ${JSON.stringify(randomJson(dice))}\n`,
    open: pure((input) => {
      const parsed = parse({ path: "clusters/a.yaml", blobId: "b", bytes: input });
      checkFleet([parsed], { defaultWorkspace: "fleet" });
    }),
  },
  kubeconfigs: {
    seeds: [kubeconfigText],
    generate: (dice) => `${kubeconfigText}${randomText(dice)}: ${JSON.stringify(randomJson(dice))}\n`,
    open: pure((input) => readKubeconfig(Buffer.from(input).toString("utf8"))),
  },
  webhooks: {
    seeds: ['{"ref":"refs/heads/main","repository":{"full_name":"a/b"}}'],
    generate: (dice) =>
      JSON.stringify({ ref: randomJson(dice, 1), repository: randomJson(dice), [randomText(dice)]: randomJson(dice) }),
    open: pure((body) => {
      const signature = createHmac("sha256", secret).update(body).digest("hex");
      const headers = { "x-github-event": "push", "x-hub-signature-256": `sha256=${signature}` };
      return readWebhook({ headers, body, secrets: [secret] });
    }),
  },
  git: {
    seeds: [
      "0032want 0123456789012345678901234567890123456789\n0000",
      "tree 0123456789012345678901234567890123456789\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nx\n",
      Buffer.from("5041434b000000020000000029d08b23bd59d1ea", "hex"),
    ],
    generate: (dice) => `${dice.below(65_536).toString(16).padStart(4, "0")}${randomText(dice)}0000`,
    open: async () => {
      const takes = await Promise.all(
        [
          readAllPackets,
          (input: Uint8Array) => checkPack(Buffer.from(input)),
          (input: Uint8Array) => parseCommit("0".repeat(40), input),
        ].map((take) => pure(take)()),
      );
      return {
        take: async (input) => {
          for (const { take } of takes) await take(input);
        },
        close: async () => undefined,
      };
    },
  },
};
