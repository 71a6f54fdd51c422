import { basename } from 'node:path';
import type { CheckpointRow } from '../claude/checkpointRow';
import { stringField } from '../claude/json';
import { firstWords } from '../read/describe/firstWords';
import { RowSource } from '../read/rows/rowSource';
import { RowMemory, TranscriptRows } from '../read/rows/transcriptRows';
import { NO_ID } from '../scan/idTable';
import type { ScannedIdentity } from '../scan/openRegularFile';
import type { FileScanner } from '../scan/scanFile';
import type { TranscriptFacts } from '../scan/transcriptFacts';
import type { Pacer } from '../util/pacer';
import { foldHistory, type FoldedHistory, type Snapshot } from './foldHistory';
import { historyRows, indexFileHistory, type HistoryEntry, type HistoryIndex } from './historyIndex';
import { PromptChains, type PromptChain } from './promptChains';
import { startFolder, TrackedFolder } from './trackedFolder';

/** Rows that are looked into for a working directory. */
const MAX_CWD_ROWS = 1_000;
/** Rows at the start of a transcript that may name none. */
const FIRST_ROWS = 20;

export interface PromptFacts {
  readonly row: number;
  /** 1-based. */
  readonly line: number;
  readonly words: string;
  readonly timeMs: number | null;
}

/** A transcript opened for what it tells of files. To be closed; good as long as the file only grows. */
export class SessionHistory {
  readonly sessionId: string;
  /** Working directories that rows name, oldest first. */
  readonly cwds: readonly string[];
  /** The folder that the client was started in; null when no row names one. */
  readonly cwd: string | null;
  readonly chains: PromptChains;
  readonly #folded = new Map<Int32Array, FoldedHistory>();
  readonly #folders = new Map<readonly Snapshot[], TrackedFolder>();

  private constructor(
    readonly filePath: string,
    readonly facts: TranscriptFacts,
    readonly rows: TranscriptRows,
    readonly index: HistoryIndex,
  ) {
    this.sessionId = basename(filePath, '.jsonl');
    this.chains = new PromptChains(facts, rows);
    this.cwds = this.#findCwds();
    this.cwd = startFolder(filePath, this.cwds);
  }

  /** Throws what `openRegularFile` throws. */
  static async open(filePath: string, scanFile: FileScanner, pacer: Pacer): Promise<SessionHistory> {
    const { facts, identity } = await scanFile(filePath);
    const index = await indexFileHistory(filePath, Number(identity.size), pacer);
    const source = RowSource.open(filePath, Number(identity.size));
    try {
      return new SessionHistory(filePath, facts, new TranscriptRows(facts.rows, source, new RowMemory()), index);
    } catch (error) {
      source.close();
      throw error;
    }
  }

  close(): void {
    this.rows.source.close();
  }

  get identity(): ScannedIdentity {
    return this.rows.source.identity;
  }

  /** What the client kept along a chain. */
  fold({ rows }: PromptChain): FoldedHistory {
    const known = this.#folded.get(rows);
    if (known !== undefined) return known;
    const folded = foldHistory(this.index, this.uuids(rows), (entry) => this.#load(entry));
    this.#folded.set(rows, folded);
    return folded;
  }

  /** Where the paths of a fold lead. */
  folderOf({ snapshots }: FoldedHistory): TrackedFolder {
    const known = this.#folders.get(snapshots) ?? new TrackedFolder(this.cwd, this.cwds, snapshots);
    this.#folders.set(snapshots, known);
    return known;
  }

  *uuids(rows: Int32Array): Generator<string> {
    for (const row of rows) {
      const uuid = this.uuid(row);
      if (uuid !== null) yield uuid;
    }
  }

  uuid(row: number): string | null {
    return this.facts.ids.text(this.facts.rows.uuid(row));
  }

  /** Null when no row of any chain has the uuid. */
  prompt(uuid: string): PromptFacts | null {
    const row = this.chains.rowOf(uuid);
    if (row === NO_ID) return null;
    const object = this.rows.object(row);
    const time = this.facts.rows.timestamp(row);
    return {
      row,
      line: this.facts.rows.line(row),
      words: object === null ? '' : firstWords(object),
      timeMs: Number.isNaN(time) ? null : time,
    };
  }

  #load({ offset, line, promptId }: HistoryEntry): CheckpointRow | null {
    const { bytes, isCut } = this.rows.source.lineAt(offset);
    if (isCut) return null;
    return historyRows(bytes, line === 1).find((row) => row.promptId === promptId) ?? null;
  }

  #findCwds(): readonly string[] {
    const { facts, rows, index } = this;
    const cwds = new Set<string>();
    const add = (row: number): void => {
      const object = row === NO_ID ? null : rows.object(row);
      const cwd = object === null ? null : stringField(object, 'cwd');
      if (cwd !== null) cwds.add(cwd);
    };
    for (let row = 0; row < Math.min(facts.rows.count, FIRST_ROWS) && cwds.size === 0; row++) add(row);
    for (const uuid of [...index.snapshots.keys()].slice(-MAX_CWD_ROWS)) add(this.chains.rowOf(uuid));
    if (facts.latest.cwd !== null) cwds.add(facts.latest.cwd);
    return [...cwds];
  }
}
