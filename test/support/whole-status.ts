import { Chunks } from "../../src/core/chunks.ts";
import { compareNames } from "../../src/core/compare-names.ts";
import type { ClusterRecord } from "../../src/model/generated/cluster-record.ts";
import { MemberTally } from "../../src/planning/member-tally.ts";
import type { RecordedMember } from "../../src/planning/member-tally.ts";
import { clusterRecordPath, clusterRow, renderFleetFiles, toYamlFile } from "../../src/planning/render-status.ts";
import type { StatusFile } from "../../src/planning/render-status.ts";
import { clusterRecord, computeFleetRecords, heldClusters } from "../../src/planning/status-records.ts";
import type { FleetInputs, FleetRecords } from "../../src/planning/status-records.ts";

export interface RecordInputs extends FleetInputs {
  readonly members: readonly RecordedMember[];
}

export interface StatusRecords extends FleetRecords {
  readonly clusters: readonly ClusterRecord[];
}

/** All records of a fleet, made at once: what the recorder, which follows changes, is compared with. */
export function computeStatusRecords(inputs: RecordInputs): StatusRecords {
  const held = heldClusters(inputs.plan);
  const tally = new MemberTally();
  for (const member of inputs.members) tally.set(keyOf(member), member);
  return {
    clusters: inputs.members
      .map((member) => clusterRecord(member, { isHeld: held.has(keyOf(member)) }))
      .sort(({ metadata: a }, { metadata: b }) => compareNames(`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`)),
    ...computeFleetRecords(inputs, tally),
  };
}

/** All files of the status branch but checksums and signature, by path. */
export function renderStatusFiles(records: StatusRecords): Map<string, StatusFile> {
  const rows = records.clusters.map((record) => clusterRow(record)).join("");
  const files = renderFleetFiles(records, new Chunks([Buffer.from(rows)]));
  for (const record of records.clusters)
    files.set(clusterRecordPath(`${record.metadata.namespace}/${record.metadata.name}`), toYamlFile(record));
  return files;
}

function keyOf({ workspace, name }: RecordedMember): string {
  return `${workspace}/${name}`;
}
