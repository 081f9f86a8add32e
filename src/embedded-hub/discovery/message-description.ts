/** The descriptions of a message and of its fields. */
export interface MessageDescription {
  readonly text: string;
  /** By JSON name. */
  readonly fields: ReadonlyMap<string, string>;
}
