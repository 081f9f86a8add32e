import { requestRun, suspendRepository } from "../../src/operations/operations.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { daemonNamespace, repositoryName } from "./daemon-process.ts";
import type { Deed, DeedKind } from "./deeds.ts";
import { repositoryKinds } from "./deeds.ts";
import type { Stage } from "./do-deed.ts";
import { last } from "./lasting.ts";

type RepositoryKind = (typeof repositoryKinds)[number];

export function isOfRepository(kind: DeedKind): kind is RepositoryKind {
  return repositoryKinds.some((one) => one === kind);
}

/** A person who was refused tries again. */
const againMs = 5000;

/** What people set on the Repository: `rollcall reconcile`, and `rollcall suspend` without a name, until they resume it. */
export function doToRepository(stage: Stage, kind: RepositoryKind, { forMs }: Pick<Deed, "forMs">): void {
  const { world, intent } = stage;
  const { personApi: hubApi, scheduler, story } = world;
  const repository = { type: resourceTypes.repository, namespace: daemonNamespace, name: repositoryName };
  const operator = () => ({ hubApi, user: "people", nowMs: scheduler.wallMs(), signal: new AbortController().signal });
  if (kind === "ask for a run") {
    story.tell("people", "ask for a run");
    return world.act("ask for a run", async () => {
      intent.requestedRun = (await requestRun(operator(), repository)).request;
    });
  }
  const set = (isSuspended: boolean): void => {
    if (intent.suspendsRepository !== isSuspended) return;
    world.act(`${isSuspended ? "suspend" : "resume"} the Repository`, async () => {
      try {
        await suspendRepository(operator(), { repository, isSuspended });
      } catch (error) {
        scheduler.send(world.people, againMs, "try again", () => set(isSuspended));
        throw error;
      }
    });
  };
  if (intent.suspendsRepository) return;
  story.tell("people", `suspend the Repository for ${Math.round(forMs / 1000)} s`);
  intent.suspendsRepository = true;
  set(true);
  last(stage, forMs, () => {
    story.tell("people", "resume the Repository");
    intent.suspendsRepository = false;
    set(false);
  });
}
