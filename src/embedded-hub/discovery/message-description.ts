/** What a message and its fields are for, in words. */
export interface MessageDescription {
  readonly text: string;
  /** By JSON name. */
  readonly fields: ReadonlyMap<string, string>;
}
