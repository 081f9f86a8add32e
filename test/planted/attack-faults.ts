import type { PlantedFault } from "./faults.ts";

/** A mechanism of docs/security.md that is taken away; a test of its number notices. */
export interface AttackFault extends PlantedFault {
  /** The row of docs/security.md. */
  readonly number: string;
  readonly project: "unit" | "contract";
  /** A test file of that row. */
  readonly test: string;
  /** Titles (a regular expression) that are run where the tests build on each other. Default: those of the number. */
  readonly story?: string;
}

const unit = (
  number: string,
  name: string,
  test: string,
  fault: Pick<AttackFault, "file" | "from" | "to" | "story">,
): AttackFault => ({
  number,
  name,
  project: "unit",
  test: `test/unit/${test}`,
  ...fault,
});
const contract = (...args: Parameters<typeof unit>): AttackFault => {
  const [number, name, test, fault] = args;
  return {
    number,
    name,
    project: "contract",
    test: `test/contract/${test}`,
    ...fault,
  };
};

export const attackFaults: readonly AttackFault[] = [
  contract("A4", "the name of the answer in the rule for Fleet's agents", "fleet/embedded.test.ts", {
    story: "an agent whose cluster is declared",
    file: "src/join/fleet/hub/desired-objects.ts",
    from: "resourceNames: [answer], ",
    to: "",
  }),
  unit("A10", "the refusal of kubeconfigs that run programs", "kube/read-kubeconfig.test.ts", {
    file: "src/kube/read-kubeconfig.ts",
    from: "  refuseAllBut(allowedUserFields, user);\n",
    to: "",
  }),
  unit("A10", "the refusal of kubeconfigs without TLS", "kube/read-kubeconfig.test.ts", {
    file: "src/kube/read-kubeconfig.ts",
    from: "  refuseAllBut(allowedClusterFields, cluster);\n",
    to: "",
  }),
  unit("A11", "links in a tree as problems", "manifests/select-files.test.ts", {
    file: "src/manifests/select-files.ts",
    from: 'mode === "link"',
    to: "false",
  }),
  unit("A12", "names of .. in a tree", "git/names.test.ts", {
    file: "src/git/objects/unsafe-name.ts",
    from: 'visible === ".." || ',
    to: "",
  }),
  unit("A14", "O_NOFOLLOW", "work-tree/read-work-tree.test.ts", {
    file: "src/work-tree/read-work-tree.ts",
    from: "constants.O_NOFOLLOW | ",
    to: "",
  }),
  unit("A14", "the comparison of the path that was opened", "work-tree/read-work-tree.test.ts", {
    file: "src/work-tree/read-work-tree.ts",
    from: "!isAtPath(descriptor, join(realpathSync(root), path))",
    to: "false",
  }),
  unit("A16", "the bound of objects of a pack", "git/packs.test.ts", {
    file: "src/git/wire/index-pack.ts",
    from: "objectCount > maximumObjects",
    to: "false",
  }),
  unit("A16", "the bound of what a delta makes", "git/packs.test.ts", {
    file: "src/git/wire/pack-objects.ts",
    from: "sizeBytes > budget.maximumObjectBytes) {\n      leaveOut(object, sizeBytes);\n      settle(object, undefined);",
    to: "false) {\n      leaveOut(object, sizeBytes);\n      settle(object, undefined);",
  }),
  unit("A24", "the refusal of folders of this machine", "git/wire/remote-url.test.ts", {
    file: "src/git/wire/remote-url.ts",
    from: 'if (!isLocalAllowed) throw refused(text, "folders',
    to: 'if (false) throw refused(text, "folders',
  }),
  unit("A25", "the refusal of hosts that are options", "git/wire/remote-url.test.ts", {
    file: "src/git/wire/remote-url.ts",
    from: 'host.startsWith("-") || ',
    to: "",
  }),
  unit("A27", ".git in a tree", "git/names.test.ts", {
    file: "src/git/objects/unsafe-name.ts",
    from: 'base === ".git" || ',
    to: "",
  }),
  unit("A29", "the check of the host key", "git/engine/ssh-access.test.ts", {
    file: "src/git/engine/ssh-access.ts",
    from: "StrictHostKeyChecking=yes",
    to: "StrictHostKeyChecking=no",
  }),
  contract("A30", "the refusal of redirects to another origin", "git/http-security.test.ts", {
    file: "src/http/redirect.ts",
    from: "target.origin === from.origin && ",
    to: "",
  }),
  unit("A31", "the time for which a signer is listed", "signatures/verify-commit.test.ts", {
    file: "src/git/signing/verify-commit.ts",
    from: "if (signer === undefined)",
    to: "if (false)",
  }),
  unit("A32", "the check of a webhook's signature", "forge/read-webhook.test.ts", {
    file: "src/forge/read-webhook.ts",
    from: "if (passed.length === 0)",
    to: "if (false)",
  }),
  unit("A32", "the refusal of webhooks without a signature", "forge/read-webhook.test.ts", {
    file: "src/forge/read-webhook.ts",
    from: 'if (checks.length === 0) return { kind: "refused", reason: "unsigned" };',
    to: "",
  }),
  unit("A34", "the bound of a webhook's body at the reader", "forge/read-webhook.test.ts", {
    file: "src/forge/read-webhook.ts",
    from: "if (body.byteLength > maximumBytes)",
    to: "if (false)",
  }),
  unit("A34", "the bound of a webhook's body at the route", "web/webhook-route.test.ts", {
    file: "src/web/webhook-route.ts",
    from: "await readBody(maximumBytes)",
    to: "await readBody(1e9)",
  }),
  unit("A34", "the look at a webhook's headers before its body", "web/webhook-route.test.ts", {
    file: "src/web/webhook-route.ts",
    from: "!(await isSigned(headers))",
    to: "false",
  }),
  unit("A35", "redaction of errors", "core/remote-text.test.ts", {
    file: "src/core/redact-error.ts",
    from: "const message = redact(error.message, secrets);",
    to: "const message = error.message;",
  }),
  unit("A35", "redaction of tokens by their form", "core/remote-text.test.ts", {
    file: "src/core/remote-text.ts",
    from: 'tokenStart.test(run) ? "***" : run',
    to: "run",
  }),
  contract("A35", "the git engine that redacts", "git/http-security.test.ts", {
    file: "src/git/engine/open-git-engine.ts",
    from: "return redactingEngine(await openPlainEngine(remembering), secrets);",
    to: "void secrets; void redactingEngine; return openPlainEngine(remembering);",
  }),
  unit("A44", "control characters for a terminal", "core/printable.test.ts", {
    file: "src/core/printable.ts",
    from: "\\p{Cc}",
    to: "",
  }),
  unit("A44", "marks that turn the direction of writing", "core/printable.test.ts", {
    file: "src/core/printable.ts",
    from: "\\u202a-\\u202e",
    to: "",
  }),
  unit("A57", "the place where a delta's base starts", "git/packs.test.ts", {
    file: "src/git/wire/pack-objects.ts",
    from: 'if (!found) throw protocolError("the pack has a delta that builds on no earlier object of it");',
    to: 'if (!found) return "";',
  }),
  unit("A57", "the time for a pack", "git/packs.test.ts", {
    file: "src/git/wire/take-turns.ts",
    from: "sinceMs - startMs > maximumMs",
    to: "false",
  }),
  contract("A57", "the count of lines of a list of refs", "git/many-refs.test.ts", {
    file: "src/git/wire/remote-refs.ts",
    from: "count += 1;",
    to: "",
  }),
  contract("A57", "the memory of a process of native git", "git/native-bombs.test.ts", {
    file: "src/git/engine/native-git.ts",
    from: "`-d ${Math.floor(memoryBytes / 1024)}`,",
    to: "",
  }),
  contract("A57", "the deletion of unfinished packs", "git/native-bombs.test.ts", {
    file: "src/git/engine/native-engine.ts",
    from: "await copy.removeUnfinished();",
    to: "",
  }),
  unit("A60", "the count of connections of one address", "embedded-hub/http/stranger-bound.test.ts", {
    file: "src/embedded-hub/http/stranger-bound.ts",
    from: "own.size > limits.strangersOfAddress",
    to: "false",
  }),
  unit("A60", "the count of connections in all", "embedded-hub/http/stranger-bound.test.ts", {
    file: "src/embedded-hub/http/stranger-bound.ts",
    from: "openCount > limits.inAll",
    to: "false",
  }),
  contract("A60", "the time for a handshake", "embedded-hub/strangers.test.ts", {
    file: "src/embedded-hub/http/http-server.ts",
    from: "handshakeTimeout: limits.handshakeMs",
    to: "handshakeTimeout: 120_000",
  }),
];
