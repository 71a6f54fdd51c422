import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import type { Random } from '../../support/random';
import type { Place } from './place';
import { TurnDrawer, type FileOperation } from './randomTurns';

/**
 * The form of the rows. `deltas`: 2.1.330. `updates`: 2.0.60 to 2.1.200, a whole snapshot for each first touch.
 * `rewritten`: the prompt's snapshot again. `merged`: one snapshot per prompt, as a fork copies them. `lone`: deltas,
 * some of them without a snapshot of their prompt.
 */
export const FORMS = ['deltas', 'updates', 'rewritten', 'merged', 'lone'] as const;
export type HistoryForm = (typeof FORMS)[number];

interface Backup {
  readonly backupFileName: string | null;
  readonly version: number;
  readonly backupTime: string;
  readonly realParentDir?: string;
}

interface WrittenSnapshot {
  /** The prompt. */
  readonly id: string;
  readonly backups: Record<string, Backup>;
  readonly timestamp: string;
}

const START_MS = Date.UTC(2026, 4, 1, 9);
const STEP_MS = 1_000;

/** Applies turns to the files, and writes the transcript and the copies that a client would have. */
export class HistoryWriter {
  readonly #rows: object[] = [];
  readonly #prompts: string[] = [];
  readonly #snapshots: WrittenSnapshot[] = [];
  readonly #tracked = new Set<string>();
  readonly #drawer: TurnDrawer;
  #parent: string | null = null;
  #ms = START_MS;
  #ids = 0;

  constructor(
    private readonly place: Place,
    private readonly form: HistoryForm,
    private readonly random: Random,
    /** How often a conversation is rewound. */
    private readonly goesBack = 0.08,
  ) {
    this.#drawer = new TurnDrawer(random);
  }

  /** Resolves to the prompts' uuids, including those of dead branches. */
  write(prompts: number): readonly string[] {
    const ends: (string | null)[] = [];
    for (let at = 0; at < prompts; at++) {
      // A conversation is occasionally rewound, with its files or without.
      if (at > 1 && this.random.chance(this.goesBack)) this.#goBack(ends[this.random.below(ends.length)] ?? null);
      this.#turn(at, this.#drawer.draw());
      ends.push(this.#parent);
    }
    writeFileSync(this.place.filePath, this.#rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    return this.#prompts;
  }

  #goBack(parent: string | null): void {
    this.#parent = parent;
    this.#rows.push({
      type: 'last-prompt',
      lastPrompt: 'x',
      leafUuid: '00000000-0000-0000-0000-000000000000',
      explicit: true,
      sessionId: this.place.sessionId,
    });
  }

  #turn(at: number, operations: readonly FileOperation[]): void {
    const prompt = this.#uuid();
    this.#prompts.push(prompt);
    const backups = this.#backUpTracked();
    const timestamp = this.#now();
    const snapshot = { id: prompt, backups, timestamp };
    this.#snapshots.push(snapshot);
    const touches = operations.some(({ kind }) => kind === 'write' || kind === 'edit');
    const isLone = this.form === 'lone' && at > 0 && touches && this.random.chance(0.4);
    const holdsBack = this.form === 'merged' || isLone;
    if (!holdsBack) this.#pushSnapshot(prompt, snapshot, false);
    this.#chainRow('user', { message: { role: 'user', content: `Prompt ${at + 1}` } }, prompt);
    for (const operation of operations) this.#call(operation, snapshot);
    if (this.form === 'merged') this.#pushSnapshot(prompt, snapshot, false);
    const content = [{ type: 'text', text: 'Done.' }];
    this.#chainRow('assistant', { message: { id: `msg_${this.#uuid()}`, role: 'assistant', model: 'm', content } });
  }

  #call(operation: FileOperation, snapshot: WrittenSnapshot): void {
    const uuid = this.#uuid();
    const id = `toolu_${uuid.slice(0, 8)}`;
    const path = join(this.place.root, operation.path);
    const isEdit = operation.kind === 'write' || operation.kind === 'edit';
    const input = isEdit ? { file_path: path } : { command: `change ${operation.path}` };
    const content = [{ type: 'tool_use', id, name: isEdit ? 'Write' : 'Bash', input }];
    if (isEdit) this.#track(path, uuid, snapshot);
    this.#play(operation);
    const message = { id: `msg_${uuid}`, role: 'assistant', model: 'm', content };
    this.#chainRow('assistant', { message }, uuid);
    const result = [{ type: 'tool_result', tool_use_id: id, content: 'done' }];
    this.#chainRow('user', { message: { role: 'user', content: result } });
  }

  /** The first touch of a file. */
  #track(path: string, call: string, snapshot: WrittenSnapshot): void {
    const tracking = this.#trackingPath(path);
    if (this.#tracked.has(path)) return;
    this.#tracked.add(path);
    const backup = this.#backUp(path, 1);
    define(snapshot.backups, tracking, backup);
    switch (this.form) {
      case 'deltas':
      case 'lone':
        this.#rows.push({
          type: 'file-history-delta',
          messageId: call,
          snapshotMessageId: snapshot.id,
          trackingPath: tracking,
          backup,
          timestamp: this.#now(),
        });
        break;
      case 'updates':
        this.#pushSnapshot(call, snapshot, true);
        break;
      case 'rewritten':
        this.#pushSnapshot(snapshot.id, snapshot, false);
        break;
      case 'merged':
    }
  }

  #pushSnapshot(messageId: string, { id, backups, timestamp }: WrittenSnapshot, isUpdate: boolean): void {
    const reported: Record<string, Backup> = {};
    for (const [path, backup] of Object.entries(backups)) define(reported, path, backup);
    this.#rows.push({
      type: 'file-history-snapshot',
      messageId,
      snapshot: { messageId: id, trackedFileBackups: reported, timestamp },
      isSnapshotUpdate: isUpdate,
    });
  }

  /** Stores a version of each file that changed since the last one. */
  #backUpTracked(): Record<string, Backup> {
    const backups: Record<string, Backup> = {};
    const last = this.#snapshots.at(-1);
    for (const path of this.#tracked) {
      const tracking = this.#trackingPath(path);
      const known = last !== undefined && Object.hasOwn(last.backups, tracking) ? last.backups[tracking] : undefined;
      define(backups, tracking, known !== undefined && this.#isSame(path, known) ? known : this.#backUp(path, null));
    }
    return backups;
  }

  #isSame(path: string, { backupFileName }: Backup): boolean {
    if (backupFileName === null || !existsSync(path)) return false;
    const copy = join(this.place.backupFolder, backupFileName);
    return readFileSync(path).equals(readFileSync(copy)) && statSync(path).mode === statSync(copy).mode;
  }

  /** `version`: null for the next one. */
  #backUp(path: string, version: number | null): Backup {
    const tracking = this.#trackingPath(path);
    const known = this.#snapshots.flatMap(({ backups }) =>
      Object.hasOwn(backups, tracking) ? [backups[tracking]?.version ?? 0] : [],
    );
    const next = version ?? Math.max(0, ...known) + 1;
    const backupTime = this.#now();
    const parent = this.form === 'deltas' || this.form === 'lone' ? { realParentDir: realParent(path) } : {};
    if (!existsSync(path)) return { backupFileName: null, version: next, backupTime, ...parent };
    const name = `${createHash('sha256').update(path).digest('hex').slice(0, 16)}@v${next}`;
    const copy = join(this.place.backupFolder, name);
    copyFileSync(path, copy);
    chmodSync(copy, statSync(path).mode);
    this.#date(copy);
    return { backupFileName: name, version: next, backupTime, ...parent };
  }

  #play(operation: FileOperation): void {
    const path = join(this.place.root, operation.path);
    switch (operation.kind) {
      case 'write':
      case 'shellWrite':
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, operation.content);
        this.#date(path);
        return;
      case 'edit':
        if (!existsSync(path)) return;
        writeFileSync(
          path,
          readFileSync(path, 'utf8').replace(operation.from, () => operation.to),
        );
        this.#date(path);
        return;
      case 'remove':
        rmSync(path, { force: true });
        return;
      case 'rename': {
        const to = join(this.place.root, operation.to);
        if (!existsSync(path)) return;
        mkdirSync(dirname(to), { recursive: true });
        renameSync(path, to);
        return;
      }
      case 'chmod':
        if (existsSync(path)) chmodSync(path, operation.mode);
    }
  }

  /** The client stores paths under its folder, and those with the same prefix, relative to that folder. */
  #trackingPath(path: string): string {
    return path.startsWith(this.place.cwd) ? relative(this.place.cwd, path) : path;
  }

  #chainRow(type: string, fields: object, uuid = this.#uuid()): void {
    const { cwd, sessionId } = this.place;
    const head = { parentUuid: this.#parent, isSidechain: false, userType: 'external', cwd, sessionId };
    this.#rows.push({ ...head, version: '2.1.330', type, ...fields, uuid, timestamp: this.#now() });
    this.#parent = uuid;
  }

  #uuid(): string {
    const hex = createHash('sha256').update(`${this.place.sessionId} ${++this.#ids}`).digest('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }

  #now(): string {
    this.#ms += STEP_MS;
    return new Date(this.#ms).toISOString();
  }

  #date(path: string): void {
    this.#ms += STEP_MS;
    utimesSync(path, this.#ms / 1000, this.#ms / 1000);
  }
}

/** Works even if the path is `__proto__`. */
function define(backups: Record<string, Backup>, path: string, backup: Backup): void {
  Object.defineProperty(backups, path, { value: backup, enumerable: true, writable: true, configurable: true });
}

function realParent(path: string): string {
  const folder = dirname(path);
  return isAbsolute(folder) && existsSync(folder) ? realpathSync(folder) : folder;
}
