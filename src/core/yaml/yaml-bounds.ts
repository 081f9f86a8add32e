import { countOf } from "../count-of.ts";
/** How much of a YAML text is read. What is beyond a bound is refused before it is expanded, walked or compared. */
export interface YamlBounds {
  readonly maxBytes: number;
  /** Collections within each other. */
  readonly maxDepth: number;
  /**
   * Pieces of syntax: scalars, indicators, spaces between them. Blank lines, lines of comments and the lines of a text do
   * not count; with these there are at most four times as many.
   */
  readonly maxTokens: number;
  readonly maxDocuments: number;
}

/** A file of a repository. Kubernetes objects need a dozen levels; 256 KiB of ordinary YAML have 50,000 tokens. */
export const fileBounds: YamlBounds = {
  maxBytes: 1024 * 1024,
  maxDepth: 64,
  maxTokens: 80_000,
  maxDocuments: 5000,
};

/**
 * The body of a request: one object. It is read on the thread that serves all requests, and a value costs about as much
 * to read as to write: these are 8,000 values, where JSON may have 20,000. Clients of Kubernetes send JSON.
 */
export const bodyBounds: YamlBounds = {
  maxBytes: 3 * 1024 * 1024,
  maxDepth: 128,
  maxTokens: 50_000,
  maxDocuments: 2,
};

/** A kubeconfig, values, a configuration file, a status record: one document that a user or Rollcall wrote. */
export const documentBounds: YamlBounds = {
  maxBytes: 8 * 1024 * 1024,
  maxDepth: 64,
  maxTokens: 1_000_000,
  maxDocuments: 1,
};

/** A bound that a text exceeds. */
export interface YamlExcess {
  readonly kind: "bytes" | "depth" | "tokens" | "lines" | "documents" | "directives" | "properties" | "errors";
  readonly limit: number;
  /** In UTF-16 units: where the bound was reached. */
  readonly offset: number;
}

/** What an excess is, without any part of the text. */
export function describeExcess({ kind, limit }: YamlExcess): string {
  switch (kind) {
    case "bytes":
      return `the text is larger than ${limit} bytes`;
    case "depth":
      return `values are nested more than ${limit} levels deep`;
    case "tokens":
      return `the text has more than ${limit} pieces of syntax`;
    case "lines":
      return `the text has more than ${limit} lines and pieces of syntax`;
    case "documents":
      return `the text has more than ${countOf(limit, "document")}`;
    case "directives":
      return `the text has more than ${limit} lines that start with %`;
    case "properties":
      return `more than ${limit} tags, anchors, commas or colons occur here without a value`;
    case "errors":
      return `the text has more than ${limit} errors`;
  }
}
