export interface ImportRun {
  rowsDone: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
  /** What the last call rejected, for a sender who lost its answer. */
  lastRejected: { row: number; reason: string }[];
  finishedAt: number | null;
}

/** How far the import of one file has come; its fingerprint covers content and mapping. */
export interface Imports {
  find(fingerprint: string): Promise<ImportRun | undefined>;
  save(fingerprint: string, run: ImportRun, now: number): Promise<void>;
}
