/** The refs of a packed-refs file; lines that are none are left out. Source: git, Documentation/git-pack-refs. */
export function parsePackedRefs(text: string): Map<string, string> {
  const refs = new Map<string, string>();
  for (const line of text.split("\n")) {
    const match = /^(?<id>[0-9a-f]{40}|[0-9a-f]{64}) (?<ref>refs\/\S.*)$/u.exec(line)?.groups;
    if (match?.id !== undefined && match.ref !== undefined) refs.set(match.ref, match.id);
  }
  return refs;
}

/** A packed-refs file, sorted by the bytes of the names as git wants it. */
export function formatPackedRefs(refs: ReadonlyMap<string, string>): string {
  const sorted = [...refs].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const lines = sorted.map(([ref, id]) => `${id} ${ref}\n`);
  return `# pack-refs with: sorted \n${lines.join("")}`;
}

/** A packed-refs file without one ref and what it was peeled to; every other line stays as it is. */
export function withoutPackedRef(text: string, ref: string): string {
  let isInside = false;
  const kept = text.split("\n").filter((line) => {
    isInside = line.startsWith("^") ? isInside : line.slice(line.indexOf(" ") + 1) === ref && !line.startsWith("#");
    return !isInside;
  });
  return kept.join("\n");
}
