import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseYaml } from "../../../src/manifests/parse-yaml.ts";
import { scanSimpleYaml } from "../../../src/manifests/scan-simple-yaml.ts";

const cluster = `# a comment
apiVersion: rollcall.dev/v1alpha1
kind: Cluster
metadata:
  name: eu-1   # another
  labels: {env: prod, tier: "gold"}
spec:
  displayName: Frankfurt, the first
  taints:
  - key: example.com/a
    effect: NoSchedule
  - {key: b, effect: NoExecute}
  agent:
    env:
      - name: A
        value: 'b # c'
    tolerations: []
    nodeSelector: {}
  paused: false
  clientID:
---
kind: Other
list:
- 1
- a b
- https://example.com:6443/x#y
`;

/** Pieces that meet in real files, and pieces that break them. */
const pieces = fc.constantFrom(
  ...[
    "a",
    "key",
    "- ",
    "-",
    ": ",
    ":",
    "\n",
    "\n  ",
    "\n    ",
    "\n  - ",
    "\n- ",
    "---\n",
    " #c",
    "# c\n",
    '"q"',
    "'q'",
  ],
  ...['"', "'", "[", "]", "{", "}", ", ", "1", "1.2", "1.31.2", "true", "True", "yes", "null", "~", "x y", " ", "é"],
  ...[
    "|",
    "&a ",
    "*a",
    "&a x",
    "&a\n  ",
    ": *a\n",
    "[*a, ",
    "&b [1, *a]",
    "!t ",
    "? ",
    "12:30",
    "0x1",
    "1e3",
    "5m",
    "...",
    "%",
    "@",
    "\\",
    "a: 1\n",
    "b:\n  c: 2\n",
  ],
  ...["k: [a, b]\n", "k: {a: b}\n", "<<: x\n", "- a: 1\n  b: 2\n", "-1", ".5", "1_0", "\t", "\r\n", "\u2028", "😀"],
);
const soup = fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join(""));

function agrees(text: string): boolean {
  const documents = scanSimpleYaml(text);
  if (documents === undefined) return false;
  const { composed: _composed, ...stream } = parseYaml(text);
  expect({ documents, streamError: undefined }).toEqual(stream);
  return true;
}

describe("scanSimpleYaml", () => {
  it("reads what most files are made of, as the parser does", () => {
    expect(agrees(cluster)).toBe(true);
    expect(agrees(cluster.replaceAll("  - ", "    - "))).toBe(false);
  });

  it.each([
    { text: "", reason: "nothing" },
    { text: "# only a comment", reason: "a comment without a line end" },
    { text: "a:\n- 1\nb: 2\n", reason: "items in the column of their key" },
    { text: "a:\n  b:\n\n  # c\nd: 1\n", reason: "a key without value, blank lines" },
    { text: "- a: 1\n  b:\n    - c\n-\n  d: 2\n-\n", reason: "items that are maps, and an empty one" },
    { text: "---\na: 1\n---\nb: 2\n", reason: "a separator in front" },
    { text: "a: b#c\nd: e:f\n", reason: "number sign and colon within text" },
    { text: "---\n---  \n--- # c\n\n# d\n---", reason: "documents without content" },
    { text: "a: 1\n---\n# c\n---\n\n\nb: 1\n---\n", reason: "documents without content between others" },
    { text: "---\n[]\n---\n{} # c\n---\n  {a: b}\n", reason: "documents that are brackets" },
    { text: "---\na\n---\n'b' # c\n---\n1\n", reason: "documents that are one value" },
    { text: "a: &b c\nd: *b # e\nf: [*b, &g h, {i: *g}, *g]\n", reason: "anchors and aliases" },
    { text: "a: &b # c\n  d: 1\ne:\n- &f\n  - *b\n- *f\n- &b 'g'\n- *b\n", reason: "anchors of blocks" },
    { text: "a: ~\nb:\n- ~ # c\n---\n~\n", reason: "null as a tilde" },
    { text: "plain", reason: "a value without a line end" },
    { text: "a: [b, 'c d', {e: f, g: [1, true]}] # h\n", reason: "brackets on one line" },
    { text: "a: |\n  b # c\n\n    d: e\n  ---\nf: 1\n", reason: "a text of lines" },
    { text: "a: |-\n b\n\n\nc: >\n d\n e\n\n\n f\ng: >-\n  i\nh: 1\n", reason: "lines that are folded" },
    { text: "- |\n  a\n- >-\n b\n\n- c: |\n    d\n---\ne: 1\n", reason: "texts of items" },
  ])("reads $reason", ({ text }) => {
    expect(agrees(text)).toBe(true);
  });

  it.each([
    "a: b\na: c\n",
    "__proto__: 1\n",
    "a: yes\n",
    "a: 010\n",
    "a: 1.20\n",
    "a: -1\n",
    "a: True\n",
    "a: |+\n  b\n",
    "a: |2\n  b\n",
    "a: | # c\n  b\n",
    "a: |\nb: 1\n",
    "a: |\n\n  b\n",
    "a: |\n   \n  b\n",
    "a: |\n  b\n   \nc: 1\n",
    "a: |\n  b\n # c\nd: 1\n",
    "a: |\n    b\n  c\nd: 1\n",
    "a: |\n  b",
    "a: >\n  b\n    c\n",
    "a: >\n  b \n  c\n",
    "a: &b |\n  c\n",
    "|\n  b\n",
    "a: *b\n",
    "a: &b\n",
    "a: &b\nc: 1\n",
    "a: &b &c d\n",
    "a: &b 1\nc: &d *b\n",
    "- &a b: 1\n",
    "a: &b\n  c: *b\n",
    "a: &b 1\n---\na: *b\n",
    "a: &b [1]\n*b : 2\n",
    `a: &b [1, 2, 3, 4, 5]\nc: [${"*b, ".repeat(12)}1]\n`,
    "a: !b c\n",
    "a: b\n  c\n",
    "a: 'b''c'\n",
    'a: "b\\n"\n',
    "a: b: c\n",
    "a:\n   b: 1\n  c: 2\n",
    "a: [1,\n  2]\n",
    "1: a\n",
    "on: a\n",
    "<<: a\n",
    "a: 1\n...\n",
    "a: 1\r\n",
    "a:\t1\n",
    "[a] b\n",
    "[a]\n[b]\n",
    "plain\n  more\n",
    "'a'\nb: 1\n",
  ])("steps back at %j", (text) => {
    expect(scanSimpleYaml(text)).toBeUndefined();
  });

  it("agrees with the parser on whatever it reads", () => {
    let read = 0;
    fc.assert(
      fc.property(soup, (text) => {
        if (agrees(text)) read++;
      }),
      { numRuns: 4000 },
    );
    expect(read).toBeGreaterThan(100);
  });

  it("agrees with the parser on files with one change", () => {
    let read = 0;
    fc.assert(
      fc.property(fc.nat(cluster.length), fc.nat(3), pieces, (at, length, piece) => {
        if (agrees(cluster.slice(0, at) + piece + cluster.slice(at + length))) read++;
      }),
      { numRuns: 1000 },
    );
    expect(read).toBeGreaterThan(100);
  });
});
