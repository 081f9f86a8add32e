import type { HubChange } from "../../../src/model/hub-change.ts";
import type { ParsedFile } from "../../../src/model/source.ts";
import type { SourceSnapshot } from "../../../src/review/read-source.ts";

/** A person's change of Cluster `name` of workspace "fleet"; by default it deletes the first document of its file. */
export function hubChange(name: string, fields: Partial<HubChange> = {}): HubChange {
  return {
    live: {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Cluster",
      metadata: { name, namespace: "fleet", uid: `uid-${name}` },
    },
    object: `Cluster/fleet/${name}`,
    workspace: "fleet",
    policy: "Commit",
    managers: [],
    users: [],
    path: "clusters.yaml",
    file: { kind: "Delete", index: 0 },
    ...fields,
  };
}

/** A file without problems and without documents; give what matters. */
export function parsedFile(path: string, fields: Partial<ParsedFile> = {}): ParsedFile {
  const nothing = { blobId: "b", text: "", documents: [], problems: [], isUnidentified: false, brokenObjects: [] };
  return { path, ...nothing, ...fields };
}

/** A commit with these files. */
export function snapshotOf(...files: readonly ParsedFile[]): SourceSnapshot {
  const parsed = new Map(files.map((file) => [file.path, file]));
  return { commit: { id: "c1" }, parsed } as unknown as SourceSnapshot;
}
