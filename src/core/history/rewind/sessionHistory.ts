import { encodeProjectPath } from '../../providers/claude/format/paths';
import { createHash } from 'node:crypto';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { summaryOf } from '../../conversation/branches';
import type { CheckpointRow, FileBackup } from '../../providers/claude/format/checkpointRow';
import type { SessionRef } from '../../../protocol/session';
import type { LoaderRules } from '../../providers/claude/loader/rules';
import { NO_ID } from '../../transcript/idTable';
import { RowSource } from '../../transcript/rowSource';
import type { FileScanner } from '../../transcript/scanFile';
import type { TranscriptIndex } from '../../transcript/transcriptIndex';
import { RetainedRows, TranscriptRows } from '../../transcript/transcriptRows';
import { stringField } from '../../util/json';
import type { ScannedIdentity } from '../../util/openForeignFile';
import type { Pacer } from '../../util/scheduling';
import {
  type FoldedHistory,
  foldHistory,
  type HistoryEntry,
  type HistoryIndex,
  historyRows,
  indexFileHistory,
  type Snapshot,
} from './foldHistory';
import { type PromptChain, PromptChains } from './promptChains';

/** Maximum number of rows searched for a working directory. */
const MAX_CWD_ROWS = 1_000;
/** Number of rows at the start of a transcript that may lack a working directory. */
const FIRST_ROWS = 20;

export interface PromptInfo {
  readonly row: number;
  /** 1-based. */
  readonly line: number;
  readonly words: string;
  readonly timeMs: number | null;
}

/** A transcript opened for its file history. Must be closed; valid as long as the file only grows. */
export class SessionHistory {
  /** Working directories that rows name, oldest first. */
  readonly cwds: readonly string[];
  /** The folder that the client was started in; null if no row names one. */
  readonly cwd: string | null;
  readonly chains: PromptChains;
  readonly #folded = new Map<Int32Array, FoldedHistory>();
  readonly #folders = new Map<readonly Snapshot[], TrackedFolder>();

  private constructor(
    readonly sessionId: string,
    readonly filePath: string,
    readonly transcriptIndex: TranscriptIndex,
    readonly rows: TranscriptRows,
    readonly index: HistoryIndex,
    rules: LoaderRules,
  ) {
    this.chains = new PromptChains(transcriptIndex, rows, rules);
    this.cwds = this.#findCwds();
    this.cwd = startFolder(filePath, this.cwds);
  }

  /** Throws what `openRegularFile` throws. */
  static async open(
    { id, path: filePath }: SessionRef,
    scanFile: FileScanner,
    pacer: Pacer,
    rules: LoaderRules,
  ): Promise<SessionHistory> {
    const { index: transcriptIndex, identity } = await scanFile(filePath);
    const index = await indexFileHistory(filePath, Number(identity.size), pacer);
    const source = RowSource.open(filePath, Number(identity.size));
    try {
      const rows = new TranscriptRows(transcriptIndex.rows, source, new RetainedRows());
      return new SessionHistory(id, filePath, transcriptIndex, rows, index, rules);
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

  /** The client's snapshots after it has loaded the rows of a chain. */
  fold({ rows }: PromptChain): FoldedHistory {
    const known = this.#folded.get(rows);
    if (known !== undefined) return known;
    const folded = foldHistory(this.index, this.uuids(rows), (entry) => this.#load(entry));
    this.#folded.set(rows, folded);
    return folded;
  }

  /** Resolves the paths in a folded history. */
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
    return this.transcriptIndex.ids.text(this.transcriptIndex.rows.uuid(row));
  }

  /** Null if no row of any chain has the uuid. */
  prompt(uuid: string): PromptInfo | null {
    const row = this.chains.rowOf(uuid);
    if (row === NO_ID) return null;
    const object = this.rows.object(row);
    const time = this.transcriptIndex.rows.timestamp(row);
    return {
      row,
      line: this.transcriptIndex.rows.line(row),
      words: object === null ? '' : summaryOf(object),
      timeMs: Number.isNaN(time) ? null : time,
    };
  }

  #load({ offset, line, promptId }: HistoryEntry): CheckpointRow | null {
    const bytes = this.rows.source.wholeLineAt(offset);
    if (bytes === null) return null;
    return historyRows(bytes, line === 1).find((row) => row.promptId === promptId) ?? null;
  }

  #findCwds(): readonly string[] {
    const { transcriptIndex, rows, index } = this;
    const cwds = new Set<string>();
    const add = (row: number): void => {
      const object = row === NO_ID ? null : rows.object(row);
      const cwd = object === null ? null : stringField(object, 'cwd');
      if (cwd !== null) cwds.add(cwd);
    };
    for (let row = 0; row < Math.min(transcriptIndex.rows.count, FIRST_ROWS) && cwds.size === 0; row++) add(row);
    for (const uuid of [...index.snapshots.keys()].slice(-MAX_CWD_ROWS)) add(this.chains.rowOf(uuid));
    if (transcriptIndex.latest.cwd !== null) cwds.add(transcriptIndex.latest.cwd);
    return [...cwds];
  }
}

/** Resolves the paths in the rows of a file history. */
class TrackedFolder {
  readonly #names: ReadonlyMap<string, readonly string[]>;

  /**
   * @param cwds working directories that the transcript's rows name, oldest first. There may be several, because a
   * session may be resumed elsewhere, and a command may leave the folder in which the client was started.
   */
  constructor(
    /** The folder of relative paths, unless a backup's name proves another one; null if no row names one. */
    readonly cwd: string | null,
    private readonly cwds: readonly string[],
    snapshots: readonly Snapshot[],
  ) {
    this.#names = backupNames(snapshots);
  }

  /** Absolute and normalised; null if the folder of a relative path is unknown. */
  locate(trackingPath: string, backup: FileBackup): string | null {
    if (isAbsolute(trackingPath)) return resolve(trackingPath);
    if (this.cwd === null) return null;
    const own = backup.name === null ? [] : [backup.name];
    for (const name of [...own, ...(this.#names.get(trackingPath) ?? [])]) {
      const cwd = this.cwds.find((each) => isNameOf(name, resolve(each, trackingPath)));
      if (cwd !== undefined) return resolve(cwd, trackingPath);
    }
    const { realParentDir } = backup;
    const matching = this.cwds.find((each) => dirname(resolve(each, trackingPath)) === realParentDir);
    if (matching !== undefined) return resolve(matching, trackingPath);
    return resolve(this.cwd, trackingPath);
  }
}

/** The folder in which the client was started: the one after which the project folder is named, or else the first. */
function startFolder(filePath: string, cwds: readonly string[]): string | null {
  const folder = basename(dirname(filePath));
  return cwds.find((cwd) => encodeProjectPath(cwd) === folder) ?? cwds[0] ?? null;
}

/** A backup is named after the absolute path of its file, so its name proves where a relative path starts. */
function isNameOf(name: string, path: string): boolean {
  const [digits = ''] = name.split('@', 1);
  return digits !== '' && createHash('sha256').update(path).digest('hex').startsWith(digits);
}

function backupNames(snapshots: readonly Snapshot[]): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const { backups } of snapshots) {
    for (const [path, { name }] of backups) {
      if (name === null) continue;
      const known = names.get(path) ?? [];
      if (known.length === 0) names.set(path, known);
      if (!known.some((each) => each.split('@', 1)[0] === name.split('@', 1)[0])) known.push(name);
    }
  }
  return names;
}
