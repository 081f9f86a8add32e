/** A path below /api or /apis that names a resource. Source: k8s.io/apiserver, endpoints/request RequestInfo. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly namespace?: string;
  readonly plural: string;
  readonly name?: string;
  readonly subresource?: string;
  /** What follows the subresource (`proxy`), without a leading slash. */
  readonly rest?: string;
  /** The old form `/api/v1/watch/...`. */
  readonly isWatch: boolean;
}

/** Undefined for every other path. Throws nothing: a malformed escape is a name like any other. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const [prefix, ...segments] = path
    .split("/")
    .filter((segment, index, all) => segment !== "" || (index > 0 && index < all.length - 1));
  if (prefix !== "api" && prefix !== "apis") return undefined;
  const [group = "", version = "", ...afterVersion] = prefix === "api" ? ["", ...segments] : segments;
  const isWatch = afterVersion[0] === "watch" && afterVersion.length > 1;
  const parts = (isWatch ? afterVersion.slice(1) : afterVersion).map(unescapeSegment);
  if (parts.length === 0) return undefined;
  const base = { group, version, isWatch };
  const isInside = parts[0] === "namespaces" && parts.length > 2 && !["status", "finalize"].includes(parts[2] ?? "");
  const [plural = "", name, subresource, ...rest] = isInside ? parts.slice(2) : parts;
  return {
    ...base,
    plural,
    ...(isInside ? { namespace: parts[1] ?? "" } : {}),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
    ...(rest.length === 0 ? {} : { rest: rest.join("/") }),
  };
}

function unescapeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A stray percent sign: the text stands for itself, and no object has it as its name.
    return segment;
  }
}
