import { createHash, createHmac } from "node:crypto";
import { readWebhook } from "../../src/forge/read-webhook.ts";
import { parseCommit } from "../../src/git/objects/commit-format.ts";
import { checkPack } from "../../src/git/wire/pack-file.ts";
import { readPackets } from "../../src/git/wire/pkt-line.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { checkFleet } from "../../src/manifests/check-fleet.ts";
import { createFileParser } from "../../src/manifests/parse-file.ts";
import { hubTargets } from "./hub-targets.ts";
import { randomJson, randomText } from "./random-input.ts";
import type { Input, Target } from "./target.ts";
import { inputOf, pure } from "./target.ts";

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

async function readAllPackets({ bytes }: Input): Promise<void> {
  const chunks = async function* () {
    yield bytes;
  };
  for await (const packet of readPackets(chunks())) void packet;
}

const parse = createFileParser();
const packHeader = Buffer.from("5041434b0000000200000000", "hex");
/** A pack of no objects, closed by its SHA-1 as git writes it. */
const emptyPack = Buffer.concat([packHeader, createHash("sha1").update(packHeader).digest()]);
export const targets: Readonly<Record<string, Target>> = {
  ...hubTargets,
  files: {
    seeds: [inputOf("", clusterText), inputOf("", `${clusterText}---\n${clusterText}`)],
    generate: (dice) =>
      inputOf("", `${clusterText}${dice.pick(["  ", ""])}${randomText(dice)}: ${JSON.stringify(randomJson(dice))}\n`),
    open: pure(({ bytes }) => {
      const parsed = parse({ path: "clusters/a.yaml", blobId: "b", bytes });
      checkFleet([parsed], { defaultWorkspace: "fleet" });
    }),
  },
  kubeconfigs: {
    seeds: [inputOf("", kubeconfigText)],
    generate: (dice) => inputOf("", `${kubeconfigText}${randomText(dice)}: ${JSON.stringify(randomJson(dice))}\n`),
    open: pure(({ bytes }) => readKubeconfig(Buffer.from(bytes).toString("utf8"))),
  },
  webhooks: {
    seeds: [inputOf("", '{"ref":"refs/heads/main","repository":{"full_name":"a/b"}}')],
    generate: (dice) =>
      inputOf(
        "",
        JSON.stringify({
          ref: randomJson(dice, 1),
          repository: randomJson(dice),
          [randomText(dice)]: randomJson(dice),
        }),
      ),
    open: pure(({ bytes: body }) => {
      const signature = createHmac("sha256", secret).update(body).digest("hex");
      const headers = { "x-github-event": "push", "x-hub-signature-256": `sha256=${signature}` };
      return readWebhook({ headers, body, secrets: [secret] });
    }),
  },
  git: {
    seeds: [
      inputOf("", "0032want 0123456789012345678901234567890123456789\n0000"),
      inputOf(
        "",
        "tree 0123456789012345678901234567890123456789\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nx\n",
      ),
      inputOf("", emptyPack),
    ],
    generate: (dice) => inputOf("", `${dice.below(65_536).toString(16).padStart(4, "0")}${randomText(dice)}0000`),
    open: async () => {
      const takes = await Promise.all(
        [
          readAllPackets,
          ({ bytes }: Input) => checkPack(Buffer.from(bytes)),
          ({ bytes }: Input) => parseCommit("0".repeat(40), bytes),
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
