import type { Node } from "yaml";
import { isMap, isScalar, isSeq } from "yaml";
import { AppError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import { composeYaml } from "../core/yaml/compose-yaml.ts";
import { createLineTable } from "../core/yaml/line-table.ts";
import { describeExcess, fileBounds } from "../core/yaml/yaml-bounds.ts";
import { readGoScalar } from "./go-scalar.ts";

/** A document as SOPS sees it: maps keep their order, scalars the text that the checksum covers. */
export type SopsTree =
  | { readonly kind: "map"; readonly entries: readonly (readonly [key: string, value: SopsTree])[] }
  | { readonly kind: "list"; readonly items: readonly SopsTree[] }
  | { readonly kind: "leaf"; readonly value: string | number | boolean; readonly text: string }
  /** SOPS neither encrypts nulls nor counts them. */
  | { readonly kind: "null" };

export interface SopsDocument {
  readonly tree: SopsTree;
  /** 1-based position of the key `sops`, or of the document. */
  readonly line: number;
  readonly column: number;
}

/**
 * Reads every document of a YAML or JSON text. @throws E_SOPS_FORMAT for what neither is, and for what the YAML library
 * of SOPS might read differently from ours: aliases, tags, keys that are not text or are duplicates.
 */
export function readSopsDocuments(text: string): SopsDocument[] {
  const positionAt = createLineTable(text);
  const { documents, outsideErrors, excess } = composeYaml(text, fileBounds);
  if (excess !== undefined) throw malformed(describeExcess(excess), positionAt(excess.offset).line);
  const [outside] = outsideErrors;
  return documents.map((document) => {
    const [error = outside] = [...document.errors, ...document.warnings];
    if (error !== undefined) throw malformed("it is not valid YAML", positionAt(error.pos[0]).line);
    const { contents } = document;
    const sopsKey = isMap(contents)
      ? contents.items.find(({ key }) => isScalar(key) && key.value === "sops")?.key
      : undefined;
    const offset = (isScalar(sopsKey) ? sopsKey.range?.[0] : undefined) ?? contents?.range[0] ?? 0;
    return { tree: treeOf(contents), ...positionAt(offset) };
  });
}

function treeOf(node: Node | null): SopsTree {
  if (node === null) return { kind: "null" };
  if ("tag" in node && typeof node.tag === "string" && node.tag !== "tag:yaml.org,2002:str") {
    const isImplied = (isMap(node) && node.tag.endsWith(":map")) || (isSeq(node) && node.tag.endsWith(":seq"));
    if (!isImplied) throw malformed("it has a tag (!)");
  }
  if (isMap<Node, Node | null>(node)) {
    const seen = new Set<string>();
    return {
      kind: "map",
      entries: node.items.map(({ key, value }) => {
        const name = keyOf(key);
        if (seen.has(name)) throw malformed("a key occurs twice in one map");
        seen.add(name);
        return [name, treeOf(value)] as const;
      }),
    };
  }
  if (isSeq<Node>(node)) return { kind: "list", items: node.items.map(treeOf) };
  if (!isScalar(node)) throw malformed("it has an alias (*)");
  return leafOf(node.type === "PLAIN" ? (node.source ?? "") : undefined, node.value);
}

function keyOf(key: Node): string {
  const tree = isScalar(key) ? leafOf(key.type === "PLAIN" ? (key.source ?? "") : undefined, key.value) : undefined;
  if (tree?.kind !== "leaf" || typeof tree.value !== "string") throw malformed("a key is not text");
  if (tree.value === "__proto__" || tree.value === "<<") throw malformed(`the key ${tree.value} is not allowed`);
  return tree.value;
}

/** `plain` is the source of a scalar without quotes; `value` that of any other. */
function leafOf(plain: string | undefined, value: unknown): SopsTree {
  if (plain === undefined) return textLeaf(String(value));
  const scalar = readGoScalar(plain);
  switch (scalar.kind) {
    case "null":
      return { kind: "null" };
    case "string":
      // The parser has joined the lines of a long scalar.
      return textLeaf(String(value));
    case "bool":
      return leafFor(scalar.value);
    case "int":
    case "float":
      return { kind: "leaf", value: scalar.value, text: scalar.text };
    case "time":
      return { kind: "leaf", value: plain, text: scalar.text };
    case "unsupported":
      throw malformed("a number has more than 64 bits; put it in quotes");
  }
}

function textLeaf(value: string): SopsTree {
  return { kind: "leaf", value, text: value };
}

function leafFor(value: boolean): SopsTree {
  return { kind: "leaf", value, text: value ? "True" : "False" };
}

/** The tree as JSON. */
export function jsonOfTree(tree: SopsTree): Json {
  switch (tree.kind) {
    case "map":
      return Object.fromEntries(tree.entries.map(([key, value]) => [key, jsonOfTree(value)]));
    case "list":
      return tree.items.map(jsonOfTree);
    case "leaf":
      return tree.value;
    case "null":
      return null;
  }
}

/** E_SOPS_FORMAT with a reason that never quotes the file. */
export function malformed(reason: string, line?: number): AppError {
  const at = line === undefined ? "" : ` (line ${line})`;
  return new AppError("E_SOPS_FORMAT", `read an encrypted file: ${reason}${at}`, { data: { line } });
}
