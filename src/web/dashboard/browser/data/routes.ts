/** The current view of the page; what is filtered is in the query, so that a reload and a link show the same. */
export type Route =
  | { readonly view: "overview" }
  | { readonly view: "clusters" }
  | { readonly view: "cluster"; readonly workspace: string; readonly name: string }
  | { readonly view: "repository" }
  | { readonly view: "plan" }
  | { readonly view: "tokens" }
  | { readonly view: "history" }
  | { readonly view: "nowhere" };

export function parseRoute(path: string): Route {
  const [first, second, third, ...rest] = path
    .split("/")
    .filter((part) => part !== "")
    .map(decode);
  if (first === undefined) return { view: "overview" };
  if (first === "clusters" && second === undefined) return { view: "clusters" };
  if (first === "clusters" && second !== undefined && third !== undefined && rest.length === 0)
    return { view: "cluster", workspace: second, name: third };
  if (first === "repository" && second === undefined) return { view: "repository" };
  if (first === "repository" && second === "plan" && third === undefined) return { view: "plan" };
  if (first === "tokens" && second === undefined) return { view: "tokens" };
  if (first === "history" && second === undefined) return { view: "history" };
  return { view: "nowhere" };
}

/** The fleet at a commit of the status branch, and what it is compared with. */
export function historyPath({ at, baseline }: { readonly at: string; readonly baseline?: string }): string {
  const query = new URLSearchParams({ at });
  if (baseline !== undefined && baseline !== "before") query.set("with", baseline);
  return `/history?${query.toString()}`;
}

export function clusterPath({ workspace, name }: { readonly workspace: string; readonly name: string }): string {
  return `/clusters/${encodeURIComponent(workspace)}/${encodeURIComponent(name)}`;
}

/** The table of the clusters that a filter means. */
export function clustersPath(filterText: string): string {
  return `/clusters?${new URLSearchParams({ q: filterText }).toString()}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a broken escape names nothing, and the page reports that
  }
}
