import type { Clock } from "../../core/clock.ts";
import type { Json } from "../../core/json.ts";
import { formatQuantity } from "../../core/formats/quantity.ts";
import { objectAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { admissionForbidden } from "../admission/admission-forbidden.ts";
import type { Amounts } from "../amounts/pod-amounts.ts";
import { isApiFailure } from "../failures/api-failure.ts";
import type { AdmissionRequest, SettleCharge } from "../operations/admission.ts";
import { serverContext } from "../operations/internal-context.ts";
import type { Operations } from "../operations/operations.ts";
import type { Turns } from "../operations/turns.ts";
import type { CountedKind } from "./counted-names.ts";
import { countedKind } from "./counted-names.ts";
import type { Quota } from "./decide-charge.ts";
import { decideCharge, kindOfRequest, mayUseMore, readQuota } from "./decide-charge.ts";

/** Of one quota. */
const mostAmounts = 200;
/** How many writes are decided before something else has its turn. */
const mostAtOnce = 50;

type Request = AdmissionRequest & { readonly object: KubeObject; readonly namespace: string };

/** A write that was charged and has not ended. */
export interface ChargedWrite {
  readonly kind: CountedKind;
  readonly object: KubeObject;
  /** The names of the quotas. */
  readonly quotas: readonly string[];
}

interface Waiting {
  readonly request: Request;
  readonly resolve: (settle: SettleCharge | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export interface QuotaLedgerOptions {
  readonly operations: () => Operations;
  readonly clock: Clock;
  readonly turns: Turns;
}

/**
 * Charges writes to the quotas of their namespace before they are stored. The writes of a namespace are decided one after
 * the other, and those that wait share one write of each quota: however many come at once, no quota is exceeded.
 */
export class QuotaLedger {
  private readonly options: QuotaLedgerOptions;
  private readonly waiting = new Map<string, Waiting[]>();
  private readonly tails = new Map<string, Promise<unknown>>();
  private readonly charged = new Map<string, Set<ChargedWrite>>();
  private reportStale: (namespace: string, quotas: readonly string[]) => void = () => undefined;

  constructor(options: QuotaLedgerOptions) {
    this.options = options;
  }

  /** Throws 403 when a quota has not enough left. What it returns is called when the write has ended. */
  readonly charge = (request: AdmissionRequest): Promise<SettleCharge | undefined> | undefined => {
    const { namespace, object } = request;
    if (namespace === undefined || object === undefined) return undefined;
    const found = { ...request, namespace, object };
    this.checkBounds(found);
    const kind = kindOfRequest(request);
    const isCounted = mayUseMore(request) && this.quotasOf(namespace).some(({ hard }) => counts(hard, kind));
    if (!isCounted) return undefined;
    return new Promise((resolve, reject) => {
      const waiting = this.waiting.get(namespace) ?? [];
      waiting.push({ request: found, resolve, reject });
      this.waiting.set(namespace, waiting);
      void this.alone(namespace, () => this.decideSome(namespace));
    });
  };

  /** Called with the quotas that count too much: a write that they were charged for was not stored. */
  onStale(listener: (namespace: string, quotas: readonly string[]) => void): void {
    this.reportStale = listener;
  }

  underWay(namespace: string): readonly ChargedWrite[] {
    return [...(this.charged.get(namespace) ?? [])];
  }

  /** Does something while nothing is charged in the namespace. */
  async alone<T>(namespace: string, work: () => Promise<T>): Promise<T> {
    const before = this.tails.get(namespace);
    const mine = before === undefined ? work() : before.then(work);
    const tail = mine.catch(() => undefined);
    this.tails.set(namespace, tail);
    try {
      return await mine;
    } finally {
      if (this.tails.get(namespace) === tail) this.tails.delete(namespace);
    }
  }

  private quotasOf(namespace: string): readonly Quota[] {
    return this.list(namespace).map((quota) => readQuota(quota));
  }

  private list(namespace: string): readonly KubeObject[] {
    const operations = this.options.operations();
    const definition = operations.definitionOf("", "resourcequotas");
    return definition === undefined ? [] : operations.list({ definition, namespace }).items;
  }

  private checkBounds(request: Request): void {
    if (kindOfRequest(request) !== "/resourcequotas") return;
    const { object } = request;
    const isLarge = (half: string): boolean => Object.keys(objectAt(object, half, "hard") ?? {}).length > mostAmounts;
    if (isLarge("spec") || isLarge("status")) {
      throw admissionForbidden(request, `a ResourceQuota has at most ${mostAmounts} amounts: leave out some`);
    }
  }

  private async decideSome(namespace: string): Promise<void> {
    const all = this.waiting.get(namespace);
    // An earlier turn decided them all.
    if (all === undefined) return;
    await this.options.turns.enter();
    const some = all.splice(0, mostAtOnce);
    if (all.length === 0) this.waiting.delete(namespace);
    const nowMs = this.options.clock.nowMs();
    const before = this.quotasOf(namespace);
    let after = before;
    const accepted: { readonly one: Waiting; readonly settle: SettleCharge }[] = [];
    for (const one of some) {
      try {
        const used = decideCharge(one.request, after, nowMs);
        if (used.size === 0 || one.request.isDryRun) {
          one.resolve(undefined);
          continue;
        }
        after = after.map((quota) => ({ ...quota, used: used.get(quota.name) ?? quota.used }));
        accepted.push({ one, settle: this.record(one.request, [...used.keys()]) });
      } catch (error) {
        one.reject(error);
      }
    }
    try {
      await Promise.all(after.map((quota, index) => this.write(namespace, quota, before[index]?.used ?? new Map())));
      for (const { one, settle } of accepted) one.resolve(settle);
    } catch (error) {
      for (const { one, settle } of accepted) {
        settle(false);
        one.reject(error);
      }
    }
  }

  private record({ namespace, definition, object }: Request, quotas: readonly string[]): SettleCharge {
    const all = this.charged.get(namespace) ?? new Set();
    this.charged.set(namespace, all);
    const write = { kind: `${definition.group}/${definition.plural}`, object, quotas };
    all.add(write);
    return (isStored) => {
      all.delete(write);
      if (all.size === 0) this.charged.delete(namespace);
      if (!isStored) this.reportStale(namespace, quotas);
    };
  }

  private async write(namespace: string, { name, used }: Quota, before: Amounts): Promise<void> {
    const changed = [...used].filter(([key, { nanos }]) => before.get(key)?.nanos !== nanos);
    if (changed.length === 0) return;
    const operations = this.options.operations();
    const definition = operations.definitionOf("", "resourcequotas");
    if (definition === undefined) return;
    const texts = Object.fromEntries(changed.map(([key, amount]): [string, Json] => [key, formatQuantity(amount)]));
    try {
      const target = { definition, namespace, name, subresource: "status" };
      await operations.patch(serverContext(), target, { kind: "merge", patch: { status: { used: texts } } });
    } catch (error) {
      // One that was deleted holds nothing back.
      if (!isApiFailure(error, "NotFound")) throw error;
    }
  }
}

function counts(hard: Amounts, kind: CountedKind): boolean {
  for (const name of hard.keys()) if (countedKind(name) === kind) return true;
  return false;
}
