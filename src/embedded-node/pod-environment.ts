import type { Clock, Random } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { NodeFacts } from "./downward-fields.ts";
import type { EventWriter } from "./event-writer.ts";
import type { ResolveImage } from "./node-types.ts";
import type { ProcessRecords } from "./process-records.ts";
import type { BackoffLimits } from "./restart-backoff.ts";

/** What all Pods of a node share. */
export interface PodEnvironment {
  readonly api: KubeApi;
  readonly node: NodeFacts;
  readonly service: { readonly host: string; readonly port: string };
  readonly resolveImage: ResolveImage;
  readonly records: ProcessRecords;
  readonly events: EventWriter;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly backoff: BackoffLimits;
  readonly maxLogBytes: number;
  readonly newId: () => string;
}
