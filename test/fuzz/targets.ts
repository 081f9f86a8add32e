import { createHmac } from "node:crypto";
import { readWebhook } from "../../src/forge/read-webhook.ts";
import { differential } from "./differential-target.ts";
import { fileTargets } from "./file-targets.ts";
import { gitTargets } from "./git-targets.ts";
import { hubTargets } from "./hub-targets.ts";
import { joinTargets } from "./join-targets.ts";
import { memberTargets } from "./member-targets.ts";
import { randomJson, randomText } from "./random-input.ts";
import { patchTargets } from "./patch-targets.ts";
import { recordTargets } from "./record-targets.ts";
import type { Target } from "./target.ts";
import { inputOf, pure } from "./target.ts";
import { openTargets, textTargets } from "./text-targets.ts";
import { watchTargets } from "./watch-targets.ts";

const secret = "secret-of-the-hook";

const webhooks: Target = {
  seeds: [inputOf("", '{"ref":"refs/heads/main","repository":{"full_name":"a/b"}}')],
  generate: (dice) => {
    const body = { ref: randomJson(dice, 1), repository: randomJson(dice), [randomText(dice)]: randomJson(dice) };
    return inputOf("", JSON.stringify(body));
  },
  open: pure(({ bytes: body }) => {
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const headers = { "x-github-event": "push", "x-hub-signature-256": `sha256=${signature}` };
    return readWebhook({ headers, body, secrets: [secret] });
  }),
};

/** Targets that need more than Node.js, or have open findings: they are tried when they are named, and are no part of `all`. */
export const namedTargets: Readonly<Record<string, Target>> = { differential, ...openTargets };

export const targets: Readonly<Record<string, Target>> = {
  ...hubTargets,
  ...patchTargets,
  ...watchTargets,
  ...memberTargets,
  ...recordTargets,
  ...fileTargets,
  ...gitTargets,
  ...joinTargets,
  ...textTargets,
  webhooks,
};
