/**
 * What policies may cost, in the units of CEL in Kubernetes: about one for a name that is looked up, a comparison, or ten
 * characters of a text. A unit never takes more than half a microsecond of CPU.
 */
export interface PolicyLimits {
  /** Of one rule on one document. Default 50,000 (some milliseconds). */
  readonly unitsPerEvaluation: number;
  /** Of all rules on all documents together: this much, and `unitsPerDocument` for each document. Default 300,000. */
  readonly units: number;
  /** Default 2,000. */
  readonly unitsPerDocument: number;
  /** Of all rules on all documents, however many documents there are. Default 10,000,000 (some seconds). */
  readonly mostUnits: number;
  /** Of the expressions of all policies together; to compile one takes about a microsecond. Default 100,000. */
  readonly expressionCharacters: number;
}

export const defaultPolicyLimits: PolicyLimits = {
  unitsPerEvaluation: 50_000,
  units: 300_000,
  unitsPerDocument: 2_000,
  mostUnits: 10_000_000,
  expressionCharacters: 100_000,
};
