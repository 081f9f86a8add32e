/** A role of the table, in short. */
export interface DefaultRole {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Labels of the ClusterRoles whose rules it takes over. */
  readonly aggregates?: readonly Readonly<Record<string, string>>[];
  /**
   * `<verbs> <groups> <resources> [<resource names>]` or `<verbs> <paths>`, each a list with commas; the core group is
   * written `core`.
   */
  readonly rules: readonly string[];
}
