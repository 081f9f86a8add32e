import { isJsonEqual } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { LabelRequirement } from "../selectors/object-selector.ts";
import { fits } from "../selectors/object-selector.ts";
import { createSelectorIndex } from "../selectors/selector-index.ts";
import type { SelectorIndex } from "../selectors/selector-index.ts";
import type { ControllerScope } from "./controller-scope.ts";
import { controllerQueue, queueKeyOf, splitQueueKey } from "./controller-scope.ts";
import type { HubWriter } from "./hub-writer.ts";
import type { FeedEvent } from "./object-feed.ts";

interface Kind {
  readonly group: string;
  readonly plural: string;
}

export interface LabelSelectionOptions {
  readonly scope: ControllerScope;
  readonly writer: Pick<HubWriter, "list">;
  /** The kind whose objects select others of their namespace. */
  readonly selecting: Kind;
  readonly selected: Kind;
  /** Undefined: the object selects nothing. */
  readonly requirementsOf: (selecting: KubeObject) => readonly LabelRequirement[] | undefined;
  /** False for a change of a selected object that is of no interest to those that select. */
  readonly concerns?: (event: FeedEvent) => boolean;
  /** Called with the queue key of each object to reconcile: it changed, or what it selects or selected did. */
  readonly enqueue: (key: string) => void;
}

export interface LabelSelection {
  /** What an object selects now. */
  selectedBy(selecting: KubeObject): Promise<readonly KubeObject[]>;
  /** Enqueues the objects that select this one. */
  touch(selected: KubeObject): void;
}

type Labels = Readonly<Record<string, string>>;

/**
 * Follows objects that select others by labels. An object whose labels changed counts for those that it was selected by
 * too. Who selects a changed object is found later, in turns: a namespace may have thousands of both.
 */
export function followLabelSelection(options: LabelSelectionOptions): LabelSelection {
  const { scope, writer, selecting, selected, requirementsOf, concerns, enqueue } = options;
  const indexes = new Map<string, SelectorIndex>();
  /** All labels that an object had since its key was last processed. */
  const changed = new Map<string, Labels[]>();
  const queue = controllerQueue({
    scope,
    name: `${selecting.plural}-of-${selected.plural}`,
    work: async (key) => {
      const turn = scope.turns.begin();
      const index = indexes.get(splitQueueKey(key).namespace);
      const forms = changed.get(key) ?? [];
      changed.delete(key);
      for (const labels of forms) {
        for (const candidate of index?.candidates(labels) ?? []) {
          await turn();
          if (index?.selects(candidate, labels) === true) enqueue(candidate);
        }
      }
    },
  });
  const record = (key: string, { metadata: { labels = {} } }: KubeObject): void => {
    const forms = changed.get(key) ?? [];
    if (!forms.some((form) => isJsonEqual(form, labels))) forms.push(labels);
    changed.set(key, forms);
    queue.add(key);
  };

  scope.feed.on(selecting.group, selecting.plural, ({ kind, object }) => {
    const key = queueKeyOf(object);
    const { namespace } = splitQueueKey(key);
    const index = indexes.get(namespace) ?? createSelectorIndex();
    indexes.set(namespace, index);
    if (kind === "deleted") index.delete(key);
    else index.set(key, requirementsOf(object));
    if (index.isEmpty()) indexes.delete(namespace);
    enqueue(key);
  });
  scope.feed.on(selected.group, selected.plural, (event) => {
    // All objects that select are enqueued at the start anyway.
    if (event.isFirst || concerns?.(event) === false) return;
    const key = queueKeyOf(event.object);
    if (event.previous !== undefined) record(key, event.previous);
    record(key, event.object);
  });

  return {
    selectedBy: async (object) => {
      const requirements = requirementsOf(object);
      if (requirements === undefined) return [];
      const turn = scope.turns.begin();
      const found: KubeObject[] = [];
      for (const one of writer.list(selected.group, selected.plural, object.metadata.namespace)) {
        await turn();
        if (requirements.every((requirement) => fits(requirement, one.metadata.labels ?? {}))) found.push(one);
      }
      return found;
    },
    touch: (object) => record(queueKeyOf(object), object),
  };
}
