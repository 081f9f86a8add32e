import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

interface Line {
  /** `src/kube/transport.ts: <text>`. */
  readonly text: string;
  readonly file: string;
}

function linesOf(folders: readonly string[]): Line[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, "src", folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) => {
        const file = `src/${folder}/${name}`;
        return readFileSync(join(root, file), "utf8")
          .split("\n")
          .map((text) => ({ file, text: `${file}: ${text.trim()}` }));
      }),
  );
}

/** Files that show a message which is no text of another server, and what it is. */
const ownMessages: Readonly<Record<string, string>> = {
  "src/kube/explain-unserved.ts": "takes the end off an AppError that kube-errors made",
  "src/kube/kube-errors.ts": "wraps an AppError; texts of Status objects pass cleanRemoteText",
  "src/kube/read-trusted-kubeconfig.ts": "why a kubeconfig is refused, in our words",
  "src/kube/plugin-credentials.ts": "a program of this machine that the user's own kubeconfig names",
  "src/git/signing/verify-commit.ts": "why a key is refused, in our words",
  "src/git/signing/allowed-signers.ts": "why a key is refused, in our words",
  "src/git/engine/local-engine.ts": "why an object cannot be parsed, in our words",
  "src/git/engine/ssh-refusal.ts": "shows a part of it, which passes cleanRemoteText: ssh-refusal.test.ts",
  "src/git/engine/native-git.ts": "collects the output; its callers show it",
};

describe("text of another server", () => {
  it("A55 passes cleanRemoteText where a message shows it", () => {
    const shown = linesOf(["http", "kube", "git", "forge"]).filter(
      ({ text, file }) =>
        /(?:error|cause|key|parsed)\.message\b|errorText|statusText|statusMessage|String\(error\)/u.test(text) &&
        !/cleanRemoteText|sshRefusal\(|isUnreachable\(/u.test(text) &&
        !/explain: async \(/u.test(text) &&
        !(file in ownMessages),
    );
    expect(shown.map(({ text }) => text)).toEqual([
      // An error that is none: nothing of a server.
      "src/kube/transport.ts: if (!(error instanceof Error)) return String(error);",
    ]);
  });

  it("A55 of an agent reaches a status by readReportedFacts alone", () => {
    const direct = linesOf(["hub", "daemon", "reconcile", "review", "recovery"]).filter(
      ({ text }) => /\.factsOf\(/u.test(text) && !/\.factsOf\(.*\)\.hasJoined\b/u.test(text),
    );
    expect(direct.map(({ file }) => file)).toEqual(["src/hub/reported-facts.ts"]);
  });
});
