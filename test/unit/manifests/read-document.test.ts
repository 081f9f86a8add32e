import { describe, expect, it } from "vitest";
import { slashComment } from "../../../src/manifests/explain-yaml-error.ts";
import { createDocumentReader } from "../../../src/manifests/read-document.ts";
import { readYaml } from "../../../src/manifests/read-yaml.ts";

const readDocument = createDocumentReader();
const ours = "apiVersion: rollcall.dev/v1alpha1";

function read(text: string) {
  const [document] = readYaml(text).documents;
  if (document === undefined) throw new Error("no document");
  return readDocument(document);
}

describe("a document without an apiVersion or a kind", () => {
  it.each([
    { text: `${ours}\nknid: Cluster\n`, at: "knid", message: 'kind is missing, did you mean it by "knid"?' },
    { text: `${ours}\nkind: 5\n`, at: "kind", message: "kind is no text" },
    { text: `${ours}\nmetadata: {}\n`, at: "apiVersion", message: "kind is missing" },
    { text: "apiVersion: fleet.cattle.io/v1alpha1\n", at: "apiVersion", message: "kind is missing" },
  ])("is refused when the apiVersion is ours: $text", ({ text, at, message }) => {
    expect(read(text)).toEqual({
      object: undefined,
      isUnidentified: true,
      findings: [
        {
          code: "E_UNKNOWN_KIND",
          place: { path: [at], part: "value" },
          message,
          fix: "Write the kind, for example kind: Cluster.",
        },
      ],
    });
  });

  it.each([
    {
      text: "apiversion: x\nkind: Cluster\nmetadata: {}\n",
      at: "apiversion",
      message: 'apiVersion is missing, did you mean it by "apiversion"?',
    },
    { text: "apiVersion: 1\nkind: Policy\nmetadata: {}\n", at: "apiVersion", message: "apiVersion is no text" },
    { text: "metadata: {}\nkind: ClusterGroup\n", at: "metadata", message: "apiVersion is missing" },
  ])("is refused when the kind is ours and it has metadata: $text", ({ text, at, message }) => {
    expect(read(text)).toMatchObject({
      isUnidentified: true,
      findings: [
        {
          code: "E_UNKNOWN_KIND",
          place: { path: [at], part: "value" },
          message,
          fix: "Write apiVersion: rollcall.dev/v1alpha1.",
        },
      ],
    });
  });

  it.each([
    { text: "apiversion: rollcall.dev/v1alpha1\nKind: Cluster\n", at: "apiversion" },
    { text: "ApiVersion: fleet.cattle.io/v1alpha1\nkind: Clutser\nmetadata: {}\n", at: "ApiVersion" },
  ])("is refused when a misspelt apiVersion is ours: $text", ({ text, at }) => {
    const written = text.split(/: |\n/u)[1];
    expect(read(text)).toMatchObject({
      isUnidentified: true,
      findings: [
        {
          code: "E_UNKNOWN_KIND",
          place: { path: [at], part: "value" },
          message: `apiVersion is missing, did you mean it by "${at}"?`,
          fix: `Write apiVersion: ${written}.`,
        },
      ],
    });
  });

  it("is refused for a comment of JavaScript that has become a part of its first key", () => {
    const text = '{ // comment\n  "apiVersion": "rollcall.dev/v1alpha1",\n  "kind": "Cluster",\n  "metadata": {}\n}\n';
    expect(read(text)).toEqual({
      object: undefined,
      isUnidentified: true,
      findings: [{ code: "E_YAML", place: { path: ['// comment "apiVersion"'], part: "key" }, ...slashComment }],
    });
  });

  it.each([
    "kind: Cluster\n",
    "apiversion: apps/v1\nKind: Cluster\n",
    "apiversion: v1\nKind: Cluster\n",
    "apiversion: 5\nKind: Cluster\n",
    "kind: Pod\nmetadata: {}\n",
    "kind: 5\nmetadata: {}\n",
    "apiVersion: v1\n",
    "apiVersion: apps/v1\nmetadata: {}\n",
    "apiVersion: 5\nkind: 6\n",
    "{}\n",
  ])("is another program's: %j", (text) => {
    expect(read(text)).toEqual({ object: undefined, findings: [], isUnidentified: false });
  });
});

describe("a list", () => {
  const list = (...items: string[]): string =>
    `apiVersion: v1\nkind: List\nitems:\n${items.map((item) => `- ${item}\n`).join("")}`;

  it.each([
    { reason: "another program's objects", items: ["{apiVersion: v1, kind: Pod}", "{apiVersion: apps/v1, kind: X}"] },
    { reason: "what is no object", items: ["5", "[]", "{kind: Cluster}", "{apiVersion: v1}", "null"] },
  ])("of $reason is another program's", ({ items }) => {
    expect(read(list(...items))).toEqual({ object: undefined, findings: [], isUnidentified: false });
  });

  it.each([
    { reason: "one of its objects is ours", text: list("{apiVersion: v1, kind: Pod}", `{${ours}, kind: Cluster}`) },
    { reason: "one of its objects is a Secret", text: list("{apiVersion: v1, kind: Secret}") },
    { reason: "its items are no list", text: "apiVersion: v1\nkind: List\nitems: {}\n" },
    { reason: "it is one of ours", text: `${ours}\nkind: ClusterList\nitems: []\n` },
  ])("is refused when $reason", ({ text }) => {
    const { findings, isUnidentified } = read(text);
    expect(findings).toMatchObject([
      {
        code: "E_UNKNOWN_KIND",
        place: { path: ["kind"], part: "value" },
        fix: "Write each item as a document of its own, with a line of --- between them.",
      },
    ]);
    expect(isUnidentified).toBe(true);
  });
});

describe("a document that is a list", () => {
  it("is refused when an item is ours, as one that was pasted with its hyphen", () => {
    expect(read(`- {op: add}\n- apiVersion: rollcall.dev/v1alpha1\n  kind: Cluster\n`)).toMatchObject({
      isUnidentified: true,
      findings: [
        {
          code: "E_UNKNOWN_KIND",
          place: 0,
          message: "the document is a list of objects, not one object",
          fix: "Write each item as a document of its own, with a line of --- between them.",
        },
      ],
    });
  });

  it.each(["- {apiVersion: v1, kind: Pod}\n", "- {op: add, path: /kind}\n", "- Cluster\n", "[]\n"])(
    "is another program's: %j",
    (text) => {
      expect(read(text)).toEqual({ object: undefined, findings: [], isUnidentified: false });
    },
  );
});

describe("a kind that files never declare", () => {
  it("is refused, and leaves no doubt about the rest of the file", () => {
    expect(read(`${ours}\nkind: ClusterRecord\nitems: []\n`)).toMatchObject({
      isUnidentified: false,
      findings: [{ code: "E_UNKNOWN_KIND", fix: "Delete the document from the repository." }],
    });
  });
});

describe("a Secret", () => {
  const secret = (data: string): string => `apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: ${data}\n`;

  it("is reported with nothing of its values", () => {
    const { findings, brokenObjects } = read(secret("{a: yes}"));
    expect(findings.map(({ code }) => code)).toEqual(["E_PLAIN_SECRET"]);
    expect(brokenObjects).toEqual(["Secret//s"]);
  });

  it("is reported with errors of its YAML", () => {
    expect(read(secret("{a: yes, b: *x}")).findings.map(({ code }) => code)).toEqual(["E_YAML"]);
  });

  it("is taken with its namespace when it is encrypted", () => {
    const value = "ENC[AES256_GCM,data:x,iv:x,tag:x,type:str]";
    const text = `${secret(`{a: "${value}"}`).replace("{name: s}", "{name: s, namespace: n}")}sops: {mac: "${value}"}\n`;
    expect(read(text)).toMatchObject({ object: { metadata: { name: "s", namespace: "n" } }, findings: [] });
  });
});

describe("what is no map", () => {
  it.each(["[1, 2]\n", "---\n", "---\n# nothing\n"])("is another program's, or nothing: %j", (text) => {
    expect(read(text)).toEqual({ object: undefined, findings: [], isUnidentified: false });
  });

  it.each(["text\n", "5\n", "true\n"])("is refused as a plain value: %j", (text) => {
    expect(read(`# c\n${text}`)).toEqual({
      object: undefined,
      isUnidentified: true,
      findings: [
        {
          code: "E_YAML",
          place: 4,
          message: "the document is one plain value, not a map of keys and values",
          fix: "Write apiVersion, kind and metadata, or list the file in .rollcallignore.",
        },
      ],
    });
  });
});

describe("a pointer of Git LFS", () => {
  it("is refused with how its content gets into git", () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize 12345\n`;
    expect(read(pointer)).toMatchObject({
      isUnidentified: true,
      findings: [
        {
          code: "E_YAML",
          place: 0,
          message: "the file is a pointer of Git LFS; its content is not in git",
          fix: expect.stringMatching(/`git lfs pull`.*`git add --renormalize FILE`/u) as string,
        },
      ],
    });
  });
});

describe("metadata that every kind has", () => {
  it("are checked once where the schema of the kind finds the same", () => {
    const text = `${ours}\nkind: Cluster\nmetadata: {name: a, labels: {a: 5, b: b-}}\n`;
    const places = read(text).findings.map(({ place }) => JSON.stringify(place));
    expect(new Set(places).size).toBe(places.length);
    expect(places).toHaveLength(2);
  });

  it("may hold what resembles a template in a Policy alone", () => {
    const text = (kind: string): string => `${ours}\nkind: ${kind}\nmetadata: {name: a, labels: {a: "$X"}}\n`;
    const messages = (kind: string): string =>
      JSON.stringify(read(`${text(kind)}spec: {rules: [{expression: "'$X'", message: m}]}\n`).findings);
    expect(messages("Cluster")).toContain("is a template that is not filled in");
    expect(messages("Policy")).not.toContain("is a template that is not filled in");
  });
});

describe("A240 a name that is too long for an object", () => {
  it.each(["name", "namespace"])("is shown in short: %s", (field) => {
    const long = "n".repeat(100_000);
    const { name = "", brokenObjects } = read(
      `${ours}\nkind: Cluster\nmetadata: {${field === "name" ? "" : "name: a, "}${field}: ${long}}\n`,
    );
    expect(name.length).toBeLessThan(600);
    expect(name).toContain("…");
    expect(brokenObjects).toBeDefined();
  });
});
